"""Answers one question of a batch: by a new run, or by going on with the one that an earlier start left behind.

The id of a run follows from the batch and the question, so that whoever starts again, on this machine or another, finds
what was bought already in the store.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from research_crew.again import RESUMABLE, resume
from research_crew.core.budget import Budget
from research_crew.core.errors import BudgetError, LostLease, NoSuchRun, ResearchCrewError, RunBusy
from research_crew.core.money import to_decimal
from research_crew.core.secret import Secret
from research_crew.core.stop import Stop
from research_crew.crew import Crew
from research_crew.distribute.results import Row
from research_crew.stores.records import RunRow
from research_crew.stores.store import Store


@dataclass(frozen=True, slots=True)
class Place:
    """Where the run of a question stands."""

    run: str
    known: RunRow | None = None
    """What the store has of it."""

    def needs(self, wanted: int) -> tuple[int, bool]:
        """Nano-units to hold for it, and whether it can do with nothing less: a run that goes on keeps its limit."""
        if self.known is None:
            return wanted, False
        return max(0, self.known.budget - self.known.spent), True


class Desk:
    """Over one crew. Without a store every start begins anew."""

    def __init__(
        self, crew: Crew, store: Store | None, keys: Mapping[str, Secret], batch: str, *, keep_finished: bool = False
    ) -> None:
        """`keep_finished`: a stored run that has ended is the answer; otherwise only one that has not is gone on with."""
        self._crew, self._store, self._keys, self._batch, self._keep = crew, store, keys, batch, keep_finished

    def place(self, key: str, question: str) -> Place:
        """The run of a question, as it stands now."""
        number = 1
        while True:
            text = "\0".join((self._batch, key, question, str(number)))
            place = Place(hashlib.sha256(text.encode()).hexdigest()[:16])
            if self._store is None:
                return place
            try:
                place = replace(place, known=self._store.read.run(place.run))
            except NoSuchRun:
                return place
            status = place.known.status if place.known is not None else ""
            if status in RESUMABLE or (self._keep and status != "refused"):
                return place
            number += 1

    async def answer(self, place: Place, key: str, question: str, budget: Budget, stop: Stop, before: Decimal) -> Row | None:
        """The row of a question, whatever came of it, so that one's trouble is not that of the others.

        `before` is what it has cost in earlier starts. None when another process drives its run.
        """
        try:
            return await self._answer(place, key, question, budget, stop, before)
        except (RunBusy, LostLease):
            return None
        except BudgetError as error:
            return refused(key, question, budget.currency, str(error), before)
        except ResearchCrewError as error:
            return Row(key, question, "failed", error.exit_code, self._spent(place, before), budget.currency, reason=str(error))
        except Exception as error:  # noqa: BLE001 - written down
            reason = f"internal error: {type(error).__name__}: {error}"
            spent = self._spent(place, before)
            if self._store is None:
                reason, spent = f"{reason}; charged with its whole budget", before + to_decimal(budget.limit)
            return Row(key, question, "failed", 1, spent, budget.currency, reason=reason)

    async def _answer(
        self, place: Place, key: str, question: str, budget: Budget, stop: Stop, before: Decimal
    ) -> Row:
        if place.known is None or self._store is None:
            crew = self._crew if self._store is None else self._crew.named(place.run, key)
            result = await crew.arun(question, budget, stop=stop)
            row = row_of(key, result.to_json())
            return replace(row, cost=row.cost + before)
        if place.known.status in RESUMABLE:
            result = await resume(self._store, place.run, self._keys, stop=stop, turn=self._crew.means.turn)
            return row_of(key, result.to_json())
        record = self._store.read.record(place.run)
        assert record is not None, "a run that has ended has a record"
        return row_of(key, record)

    def _spent(self, place: Place, before: Decimal) -> Decimal:
        if self._store is None:
            return before
        try:
            row = self._store.read.run(place.run)
        except NoSuchRun:  # it ended before it began
            return before
        return row.cost if place.known is not None else row.cost + before


def refused(key: str, question: str, currency: str, reason: str, before: Decimal = Decimal(0)) -> Row:
    """The row of a question whose smallest run could not be paid."""
    return Row(key, question, "refused", BudgetError.exit_code, before, currency, reason=reason)


def row_of(key: str, record: Mapping[str, Any]) -> Row:
    """The row of a run, from its record."""
    dropped: dict[str, int] = {}
    for one in record["dropped"]:
        dropped[one["kind"]] = dropped.get(one["kind"], 0) + 1
    report = record["report"]
    return Row(
        key, record["question"], record["status"], record["exit_code"], Decimal(record["bill"]["spent"]),
        record["bill"]["currency"], len(report["claims"]) if report else 0, dropped, "; ".join(record["degraded"]), record,
    )  # fmt: skip

