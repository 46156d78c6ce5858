"""Researches a brief without a model: searches side by side, reads what is promising, keeps the best sentences."""

import asyncio
from collections.abc import Iterable, Sequence

from research_crew.agents.extractive.names import names
from research_crew.agents.extractive.scoring import Scorer, Sentence, choose, key_terms, sentences_of
from research_crew.agents.found import FoundPage, SearchOutcome
from research_crew.agents.roles import Brief, Coverage, Finding, Question
from research_crew.core.context import Context
from research_crew.core.errors import OverBudget
from research_crew.core.outcome import Partial
from research_crew.evidence.claim import Claim
from research_crew.evidence.folding import fold

MOST_CLAIMS = 8
_ENOUGH = 0.85
_RRF = 60
"""Constant of reciprocal rank fusion (Cormack, Clarke, Buettcher 2009)."""


async def research(brief: Brief, question: Question, ctx: Context) -> Finding | Partial:
    """Up to `search_rounds` rounds; stops when the brief is covered, no query is new, or a round brought nothing.

    A limit or the deadline in the middle leaves what was read until then: a `Partial`.
    """
    language = question.language
    done: set[str] = set()
    read: dict[int, list[Sentence]] = {}
    failures: list[str] = []
    found_names: list[str] = []
    queries = list(brief.search_queries)
    chosen: list[Sentence] = []
    scorer = Scorer(brief.objective, (), language)
    rounds = 0
    stopped = ""
    for number in range(1, question.search_rounds + 1):
        # At least as many pages as searches: results that nobody can read are worth nothing.
        room = max(1, min(question.queries_per_round, int(ctx.left // 2)))
        fresh = [q for q in queries if fold(q) not in done][:room]
        if not fresh:
            break
        rounds = number
        done.update(map(fold, fresh))
        try:
            outcomes = await _search(fresh, number, question, ctx)
            failures += [o.detail or o.status for o in outcomes if o.status in ("failed", "throttled")]
            for page in rank(fresh, outcomes, set(read), language)[: question.pages_per_round]:
                got = await ctx.read(page.number, step=f"round-{number}/read-{page.number}")
                read[page.number] = sentences_of(page.number, got.title, got.text, language) if got.text else []
        except OverBudget as refusal:
            stopped = str(refusal)
        except asyncio.CancelledError:
            _keep(brief, read, found_names, rounds, language, ctx)
            raise
        everything = [s for some in read.values() for s in some]
        scorer = Scorer(brief.objective, everything, language, found_names)
        before, chosen = chosen, choose(everything, scorer, MOST_CLAIMS)
        if stopped or scorer.coverage(chosen) >= _ENOUGH or (number > 1 and chosen == before):
            break
        queries, found_names = follow_up(brief, question, chosen, scorer, done, found_names)
    claims = ctx.register([_claim(s, language) for s in chosen])
    note = f"every search failed: {failures[0]}" if failures and not read else ""
    finding = Finding(tuple(claims), _coverage(scorer, chosen, claims), tuple(queries[:3]), rounds, note)
    return Partial(finding, stopped) if stopped and claims else finding


def _keep(
    brief: Brief, read: dict[int, list[Sentence]], found_names: list[str], rounds: int, language: str, ctx: Context
) -> None:
    """The run is being stopped: leave the best of what was read, so that the task ends `partial` and not empty."""
    everything = [s for some in read.values() for s in some]
    chosen = choose(everything, Scorer(brief.objective, everything, language, found_names), MOST_CLAIMS)
    claims = ctx.register([_claim(s, language) for s in chosen])
    if claims:
        ctx.offer(Finding(tuple(claims), "partial", rounds=rounds))


async def _search(queries: Sequence[str], number: int, question: Question, ctx: Context) -> list[SearchOutcome]:
    wanted = [
        ctx.search(query, step=f"round-{number}/search-{place}", limit=question.results_per_search)
        for place, query in enumerate(queries, 1)
    ]
    return list(await asyncio.gather(*wanted))


def rank(
    queries: Sequence[str], outcomes: Iterable[SearchOutcome], known: set[int], language: str
) -> list[FoundPage]:
    """Pages in the order in which they are worth reading: reciprocal ranks added up over the queries, a page whose
    title a query names first."""
    scores: dict[int, float] = {}
    pages: dict[int, FoundPage] = {}
    for query, outcome in zip(queries, outcomes, strict=True):
        terms = key_terms(query, language)
        for place, page in enumerate(outcome.pages, 1):
            pages.setdefault(page.number, page)
            title = key_terms(page.title, language)
            named = bool(title) and title <= terms
            scores[page.number] = scores.get(page.number, 0.0) + (2.0 if named else 1.0) / (_RRF + place)
    ranked = sorted(pages, key=lambda n: (-scores[n], n))
    return [pages[n] for n in ranked if n not in known]


def follow_up(
    brief: Brief, question: Question, chosen: Sequence[Sentence], scorer: Scorer, done: set[str], known: list[str]
) -> tuple[list[str], list[str]]:
    """Narrower queries: names that the best sentences brought up, with what of the question is still unsaid."""
    language = question.language
    asked = fold(f"{question.text} {brief.objective}")
    missing = scorer.unsaid(chosen[:3])
    words = [w for w in brief.objective.split() if key_terms(w, language) & missing]
    rest = " ".join(w.strip("?!.,;:") for w in words if not w[:1].isupper())[:80]
    new: list[str] = []
    for sentence in chosen[:5]:
        for name in names(sentence.text, language):
            if len(name) > 3 and fold(name) not in asked and not any(fold(name) in fold(k) for k in (*known, *new)):
                new.append(name)
    queries = [f"{name} {rest}".strip() for name in new]
    return [q for q in queries if fold(q) not in done], [*known, *new]


def _claim(sentence: Sentence, language: str) -> Claim:
    return Claim(sentence.text, sentence.quote, sentence.source, language=language)


def _coverage(scorer: Scorer, chosen: Sequence[Sentence], claims: Sequence[Claim]) -> Coverage:
    if not claims:
        return "insufficient"
    return "comprehensive" if scorer.coverage(chosen) >= _ENOUGH else "partial"


def whole_brief(question: Question) -> Brief:
    """The brief of one agent alone: the question itself, then the names in it."""
    queries = [question.text, *names(question.text, question.language)]
    return Brief(question.text, tuple(dict.fromkeys(queries))[: question.queries_per_round])
