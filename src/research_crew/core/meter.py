"""The one door for money: every paid call goes reserve → journal → send → ledger entry, journal result and release.

A role holds a `TaskMeter`, bound to its task's account, and nothing else that costs anything. One ledger entry is
written per try, whatever came of it. A try whose bill cannot be known (time-out, broken connection, cancellation in
flight, an unexpected error) is charged at its reservation, `assumed`; one that was certainly not executed is charged 0.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from random import Random

from research_crew.core.budget import Account, Hold
from research_crew.core.errors import CallFailed, UserError
from research_crew.core.events import Event, OnEvent
from research_crew.core.journal import CallKey, Finished, Journal
from research_crew.core.ledger import Basis, Ledger, LedgerEntry, Outcome
from research_crew.core.money import Usage, from_nano, show, to_nano

_inside: ContextVar[bool] = ContextVar("inside_a_call", default=False)


@dataclass(frozen=True, slots=True)
class Call:
    """A call about to be bought."""

    step: str
    """Where it stands in its task, named before anything is awaited: `round-1/search-2`."""
    kind: str
    provider: str
    model: str
    request_hash: str
    worst: Decimal
    """The most it can cost: what is reserved."""
    tokens: int = 0
    """The most tokens it can use, for a limit on tokens."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What came back from one try, with its bill."""

    value: object
    """The answer, as JSON values: the journal keeps it."""
    usage: Usage = field(default_factory=Usage)
    amount: Decimal = Decimal(0)
    basis: Basis = "measured"
    request_id: str | None = None
    outcome: Outcome = "ok"
    """`rejected` for an answer that cannot be used: it is paid for all the same."""
    note: str = ""
    reuses: str | None = None


@dataclass(frozen=True, slots=True)
class Retry:
    """How often and after which waits a retryable failure is tried again."""

    tries: int = 3
    waits: tuple[float, ...] = (2.0, 4.0)
    """Seconds before the second, third … try; the last one repeats. Jittered by up to a quarter."""
    longest: float = 60.0
    """A server that asks for a longer wait than this many seconds is not waited for."""

    def wait(self, failed: int, asked: float | None, rng: Random) -> float | None:
        """Seconds to wait after the try number `failed`; None when it is not worth it."""
        if failed >= self.tries:
            return None
        if asked is not None:
            return asked if asked <= self.longest else None
        base = self.waits[min(failed, len(self.waits)) - 1] if self.waits else 0.0
        return base * (1 + 0.25 * rng.random())


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
    rng: Random = field(default_factory=lambda: Random(0))
    fence: int = 0
    on_event: OnEvent | None = None
    stopped: str = ""
    """Why nothing more is bought; empty while the run may buy."""

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

    def correct(self, entry: LedgerEntry, amount: Decimal, note: str = "late bill") -> LedgerEntry:
        """A bill that arrived late: an entry with the signed difference to what was charged."""
        charged = entry.nano + sum(e.nano for e in self.ledger if e.corrects == entry.n)
        difference = to_nano(amount) - charged
        self.account.correct(difference)
        return self.enter(
            entry.task, entry.role, entry.attempt, entry.step, entry.try_, entry.kind, entry.provider, entry.model,
            Usage(), difference, "measured", entry.outcome, self.now(), corrects=entry.n, note=note,
        )  # fmt: skip


