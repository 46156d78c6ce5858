"""Everything an agent may touch: the results it depends on, and tools that are already bound to its account."""

import asyncio
import concurrent.futures
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from random import Random
from typing import Any, Protocol, TypeVar

from research_crew.core.books import Books
from research_crew.core.errors import InvalidInput
from research_crew.core.events import Event
from research_crew.core.graph import Task
from research_crew.core.meter import TaskMeter

T = TypeVar("T")
Tool = Callable[..., Awaitable[Any]]
_OVER = "the attempt is over"


@dataclass(frozen=True, slots=True)
class Tools:
    """What a run lets its agents do. Each is metered; a tool that is None is refused with an error that says so."""

    search: Tool | None = None
    read: Tool | None = None
    ask: Tool | None = None
    register: Callable[[Sequence[Any]], Sequence[Any]] | None = None
    """Runs the checks, books every claim, returns those that may be cited. None: books them all as kept."""
    sources: Any = None
    """The run's numbered sources, to look up; None where a run has none."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What tools are made for: one attempt at one task."""

    task: Task
    attempt: int
    meter: TaskMeter
    books: Books
    now: Callable[[], datetime]
    rng: Random
    emit: Callable[[Event], None]


class ToolMaker(Protocol):
    """Makes the tools of one attempt."""

    def __call__(self, scope: Scope) -> Tools:
        """Bind every tool to `scope.meter`."""
        ...


class Context:
    """What an agent is handed beside its task.

    `ctx["plan"]` is the result of that dependency as text; `ctx.results` has the values themselves. A plain function
    runs in a thread of its own and calls the tools through `ctx.wait(ctx.search(...))`.
    """

    __slots__ = (
        "_books", "_emit", "_ended", "_loop", "_make", "_meter", "_rng", "_seed", "_tools", "_waits", "attempt",
        "in_hand", "missing", "now", "results", "task",
    )  # fmt: skip

    def __init__(
        self,
        task: Task,
        attempt: int,
        results: Mapping[str, object],
        missing: tuple[str, ...],
        meter: TaskMeter,
        books: Books,
        now: Callable[[], datetime],
        emit: Callable[[Event], None],
        seed: int,
        make_tools: ToolMaker | None,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self.task, self.attempt = task, attempt
        self.results, self.missing = results, missing
        self.now = now
        self.in_hand: object = None
        self._meter, self._books, self._emit = meter, books, emit
        self._seed, self._make, self._loop = seed, make_tools, loop
        self._rng: Random | None = None
        self._tools: Tools | None = None
        self._waits: set[concurrent.futures.Future[Any]] = set()
        self._ended = False

    def __getitem__(self, name: str) -> str:
        """The result of one dependency as text; raises `KeyError` for one that is missing."""
        value = self.results[name]
        text = getattr(value, "text", value)
        return text if isinstance(text, str) else str(value)

    @property
    def rng(self) -> Random:
        """Random numbers that depend on the run's seed, the task's id and the attempt, on nothing else."""
        if self._rng is None:
            self._rng = Random(f"{self._seed}/{self.task.id}/{self.attempt}")
        return self._rng

    @property
    def left(self) -> Decimal:
        """What this task could still reserve, in the run's currency."""
        return self._meter.left

    @property
    def meter(self) -> TaskMeter:
        """The one door for money: for tools of one's own."""
        return self._meter

    def emit(self, event: Event) -> None:
        """Tell whoever watches the run; from a thread, the watcher is called on the run's loop all the same."""
        if self._on_loop():
            self._emit(event)
        elif not self._ended:
            self._loop.call_soon_threadsafe(self._emit, event)

    def offer(self, value: object) -> None:
        """Leave what is in hand so far: if a limit or the deadline stops the task, it ends `partial` with this."""
        self.in_hand = value

    async def search(self, *args: Any, **kwargs: Any) -> Any:
        """Search with the run's engines, on this task's account."""
        return await self._tool("search")(*args, **kwargs)

    async def read(self, *args: Any, **kwargs: Any) -> Any:
        """Read a page or a file that a search returned, on this task's account."""
        return await self._tool("read")(*args, **kwargs)

    async def ask(self, *args: Any, **kwargs: Any) -> Any:
        """Ask the role's model, on this task's account."""
        return await self._tool("ask")(*args, **kwargs)

    def register(self, claims: Sequence[T]) -> Sequence[T]:
        """Check claims, book every one of them, and return those that may be cited, each with its id.

        A run without checks of its own books them as they are: strings, or objects with a `text`.
        """
        register = self._bound().register
        if register is not None:
            return register(claims)
        for claim in claims:
            self._books.register(self.task.id, self.attempt, str(getattr(claim, "text", claim)))
        return claims

    def book(self, text: str) -> str:
        """Book one candidate without a check (the scripted world knows its own truth); returns its id."""
        return self._books.register(self.task.id, self.attempt, text)

    @property
    def books(self) -> Books:
        """The books of the run, for critics and writers, who move what others registered."""
        return self._books

    @property
    def sources(self) -> Any:
        """The run's numbered sources (a `SourceRegistry`), to look up; None where the run has none."""
        return self._bound().sources

    def wait(self, awaitable: Coroutine[Any, Any, T]) -> T:
        """Run one of the tools from a plain function's thread and wait for its answer.

        Raises `asyncio.CancelledError` when the run is stopped meanwhile, and `InvalidInput` on the loop itself,
        which would wait for itself for ever.
        """
        if self._on_loop():
            awaitable.close()
            raise InvalidInput("ctx.wait", self.task.id, "a function on the run's loop cannot wait; make it async")
        if self._ended:
            awaitable.close()
            raise asyncio.CancelledError(_OVER)
        waiting = asyncio.run_coroutine_threadsafe(awaitable, self._loop)
        self._waits.add(waiting)
        if self._ended:  # in between
            waiting.cancel()
        try:
            return waiting.result()
        except concurrent.futures.CancelledError:
            raise asyncio.CancelledError(_OVER) from None
        finally:
            self._waits.discard(waiting)

    def end(self) -> None:
        """The attempt is over: a thread of it that still waits for a tool is told so, and gets no other."""
        self._ended = True
        for waiting in tuple(self._waits):
            waiting.cancel()

    def _on_loop(self) -> bool:
        try:
            return asyncio.get_running_loop() is self._loop
        except RuntimeError:
            return False

    def _tool(self, name: str) -> Tool:
        tool: Tool | None = getattr(self._bound(), name)
        if tool is None:
            raise InvalidInput(f"ctx.{name}", self.task.id, f"this run has no {name}; give run(..., tools=...) one")
        return tool

    def _bound(self) -> Tools:
        if self._tools is None:
            if self._make is None:
                self._tools = Tools()
            else:
                scope = Scope(self.task, self.attempt, self._meter, self._books, self.now, self.rng, self._emit)
                self._tools = self._make(scope)
        return self._tools
