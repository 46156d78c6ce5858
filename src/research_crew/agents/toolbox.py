"""The tools of a run, bound to the account of one attempt: search, read, register.

One registry numbers the sources of the whole run; one set of books says where each candidate and each source ended.
Everything that costs goes through the task's meter; a page that the run has read already is free. With documents of
one's own beside engines of the network, only the words of the question and the plan leave the machine: later queries,
which could carry what a document says, go to the documents alone.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any, Protocol

from research_crew.agents.found import FoundPage, PageText, SearchOutcome
from research_crew.core.books import Books
from research_crew.core.context import Scope, Tool, Tools
from research_crew.core.meter import Call, Receipt
from research_crew.core.money import Usage
from research_crew.evidence.claim import Claim
from research_crew.evidence.instructions import find_instructions
from research_crew.evidence.meaning import Meaning
from research_crew.evidence.passage import heading_at
from research_crew.evidence.source import Source, SourceRegistry, SourceState
from research_crew.evidence.verify import Entailment, verify
from research_crew.net.page import FetchedPage
from research_crew.search import metered
from research_crew.search.filters import Filters
from research_crew.search.known import KnownUrls
from research_crew.search.metered import PageSource
from research_crew.search.protocol import Hits, Query, Result, SearchEngine
from research_crew.search.record import request_hash
from research_crew.search.tally import Tallies

_NO_TEXT = ("empty", "throttled", "refused", "wrong-type")


@dataclass(frozen=True, slots=True)
class ReadText:
    """What reading one source came to."""

    text: str
    state: str = "read"
    """`read`, or why there is no text: `empty`, `throttled`, `refused` (also: could not be had), `wrong-type`."""
    detail: str = ""


class Reader(Protocol):
    """Reads the text of a local source."""

    async def read(self, source: Source) -> ReadText:
        """The text, or the state that says why there is none; never raises for a file that cannot be had."""
        ...


@dataclass(frozen=True, slots=True)
class Tariff:
    """What searching and reading cost in this run, in its currency."""

    search: Decimal | None = Decimal(1)
    """None: each engine's own price."""
    page: Decimal = Decimal(1)


@dataclass(frozen=True, slots=True)
class Reach:
    """What a run may search and read."""

    engine: SearchEngine
    local: SearchEngine | None = None
    """The documents alone, where `engine` also searches the network."""
    reader: Reader | None = None
    """For local files."""
    pages: PageSource | None = None
    """For pages of the web."""
    known: KnownUrls | None = None
    """The addresses that may be fetched."""
    allow_mixed: bool = False
    """Whether queries made after reading documents may go to the network."""


