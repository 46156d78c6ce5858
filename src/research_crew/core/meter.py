"""The one door for money: every paid call goes reserve → journal → send → ledger entry, journal result and release.

A role holds a `TaskMeter`, bound to its task's account, and nothing else that costs anything. One ledger entry is
written per try, whatever came of it. A try whose bill cannot be known (time-out, broken connection, cancellation in
flight, an unexpected error) is charged at its reservation, `assumed`; one that was certainly not executed is charged 0.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from random import Random
from typing import Any

from research_crew.core.account import Account, Hold
from research_crew.core.call import Call as Call
from research_crew.core.call import Receipt as Receipt
from research_crew.core.call import Retry as Retry
from research_crew.core.errors import CallFailed, MissingExtra
from research_crew.core.events import Event, EventKind, OnEvent
from research_crew.core.journal import CallKey, Finished, Journal
from research_crew.core.ledger import Basis, Ledger, LedgerEntry, Outcome
from research_crew.core.money import NO_USAGE, Usage, from_nano, show, to_nano

_inside: ContextVar[bool] = ContextVar("inside_a_call", default=False)


@dataclass(slots=True)
class Meter:
    """What the task meters of one run share."""

    run_id: str
    account: Account
    ledger: Ledger
    journal: Journal
    now: Callable[[], datetime]
    retry: Retry = field(default_factory=Retry)
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    seed: str = "0"
    """Of the jitter of waits."""
    fence: int = 0
    on_event: OnEvent | None = None
    turn: Callable[[str], Awaitable[None]] | None = None
    """Waits until the provider may be called again, before money is reserved; None where there is no such limit."""
    stopped: str = ""
    """Why nothing more is bought; empty while the run may buy."""
    _rng: Random | None = None

    @property
    def rng(self) -> Random:
        """Random numbers for the jitter of waits; made when they are needed."""
        if self._rng is None:
            self._rng = Random(self.seed)
        return self._rng

    def enter(
        self,
        task: str,
        role: str,
        attempt: int,
        step: str,
        try_: int,
        kind: str,
        provider: str,
        model: str,
        usage: Usage,
        nano: int,
        basis: Basis,
        outcome: Outcome,
        started: datetime,
        *,
        corrects: int | None = None,
        reuses: str | None = None,
        request_id: str | None = None,
        note: str = "",
    ) -> LedgerEntry:
        """Append one entry to the ledger and return it."""
        entry = LedgerEntry(
            len(self.ledger) + 1, task, role, attempt, step, try_, kind, provider, model, usage, nano, basis,
            outcome, started, self.now(), self.ledger.currency, reuses, corrects, request_id, note,
        )  # fmt: skip
        self.ledger.append(entry)
        return entry

    def correct(
        self, entry: LedgerEntry, amount: Decimal, note: str = "late bill", account: Account | None = None
    ) -> LedgerEntry:
        """A bill that arrived late: an entry with the signed difference to what was charged so far.

        `account` is that of the task while it runs; without it only the run's is corrected.
        """
        first = entry if entry.corrects is None else self.ledger[entry.corrects - 1]
        charged = first.nano + sum(e.nano for e in self.ledger if e.corrects == first.n)
        difference = to_nano(amount) - charged
        (account or self.account).correct(difference)
        return self.enter(
            first.task, first.role, first.attempt, first.step, first.try_, first.kind, first.provider, first.model,
            NO_USAGE, difference, "measured", first.outcome, self.now(), corrects=first.n, note=note,
        )  # fmt: skip


class TaskMeter:
    """The meter of one attempt at one task."""

    __slots__ = ("_meter", "_open", "_pays", "_steps", "attempt", "over", "pot", "role", "task", "used")

    def __init__(self, meter: Meter, task: str, role: str, attempt: int, pays: Account | Hold, pot: str | None) -> None:
        """`pays`: the task's account, or the hold of a fixed cost, within which an agent may meter calls of its own."""
        self._meter, self.task, self.role, self.attempt = meter, task, role, attempt
        self._pays, self.pot = pays, pot
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
        journal, number = self._meter.journal, 0
        while True:
            number += 1
            key = CallKey(self._meter.run_id, self.task, self.attempt, call.step, number)
            earlier = await journal.finished(key, call.request_hash)
            if earlier is None:
                if self._meter.turn is not None:
                    await self._meter.turn(call.provider)
                hold = await self._reserve(call, number)
                try:
                    earlier = await journal.open(key, call.request_hash, hold.amount, self._meter.fence)
                except BaseException:
                    hold.release()
                    raise
                if earlier is None:
                    answer = await self._send(call, send, key, hold, policy)
                    if answer is None:
                        continue
                    return answer.value
                hold.release()
            self.used = True
            if earlier.outcome in ("ok", "rejected"):
                return earlier.value
            if not earlier.retryable and earlier.outcome != "cancelled":
                raise CallFailed(call.provider, None, str(earlier.value), sent=True, retryable=False)

    async def _reserve(self, call: Call, number: int) -> Hold:
        nano = to_nano(call.worst)
        hold = self.account.reserve_now(nano, call.tokens, self.pot)
        if hold is None:
            self._tell("waiting", call, number, needed=show(call.worst))
            hold = await self.account.reserve(nano, call.tokens, self.pot)
        return hold

    async def _send(
        self, call: Call, send: Callable[[], Awaitable[Receipt]], key: CallKey, hold: Hold, policy: Retry
    ) -> Receipt | None:
        """One try; None when it failed and another is due, after the wait."""
        self._tell("call-started", call, key.try_, held=show(from_nano(hold.amount)))
        started = self._meter.now()
        token = _inside.set(True)
        try:
            try:
                receipt = await send()
            finally:
                _inside.reset(token)
            if not isinstance(receipt, Receipt):
                raise TypeError(f"{call.step}: what was sent returned {type(receipt).__name__}, not a Receipt")
        except CallFailed as failure:
            wait = policy.wait(key.try_, failure.retry_after, self._meter.rng) if failure.retryable else None
            outcome: Outcome = "timeout" if failure.timed_out else "error"
            charged = hold.amount if failure.sent else 0
            lost = _lost(str(failure), charged, "assumed" if failure.sent else "measured", outcome)
            await self._close(call, key, hold, lost, started, sent=failure.sent, again=wait is not None)
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
    ) -> None:
        """Ledger entry, release and journal; not cut short by a cancellation, which takes effect afterwards."""
        nano = to_nano(receipt.amount)
        entry = self._meter.enter(
            self.task, self.role, self.attempt, call.step, key.try_, call.kind, call.provider, call.model,
            receipt.usage, nano, receipt.basis, receipt.outcome, started,
            reuses=receipt.reuses, request_id=receipt.request_id, note=receipt.note,
        )  # fmt: skip
        self.used = True
        # Without a count from the provider, a call that went out counts for all the tokens that it might have used.
        hold.settle(nano, receipt.usage.tokens or (hold.tokens if sent else 0))
        finished = Finished(receipt.value, receipt.outcome, again)
        await _to_its_end(self._meter.journal.settle(key, entry, finished, self._meter.fence))
        if self._meter.on_event is not None:
            said = {"amount": show(receipt.amount), "outcome": receipt.outcome, "basis": receipt.basis}
            self._tell("call-ended", call, key.try_, **said, units=receipt.usage.units())

    def _tell(self, kind: EventKind, call: Call, try_: int, **data: object) -> None:
        on_event = self._meter.on_event
        if on_event is not None:
            data.update(step=call.step, kind=call.kind, provider=call.provider, model=call.model, **{"try": try_})
            on_event(Event(kind, self._meter.now(), self.task, self.role, data))


def _lost(note: str, nano: int, basis: Basis, outcome: Outcome) -> Receipt:
    return Receipt(note, amount=from_nano(nano), basis=basis, outcome=outcome, note=note)


async def _to_its_end(work: Coroutine[Any, Any, None]) -> None:
    """Await what must not be cut short; a cancellation meanwhile is raised when it has ended."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError as now:
            cancelled = now
    task.result()
    if cancelled is not None:
        raise cancelled
