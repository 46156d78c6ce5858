"""A researcher with a model, and the one agent alone: rounds of searching, reading and reporting claims with quotes."""

import asyncio
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import Decimal

from research_crew.agents.found import FoundPage, PageText, SearchOutcome
from research_crew.agents.model.answers import ClaimAnswer, FindingAnswer
from research_crew.agents.model.prompting import system_prompt
from research_crew.agents.model.small import reporter as small
from research_crew.agents.model.small.looked_for import looked_for
from research_crew.agents.model.team import Team
from research_crew.agents.roles import Brief, Coverage, Finding, Question
from research_crew.core.context import Context
from research_crew.core.errors import AgentFailure, CallFailed, OverBudget
from research_crew.core.outcome import Partial
from research_crew.evidence.claim import Claim
from research_crew.evidence.fence import fenced
from research_crew.evidence.folding import content_terms, fold
from research_crew.evidence.language import detect_language
from research_crew.evidence.passage import best_passages
from research_crew.models.asking import UnusableAnswer, ask_for, read_as
from research_crew.models.metered import DoesNotFit
from research_crew.models.schema import schema_of

MOST_CLAIMS = 10
_OPERATOR = re.compile(r"://|\bwww\.|\b(?:site|inurl|intitle|filetype|cache|link):|[\w-]+\.(?:com|org|net|io|example)\b", re.I)
_RRF = 60


async def research(brief: Brief, question: Question, team: Team, ctx: Context) -> Finding | Partial:
    """Up to `search_rounds` rounds; stops early when the brief is covered, no query is new, or a round brought nothing.

    A limit or the deadline in the middle leaves what was found until then: a `Partial`. Raises `AgentFailure` when
    there is not one claim because searches, or the model, failed: that is not the same as finding nothing.
    """
    claims: list[Claim] = []
    notes: list[str] = []
    done: set[str] = set()
    seen: set[int] = set()
    queries: Sequence[str] = brief.search_queries
    coverage: Coverage = "insufficient"
    rounds = 0
    flagged = broken = False
    start, before, dearest = ctx.left, ctx.left, Decimal(0)
    try:
        for number in range(1, question.most_rounds + 1):
            dearest, before = max(dearest, before - ctx.left), ctx.left
            if number > 1 and question.spend is not None and start - ctx.left + dearest > question.spend:
                break
            fresh = [q for q in dict.fromkeys(queries) if fold(q) not in done][: question.queries_per_round]
            if not fresh:
                break
            rounds = number
            done.update(map(fold, fresh))
            outcomes = await _search(fresh, number, question, ctx)
            failed = [o.detail or o.status for o in outcomes if o.status in ("failed", "throttled")]
            if len(failed) == len(outcomes):
                notes.append(f"every search of round {number} failed: {failed[0]}")
                broken = True
                break
            ranked = _ranked(outcomes, seen)
            if team.small:  # notes little of a page: one that it was shown is worth showing again for another name
                ranked = looked_for(question, fresh, number).first(_ranked(outcomes, ()))
            pages = await _read(ranked, number, question, team, ctx)
            flagged = flagged or any(page.instructions for page in pages)
            seen.update(page.number for page in pages)
            if not pages:
                break
            if team.small:
                answer = await small.report(brief, question, pages, fresh, claims, number, team, ctx, notes)
            else:
                blocks = _blocks(brief, pages, {p.number: p.tier for p in ranked}, number, team, ctx)
                answer = await _report(brief, question, blocks, claims, number, team, ctx, notes)
            if answer is None:
                broken = True
                break
            found = ctx.register([_claim(c) for c in answer.claims])
            claims += found
            coverage = answer.coverage if claims else "insufficient"
            queries = own_queries(answer.follow_up_queries, brief, question, claims, flagged)
            ctx.offer(Finding(tuple(claims), coverage, tuple(queries), rounds, "; ".join(notes)))
            if not question.persist and (coverage == "comprehensive" or not found):
                break
    except OverBudget as refusal:
        if not claims:
            raise
        return Partial(Finding(tuple(claims), "partial", tuple(queries), rounds, "; ".join(notes)), str(refusal))
    if broken and not claims:
        raise AgentFailure("; ".join(notes))
    return Finding(tuple(claims), coverage, tuple(queries), rounds, "; ".join(notes))


async def _search(queries: Sequence[str], number: int, question: Question, ctx: Context) -> list[SearchOutcome]:
    wanted = [
        ctx.search(query, step=f"round-{number}/search-{place}", limit=question.results_per_search)
        for place, query in enumerate(queries, 1)
    ]
    return list(await asyncio.gather(*wanted))


