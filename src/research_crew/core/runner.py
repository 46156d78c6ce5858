"""Runs a graph: starts each task as soon as its own dependencies have ended, under a budget and a deadline.

There is no barrier between waves. One failing task never discards its siblings' results; a skipped task is never
called. Control comes from above by two plain callables: `grow(task, result)` may add tasks, `on_event(event)` watches.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from datetime import UTC, datetime
from heapq import heappop, heappush
from random import Random
from typing import Any

from research_crew.core.attempts import Attempts
from research_crew.core.books import Books
from research_crew.core.budget import Account, Budget
from research_crew.core.calling import AgentFunction, Caller, run_in_own_loop
from research_crew.core.context import ToolMaker
from research_crew.core.errors import InvalidInput
from research_crew.core.events import Event, OnEvent
from research_crew.core.graph import Task, TaskGraph
from research_crew.core.journal import Journal, MemoryJournal
from research_crew.core.ledger import Ledger
from research_crew.core.meter import Meter, Retry
from research_crew.core.money import Amount, show, to_decimal
from research_crew.core.outcome import RunResult, RunStatus, TaskResult

Grow = Callable[[Task, TaskResult], Iterable[Task]]


def utc_now() -> datetime:
    """The wall clock that stamps entries and events unless another is given."""
    return datetime.now(UTC)


class Stop:
    """A request to stop buying, from a signal handler or another task: what is in hand is kept."""

    def __init__(self) -> None:
        self.reason = ""
        self._call: Callable[[str], None] | None = None

    def request(self, reason: str) -> None:
        """Ask the run to stop; tasks that have something in hand end `partial`, the others `cancelled`."""
        self.reason = self.reason or reason
        if self._call is not None:
            self._call(self.reason)

    def bind(self, call: Callable[[str], None]) -> None:
        """The runner says whom to call; a request made earlier is passed on at once."""
        self._call = call
        if self.reason:
            call(self.reason)


class Runner:
    """One run of one graph. Made and used inside one event loop, once."""

    def __init__(
        self,
        graph: TaskGraph,
        agent: AgentFunction,
        budget: Budget,
        *,
        attempts: int = 2,
        concurrency: int = 32,
        deadline: float | None = None,
        grace: float = 2.0,
        seed: int = 0,
        inline: bool = False,
        tools: ToolMaker | None = None,
        grow: Grow | None = None,
        on_event: OnEvent | None = None,
        journal: Journal | None = None,
        retry: Retry | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        now: Callable[[], datetime] = utc_now,
        clock: Callable[[], float] = time.monotonic,
        run_id: str = "run",
        fence: int = 0,
        stop: Stop | None = None,
    ) -> None:
        """See `run` for the arguments."""
        if attempts < 1:
            raise InvalidInput("attempts", attempts, "give at least 1")
        if concurrency < 1:
            raise InvalidInput("concurrency", concurrency, "give at least 1")
        if deadline is not None and not deadline > 0:
            raise InvalidInput("deadline", deadline, "give seconds of more than 0")
        if not callable(agent):
            raise InvalidInput("agent", agent, "give a callable agent(task, context)")
        self._grow, self._concurrency, self._deadline = grow, concurrency, deadline
        self._now, self._clock = now, clock
        self._on_event, self._run_id, self._stop = on_event, run_id, stop
        self.account = Account.for_run(budget)
        self.books = Books()
        self.ledger = Ledger(budget.currency)
        self._limit = to_decimal(budget.limit)
        self.meter = Meter(
            run_id, self.account, self.ledger, journal or MemoryJournal(), now, retry or Retry(), sleep,
            Random(f"{seed}/retry"), fence, on_event and self._emit,
        )  # fmt: skip
        self._caller = Caller(agent, concurrency, inline, grace)
        self._attempts = Attempts(self._caller, self.meter, self.books, attempts, seed, tools, self._emit)
        self.graph = graph
        self._tasks: dict[str, Task] = {}
        self._place: dict[str, int] = {}
        self._waiting: dict[str, int] = {}
        self._dependents: dict[str, list[str]] = {}
        self._ready: list[int] = []
        self._names: list[str] = []
        self.results: dict[str, TaskResult] = {}
        self._running: dict[str, asyncio.Task[None]] = {}
        self._path: dict[str, float] = {}
        self._stopped = ""
        self._broken: BaseException | None = None

    # -- the run ------------------------------------------------------------------------------------------------

    async def run(self) -> RunResult:
        """Run to the end; on cancellation leaves no task running and no reservation open, and raises again."""
        self._loop = asyncio.get_running_loop()
        self._finished: asyncio.Future[None] = self._loop.create_future()
        began = self._clock()
        timer = self._loop.call_later(self._deadline, self.stop, "deadline") if self._deadline else None
        if self._on_event:
            self._emit(Event("run-started", self._now(), data={"limit": show(self._limit)}))
        try:
            self._add(self.graph)
            if self._stop is not None:
                self._stop.bind(self._stop_soon)
            self._advance()
            await self._finished
        except BaseException:
            self.stop("cancelled")
            await self._drain()
            raise
        finally:
            if timer is not None:
                timer.cancel()
            self._caller.close()
        if self._broken is not None:
            await self._drain()
            raise self._broken
        status = self._status()
        if self._on_event:
            data = {"status": status, "spent": show(self.ledger.spent)}
            self._emit(Event("run-ended", self._now(), data=data))
        ordered = tuple(self.results[name] for name in self._names)
        bill = self.ledger.bill(self._limit, self.account.overrun)
        longest = max(self._path.values(), default=0.0)
        return RunResult(
            self._run_id, ordered, status, self.ledger, self.books, bill, self._clock() - began, longest,
            tuple(self._caller.warnings),
        )  # fmt: skip

    def stop(self, reason: str) -> None:
        """Stop buying: nothing more is started, what runs is cancelled."""
        if self._stopped:
            return
        self._stopped = self.meter.stopped = reason
        for task in list(self._running.values()):
            task.cancel()
        self._advance()

    def _stop_soon(self, reason: str) -> None:
        self._loop.call_soon_threadsafe(self.stop, reason)

    async def _drain(self) -> None:
        while self._running:
            await asyncio.wait(list(self._running.values()))

    def _status(self) -> RunStatus:
        if self._stopped and self._stopped != "deadline":
            return "cancelled"
        states = {result.state for result in self.results.values()}
        if states <= {"ok"}:
            return "complete"
        if "over-budget" in states and self.ledger.nano == 0 and not states & {"ok", "partial"}:
            return "refused"
        return "incomplete"

    # -- the graph as it grows ----------------------------------------------------------------------------------

    def _add(self, tasks: Iterable[Task]) -> None:
        for task in tasks:
            self._place[task.id] = len(self._names)
            self._names.append(task.id)
            self._tasks[task.id] = task
            open_ = [d for d in dict.fromkeys(task.depends_on) if d not in self.results]
            self._waiting[task.id] = len(open_)
            for dependency in open_:
                self._dependents.setdefault(dependency, []).append(task.id)
            if not open_:
                heappush(self._ready, self._place[task.id])

    def _advance(self) -> None:
        """Start what is ready, in declared order, as far as concurrency allows; notice the end."""
        while self._ready and (self._stopped or len(self._running) < self._concurrency):
            task = self._tasks[self._names[heappop(self._ready)]]
            broken = tuple(d for d in task.depends_on if not self.results[d].usable)
            if self._stopped:
                self._end(task, self._attempts.result(task, "cancelled", 0, reason=self._stopped))
            elif len(task.depends_on) - len(broken) < task.needed:
                self._end(task, self._attempts.result(task, "skipped", 0, reason=f"depends on {', '.join(broken)}"))
            else:
                self._running[task.id] = self._loop.create_task(self._perform(task, broken))
        if not self._running and not self._ready and not self._finished.done():
            self._finished.set_result(None)

    def _end(self, task: Task, result: TaskResult) -> None:
        """Book the end of a task, let the graph grow, and make ready what waited for it."""
        self.results[task.id] = result
        lasted = (result.ended - result.started).total_seconds() if result.started and result.ended else 0.0
        self._path[task.id] = lasted + max((self._path.get(d, 0.0) for d in task.depends_on), default=0.0)
        if not result.usable and result.attempts:
            self.books.strand(self._registered(task.id, result.attempts), f"{task.id} {result.state}")
        if self._on_event:
            data = {"state": result.state, "cost": show(result.cost), "reason": result.reason}
            self._emit(Event("task-ended", self._now(), task.id, task.role, data))
        if self._grow is not None and not self._stopped:
            more = list(self._grow(task, result))
            if more:
                self.graph = self.graph.grown(more)
                self._add(more)
        for dependent in self._dependents.pop(task.id, ()):
            self._waiting[dependent] -= 1
            if self._waiting[dependent] == 0:
                heappush(self._ready, self._place[dependent])

    def _registered(self, task: str, attempts: int) -> list[str]:
        return [name for n in range(1, attempts + 1) for name in self.books.of_attempt(task, n)]

    # -- one task -----------------------------------------------------------------------------------------------

    async def _perform(self, task: Task, missing: tuple[str, ...]) -> None:
        try:
            results = {d: self.results[d].output for d in task.depends_on if d not in missing}
            result = await self._attempts.perform(task, results, missing)
        except BaseException as error:  # noqa: BLE001 - raised again by run(), after the others have ended
            # Not an agent's error (those are results): the runner, the journal or the process is in trouble.
            self._running.pop(task.id, None)
            if self._broken is None:
                self._broken = error
                self.stop("internal error")
            if not self._running and not self._finished.done():
                self._finished.set_result(None)
            return
        self._running.pop(task.id, None)
        try:
            self._end(task, result)
            self._advance()
        except BaseException as error:  # noqa: BLE001 - raised again by run(), after the others have ended
            self._broken = self._broken or error
            self.stop("internal error")
            if not self._running and not self._finished.done():
                self._finished.set_result(None)

    def _emit(self, event: Event) -> None:
        if self._on_event is not None:
            self._on_event(event)


async def arun(graph: TaskGraph, agent: AgentFunction, budget: Budget | Amount = 10_000, **options: Any) -> RunResult:
    """`run` for code that is already asynchronous; the same arguments."""
    return await Runner(graph, agent, Budget.of(budget), **options).run()


def run(graph: TaskGraph, agent: AgentFunction, budget: Budget | Amount = 10_000, **options: Any) -> RunResult:
    """Run a graph with anyone's agent, under a budget that cannot be exceeded.

    `agent(task, context)` may be plain or async and may raise `AgentFailure` for a failure worth another attempt
    (`attempts=2`); any other exception ends that task only, its traceback kept. Plain functions run in a thread each
    (`inline=True`: on the loop). A whole number as `budget` is credits. Further options are those of `Runner`:
    `concurrency=32`, `deadline=` seconds, `grow=`, `on_event=`, `tools=`, `seed=`, `stop=`.

    Works inside a running event loop too (notebooks): the run then has a loop of its own in a thread.
    """
    return run_in_own_loop(lambda: arun(graph, agent, budget, **options))
