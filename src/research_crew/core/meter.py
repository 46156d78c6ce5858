"""The one door for money: every paid call goes reserve → journal → send → ledger entry, journal result and release.

A role holds a `TaskMeter`, bound to its task's account, and nothing else that costs anything. One ledger entry is
written per try, whatever came of it. A try whose bill cannot be known (time-out, broken connection, cancellation in
flight, an unexpected error) is charged at its reservation, `assumed`; one that was certainly not executed is charged 0.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from datetime import datetime
from decimal import Decimal

from research_crew.core.account import Account, Hold
from research_crew.core.call import Call as Call
from research_crew.core.call import Receipt as Receipt
from research_crew.core.call import Retry as Retry
from research_crew.core.errors import CallFailed, MissingExtra, OverBudget
from research_crew.core.events import Event, EventKind
from research_crew.core.fixed import FixedCost
from research_crew.core.journal import About, CallKey, Finished, Refused
from research_crew.core.ledger import Basis, Outcome
from research_crew.core.money import from_nano, show, to_nano
from research_crew.core.run_meter import Meter as Meter

_inside: ContextVar[bool] = ContextVar("inside_a_call", default=False)


class TaskMeter:
    """The meter of one attempt at one task."""

    __slots__ = ("_fixed", "_meter", "_open", "_pays", "_steps", "attempt", "over", "pot", "role", "task", "used")

    def __init__(
        self, meter: Meter, task: str, role: str, attempt: int, pays: Account | Hold, pot: str | None,
        fixed: FixedCost | None = None,
    ) -> None:  # fmt: skip
        """`pays`: the task's account, or the hold of a fixed cost, within which an agent may meter calls of its own."""
        self._meter, self.task, self.role, self.attempt = meter, task, role, attempt
        self._pays, self.pot, self._fixed = pays, pot, fixed
        self.over = False
        """Whether the attempt has ended: then nothing more is bought."""
        self.used = False
        """Whether this attempt has metered anything, calls that the journal answered included."""
        self._open: dict[str, asyncio.Task[object] | None] = {}
        self._steps: dict[str, str] = {}

    @property
    def account(self) -> Account:
        """Where this attempt reserves."""
        if isinstance(self._pays, Hold):
            self._pays = self._pays.wallet(self.task)
        return self._pays

    @property
    def left(self) -> Decimal:
        """What could be reserved here and now, its own pot included."""
        return from_nano(self.account.left_with(self.pot))

    @property
    def open(self) -> bool:
        """Whether a call is on its way."""
        return bool(self._open)

    async def buy(self, call: Call, send: Callable[[], Awaitable[Receipt]], retry: Retry | None = None) -> object:
        """Buy one call and return its answer.

        Raises `OverBudget` before anything is sent, `CallFailed` when the last try failed, `Diverged` when a resumed
        run asks something else under this step, and `asyncio.CancelledError` once the attempt or the run is over.
        """
        if _inside.get():
            raise RuntimeError(f"{call.step}: a call may not reserve while another of its own is open")
        if self.over or self._meter.stopped:
            raise asyncio.CancelledError(self._meter.stopped or "the attempt is over")
        if call.step in self._open or self._steps.setdefault(call.step, call.request_hash) != call.request_hash:
            raise RuntimeError(f"{call.step}: this attempt has another call of that name; name each step once")
        self._open[call.step] = asyncio.current_task()
        try:
            if self._fixed is not None:
                await self._fixed.leave()
            return await self._tries(call, send, retry or self._meter.retry)
        finally:
            del self._open[call.step]

    async def cancel_open(self) -> None:
        """Cancel what is still on its way, and wait until it is settled."""
        here = asyncio.current_task()
        while left := [task for task in self._open.values() if task is not None and task is not here]:
            for task in left:
                task.cancel()
            with contextlib.suppress(asyncio.CancelledError):  # no reservation stays open: cancel them once more
                await asyncio.wait(left)

    async def _tries(self, call: Call, send: Callable[[], Awaitable[Receipt]], policy: Retry) -> object:
        meter, number, lost = self._meter, 0, 0
        journal = meter.journal
        while True:
            number += 1
            key = CallKey(meter.run_id, self.task, self.attempt, call.step, number)
            earlier = await journal.finished(key, call.request_hash)
            if isinstance(earlier, Refused):
                if meter.order is not None:
                    await meter.order.reached(earlier.at, self.task)
                raise earlier.error
            if earlier is None:
                if meter.order is not None:
                    await meter.order.caught_up(self.task)
                if meter.turn is not None:
                    await meter.turn(call.provider)
                hold = await self._reserve(call, key)
                about = About(self.role, call.kind, call.provider, call.model, meter.clock())
                try:
                    earlier = await journal.open(key, call.request_hash, hold.amount, meter.fence, about)
                except BaseException:
                    hold.release()
                    raise
                if earlier is None:
                    answer = await self._send(call, send, key, hold, policy, lost)
                    if answer is None:
                        continue
                    return answer.value
                hold.release()
            elif earlier.entry is not None:
                await meter.repeat(earlier.entry, self.account.take(earlier.hold, call.tokens, self.pot))
                self._told(call, number, earlier.entry.nano, earlier.entry.outcome, earlier.entry.basis, {})
            self.used = True
            if earlier.outcome in ("ok", "rejected"):
                return earlier.value
            lost += earlier.outcome == "cancelled"
            if not earlier.retryable and earlier.outcome != "cancelled":
                raise CallFailed.from_json(earlier.value, call.provider)

    async def _reserve(self, call: Call, key: CallKey) -> Hold:
        nano = to_nano(call.worst)
        try:
            hold = self.account.reserve_now(nano, call.tokens, self.pot)
            if hold is None:
                self._tell("waiting", call, key.try_, needed=show(call.worst))
                hold = await self.account.reserve(nano, call.tokens, self.pot)
        except OverBudget as refusal:
            meter = self._meter
            if meter.order is not None:
                refused = Refused.of(refusal, meter.order.delivered)
                await meter.journal.refuse(key, call.request_hash, refused, meter.fence)
            raise
        return hold

    async def _send(
        self, call: Call, send: Callable[[], Awaitable[Receipt]], key: CallKey, hold: Hold, policy: Retry,
        lost: int,
    ) -> Receipt | None:  # fmt: skip
        """One try; None when it failed and another is due, after the wait. `lost` tries of it were cut short by the
        end of an earlier process: they do not count as failed."""
        self._tell("call-started", call, key.try_, held=show(from_nano(hold.amount)))
        started = self._meter.clock()
        token = _inside.set(True)
        try:
            try:
                receipt = await send()
            finally:
                _inside.reset(token)
            if not isinstance(receipt, Receipt):
                raise TypeError(f"{call.step}: what was sent returned {type(receipt).__name__}, not a Receipt")
        except CallFailed as failure:
            wait = policy.wait(key.try_ - lost, failure.retry_after, self._meter.rng) if failure.retryable else None
            outcome: Outcome = "timeout" if failure.timed_out else "error"
            charged = hold.amount if failure.sent else 0
            bill = _lost(str(failure), charged, "assumed" if failure.sent else "measured", outcome)
            await self._close(call, key, hold, bill, started, sent=failure.sent, again=wait is not None, value=failure.to_json())
            if wait is None:
                raise
        except MissingExtra as mistake:  # the package that would send it is not there
            await self._close(call, key, hold, _lost(str(mistake), 0, "measured", "error"), started, sent=False)
            raise
        except BaseException as error:
            outcome = "cancelled" if isinstance(error, asyncio.CancelledError) else "error"
            note = f"{type(error).__name__}: {error}".rstrip(": ")
            await self._close(call, key, hold, _lost(note, hold.amount, "assumed", outcome), started)
            raise
        else:
            await self._close(call, key, hold, receipt, started, sent=receipt.basis != "reused")
            return receipt
        await self._meter.sleep(wait)
        return None

    async def _close(
        self,
        call: Call,
        key: CallKey,
        hold: Hold,
        receipt: Receipt,
        started: datetime,
        *,
        sent: bool = True,
        again: bool = False,
        value: object = None,
    ) -> None:
        """Ledger entry, release and journal; not cut short by a cancellation, which takes effect afterwards."""
        nano = to_nano(receipt.amount)
        entry = self._meter.entry(
            self.task, self.role, self.attempt, call.step, key.try_, call.kind, call.provider, call.model,
            receipt.usage, nano, receipt.basis, receipt.outcome, started,
            reuses=receipt.reuses, request_id=receipt.request_id, note=receipt.note,
        )  # fmt: skip
        self.used = True
        finished = Finished(receipt.value if value is None else value, receipt.outcome, again)
        # Without a count from the provider, a call that went out counts for all the tokens that it might have used.
        tokens = receipt.usage.tokens or (hold.tokens if sent else 0)
        await self._meter.close(key, entry, finished, hold, nano, tokens)
        self._told(call, key.try_, nano, receipt.outcome, receipt.basis, receipt.usage.units())

    def _told(self, call: Call, try_: int, nano: int, outcome: Outcome, basis: Basis, units: dict[str, int]) -> None:
        if self._meter.on_event is not None:
            said = {"amount": show(from_nano(nano)), "outcome": outcome, "basis": basis}
            self._tell("call-ended", call, try_, **said, units=units)

    def _tell(self, kind: EventKind, call: Call, try_: int, **data: object) -> None:
        on_event = self._meter.on_event
        if on_event is not None:
            data.update(step=call.step, kind=call.kind, provider=call.provider, model=call.model, **{"try": try_})
            on_event(Event(kind, self._meter.clock(), self.task, self.role, data))


def _lost(note: str, nano: int, basis: Basis, outcome: Outcome) -> Receipt:
    return Receipt(note, amount=from_nano(nano), basis=basis, outcome=outcome, note=note)
