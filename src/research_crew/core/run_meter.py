"""What the task meters of one run share: its account, ledger and journal, and the writing of ledger entries."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from random import Random
from typing import Any

from research_crew.core.account import Account, Hold
from research_crew.core.call import Retry
from research_crew.core.events import OnEvent
from research_crew.core.journal import CallKey, Finished, Journal
from research_crew.core.ledger import Basis, Ledger, LedgerEntry, Outcome
from research_crew.core.money import NO_USAGE, Usage, to_nano
from research_crew.core.order import Order


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
    order: Order | None = None
    """In a run that can be resumed: the order in which answers are handed on."""
    wall: Callable[[], datetime] | None = None
    """The clock of ledger entries, where `now` is another: in a run that can be resumed that is the time of the last
    entry, so that it says the same when the run is repeated."""
    _rng: Random | None = None

    @property
    def clock(self) -> Callable[[], datetime]:
        """The clock of ledger entries."""
        return self.wall or self.now

    @property
    def rng(self) -> Random:
        """Random numbers for the jitter of waits; made when they are needed."""
        if self._rng is None:
            self._rng = Random(self.seed)
        return self._rng

    def entry(
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
        """The next entry of the ledger, not yet appended."""
        number = len(self.ledger) + 1 if self.order is None else self.order.draw()
        return LedgerEntry(
            number, task, role, attempt, step, try_, kind, provider, model, usage, nano, basis,
            outcome, started, self.clock(), self.ledger.currency, reuses, corrects, request_id, note,
        )  # fmt: skip

    async def close(self, key: CallKey, entry: LedgerEntry, result: Finished, hold: Hold, spent: int, tokens: int) -> None:
        """Ledger, journal and account take the end of a call; not cut short by a cancellation, which is raised after.

        `spent` is charged to the hold. In a run with an order the journal comes first: what it has not written down
        does not happen.
        """
        if self.order is None:
            self.ledger.append(entry)
            hold.settle(spent, tokens)
            await to_its_end(self.journal.settle(key, entry, result, self.fence))
        else:
            await to_its_end(self._in_order(self.order, key, entry, result, hold, spent, tokens))

    async def _in_order(
        self, order: Order, key: CallKey, entry: LedgerEntry, result: Finished, hold: Hold, spent: int, tokens: int
    ) -> None:
        try:
            await self.journal.settle(key, entry, result, self.fence)
        finally:  # those that come after it wait for this number
            await order.turn(entry.n, entry.task)
            self.ledger.append(entry)
            hold.settle(spent, tokens)

    async def repeat(self, entry: LedgerEntry, hold: Hold) -> None:
        """Take the entry of an earlier process into the ledger, when its turn comes."""
        await to_its_end(self._repeated(entry, hold))

    async def _repeated(self, entry: LedgerEntry, hold: Hold) -> None:
        assert self.order is not None
        if await self.order.turn(entry.n, entry.task):
            self.ledger.append(entry)
            went_out = entry.basis != "reused" and (entry.outcome in ("ok", "rejected") or entry.basis == "assumed")
            hold.settle(entry.nano, entry.usage.tokens or (hold.tokens if went_out else 0))
        else:
            hold.release()

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
        late = self.entry(
            first.task, first.role, first.attempt, first.step, first.try_, first.kind, first.provider, first.model,
            NO_USAGE, difference, "measured", first.outcome, self.clock(), corrects=first.n, note=note,
        )  # fmt: skip
        self.ledger.append(late)
        return late


async def to_its_end(work: Coroutine[Any, Any, None]) -> None:
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
