"""The tools of a run, bound to the account of one attempt: search, read, register.

One registry numbers the sources of the whole run; one set of books says where each candidate and each source ended.
Everything that costs goes through the task's meter; a page that the run has read already is free.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any, Protocol

from research_crew.agents.found import FoundPage, PageText, SearchOutcome
from research_crew.core.books import Books
from research_crew.core.context import Scope, Tools
from research_crew.core.meter import Call, Receipt
from research_crew.core.money import Usage
from research_crew.evidence.claim import Claim
from research_crew.evidence.source import Source, SourceRegistry, SourceState
from research_crew.evidence.verify import verify
from research_crew.search.protocol import Hits, Query, Result, SearchEngine

_NO_TEXT = ("empty", "throttled", "refused", "wrong-type")


@dataclass(frozen=True, slots=True)
class ReadText:
    """What reading one source came to."""

    text: str
    state: str = "read"
    """`read`, or why there is no text: `empty`, `throttled`, `refused` (also: could not be had), `wrong-type`."""
    detail: str = ""


class Reader(Protocol):
    """Reads the text of a source: a file of the local index, or a page through the guarded fetcher."""

    async def read(self, source: Source) -> ReadText:
        """The text, or the state that says why there is none; never raises for a page that cannot be had."""
        ...


@dataclass(frozen=True, slots=True)
class Tariff:
    """What searching and reading cost in this run, in its currency."""

    search: Decimal = Decimal(1)
    page: Decimal = Decimal(1)
    provider: str = "docs"


class Toolbox:
    """Makes the tools of every attempt of a run."""

    def __init__(
        self, engine: SearchEngine, reader: Reader, books: Books, tariff: Tariff, now: Callable[[], datetime],
        most_pages: int = 40, results: int = 10, language: str | None = None,
    ) -> None:  # fmt: skip
        """`most_pages` is the cap on pages read in the whole run."""
        self.registry = SourceRegistry(self._changed)
        self.books = books
        self.claims: dict[str, Claim] = {}
        """Every candidate by id, as it was checked."""
        self.pages_read = 0
        self.failed_searches: list[str] = []
        self._details: dict[int, str] = {}
        self._engine, self._reader, self._tariff, self._now = engine, reader, tariff, now
        self._most_pages, self._results, self._language = most_pages, results, language

    def __call__(self, scope: Scope) -> Tools:
        """The tools of one attempt."""

        async def search(text: str, step: str, limit: int | None = None) -> SearchOutcome:
            return await self._search(scope, Query(text, limit or self._results, self._language), step)

        async def read(number: int, step: str) -> PageText:
            return await self._read(scope, number, step)

        def register(claims: Sequence[Claim]) -> tuple[Claim, ...]:
            return self._register(scope, claims)

        return Tools(search=search, read=read, register=register, sources=self.registry)

    async def _search(self, scope: Scope, query: Query, step: str) -> SearchOutcome:
        async def send() -> Receipt:
            hits = await self._engine.search(query)
            amount = hits.cost if hits.cost is not None else self._tariff.search
            return Receipt(_to_json(hits), Usage(searches=1), amount, note=hits.detail)

        request = _hash("search", self._tariff.provider, query.text, query.limit)
        call = Call(step, "search", self._tariff.provider, "", request, self._tariff.search)
        hits = _from_json(await scope.meter.buy(call, send))
        if hits.status in ("failed", "throttled"):
            self.failed_searches.append(f"{query.text!r}: {hits.detail or hits.status}")
        return SearchOutcome(tuple(self._note(r) for r in hits.results), hits.status, hits.detail, hits.notes)

    def _note(self, result: Result) -> FoundPage:
        """Give a result its number in the run, and keep the text that came with a page of the web."""
        known = len(self.registry)
        source = self.registry.register(
            url=result.url, path=result.path, page=result.page, title=result.title, published=result.published,
            author=result.author,
        )  # fmt: skip
        if result.text and result.url and not self.registry.text(source.number):
            self._keep(source.number, ReadText(result.text))
        return FoundPage(
            source.number, source.title or result.title, result.snippet or result.text[:500],
            source.url or source.path or "", result.heading, source.page, source.tier, source.number > known,
            result.score, bool(self.registry.text(source.number)),
        )  # fmt: skip

    async def _read(self, scope: Scope, number: int, step: str) -> PageText:
        source = self.registry.by_number(number)
        stored = self.registry.text(number)
        if stored:
            return PageText(number, source.title, stored)
        if source.state not in ("found", "throttled"):
            return PageText(number, source.title, "", source.state)
        if self.pages_read >= self._most_pages:
            return PageText(number, source.title, "", "page-limit")
        self.pages_read += 1

        async def send() -> Receipt:
            got = await self._reader.read(source)
            value = {"text": got.text, "state": got.state, "detail": got.detail}
            return Receipt(value, Usage(pages=1), self._tariff.page, note=got.detail)

        request = _hash("read", source.key)
        call = Call(step, "read", self._tariff.provider, "", request, self._tariff.page)
        value: Any = await scope.meter.buy(call, send)
        self._keep(number, ReadText(value["text"], value["state"], value["detail"]))
        return PageText(number, source.title, value["text"], value["state"])

    def _keep(self, number: int, got: ReadText) -> None:
        self._details[number] = got.detail
        if got.text:
            self.registry.store_text(number, got.text, self._now().isoformat())
        else:
            self.registry.mark(number, got.state if got.state in _NO_TEXT else "empty")  # type: ignore[arg-type]

    def _changed(self, source: Source, before: SourceState | None) -> None:
        """The registry tells of every new state; the books keep the log."""
        log = self.books.sources.book if before is None else self.books.sources.move
        log(str(source.number), source.state, self._details.get(source.number, ""))

    def _register(self, scope: Scope, claims: Sequence[Claim]) -> tuple[Claim, ...]:
        """Check and book every claim; return those that may be cited."""
        usable: list[Claim] = []
        for claim in claims:
            checked = verify(claim, self.registry)
            check = checked.check
            bad = check is None or check.verdict == "unsupported"
            reason = check.reason if check is not None and check.verdict != "supported" else ""
            state = "unsupported" if bad else "kept"
            name = self.books.register(scope.task.id, scope.attempt, claim.text, state, reason)  # type: ignore[arg-type]
            final = replace(checked, id=name, task=scope.task.id)
            self.claims[name] = final
            if not bad:
                usable.append(final)
        return tuple(usable)


def _hash(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts, default=str).encode()).hexdigest()[:32]


def _to_json(hits: Hits) -> dict[str, Any]:
    rows = [{name: getattr(r, name) for name in Result.__slots__} for r in hits.results]
    return {
        "results": rows, "status": hits.status, "cost": None if hits.cost is None else str(hits.cost),
        "detail": hits.detail, "skipped": dict(hits.skipped), "notes": list(hits.notes),
    }  # fmt: skip


def _from_json(value: Any) -> Hits:
    cost = None if value["cost"] is None else Decimal(value["cost"])
    return Hits(
        tuple(Result(**row) for row in value["results"]), value["status"], cost, value["detail"], value["skipped"],
        notes=tuple(value["notes"]),
    )  # fmt: skip
