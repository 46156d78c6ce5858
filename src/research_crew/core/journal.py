"""The journal: finished calls by their logical key, so that a resumed run buys nothing twice.

The key is where a call stands in the run (run, task, attempt, step, try), drawn before anything is awaited; the hash
of the request stands beside it. The store that survives a crash implements the same protocol. What a budget refused is
written down as well, so that a resumed run is refused the same at the same place.
"""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple, Protocol

from research_crew.core.errors import Diverged, OverBudget
from research_crew.core.ledger import LedgerEntry, Outcome

FIXED = "attempt"
"""The step of the fixed cost of an attempt."""


class CallKey(NamedTuple):
    """Where a try of a call stands."""

    run: str
    task: str
    attempt: int
    step: str
    try_: int

    def __str__(self) -> str:
        return f"{self.task}/{self.attempt}/{self.step}/{self.try_}"


@dataclass(frozen=True, slots=True)
class About:
    """Who makes a call, and with what: enough to write its ledger entry when the process ends in the middle of it."""

    role: str = ""
    kind: str = ""
    provider: str = ""
    model: str = ""
    started: datetime | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """A call that ended: its answer (JSON values; None after an error) and how it ended."""

    value: object
    outcome: Outcome
    retryable: bool = False
    """After an error: whether the run went on to another try."""
    entry: LedgerEntry | None = None
    """The ledger entry that an earlier process wrote, to be taken into this ledger in its order."""
    hold: int = 0
    """Nano-units that were held for it."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A call that the budget refused, after so many ledger entries."""

    needed: Decimal
    left: Decimal
    unit: str
    at: int

    @classmethod
    def of(cls, error: OverBudget, at: int) -> "Refused":
        """What is written down of a refusal."""
        return cls(error.needed, error.left, error.unit, at)

    @property
    def error(self) -> OverBudget:
        """The refusal, to be raised again."""
        return OverBudget(self.needed, self.left, self.unit)


class Journal(Protocol):
    """Durable or in memory. One writer at a time: a writer whose fence is out of date is refused by the store."""

    async def finished(self, key: CallKey, request_hash: str) -> Finished | Refused | None:
        """The answer to a call that ended earlier; raises `Diverged` when another request stands under the key."""
        ...

    async def open(self, key: CallKey, request_hash: str, hold: int, fence: int, about: About) -> Finished | None:
        """Write down that a call is about to be sent, with the nano-units held for it; returns an answer if there
        is one after all."""
        ...

    async def settle(self, key: CallKey, entry: LedgerEntry, result: Finished, fence: int) -> None:
        """Write the ledger entry and the answer, and give up the hold, in one transaction."""
        ...

    async def refuse(self, key: CallKey, request_hash: str, refused: Refused, fence: int) -> None:
        """Write down that the budget refused a call."""
        ...

    async def drop(self, key: CallKey, fence: int) -> None:
        """Forget a call that was opened and came to nothing: it gives up its hold and has no entry."""
        ...

    def calls_of(self, task: str, attempt: int) -> bool:
        """Whether an earlier process made calls in this attempt, its fixed cost not counted."""
        ...


class MemoryJournal:
    """A journal for one process: what is finished is known until the process ends."""

    def __init__(self) -> None:
        self._rows: dict[CallKey, tuple[str, Finished | None]] = {}

    async def finished(self, key: CallKey, request_hash: str) -> Finished | None:
        """See `Journal.finished`."""
        row = self._rows.get(key)
        if row is None:
            return None
        if row[0] != request_hash:
            raise Diverged(str(key))
        return row[1]

    async def open(self, key: CallKey, request_hash: str, hold: int, fence: int, about: About) -> Finished | None:  # noqa: ARG002
        """See `Journal.open`."""
        answer = await self.finished(key, request_hash)
        if answer is None:
            self._rows[key] = (request_hash, None)
        return answer

    async def settle(self, key: CallKey, entry: LedgerEntry, result: Finished, fence: int) -> None:  # noqa: ARG002
        """See `Journal.settle`."""
        self._rows[key] = (self._rows[key][0], result)

    async def refuse(self, key: CallKey, request_hash: str, refused: Refused, fence: int) -> None:
        """Nothing is kept of a refusal: with another budget, or later, the same call may be bought."""

    async def drop(self, key: CallKey, fence: int) -> None:  # noqa: ARG002
        """See `Journal.drop`."""
        self._rows.pop(key, None)

    def calls_of(self, task: str, attempt: int) -> bool:
        """See `Journal.calls_of`."""
        return any((key.task, key.attempt) == (task, attempt) and key.step != FIXED for key in self._rows)
