"""Researches a brief without a model: searches side by side, reads what is promising, keeps the best sentences."""

import asyncio
from collections.abc import Awaitable, Iterable, Sequence
from typing import TypeVar

from research_crew.agents.extractive.pool import Candidate, Pool
from research_crew.agents.extractive.scoring import Scorer, Sentence, choose, sentences_of
from research_crew.agents.found import PageText, SearchOutcome
from research_crew.agents.names import names
from research_crew.agents.roles import Brief, Coverage, Finding, Question
from research_crew.core.context import Context
from research_crew.core.errors import OverBudget
from research_crew.core.outcome import Partial
from research_crew.evidence.claim import Claim
from research_crew.evidence.folding import fold

T = TypeVar("T")

MOST_CLAIMS = 10
_SAID = 0.85
"""Share of what is asked that the chosen sentences must speak of for a brief to be covered."""
_WHOLE = 0.8
"""Share of what is asked that one page must speak of to end the search: the answer hangs on no second page then."""
_PROMISING = 0.25
"""Score, in relation to the best page's, from which a page is worth its price. Of pages below it one in fifty held what was
asked (docs/extractive.md)."""
_FOLLOWED = 2
"""Names that are followed in a later round; a third brought up pages that were not worth reading."""
_LAST_RESORT = 0.2
"""The same for an agent that goes on past its stop: what is left once all else is read."""


async def research(brief: Brief, question: Question, ctx: Context, asked: set[str] | None = None) -> Finding | Partial:
    """Up to `search_rounds` rounds; stops when one page covers the brief, no query is new, or a round brought nothing.

    `asked` takes the folded queries of this researcher, for those who plan further ones.

    A limit or the deadline in the middle leaves what was read until then: a `Partial`.
    """
    work = _Work(brief, question, ctx)
    try:
        await work.search(set() if asked is None else asked)
        await work.read(work.allowance, "last")
    except asyncio.CancelledError:
        work.leave()
        raise
    return work.finding()


