"""Runs a graph: starts each task as soon as its own dependencies have ended, under a budget and a deadline.

There is no barrier between waves. One failing task never discards its siblings' results; a skipped task is never
called. Control comes from above by two plain callables: `grow(task, result)` may add tasks, `on_event(event)` watches.
"""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import partial
from heapq import heappop, heappush
from typing import Any

from research_crew.core.account import Account
from research_crew.core.attempts import Attempts
from research_crew.core.books import Books
from research_crew.core.budget import Budget
from research_crew.core.calling import AgentFunction, Caller, run_in_own_loop
from research_crew.core.context import ToolMaker
from research_crew.core.errors import InvalidInput
from research_crew.core.events import Event, OnEvent
from research_crew.core.graph import Task, TaskGraph
from research_crew.core.journal import Journal, MemoryJournal
from research_crew.core.ledger import Ledger
from research_crew.core.meter import Meter, Retry
from research_crew.core.money import Amount, from_nano, show, to_decimal
from research_crew.core.order import Order, RunHost
from research_crew.core.outcome import RunResult, TaskResult, run_status
from research_crew.core.stop import Stop as Stop

Grow = Callable[[Task, TaskResult], Iterable[Task] | None]


def utc_now() -> datetime:
    """The wall clock that stamps entries and events unless another is given."""
    return datetime.now(UTC)


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
        turn: Callable[[str], Awaitable[None]] | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        now: Callable[[], datetime] = utc_now,
        clock: Callable[[], float] = time.monotonic,
        run_id: str = "run",
        fence: int = 0,
        stop: Stop | None = None,
        order: Order | None = None,
        began: datetime | None = None,
    ) -> None:
        """See `run` for the arguments."""
        for what, number in (("attempts", attempts), ("concurrency", concurrency)):
            if number < 1:
                raise InvalidInput(what, number, "give at least 1")
        if deadline is not None and not deadline > 0:
            raise InvalidInput("deadline", deadline, "give seconds of more than 0")
        if not callable(agent):
            raise InvalidInput("agent", agent, "give a callable agent(task, context)")
        self._grow, self._concurrency, self._deadline, self._grace = grow, concurrency, deadline, grace
        self._clock, self._order = clock, order
        self._on_event, self._run_id, self._stop = on_event, run_id, stop
        self.account = Account.for_run(budget)
        self.books = Books()
        self.ledger = Ledger(budget.currency)
        self._limit = to_decimal(budget.limit)
        self.now = now if order is None else self.ledger.clock(began or now())
        self.meter = Meter(
            run_id, self.account, self.ledger, journal or MemoryJournal(), self.now, retry or Retry(), sleep,
            f"{seed}/retry", fence, on_event and self._emit, turn, order=order, wall=now,
        )  # fmt: skip
        self._caller = Caller(agent, inline, grace)
        self._attempts = Attempts(self._caller, self.meter, self.books, attempts, seed, tools, self._emit)
        self._graph = graph
        self._tasks: dict[str, Task] = {}
        self._place: dict[str, int] = {}
        self._waiting: dict[str, int] = {}
        self._dependents: dict[str, list[str]] = {}
        self._ready: list[int] = []
        self._names: list[str] = []
        self.results: dict[str, TaskResult] = {}
        self._running: dict[str, asyncio.Task[TaskResult | BaseException]] = {}
        self._path: dict[str, float] = {}
        self._stopped = ""
        self.stopped_at: int | None = None  # after how many ledger entries
        self._began = False
        self._broken: BaseException | None = None
        self._timers: list[asyncio.TimerHandle] = []
        self._warnings: list[str] = []

    async def run(self, more: Iterable[Task] | None = None) -> RunResult:
        """Run to the end; on cancellation leaves no task running and no reservation open, and raises again.

        `more` are tasks for a run that has ended before: it goes on with the same account, ledger and books.
        """
        self._loop = asyncio.get_running_loop()
        self._finished: asyncio.Future[None] = self._loop.create_future()
        began = self._clock()
        if self._on_event:
            self._emit(Event("run-started", self.now(), data={"limit": show(self._limit)}))
        try:
            if self._deadline:
                self._timers.append(self._loop.call_later(self._deadline, self._stop_at_rest, "deadline"))
            if self._order is not None:
                self._order.begin(RunHost(self.account, self.ledger, self._running, self.stop))
            self._add(self._graph if more is None else TaskGraph(more, self._tasks))
            if self._stop is not None:
                self._stop.bind(self._stop_soon)
            self._began = True
            self._advance()
            await self._finished
            if self._order is not None and self._broken is None:
                await self._order.finish()
        except BaseException:
            self.stop("cancelled")
            await self._drain()
            raise
        finally:
            for timer in self._timers:
                timer.cancel()
            if self._stop is not None:
                self._stop.bind(None)
        if self._broken is not None:
            raise self._broken
        status = run_status(self._stopped, self.results.values(), self.ledger)
        if self._on_event:
            data = {"status": status, "spent": show(self.ledger.spent)}
            self._emit(Event("run-ended", self.now(), data=data))
        ordered = tuple(self.results[name] for name in self._names)
        bill = self.ledger.bill(max(self._limit, from_nano(self.account.limit or 0)), self.account.overrun)
        longest = max(self._path.values(), default=0.0)
        return RunResult(
            self._run_id, ordered, status, self.ledger, self.books, bill, self._clock() - began, longest,
            (*self._caller.warnings, *self._warnings),
        )  # fmt: skip

    def stop(self, reason: str) -> None:
        """Stop buying: nothing more is started, what runs is cancelled."""
        if self._stopped:
            return
        self._stopped = self.meter.stopped = reason
        self.stopped_at = len(self.ledger)
        if self._order is not None:
            self._order.forgive()
        if self._began:
            self._cancel()
            self._advance()

    def _cancel(self) -> None:
        """Cancel what runs; an agent that goes on all the same is cancelled again, as often as it takes."""
        for task in self._running.values():
            task.cancel()
        if self._running:
            self._timers.append(self._loop.call_later(2 * self._grace, self._cancel))

    def _stop_soon(self, reason: str) -> None:
        with contextlib.suppress(RuntimeError):  # asked from another thread while the loop was closing
            self._loop.call_soon_threadsafe(self._stop_at_rest, reason)

    def _stop_at_rest(self, reason: str) -> None:
        """Stop; where the order of things is kept, between two answers, so that it can be done again just there."""
        if self._order is None:
            self.stop(reason)
        else:
            self._order.aside(partial(self.stop, reason))

    async def _drain(self) -> None:
        """Wait until nothing runs, whoever cancels meanwhile."""
        while self._running:
            try:
                await asyncio.wait(list(self._running.values()))
            except asyncio.CancelledError:
                for task in self._running.values():
                    task.cancel()

    def _add(self, tasks: Iterable[Task]) -> None:
        for task in tasks:
            self._place[task.id] = len(self._names)
            self._names.append(task.id)
            self._tasks[task.id] = task
            open_ = [d for d in task.depends_on if d not in self.results]
            self._waiting[task.id] = len(open_)
            for dependency in open_:
                self._dependents.setdefault(dependency, []).append(task.id)
            if not open_:
                heappush(self._ready, self._place[task.id])

    def _advance(self) -> None:
        """Start what is ready, in declared order, as far as concurrency allows; notice the end."""
        while self._ready and (self._stopped or len(self._running) < self._concurrency):
            task = self._tasks[self._names[heappop(self._ready)]]
            if self._stopped:
                self._end(task, self._attempts.cancelled(task))
                continue
            outputs: dict[str, object] = {}
            missing: list[str] = []
            for name in task.depends_on:
                result = self.results[name]
                if result.usable:
                    outputs[name] = result.output
                else:
                    missing.append(name)
            if len(outputs) < task.needed:
                self._end(task, self._attempts.skipped(task, missing))
                continue
            running = self._loop.create_task(self._perform(task, outputs, tuple(missing)))
            self._running[task.id] = running
            running.add_done_callback(partial(self._performed, task))
        if not self._running and not self._ready and not self._finished.done():
            self._finished.set_result(None)

    def _end(self, task: Task, result: TaskResult) -> None:
        """Book the end of a task, let the graph grow, and make ready what waited for it."""
        self.results[task.id] = result
        lasted = (result.ended - result.started).total_seconds() if result.started and result.ended else 0.0
        self._path[task.id] = lasted + max((self._path[d] for d in task.depends_on), default=0.0)
        if not result.usable:
            self.books.strand(self.books.of_task(task.id), f"{task.id} {result.state}")
        if self._on_event:
            data = {"state": result.state, "cost": show(result.cost), "reason": result.reason}
            self._emit(Event("task-ended", self.now(), task.id, task.role, data))
        if self._grow is not None and not self._stopped:
            more = tuple(self._grow(task, result) or ())
            if more:
                self._add(TaskGraph(more, self._tasks))
        for dependent in self._dependents.pop(task.id, ()):
            self._waiting[dependent] -= 1
            if self._waiting[dependent] == 0:
                heappush(self._ready, self._place[dependent])

    async def _perform(
        self, task: Task, results: Mapping[str, object], missing: tuple[str, ...]
    ) -> TaskResult | BaseException:
        try:
            return await self._attempts.perform(task, results, missing)
        except (KeyboardInterrupt, SystemExit) as request:
            return request  # raised in here it would tear the loop down before the others have ended

    def _performed(self, task: Task, running: "asyncio.Task[TaskResult | BaseException]") -> None:
        """A task has ended; called by the loop, so that one which was cancelled before it began ends as well."""
        del self._running[task.id]
        try:
            result = self._attempts.cancelled(task) if running.cancelled() else running.result()
            if isinstance(result, BaseException):
                raise result
            self._end(task, result)
            self._advance()
        except BaseException as error:  # noqa: BLE001 - raised again by run(), after the others have ended
            # Not an agent's error (those are results): `grow`, the journal or the process is in trouble.
            if self._broken is None:
                self._broken = error
            self.stop("internal error")
            self._advance()

    def _emit(self, event: Event) -> None:
        """Tell the watcher. One that raises is not told again: what is paid for is not lost with its display."""
        if self._on_event is None:
            return
        try:
            self._on_event(event)
        except Exception as error:  # noqa: BLE001 - reported among the warnings of the run
            self._on_event = self.meter.on_event = None
            self._warnings.append(f"on_event raised {type(error).__name__} ({error}) and was not called again")


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
