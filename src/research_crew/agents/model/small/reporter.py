"""What a small researcher notes of a round: facts with the number of their source; code finds the words they rest on."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from research_crew.agents.found import PageText
from research_crew.agents.model.answers import ClaimAnswer, FindingAnswer
from research_crew.agents.model.prompting import system_prompt
from research_crew.agents.model.small.answers import MOST_CHARACTERS, FactsAnswer
from research_crew.agents.model.small.looked_for import LookedFor, bridges, looked_for
from research_crew.agents.model.team import Team
from research_crew.agents.roles import Brief, Coverage, Question
from research_crew.core.context import Context
from research_crew.core.errors import CallFailed
from research_crew.evidence.claim import Claim
from research_crew.evidence.fence import fenced
from research_crew.evidence.folding import content_terms, fold
from research_crew.evidence.language import detect_language
from research_crew.evidence.passage import Passage, rank_passages, split_passages
from research_crew.evidence.sentences import split_sentences
from research_crew.evidence.support import check_support
from research_crew.models.asking import Reading, UnusableAnswer, ask_for, read_as
from research_crew.models.metered import DoesNotFit
from research_crew.models.protocol import ModelRequest
from research_crew.models.schema import schema_of

MOST_FACTS = 3
_LONG, _PASSAGE = 2_000, 250
"""Characters of a page from which its first sentence says little, and of the pieces of such a page."""
_FURNITURE = re.compile(r"\s*#[^\n]*$|\W*\w*\W*$")
"""A heading, or no more than a word: it takes room and says nothing."""


async def report(
    brief: Brief, question: Question, pages: Sequence[PageText], queries: Sequence[str], claims: Sequence[Claim],
    number: int, team: Team, ctx: Context, notes: list[str],
) -> FindingAnswer | None:  # fmt: skip
    """The facts of one round as claims with quotes; None, with a note, when the answer cannot be used."""
    wanted = looked_for(question, queries, number)
    pages = [page for page in pages if wanted.about(f"{page.title} {page.text}")]
    if not pages:
        notes.append(f"round {number}: no page is about {' or '.join(wanted.names)}")
        return FindingAnswer([], "insufficient", [])
    terms = content_terms(" ".join((brief.objective, *queries)), detect_language(brief.objective))
    lines = [f"Question: {question.text}"]
    if number > 1:  # asked the same again, a small model says the same again
        lines += ["Known: " + " ".join(claim.text for claim in claims), f"Look up now: {', '.join(wanted.names)}"]
    elif brief.objective != question.text:
        lines.append(f"Your part: {brief.objective}")
    request = team.request(
        ctx.task.role, system_prompt("small/researcher", question, most=MOST_FACTS), "\n".join(lines), team.caps.research, None, "facts"
    )
    where = f"{ctx.task.id}/round-{number}"
    asked, fitted = _fitted(request, pages, terms, team, ctx.task.role, where)
    if fitted < len(pages):
        notes.append(f"round {number}: {len(pages) - fitted} of {len(pages)} pages did not fit into the prompt")
    if not fitted:
        return None  # without a source a model would answer from memory
    try:
        model, step = team.of(ctx.task.role), f"round-{number}/report"
        reading = await ask_for(team.asker, ctx.meter, model, asked, step, read_as(FactsAnswer), repair=False)
    except (UnusableAnswer, CallFailed, DoesNotFit) as error:
        notes.append(f"round {number}: {error}")
        return None
    return _finding(reading, pages[:fitted], question, claims, wanted, number, notes)


def _fitted(
    request: ModelRequest, pages: Sequence[PageText], terms: Sequence[str], team: Team, role: str, where: str
) -> tuple[ModelRequest, int]:
    """The request with as many pages as fit, and how many: two short excerpts rather than one long one."""
    asked, fitted = request, 0
    for share in (1.0, 0.6):
        most = int(team.chars_per_result * share)
        blocks = [f"[{n}] {page.title}: {excerpt(page.text, terms, most)}" for n, page in enumerate(pages, 1)]
        for size in range(len(blocks), fitted, -1):
            shown = fenced(team.secret, where, "\n".join(blocks[:size]), "sources")
            trial, all_fit = team.fit(role, replace(request, schema=_among(size)), [shown], team.caps.prompt)
            if all_fit:
                asked, fitted = trial, size
                break
        if fitted > 1 or fitted == len(pages):
            break
    return asked, fitted


def _finding(
    reading: Reading[FactsAnswer], pages: Sequence[PageText], question: Question, claims: Sequence[Claim],
    wanted: LookedFor, number: int, notes: list[str],
) -> FindingAnswer:  # fmt: skip
    """The new facts that are about what was looked for, and the names that they lead to."""
    known = {fold(claim.text) for claim in claims}
    found: list[ClaimAnswer] = []
    for answer in reading.value.facts:
        fact = whole_sentences(answer.fact, MOST_CHARACTERS)
        if not fact or fold(fact) in known:
            continue
        claim = resting_on(fact, answer.source - 1, pages)
        title = next((page.title for page in pages if page.number == claim.source), "")
        if wanted.about(f"{title} {fact}"):
            found.append(claim)
        else:
            notes.append(f"round {number}: about nothing that was looked for: {fact}")
    queries = bridges(question, [claim.text for claim in found], wanted.names)
    coverage: Coverage = "partial" if queries or reading.cut or not found else "comprehensive"
    return FindingAnswer(found, coverage, queries)


def whole_sentences(text: str, most: int) -> str:
    """A text up to the end of its last whole sentence, if it was cut at a limit of characters and has such an end."""
    text = " ".join(text.split())
    if len(text) < most - 5 or text[-1] in ".!?":
        return text
    spans = split_sentences(text)
    return text[: spans[-2].end] if len(spans) > 1 else text


def _among(pages: int) -> dict[str, Any]:
    """The schema of an answer whose facts are of one of so many sources."""
    schema = schema_of(FactsAnswer)
    schema["properties"]["facts"]["items"]["properties"]["source"]["maximum"] = pages
    return schema


def excerpt(text: str, terms: Sequence[str], most: int) -> str:
    """What serves the terms best, in the page's order: sentences of a short page, after its first one, which says what
    it is about; short passages of a long page."""
    long = len(text) > _LONG
    if long:
        pieces = [p for p in split_passages(text, size=_PASSAGE) if not _FURNITURE.match(p.text)]
    else:
        pieces = [Passage(span.of(text), span.start, span.end) for span in split_sentences(text)]
    scores = rank_passages(pieces, terms)
    order = sorted(range(len(pieces)), key=lambda i: (long or i != 0, -scores[i], i))
    chosen: list[int] = []
    room = most
    for i in order:
        if len(pieces[i].text) <= room or not chosen:
            chosen.append(i)
            room -= len(pieces[i].text)
    return " ".join(" ".join(pieces[i].text[:most].split()) for i in sorted(chosen))


def resting_on(fact: str, place: int, pages: Sequence[PageText]) -> ClaimAnswer:
    """A fact with the one or two sentences that say it best: of the source that the model named if they bear it, of
    another that it was shown otherwise. A fact that nothing bears keeps the nearest, for the gate to refuse."""
    verdicts = {"supported": 2, "partly": 1, "unsupported": 0}
    best: tuple[tuple[int, bool, float, int], str, int] = ((-1, False, 0.0, 0), "", 0)
    for n, page in enumerate(pages):
        spans = split_sentences(page.text)
        for width in (1, 2):
            for first in range(len(spans) - width + 1):
                quote = page.text[spans[first].start : spans[first + width - 1].end]
                before = page.text[max(0, spans[first].start - 400) : spans[first].start]
                check = check_support(fact, quote, f"{page.title}\n{before}")
                rank = (verdicts[check.verdict], n == place, round(check.score or 0.0, 3), -width)
                if rank > best[0]:
                    best = (rank, quote, page.number)
    return ClaimAnswer(fact, best[1], best[2])