class _Work:
    """What one researcher has found so far."""

    def __init__(self, brief: Brief, question: Question, ctx: Context) -> None:
        self._brief, self._question, self._ctx = brief, question, ctx
        self._pool = Pool(brief.objective, question.language)
        self._read: dict[int, list[Sentence]] = {}
        self._done: list[str] = []
        self._failed: list[str] = []
        self._rounds = 0
        self._stopped = ""

        # A part of a question gets a part of what a whole one may spend.
        divided = bool(brief.boundaries)
        self._pages = max(1, question.pages_per_round * 2 // 3) if divided else question.pages_per_round
        self._queries = max(1, question.queries_per_round - 1) if divided else question.queries_per_round

    @property
    def allowance(self) -> int:
        """Pages that may be read by now."""
        return self._pages * self._rounds

    async def search(self, asked: set[str]) -> None:
        """The rounds."""
        queries: Sequence[str] = self._brief.search_queries
        persist = self._question.persist
        for number in range(1, self._question.most_rounds + 1):
            fresh = self._fresh(queries)
            if number > 1 and not persist:
                fresh = fresh[:_FOLLOWED]
            if not fresh or self._stopped:
                return
            self._rounds = number
            self._done += fresh
            asked.update(map(fold, fresh))
            before = len(self._pool.candidates)
            await self._ask(fresh[:1] if number == 1 else fresh, number)
            if number == 1:
                # A name is asked for alone only where the question did not bring its page.
                await self._ask([query for query in fresh[1:] if not self._pool.has(query)], number, 2)
            if not persist and (len(self._pool.candidates) == before or self._pool.widest() >= _WHOLE):
                return
            if number < self._question.most_rounds:
                # Half of what a round may read, so that its names lead on; the rest once all is known to rank it by.
                await self.read(self.allowance if persist else self._pages // 2, f"round-{number}")
            queries = self._pool.follow_up(self._done)

    async def _ask(self, queries: Sequence[str], number: int, first: int = 1) -> None:
        outcomes: list[SearchOutcome] = await self._together(
            self._ctx.search(query, step=f"round-{number}/search-{i}", limit=self._question.results_per_search)
            for i, query in enumerate(queries, first)
        )
        self._take(outcomes)

    def _fresh(self, queries: Sequence[str]) -> list[str]:
        """Queries not asked yet; a short budget leaves at least as much for pages as for searches, since results that
        nobody can read are worth nothing."""
        done = set(map(fold, self._done))
        room = max(1, min(self._queries, int(self._ctx.left // 2)))
        return [query for query in queries if fold(query) not in done][:room]

    def _take(self, outcomes: Sequence[SearchOutcome]) -> None:
        self._failed += [o.detail or o.status for o in outcomes if o.status in ("failed", "throttled")]
        self._pool.add(outcomes)

    async def read(self, most: int, step: str) -> None:
        """Read the promising pages, best first, until `most` have been read."""
        wanted = self._promising()[: max(0, most - len(self._read))]
        if self._stopped or not wanted:
            return
        pages: list[PageText] = await self._together(
            self._ctx.read(page.number, step=f"{step}/read-{page.number}") for page in wanted
        )
        for page in pages:
            found = sentences_of(page.number, page.title, page.text, self._question.language) if page.text else []
            self._read[page.number] = found
            self._pool.read(page)

    def _promising(self) -> list[Candidate]:
        ranked = self._pool.ranked()
        least = _LAST_RESORT if self._question.persist else _PROMISING
        return [c for c in ranked if c.score >= least * ranked[0].score and c.number not in self._read]

    async def _together(self, calls: Iterable[Awaitable[T]]) -> list[T]:
        """All of these side by side; those that the budget refused are left out, and nothing more is bought."""
        tried = await asyncio.gather(*calls, return_exceptions=True)
        got: list[T] = []
        for one in tried:
            if isinstance(one, OverBudget):
                self._stopped = self._stopped or str(one)
            elif isinstance(one, BaseException):
                raise one
            else:
                got.append(one)
        return got

    # -- what comes of it ---------------------------------------------------------------------------------------

    def _chosen(self) -> tuple[Scorer, list[Sentence]]:
        scorer = Scorer(self._pool, self._read)
        everything = [s for some in self._read.values() for s in some]
        most = min(MOST_CLAIMS, self._question.max_claims or MOST_CLAIMS)
        return scorer, choose(everything, scorer, most, self._question.max_words)

    def _register(self, chosen: Sequence[Sentence]) -> tuple[Claim, ...]:
        language = self._question.language
        return tuple(self._ctx.register([Claim(s.text, s.quote, s.source, language=language) for s in chosen]))

    def finding(self) -> Finding | Partial:
        """The claims, registered, with how far they cover the brief and what to ask next."""
        scorer, chosen = self._chosen()
        claims = self._register(chosen)
        coverage: Coverage = "insufficient"
        if claims:
            coverage = "comprehensive" if scorer.coverage(chosen) >= _SAID else "partial"
        note = f"every search failed: {self._failed[0]}" if self._failed and not self._pool.candidates else ""
        finding = Finding(claims, coverage, tuple(self._pool.follow_up(self._done)[:3]), self._rounds, note)
        return Partial(finding, self._stopped) if self._stopped and claims else finding

    def leave(self) -> None:
        """The run is being stopped: leave the best of what was read, so that the task ends `partial` and not empty."""
        claims = self._register(self._chosen()[1])
        if claims:
            self._ctx.offer(Finding(claims, "partial", rounds=self._rounds))


def whole_brief(question: Question) -> Brief:
    """The brief of one agent alone: the question itself, then the names in it; or what an earlier round left open."""
    if question.gaps:
        return Brief(" ".join(question.gaps), question.gaps[: question.queries_per_round])
    queries = [question.text, *names(question.text, question.language)]
    return Brief(question.text, tuple(dict.fromkeys(queries))[: question.queries_per_round])
