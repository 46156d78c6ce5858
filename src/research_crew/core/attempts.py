"""One task from its first attempt to its result: pays, calls the agent, tries again, and says how it ended."""

import asyncio
import contextlib
import inspect
import traceback
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from research_crew.core.account import Account, Hold
from research_crew.core.books import Books
from research_crew.core.calling import Caller
from research_crew.core.context import Context, ToolMaker
from research_crew.core.errors import AgentFailure, Diverged, OverBudget, StoreError
from research_crew.core.events import Event
from research_crew.core.fixed import FixedCost, storable
from research_crew.core.graph import Task
from research_crew.core.ledger import Outcome
from research_crew.core.meter import Meter, TaskMeter
from research_crew.core.money import to_nano
from research_crew.core.outcome import Partial, TaskResult, TaskState


class _Ending(NamedTuple):
    """What one call of the agent came to."""

    state: TaskState
    output: object = None
    reason: str = ""
    refusal: OverBudget | None = None
    trace: str = ""
    again: bool = False
    """Whether another attempt may succeed."""


class Attempts:
    """Performs tasks for a runner; an agent's errors end in a result, never above."""

    def __init__(
        self,
        caller: Caller,
        meter: Meter,
        books: Books,
        most: int,
        seed: int,
        tools: ToolMaker | None,
        emit: Callable[[Event], None],
    ) -> None:
        """`most` attempts a task; `seed` for `ctx.rng`."""
        self._caller, self._meter, self._books = caller, meter, books
        self._most, self._seed, self._tools, self._emit = most, seed, tools, emit

    async def perform(self, task: Task, results: Mapping[str, object], missing: tuple[str, ...]) -> TaskResult:
        """The result of one task, in whatever state it ends.

        Raises only what concerns the whole run: `Diverged`, `StoreError`, and exceptions that are no `Exception`.
        """
        started = self._meter.now()
        if self._meter.on_event:
            self._emit(Event("task-started", started, task.id, task.role))
        account = self._meter.account
        if task.cost is None:
            account = account.child(task.id, None if task.reserve is None else to_nano(task.price))
        attempt = 0
        while True:
            attempt += 1
            hold: Hold | None = None
            fixed = FixedCost(self._meter, task, attempt) if task.cost is not None else None
            try:
                if fixed is not None:
                    hold = await fixed.open(account)
            except OverBudget as refusal:
                ending = _Ending("over-budget", None, str(refusal), refusal)
                return self.result(task, ending, attempt - 1, started)
            except asyncio.CancelledError:
                return self.cancelled(task, attempt - 1, started)
            ending = await self._once(task, results, missing, account, hold, fixed, attempt)
            if not ending.again or attempt >= self._most or self._meter.stopped:
                return self.result(task, ending, attempt, started)
            self._books.strand(self._books.of_attempt(task.id, attempt), f"attempt {attempt} failed")

    async def _once(
        self,
        task: Task,
        results: Mapping[str, object],
        missing: tuple[str, ...],
        account: Account,
        hold: Hold | None,
        fixed: FixedCost | None,
        attempt: int,
    ) -> _Ending:
        """One attempt: whatever comes of it, afterwards nothing of it is on its way or held."""
        meter = TaskMeter(self._meter, task.id, task.role, attempt, hold or account, None if hold else task.pot, fixed)
        ctx = Context(
            task, attempt, results, missing, meter, self._books, self._meter.now, self._emit, self._seed, self._tools,
            asyncio.get_running_loop(),
        )  # fmt: skip
        began = self._meter.now()
        ending = _Ending("cancelled")  # unless something else is heard of it: cut short, by an interrupt for one
        lines = self._books.lines
        try:
            known = _known(fixed)
            ending = known or await self._call(task, ctx)
        finally:
            ctx.end()
            meter.over = True
            if meter.open:
                await meter.cancel_open()
            if hold is not None and fixed is not None:
                await self._charge(hold, fixed, meter, began, ending, self._books.lines == lines)
        if ending.again and self._meter.on_event:
            data = {"attempt": attempt, "reason": ending.reason}
            self._emit(Event("attempt-failed", self._meter.now(), task.id, task.role, data))
        if ending.state in ("over-budget", "cancelled") and ctx.in_hand is not None:
            return ending._replace(state="partial", output=ctx.in_hand)
        return ending

    async def _call(self, task: Task, ctx: Context) -> _Ending:
        try:
            output = self._caller.call(task, ctx)
            if inspect.isawaitable(output):
                output = await output
        except asyncio.CancelledError:
            return _Ending("cancelled", reason=self._meter.stopped or "cancelled")
        except Exception as raised:
            error = _cause(raised)
            if isinstance(error, (Diverged, StoreError)):
                raise error from raised
            if isinstance(error, OverBudget):
                return _Ending("over-budget", reason=str(error), refusal=error)
            if isinstance(error, AgentFailure):
                return _Ending("failed", reason=_said(error), again=True)
            reason = f"{type(error).__name__}: {_said(error)}".rstrip(": ")
            return _Ending("failed", reason=reason, trace=traceback.format_exc())
        if isinstance(output, Partial):
            return _Ending("partial", output.value, output.reason)
        return _Ending("ok", output)

    async def _charge(
        self, hold: Hold, fixed: FixedCost, meter: TaskMeter, began: datetime, ending: _Ending, whole: bool
    ) -> None:
        """Charge a fixed cost for the attempt, unless the agent metered calls of its own: then those.

        `whole`: what the agent returned is all that it did. What is charged is charged, whoever cancels meanwhile.
        """
        state = ending.state
        if meter.used:
            hold.settle(meter.account.spent)
        elif state == "over-budget":  # the first call that it metered did not fit into the fixed cost
            await fixed.free(hold)
        else:
            how: Outcome = "ok" if state in ("ok", "partial") else "cancelled" if state == "cancelled" else "error"
            value: dict[str, object] = {"state": state, "reason": ending.reason, "again": ending.again}
            if whole and storable(ending.output):
                value["output"] = ending.output
            with contextlib.suppress(asyncio.CancelledError):
                await fixed.charge(hold, how, value, began)

    def skipped(self, task: Task, broken: Sequence[str]) -> TaskResult:
        """The result of a task that is never called because too few of its dependencies succeeded."""
        return self.result(task, _Ending("skipped", reason=f"depends on {', '.join(broken)}"), 0)

    def cancelled(self, task: Task, attempts: int = 0, started: datetime | None = None) -> TaskResult:
        """The result of a task that was stopped while nothing of it was on its way."""
        return self.result(task, _Ending("cancelled", reason=self._meter.stopped or "cancelled"), attempts, started)

    def result(self, task: Task, ending: _Ending, attempts: int, started: datetime | None = None) -> TaskResult:
        """The result of a task, with what it cost by the ledger."""
        refusal = ending.refusal
        return TaskResult(
            task.id, task.role, ending.state, self._meter.ledger.of_task(task.id), attempts, ending.output,
            ending.reason, refusal.needed if refusal else None, refusal.left if refusal else None,
            started, self._meter.now(), task.depends_on, task.needs, ending.trace,
        )  # fmt: skip


