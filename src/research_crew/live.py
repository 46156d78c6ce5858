"""A run while it goes on: its events one after another, and what it has cost until now."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from types import TracebackType

from research_crew.core.events import Event, OnEvent
from research_crew.core.ledger import Bill, Ledger
from research_crew.core.stop import Stop
from research_crew.flow import Flow
from research_crew.result import CrewResult

Started = Callable[[Flow], None]


class Live:
    """Iterate over it for the events and, last, the `CrewResult`.

        live = crew.stream("…")
        async for event in live:
            print(event.kind, live.bill.by_role if live.bill else "")

    Leaving the loop early leaves the run going until `aclose`, which `async with` calls.
    """

    def __init__(self, stop: Stop, run: Callable[[OnEvent, Started], Awaitable[CrewResult]]) -> None:
        """`run` begins the run when the first event is asked for."""
        self._stop, self._run = stop, run
        self._flow: Flow | None = None
        self._work: asyncio.Task[CrewResult] | None = None
        self._queue: asyncio.Queue[Event | None] = asyncio.Queue()
        self.result: CrewResult | None = None
        """The result, once the run has ended."""

    @property
    def ledger(self) -> Ledger | None:
        """Every try so far, one entry each; None before the run has begun."""
        return self._flow.ledger if self._flow is not None else None

    @property
    def bill(self) -> Bill | None:
        """The ledger so far added up, by role, model, search engine and kind; None before the run has begun."""
        return self._flow.bill if self._flow is not None else None

    def stop(self, reason: str = "stopped") -> None:
        """Buy nothing more; what is in hand is kept, and the result still comes."""
        self._stop.request(reason)

    def __aiter__(self) -> AsyncIterator[Event | CrewResult]:
        return self

    async def __anext__(self) -> Event | CrewResult:
        if self.result is not None:
            raise StopAsyncIteration
        if self._work is None:
            self._work = asyncio.ensure_future(self._run(self._queue.put_nowait, self._began))
            self._work.add_done_callback(lambda _: self._queue.put_nowait(None))
        try:
            event = await self._queue.get()
        except asyncio.CancelledError:
            await self.aclose()
            raise
        if event is not None:
            return event
        self.result = await self._work
        return self.result

    def _began(self, flow: Flow) -> None:
        self._flow = flow

    async def aclose(self) -> None:
        """End a run that is still going; nothing of it is left running."""
        if self._work is not None and not self._work.done():
            self._work.cancel()
            await asyncio.wait([self._work])

    async def __aenter__(self) -> "Live":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