class Toolbox:
    """Makes the tools of every attempt of a run."""

    def __init__(
        self, reach: Reach, books: Books, tariff: Tariff, now: Callable[[], datetime], most_pages: int = 40,
        results: int = 10, filters: Filters | None = None, entailment: Entailment | None = None,
        meaning: Meaning | None = None,
    ) -> None:  # fmt: skip
        """`most_pages` is the cap on pages read in the whole run."""
        self.registry = SourceRegistry(self._changed)
        self.books = books
        self.claims: dict[str, Claim] = {}
        """Every candidate by id, as it was checked."""
        self.pages_read = 0
        self.searched = Tallies()
        """What became of the searches of each engine."""
        self.kept_local = 0
        """Searches that went to the documents alone, to keep their words on this machine."""
        self.instructed: dict[int, int] = {}
        """Source → instructions addressed to an assistant that its text contains."""
        self.make_ask: Callable[[Scope], Tool] | None = None
        """Binds the role's model, where the run has models."""
        self.on_text: Callable[[Source, str], None] = lambda _source, _text: None
        """Told of the text of every source as it is read."""
        self._planned: set[str] = set()
        self._above: dict[int, str] = {}
        """Source → the heading under which a search first found it."""
        self._details: dict[int, str] = {}
        self._reach, self._tariff, self._now, self._entailment = reach, tariff, now, entailment
        self._meaning = meaning
        self._most_pages, self._results, self._filters = most_pages, results, filters or Filters()

    def reopen(self, reach: Reach) -> None:
        """Go on with back ends that were opened anew; pages that were found may still be read."""
        self._reach = reach
        if reach.known is not None:
            reach.known.add(source.url for source in self.registry.all() if source.url)

    def __call__(self, scope: Scope) -> Tools:
        """The tools of one attempt."""

        async def search(text: str, step: str, limit: int | None = None) -> SearchOutcome:
            return await self._search(scope, self._filters.query(text, limit or self._results), step)

        async def read(number: int, step: str) -> PageText:
            return await self._read(scope, number, step)

        def register(claims: Sequence[Claim]) -> tuple[Claim, ...]:
            return self._register(scope, claims)

        ask = self.make_ask(scope) if self.make_ask is not None else None
        return Tools(search=search, read=read, register=register, ask=ask, sources=self.registry)

    def plan(self, queries: Collection[str]) -> None:
        """Queries that were made from the question and the plan, before any document was read: they may go out."""
        self._planned.update(queries)

    # -- search -------------------------------------------------------------------------------------------------

    async def _search(self, scope: Scope, query: Query, step: str) -> SearchOutcome:
        engine, price = self._reach.engine, self._tariff.search
        if self._reach.local is not None and not self._reach.allow_mixed and query.text not in self._planned:
            engine = self._reach.local
            self.kept_local += 1
        hits = await metered.search(scope.meter, engine, query, step, price=price, tell=self.searched.count)
        if self._reach.known is not None:
            self._reach.known.add_hits(hits)
        return self._outcome(hits)

    def _outcome(self, hits: Hits) -> SearchOutcome:
        return SearchOutcome(tuple(self._note(r) for r in hits.results), hits.status, hits.detail, hits.notes)

    def _note(self, result: Result) -> FoundPage:
        """Give a result its number in the run, and keep the text that came with a page of the web."""
        known = len(self.registry)
        source = self.registry.register(
            url=result.url, path=result.path if result.url is None else None, page=result.page, title=result.title,
            published=result.published, author=result.author,
        )  # fmt: skip
        if result.text and result.url and not self.registry.text(source.number):
            self._keep(source.number, ReadText(result.text))
        if result.heading:
            self._above.setdefault(source.number, result.heading)
        return FoundPage(
            source.number, source.title or result.title, result.snippet or result.text[:500],
            source.url or source.path or "", result.heading, source.page, source.tier, source.number > known,
            result.score, bool(self.registry.text(source.number)),
        )  # fmt: skip

    # -- read ---------------------------------------------------------------------------------------------------

    async def _read(self, scope: Scope, number: int, step: str) -> PageText:
        source = self.registry.by_number(number)
        stored = self.registry.text(number)
        if stored:
            return PageText(number, source.title, stored, "read", self.instructed.get(number, 0))
        if source.state not in ("found", "throttled"):
            return PageText(number, source.title, "", source.state)
        if self.pages_read >= self._most_pages:
            return PageText(number, source.title, "", "page-limit")
        self.pages_read += 1
        got = await (self._fetch(scope, source, step) if source.url else self._open(scope, source, step))
        self._keep(number, got)
        title = self.registry.by_number(number).title
        return PageText(number, title, got.text, got.state, self.instructed.get(number, 0))

    async def _open(self, scope: Scope, source: Source, step: str) -> ReadText:
        """A local file, or one of its pages."""
        reader = self._reach.reader
        if reader is None:
            return ReadText("", "refused", "this run reads no files")

        async def send() -> Receipt:
            got = await reader.read(source)
            value = {"text": got.text, "state": got.state, "detail": got.detail}
            return Receipt(value, Usage(pages=1), self._tariff.page, note=got.detail)

        call = Call(step, "read", "docs", "", request_hash("read", source.key), self._tariff.page)
        value: Any = await scope.meter.buy(call, send)
        return ReadText(value["text"], value["state"], value["detail"])

    async def _fetch(self, scope: Scope, source: Source, step: str) -> ReadText:
        """A page of the web, through the guarded fetcher."""
        if self._reach.pages is None or source.url is None:
            return ReadText("", "refused", "this run reads no pages of the web")
        page = await metered.read(scope.meter, self._reach.pages, source.url, step, price=self._tariff.page)
        if self._reach.known is not None:
            self._reach.known.add_page(page)  # the reader did so, unless the page comes from the journal
        if page.instructions:
            self.instructed[source.number] = sum(page.instructions.values())
        if page.text:
            self.registry.register(url=source.url, title=page.title, published=page.published, author=page.author)
        return ReadText(page.text, _state_of(page), "; ".join((page.state, *page.notes)) if not page.text else "")

    def _keep(self, number: int, got: ReadText) -> None:
        self._details[number] = got.detail
        if got.text:
            self.on_text(self.registry.store_text(number, got.text, self._now().isoformat()), got.text)
            found = len(find_instructions(got.text))
            if found:
                self.instructed.setdefault(number, found)
        else:
            self.registry.mark(number, got.state if got.state in _NO_TEXT else "empty")  # type: ignore[arg-type]

    def _changed(self, source: Source, before: SourceState | None) -> None:
        """The registry tells of every new state; the books keep the log."""
        log = self.books.sources.book if before is None else self.books.sources.move
        log(str(source.number), source.state, self._details.get(source.number, ""))

    # -- register -----------------------------------------------------------------------------------------------

    def _register(self, scope: Scope, claims: Sequence[Claim]) -> tuple[Claim, ...]:
        """Check and book every claim; return those that may be cited."""
        usable: list[Claim] = []
        for claim in claims:
            checked = verify(claim, self.registry, self._entailment, self._meaning)
            check = checked.check
            bad = check is None or check.verdict == "unsupported"
            reason = check.reason if check is not None and check.verdict != "supported" else ""
            if not bad and find_instructions(f"{claim.text}\n{claim.quote}"):
                # What a page says to an assistant is not a finding about the world.
                bad, reason = True, "addressed-to-an-assistant"
            state = "unsupported" if bad else "kept"
            name = self.books.register(scope.task.id, scope.attempt, claim.text, state, reason)  # type: ignore[arg-type]
            final = replace(checked, id=name, task=scope.task.id, heading=self._heading(checked))
            self.claims[name] = final
            if not bad:
                usable.append(final)
        return tuple(usable)

    def _heading(self, claim: Claim) -> str:
        """What stands above a quote: in the text itself, or above the page (the title of a slide, a section that goes
        on from the page before)."""
        if claim.start is None:
            return ""
        return heading_at(self.registry.text(claim.source), claim.start) or self._above.get(claim.source, "")


def _state_of(page: FetchedPage) -> str:
    """The state of the source, from what became of its page; whatever could not be had counts as refused."""
    if page.text:
        return "read"
    return page.state if page.state in _NO_TEXT else "empty" if page.state == "read" else "refused"
