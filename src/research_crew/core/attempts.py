"""One task from its first attempt to its result: pays, calls the agent, tries again, and says how it ended."""

import asyncio
import traceback
from collections.abc import Callable, Mapping
from datetime import datetime

from research_crew.core.books import Books
from research_crew.core.budget import Account, Hold
from research_crew.core.calling import Caller
from research_crew.core.context import Context, ToolMaker
from research_crew.core.errors import AgentFailure, OverBudget
from research_crew.core.events import Event
from research_crew.core.graph import Task
from research_crew.core.ledger import Basis, Outcome
from research_crew.core.meter import Meter, TaskMeter
from research_crew.core.money import Usage, to_decimal, to_nano
from research_crew.core.outcome import Partial, TaskResult, TaskState

_NOTHING = Usage()


class Attempts:
    """Performs tasks for a runner; every exception of an agent ends in a result, never above."""

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
        """The result of one task, in whatever state it ends."""
        started = self._meter.now()
        if self._meter.on_event:
            self._emit(Event("task-started", started, task.id, task.role))
        account = self._meter.account
        if task.cost is None:
            account = account.child(task.id, None if task.reserve is None else to_nano(to_decimal(task.reserve)))
        attempt = 1
        while True:
            hold: Hold | None = None
            try:
                if task.cost is not None:
                    nano = to_nano(to_decimal(task.cost))
                    hold = account.reserve_now(nano, pot=task.pot) or await account.reserve(nano, pot=task.pot)
            except OverBudget as refusal:
                return self.result(task, "over-budget", attempt - 1, started, reason=str(refusal), refusal=refusal)
            except asyncio.CancelledError:
                return self.result(task, "cancelled", attempt - 1, started, reason=self._meter.stopped)
            ended = await self._once(task, results, missing, account, hold, attempt, started)
            if ended is not None:
                return ended
            self._books.strand(self._books.of_attempt(task.id, attempt), f"attempt {attempt} failed")
            attempt += 1

    async def _once(
        self,
        task: Task,
        results: Mapping[str, object],
        missing: tuple[str, ...],
        account: Account,
        hold: Hold | None,
        attempt: int,
        started: datetime,
    ) -> TaskResult | None:
        """One attempt; None when another one is due."""
        # An agent with a fixed cost that meters calls of its own spends within that cost: a wallet of the same size.
        wallet = account if hold is None else Account(task.id, hold.amount, unit=account.unit)
        meter = TaskMeter(self._meter, task.id, task.role, attempt, wallet, None if hold else task.pot)
        loop = asyncio.get_running_loop()
        ctx = Context(
            task, attempt, results, missing, meter, self._books, self._meter.now, self._emit, self._seed, self._tools,
            loop,
        )  # fmt: skip
        began = self._meter.now()
        how: Outcome = "error"
        state: TaskState = "failed"
        output: object = None
        reason = trace = ""
        refused: OverBudget | None = None
        try:
            output = await self._caller.call(task, ctx)
            how, state = "ok", "ok"
        except AgentFailure as failure:
            reason = str(failure)
            if self._meter.on_event:
                data = {"attempt": attempt, "reason": reason}
                self._emit(Event("attempt-failed", self._meter.now(), task.id, task.role, data))
            if attempt < self._most and not self._meter.stopped:
                state = "ok"  # not an ending: another attempt is due
        except OverBudget as refusal:
            state, reason, refused = "over-budget", str(refusal), refusal
        except asyncio.CancelledError:
            how, state, reason = "cancelled", "cancelled", self._meter.stopped or "cancelled"
        except Exception as error:  # noqa: BLE001 - a stranger's error ends its own task only, its traceback kept
            reason, trace = f"{type(error).__name__}: {error}".rstrip(": "), traceback.format_exc()
        if hold is not None:
            self._charge(task, attempt, hold, meter, began, how)
        if how == "error" and state == "ok":
            return None
        if state in ("over-budget", "cancelled") and ctx.in_hand is not None:
            state, output = "partial", ctx.in_hand
        if isinstance(output, Partial):
            state, reason, output = "partial", output.reason, output.value
        return self.result(
            task, state, attempt, started, output=output, reason=reason, refusal=refused, trace=trace
        )

    def _charge(
        self, task: Task, attempt: int, hold: Hold, meter: TaskMeter, began: datetime, how: Outcome
    ) -> None:
        """Charge a fixed cost for the attempt, unless the agent metered calls of its own: then those."""
        if meter.entries:
            hold.settle(meter.account.spent)
            return
        basis: Basis = "assumed" if how == "cancelled" else "measured"
        self._meter.enter(
            task.id, task.role, attempt, "attempt", 1, "task", "fixed", "", _NOTHING, hold.amount, basis, how, began
        )
        hold.settle(hold.amount)

    def result(
        self,
        task: Task,
        state: TaskState,
        attempts: int,
        started: datetime | None = None,
        *,
        output: object = None,
        reason: str = "",
        refusal: OverBudget | None = None,
        trace: str = "",
    ) -> TaskResult:
        """The result of a task, with what it cost by the ledger."""
        return TaskResult(
            task.id, task.role, state, self._meter.ledger.of_task(task.id), attempts, output,
            reason, refusal.needed if refusal else None, refusal.left if refusal else None,
            started, self._meter.now(), task.depends_on, task.needs, trace,
        )  # fmt: skip