class TaskMeter:
    """The meter of one attempt at one task."""

    __slots__ = ("_meter", "account", "attempt", "entries", "pot", "role", "task")

    def __init__(self, meter: Meter, task: str, role: str, attempt: int, account: Account, pot: str | None) -> None:
        self._meter, self.task, self.role, self.attempt = meter, task, role, attempt
        self.account, self.pot = account, pot
        self.entries = 0
        """How many tries this attempt paid for."""

    @property
    def left(self) -> Decimal:
        """What could be reserved here and now."""
        return from_nano(self.account.left)

    async def buy(self, call: Call, send: Callable[[], Awaitable[Receipt]], retry: Retry | None = None) -> object:
        """Buy one call and return its answer.

        Raises `OverBudget` before anything is sent, `CallFailed` when the last try failed, `Diverged` when a resumed
        run asks something else under this step.
        """
        if _inside.get():
            raise RuntimeError(f"{call.step}: a call may not reserve while another of its own is open")
        policy = retry or self._meter.retry
        number = 0
        while True:
            number += 1
            key = CallKey(self._meter.run_id, self.task, self.attempt, call.step, number)
            earlier = await self._meter.journal.finished(key, call.request_hash)
            if earlier is not None:
                if earlier.outcome in ("ok", "rejected"):
                    return earlier.value
                if earlier.retryable:
                    continue
                raise CallFailed(call.provider, None, str(earlier.value), sent=True, retryable=False)
            hold = await self.account.reserve(to_nano(call.worst), call.tokens, self.pot)
            try:
                earlier = await self._meter.journal.open(key, call.request_hash, hold.amount, self._meter.fence)
            except BaseException:
                hold.release()
                raise
            if earlier is not None:
                hold.release()
                return earlier.value
            self._tell("call-started", call, number, held=show(from_nano(hold.amount)))
            answer = await self._send(call, send, key, hold, policy, number)
            if answer is not None:
                return answer.value

    async def _send(
        self,
        call: Call,
        send: Callable[[], Awaitable[Receipt]],
        key: CallKey,
        hold: Hold,
        policy: Retry,
        number: int,
    ) -> Receipt | None:
        """One try; None when it failed and another is due, after the wait."""
        started = self._meter.now()
        token = _inside.set(True)
        try:
            receipt = await send()
        except CallFailed as failure:
            _inside.reset(token)
            wait = policy.wait(number, failure.retry_after, self._meter.rng) if failure.retryable else None
            outcome: Outcome = "timeout" if failure.timed_out else "error"
            charged = hold.amount if failure.sent else 0
            basis: Basis = "assumed" if failure.sent else "measured"
            lost = Receipt(str(failure), amount=from_nano(charged), basis=basis, outcome=outcome, note=str(failure))
            await self._close(call, key, hold, lost, started, wait is not None)
            if wait is None:
                raise
            await self._meter.sleep(wait)
            return None
        except UserError as mistake:
            # Raised before anything went out (a missing package, an unknown option): nothing was bought.
            _inside.reset(token)
            await self._close(call, key, hold, Receipt(str(mistake), outcome="error", note=str(mistake)), started)
            raise
        except BaseException as error:
            _inside.reset(token)
            outcome = "cancelled" if isinstance(error, asyncio.CancelledError) else "error"
            note = f"{type(error).__name__}: {error}".rstrip(": ")
            lost = Receipt(note, amount=from_nano(hold.amount), basis="assumed", outcome=outcome, note=note)
            await self._close(call, key, hold, lost, started)
            raise
        _inside.reset(token)
        await self._close(call, key, hold, receipt, started)
        return receipt

    async def _close(
        self, call: Call, key: CallKey, hold: Hold, receipt: Receipt, started: datetime, again: bool = False
    ) -> None:
        nano = to_nano(receipt.amount)
        entry = self._meter.enter(
            self.task, self.role, self.attempt, call.step, key.try_, call.kind, call.provider, call.model,
            receipt.usage, nano, receipt.basis, receipt.outcome, started,
            reuses=receipt.reuses, request_id=receipt.request_id, note=receipt.note,
        )  # fmt: skip
        self.entries += 1
        hold.settle(nano, receipt.usage.tokens or None)
        finished = Finished(receipt.value, receipt.outcome, again)
        await self._meter.journal.settle(key, entry, finished, self._meter.fence)
        self._tell("call-ended", call, key.try_, amount=show(receipt.amount), outcome=receipt.outcome)

    def _tell(self, kind: str, call: Call, try_: int, **data: object) -> None:
        on_event = self._meter.on_event
        if on_event is not None:
            data.update(step=call.step, kind=call.kind, provider=call.provider, model=call.model, **{"try": try_})
            on_event(Event(kind, self._meter.now(), self.task, self.role, data))  # type: ignore[arg-type]