def _known(fixed: FixedCost | None) -> _Ending | None:
    """What an earlier process wrote down of the same attempt, if that is all there is to know."""
    value = fixed.earlier.value if fixed is not None and fixed.earlier is not None else None
    if not isinstance(value, dict) or "output" not in value:
        return None
    return _Ending(value["state"], value["output"], value["reason"], again=value["again"])


def _cause(error: Exception) -> Exception:
    """What a group of exceptions from concurrent calls comes to: one of ours if there are only such, or the group."""
    if not isinstance(error, ExceptionGroup):
        return error
    leaves: list[Exception] = []
    groups: list[ExceptionGroup[Exception]] = [error]
    while groups:
        for each in groups.pop().exceptions:
            if isinstance(each, ExceptionGroup):
                groups.append(each)
            else:
                leaves.append(each)
    for kind in (Diverged, StoreError, OverBudget, AgentFailure):
        found = [leaf for leaf in leaves if isinstance(leaf, kind)]
        if found and (kind in (Diverged, StoreError) or all(isinstance(leaf, (OverBudget, AgentFailure)) for leaf in leaves)):
            return found[0]
    return error


def _said(error: Exception) -> str:
    """The text of an exception, even of one that cannot print itself."""
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - its own fault; the traceback says the rest
        return "(its message cannot be printed)"
