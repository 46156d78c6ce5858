"""The fixed cost of one attempt: reserved, journalled like a call, charged once.

An attempt that an earlier process finished is not charged again. Its agent is not called again either where what it
returned can be written down (JSON values) and it booked nothing; otherwise it runs once more, free of charge, because
what it did to the books is part of its result.
"""

import json
from datetime import datetime
from decimal import Decimal

from research_crew.core.account import Account, Hold
from research_crew.core.errors import Diverged, OverBudget
from research_crew.core.graph import Task
from research_crew.core.journal import FIXED, About, CallKey, Finished, Refused
from research_crew.core.ledger import Basis, Outcome
from research_crew.core.money import NO_USAGE, show, to_nano
from research_crew.core.run_meter import Meter, to_its_end


class FixedCost:
    """Opened before the agent is called, closed after it."""

    def __init__(self, meter: Meter, task: Task, attempt: int) -> None:
        self._meter, self._task, self._attempt = meter, task, attempt
        self._nano = to_nano(task.price)
        self._key: CallKey | None = None
        """Of the open call in the journal, as long as there is one."""
        self._number = 1
        self.earlier: Finished | None = None
        """What an earlier process came to."""

    async def open(self, account: Account) -> Hold:
        """Hold the cost; raises `OverBudget`."""
        order = self._meter.order
        if order is None:
            return account.reserve_now(self._nano, pot=self._task.pot) or await account.reserve(
                self._nano, pot=self._task.pot
            )
        journal, fence, request = self._meter.journal, self._meter.fence, f"fixed {show(Decimal(self._task.price))}"
        while True:
            key = CallKey(self._meter.run_id, self._task.id, self._attempt, FIXED, self._number)
            earlier = await journal.finished(key, request)
            if isinstance(earlier, Refused):
                await order.reached(earlier.at, self._task.id)
                raise earlier.error
            if earlier is None:
                break
            hold = account.take(earlier.hold, pot=self._task.pot)
            if earlier.outcome != "cancelled" or earlier.entry is None:
                self.earlier = earlier
                return hold
            await self._meter.repeat(earlier.entry, hold)
            self._number += 1
        if order.repeating and journal.calls_of(self._task.id, self._attempt):
            return account.take(self._nano, pot=self._task.pot)  # its agent metered calls of its own, and will again
        await order.caught_up(self._task.id)
        try:
            hold = account.reserve_now(self._nano, pot=self._task.pot) or await account.reserve(
                self._nano, pot=self._task.pot
            )
        except OverBudget as refusal:
            await journal.refuse(key, request, Refused.of(refusal, order.delivered), fence)
            raise
        try:
            about = About(self._task.role, "task", "fixed", "", self._meter.clock())
            await to_its_end(self._open(key, request, hold, about))
        except BaseException:
            if self._key is not None:
                await to_its_end(journal.drop(self._key, fence))
            hold.release()
            raise
        return hold

    async def _open(self, key: CallKey, request: str, hold: Hold, about: About) -> None:
        await self._meter.journal.open(key, request, hold.amount, self._meter.fence, about)
        self._key = key

    async def leave(self) -> None:
        """The agent meters calls of its own, and they are journalled one by one: the attempt itself is no call."""
        if self._key is not None:
            key, self._key = self._key, None
            await to_its_end(self._meter.journal.drop(key, self._meter.fence))

    async def charge(self, hold: Hold, outcome: Outcome, value: object, began: datetime) -> None:
        """The attempt has ended: charge it, unless an earlier process did."""
        if self.earlier is not None and self.earlier.entry is not None:
            await self._meter.repeat(self.earlier.entry, hold)
            return
        if self._meter.order is not None and self._key is None:
            # An earlier process made calls in this attempt, this one did not.
            raise Diverged(f"{self._task.id}/{self._attempt}", asked=False)
        basis: Basis = "assumed" if outcome == "cancelled" else "measured"
        entry = self._meter.entry(
            self._task.id, self._task.role, self._attempt, FIXED, self._number, "task", "fixed", "", NO_USAGE,
            hold.amount, basis, outcome, began,
        )  # fmt: skip
        if self._key is None:
            self._meter.ledger.append(entry)
            hold.settle(hold.amount)
        else:
            key, self._key = self._key, None
            await self._meter.close(key, entry, Finished(value, outcome), hold, hold.amount, 0)

    async def free(self, hold: Hold) -> None:
        """Nothing was bought: the attempt costs nothing."""
        hold.release()
        await self.leave()


def storable(output: object) -> bool:
    """Whether a result is the same after a journey through JSON."""
    if output is None or isinstance(output, (str, bool, int)):
        return True
    if not isinstance(output, (dict, list, float)):
        return False
    try:
        return bool(json.loads(json.dumps(output)) == output)
    except (TypeError, ValueError, RecursionError):
        return False
