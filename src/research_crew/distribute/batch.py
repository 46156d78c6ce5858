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
from research_crew.core.errors import BudgetError, OverBudget, ResearchCrewError
from research_crew.core.money import Amount, from_nano, to_decimal, to_nano
from research_crew.core.stop import Stop
from research_crew.crew import Crew
from research_crew.distribute.items import Item
from research_crew.distribute.results import ResultsFile, Row
from research_crew.result import CrewResult

AT_ONCE = 8


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
        self, crew: Crew, limits: Limits, results: ResultsFile, *, at_once: int = AT_ONCE, stop: Stop | None = None,
        on_row: Callable[[Row], None] | None = None,
    ) -> None:  # fmt: skip
        """`at_once` questions run side by side. `on_row` is told of every result once it is written down."""
        self._crew, self._limits, self._results, self._at_once = crew, limits, results, at_once
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
        wanted = to_nano(item.budget or self._limits.each)
        while True:
            try:
                hold = await self.account.reserve(wanted)
                break
            except OverBudget as refusal:  # the last questions get what the others left
                wanted = to_nano(refusal.left)
                if not wanted:
                    return refused(item.key, item.question, self._limits.currency, "the total of the batch is spent")
        spent = wanted  # what an interrupted run bought is not known here
        try:
            if self._stop.reason:
                spent = 0
                return None
            row = await self._ask(item, Budget(from_nano(wanted), self._limits.currency))
            spent = to_nano(row.cost)
            return row
        finally:
            hold.settle(spent)

    async def _ask(self, item: Item, budget: Budget) -> Row:
        stop = Stop()
        self._running.add(stop)
        try:
            return await answered(self._crew, item.key, item.question, budget, stop)
        finally:
            self._running.discard(stop)


async def answered(crew: Crew, key: str, question: str, budget: Budget, stop: Stop) -> Row:
    """Ask a crew; whatever comes of it is a row, so that one question's trouble is not that of the others."""
    try:
        result = await crew.arun(question, budget, stop=stop)
    except BudgetError as error:
        return refused(key, question, budget.currency, str(error))
    except ResearchCrewError as error:
        return Row(key, question, "failed", error.exit_code, Decimal(0), budget.currency, reason=str(error))
    except Exception as error:  # noqa: BLE001 - written down
        reason = f"internal error: {type(error).__name__}: {error}; charged with its whole budget"
        return Row(key, question, "failed", 1, to_decimal(budget.limit), budget.currency, reason=reason)
    return row_of(key, result)


def refused(key: str, question: str, currency: str, reason: str) -> Row:
    """The row of a question whose smallest run could not be paid."""
    return Row(key, question, "refused", BudgetError.exit_code, Decimal(0), currency, reason=reason)


def row_of(key: str, result: CrewResult) -> Row:
    """The row of a run."""
    dropped: dict[str, int] = {}
    for one in result.dropped:
        dropped[one.kind] = dropped.get(one.kind, 0) + 1
    return Row(
        key, result.question, result.status, result.exit_code, result.total_cost, result.bill.currency,
        len(result.report.claims) if result.report else 0, dropped, "; ".join(result.degraded), result.to_json(),
    )  # fmt: skip


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
