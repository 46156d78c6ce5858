"""Many questions under one total: side by side, each under its own budget, each result written down as it comes.

The total is an account above those of the runs: a question starts when its whole budget fits under what is left, and
what it did not spend is free for the others. What a stopped batch spent counts when it is started again.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from research_crew.core.account import Account
from research_crew.core.budget import Budget
from research_crew.core.errors import OverBudget
from research_crew.core.money import Amount, from_nano, show, to_decimal, to_nano
from research_crew.core.stop import Stop
from research_crew.distribute.desk import Desk, Place, refused
from research_crew.distribute.items import Item
from research_crew.distribute.results import ResultsFile, Row

AT_ONCE = 8
LEAST = Decimal("1e-9")
"""A run that goes on has a budget of its own; where nothing more is held for it, it buys nothing more."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a batch may spend. All amounts are in the currency of the runs."""

    each: Decimal
    total: Decimal
    currency: str

    @classmethod
    def of(cls, each: Amount, total: Amount | None, currency: str, questions: int) -> "Limits":
        """Without a total: what all questions may spend together."""
        one = to_decimal(each, "--budget-each")
        return cls(one, one * questions if total is None else to_decimal(total, "--budget-total"), currency)


class Batch:
    """Asks what a results file does not answer yet; made for one start."""

    def __init__(
        self, desk: Desk, limits: Limits, results: ResultsFile, *, at_once: int = AT_ONCE, stop: Stop | None = None,
        on_row: Callable[[Row], None] | None = None,
    ) -> None:  # fmt: skip
        """`at_once` questions run side by side. `on_row` is told of every result once it is written down."""
        self._desk, self._limits, self._results, self._at_once = desk, limits, results, at_once
        self._stop, self._on_row = stop or Stop(), on_row
        self._running: set[Stop] = set()
        self.account = Account("batch", to_nano(limits.total), unit=limits.currency)
        self.account.spent = to_nano(results.spent)

    async def run(self, items: Sequence[Item]) -> tuple[Row, ...]:
        """One row per question, in the order of the questions; those not reached when it was stopped have none."""
        waiting = asyncio.Queue[Item]()
        for item in items:
            known = self._results.rows.get(item.key)
            if known is None or not known.done:
                waiting.put_nowait(item)
        self._stop.bind(self._stop_all)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(self._at_once, waiting.qsize())):
                    group.create_task(self._work(waiting))
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None
        finally:
            self._stop.bind(None)
        return tuple(self._results.rows[item.key] for item in items if item.key in self._results.rows)

    def _stop_all(self, reason: str) -> None:
        for stop in self._running:
            stop.request(reason)

    async def _work(self, waiting: "asyncio.Queue[Item]") -> None:
        while not self._stop.reason and not waiting.empty():
            row = await self._one(waiting.get_nowait())
            if row is None:
                return
            self._results.append(row)
            if self._on_row is not None:
                self._on_row(row)

    async def _one(self, item: Item) -> Row | None:
        """The result of one question, None when the batch was stopped before it began."""
        known = self._results.rows.get(item.key)
        before = known.cost if known is not None else Decimal(0)
        place = self._desk.place(item.key, item.question)
        wanted, exactly = place.needs(to_nano(item.budget or self._limits.each))
        while True:
            try:
                hold = await self.account.reserve(wanted)
                break
            except OverBudget as refusal:  # the last questions get what the others left
                if exactly or not refusal.left:
                    reason = f"the total of the batch has {show(refusal.left)} left, and this needs {show(refusal.needed)}"
                    return refused(item.key, item.question, self._limits.currency, reason, before)
                wanted = to_nano(refusal.left)
        spent = wanted  # what an interrupted run bought is not known here
        try:
            if self._stop.reason:
                spent = 0
                return None
            row = await self._ask(place, item, Budget(max(from_nano(wanted), LEAST), self._limits.currency), before)
            spent = to_nano(row.cost) - to_nano(before)
            return row
        finally:
            hold.settle(spent)

    async def _ask(self, place: Place, item: Item, budget: Budget, before: Decimal) -> Row:
        stop = Stop()
        self._running.add(stop)
        try:
            row = await self._desk.answer(place, item.key, item.question, budget, stop, before)
        finally:
            self._running.discard(stop)
        reason = "another process drives its run; start the batch again when that has ended"
        return row or refused(item.key, item.question, self._limits.currency, reason, before)


def exit_code_of(rows: Sequence[Row], asked: int, stopped: bool) -> int:
    """0 when every question is answered in full, 130 after Ctrl-C, 5 when none could be paid, 4 otherwise."""
    if stopped:
        return 130
    if len(rows) == asked and all(row.status == "complete" for row in rows):
        return 0
    return 5 if rows and all(row.status == "refused" for row in rows) else 4


def counts(rows: Sequence[Row]) -> Mapping[str, int]:
    """How many questions ended in which state, sorted by state."""
    found: dict[str, int] = {}
    for row in rows:
        found[row.status] = found.get(row.status, 0) + 1
    return dict(sorted(found.items()))
