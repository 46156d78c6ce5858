"""Searching and reading through the task's meter: reserve, journal, send, ledger entry.

What goes into the journal are the hits or the page as JSON values, so that a resumed run gets the same value without
asking again. A search that failed is tried again by the meter where that makes sense, each try with its own entry;
when all tries failed, the hits say why. Only the budget's refusal is raised.
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any, Protocol

from research_crew.core.errors import CallFailed, OverBudget
from research_crew.core.meter import Call, Receipt, TaskMeter
from research_crew.core.money import Usage
from research_crew.net.page import FetchedPage
from research_crew.search.merge import Several
from research_crew.search.prices import price_of
from research_crew.search.protocol import Failure, Hits, Query, SearchEngine
from research_crew.search.record import hits_from_json, hits_to_json, query_to_json, request_hash

_NOT_SENT: frozenset[Failure] = frozenset({"unreachable", "throttled", "wrong-key", "no-credit", "rejected"})
"""Failures that certainly cost nothing."""
_AGAIN: frozenset[Failure] = frozenset({"unreachable", "timed-out", "outage", "throttled"})
"""Failures that another try may mend."""


class PageSource(Protocol):
    """Anything that reads pages: `pages.PageReader`, an MCP server's read tool."""

    name: str

    async def read(self, url: str) -> FetchedPage:
        """One page, whatever comes of it."""
        ...


async def search(
    meter: TaskMeter, engine: SearchEngine, query: Query, step: str, *, price: Decimal | None = None,
    tell: Callable[[str, Hits], None] = lambda _name, _hits: None,
) -> Hits:  # fmt: skip
    """One search, bought; several engines are bought one by one, side by side, and merged.

    `price` is charged as it is (runs in credits); without it the engine's own price is reserved, and the cost in the
    reply is charged where there is one. `tell` is told what became of each engine's search. Raises `OverBudget` when nothing can be bought.
    """
    if not isinstance(engine, Several):
        hits = await _search(meter, engine, query, step, price)
        tell(engine_name(engine), hits)
        return hits
    names = list(engine.engines)
    buying = (_search(meter, engine.engines[name], query, f"{step}/{name}", price) for name in names)
    bought = await asyncio.gather(*buying, return_exceptions=True)
    answers: dict[str, Hits] = {}
    for name, result in zip(names, bought, strict=True):
        if isinstance(result, Hits):
            answers[name] = result
        elif isinstance(result, OverBudget):
            answers[name] = Hits((), "failed", detail=f"not asked: {result}")
        else:
            raise result
        tell(name, answers[name])
    refused = [result for result in bought if isinstance(result, OverBudget)]
    if len(refused) == len(names):
        raise refused[0]
    return engine.merged(answers, query)


async def _search(meter: TaskMeter, engine: SearchEngine, query: Query, step: str, price: Decimal | None) -> Hits:
    name = engine_name(engine)
    worst = price if price is not None else engine_price(engine, query)
    asked = query_to_json(query)

    async def send() -> Receipt:
        hits = await engine.search(query)
        if hits.status in ("failed", "throttled"):
            failure: Failure = hits.failure or ("throttled" if hits.status == "throttled" else "outage")
            raise CallFailed(
                name, None, hits.detail, sent=failure not in _NOT_SENT, retryable=failure in _AGAIN,
                retry_after=hits.retry_after, timed_out=failure == "timed-out", data=hits_to_json(hits),
            )  # fmt: skip
        amount = hits.cost if price is None and hits.cost is not None else worst
        # The query as it was asked for, beside the hits: an engine may have shortened it.
        value = {"query": asked, "hits": hits_to_json(hits)}
        return Receipt(value, Usage(searches=1), amount, note="; ".join(hits.notes))

    call = Call(step, "search", name, "", request_hash(name, asked), worst)
    try:
        value: Any = await meter.buy(call, send)
    except CallFailed as failed:
        return hits_from_json(failed.data) if isinstance(failed.data, dict) else Hits((), "failed", detail=str(failed))
    return hits_from_json(value["hits"])


async def read(
    meter: TaskMeter, source: PageSource, url: str, step: str, *, price: Decimal = Decimal(0)
) -> FetchedPage:
    """One page, bought. A host that asks to wait is waited for by the meter, as far as it waits at all."""

    async def send() -> Receipt:
        page = await source.read(url)
        if page.state == "throttled":
            note = page.notes[-1] if page.notes else "throttled"
            raise CallFailed(
                source.name, page.status, note, sent=False, retryable=True, retry_after=page.retry_after,
                data=page.to_json(),
            )  # fmt: skip
        return Receipt(page.to_json(), Usage(pages=1), price, note=f"{page.state}: {'; '.join(page.notes)}".strip(": "))

    call = Call(step, "read", source.name, "", request_hash(source.name, url), price)
    try:
        value: Any = await meter.buy(call, send)
    except CallFailed as failed:
        known = isinstance(failed.data, dict)
        state = FetchedPage.from_json(failed.data) if known else FetchedPage(url, url, None, "failed")  # type: ignore[arg-type]
        return replace(state, notes=state.notes or (str(failed),))
    return FetchedPage.from_json(value)


def engine_name(engine: SearchEngine) -> str:
    """How an engine is called in the ledger: its `name`, or that of its class."""
    return str(getattr(engine, "name", type(engine).__name__.lower()))


def engine_price(engine: SearchEngine, query: Query) -> Decimal:
    """The most that one search costs: what the engine says (`price(query)`), or the list of `prices`."""
    own = getattr(engine, "price", None)
    if callable(own):
        return Decimal(own(query))
    return Decimal(own) if isinstance(own, (Decimal, int)) else price_of(engine_name(engine), query.limit)