def _ranked(outcomes: Iterable[SearchOutcome], seen: Collection[int]) -> list[FoundPage]:
    """New pages by reciprocal ranks added up over the queries, strong ones before weak ones of equal rank."""
    scores: dict[int, float] = {}
    pages: dict[int, FoundPage] = {}
    for outcome in outcomes:
        for place, page in enumerate(outcome.pages, 1):
            pages[page.number] = page
            scores[page.number] = scores.get(page.number, 0.0) + 1 / (_RRF + place)
    tiers = {"strong": 0, "ordinary": 1, "weak": 2}
    ranked = sorted(pages, key=lambda n: (-round(scores[n], 9), tiers.get(pages[n].tier, 1), n))
    return [pages[n] for n in ranked if n not in seen]


async def _read(
    pages: Sequence[FoundPage], number: int, question: Question, team: Team, ctx: Context
) -> list[PageText]:
    """The pages that could be read, in the order of the ranking. Text that the run has already costs nothing; a small
    model is shown no more pages than are read in a round."""
    most = max(question.results_per_search, question.pages_per_round)
    known = [page for page in pages if page.text_known]
    unread = [page for page in pages if not page.text_known][: question.pages_per_round]
    chosen = [page for page in pages if page in known or page in unread]
    chosen = chosen[: question.pages_per_round if team.small else most]
    got = await asyncio.gather(*(ctx.read(p.number, step=f"round-{number}/read-{p.number}") for p in chosen))
    return [page for page in got if page.text]


def _blocks(
    brief: Brief, pages: Sequence[PageText], tiers: Mapping[int, str], number: int, team: Team, ctx: Context
) -> list[str]:
    """The fenced text of pages, cut to its best passages."""
    language = detect_language(brief.objective)
    terms = content_terms(" ".join((brief.objective, *brief.search_queries)), language)
    blocks = []
    for page in pages:
        best = "\n...\n".join(p.text for p in best_passages(page.text, terms, team.chars_per_result))
        where = f"{ctx.task.id}/round-{number}/source-{page.number}"
        label = f"source {page.number} ({tiers[page.number]})"
        blocks.append(fenced(team.secret, where, f"{page.title}\n{best}", label))
    return blocks


def own_queries(
    queries: Sequence[str], brief: Brief, question: Question, claims: Sequence[Claim], flagged: bool
) -> list[str]:
    """Follow-up queries that may be sent: none with an address or an operator in it, and each with a word of the brief.

    After a page that speaks to an assistant every word of a query must stand in the question, the brief or a verified
    claim: whatever the page asked to be searched for does not go out.
    """
    asked = " ".join((question.text, brief.objective, *brief.search_queries))
    own = set(content_terms(asked))
    known = own | {term for claim in claims for term in content_terms(claim.text)}
    kept = []
    for query in queries:
        words = set(content_terms(query))
        if not words or _OPERATOR.search(query) or not words & known or (flagged and not words <= known):
            continue
        kept.append(query)
    return kept


async def _report(
    brief: Brief, question: Question, blocks: Sequence[str], claims: Sequence[Claim], number: int, team: Team,
    ctx: Context, notes: list[str],
) -> FindingAnswer | None:  # fmt: skip
    """The model's report of one round; None, with a note, when there is none that can be used."""
    lines = [f"Your brief: {brief.objective}"]
    lines += [f"Report as: {brief.output_format}"] if brief.output_format else []
    lines += [f"Leave alone: {brief.boundaries}"] if brief.boundaries else []
    lines += ["Already found:\n" + "\n".join(f"- {c.text}" for c in claims)] if claims else []
    request = team.request(
        ctx.task.role, system_prompt("researcher", question, most=MOST_CLAIMS), "\n\n".join(lines), team.caps.research,
        schema_of(FindingAnswer), "finding",
    )  # fmt: skip
    request, fitted = team.fit(ctx.task.role, request, blocks, team.caps.prompt)
    if fitted < len(blocks):
        notes.append(f"round {number}: {len(blocks) - fitted} of {len(blocks)} pages did not fit into the prompt")
    try:
        model = team.of(ctx.task.role)
        reading = await ask_for(team.asker, ctx.meter, model, request, f"round-{number}/report", read_as(FindingAnswer))
    except (UnusableAnswer, CallFailed, DoesNotFit) as error:
        notes.append(f"round {number}: {error}")
        return None
    return reading.value


def _claim(answer: ClaimAnswer) -> Claim:
    return Claim(" ".join(answer.text.split()), answer.quote.strip(), answer.source)


def whole_brief(question: Question) -> Brief:
    """The brief of one agent alone: the question itself, or what an earlier round left open."""
    if question.gaps:
        return Brief("; ".join(question.gaps), question.gaps, "claims that fill these gaps")
    return Brief(question.text, (question.text,), "claims that together answer the question")
