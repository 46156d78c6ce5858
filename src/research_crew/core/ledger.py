"""The ledger: one entry per try of a paid call, whatever came of it; appended, never changed.

`spent` is the sum of the ledger. A bill that arrives late is one more entry (`corrects`, a signed difference).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal

from research_crew.core.money import CREDITS, NO_USAGE, Usage, from_nano, show, to_nano

Outcome = Literal["ok", "rejected", "error", "timeout", "cancelled"]
Basis = Literal["measured", "estimated", "assumed", "reused"]


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """What one try cost, and how that is known."""

    n: int
    """1, 2, 3 … in the order of writing."""
    task: str
    role: str
    attempt: int
    step: str
    """The named request within the task (`round-1/search-2`); `attempt` for a fixed cost."""
    try_: int
    kind: str
    """`model`, `search`, `read` or `task` (a fixed cost per attempt)."""
    provider: str
    model: str
    usage: Usage
    nano: int
    """Amount in nano-units; negative only in a correction."""
    basis: Basis
    outcome: Outcome
    started: datetime
    ended: datetime
    currency: str = CREDITS
    reuses: str | None = None
    """Key of the earlier call whose answer was used again, for `reused`."""
    corrects: int | None = None
    """Number of the entry whose bill arrived late."""
    request_id: str | None = None
    note: str = ""

    @property
    def amount(self) -> Decimal:
        """The amount in the run's currency."""
        return from_nano(self.nano)

    def to_json(self) -> dict[str, object]:
        """The entry as the record writes it."""
        return {
            "n": self.n, "task": self.task, "role": self.role, "attempt": self.attempt, "step": self.step,
            "try": self.try_, "kind": self.kind, "provider": self.provider, "model": self.model,
            "units": self.usage.units(), "amount": show(self.amount), "basis": self.basis,
            "outcome": self.outcome, "reuses": self.reuses, "corrects": self.corrects,
            "request_id": self.request_id, "started": self.started.isoformat(),
            "ended": self.ended.isoformat(), "note": self.note,
        }  # fmt: skip

    @classmethod
    def from_json(cls, data: Mapping[str, Any], currency: str = CREDITS) -> "LedgerEntry":
        """The inverse of `to_json`; the record names the currency once, in its bill."""
        return cls(
            data["n"], data["task"], data["role"], data["attempt"], data["step"], data["try"], data["kind"],
            data["provider"], data["model"], Usage.from_units(data["units"]) if data["units"] else NO_USAGE,
            to_nano(Decimal(data["amount"])), data["basis"], data["outcome"], datetime.fromisoformat(data["started"]),
            datetime.fromisoformat(data["ended"]), currency, data["reuses"], data["corrects"], data["request_id"],
            data["note"],
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Bill:
    """The ledger added up. Amounts are in `currency`; every split adds up to `spent`."""

    currency: str
    limit: Decimal
    spent: Decimal
    by_role: dict[str, Decimal] = field(default_factory=dict)
    by_provider: dict[str, Decimal] = field(default_factory=dict)
    by_kind: dict[str, Decimal] = field(default_factory=dict)
    by_model: dict[str, Decimal] = field(default_factory=dict)
    by_basis: dict[str, Decimal] = field(default_factory=dict)
    overrun: Decimal = Decimal(0)
    tries: int = 0
    """How many tries were made; a correction of a bill is none."""
    usage: Usage = field(default_factory=Usage)

    def to_json(self) -> dict[str, object]:
        """The bill as the record writes it; amounts are strings."""

        def shown(split: dict[str, Decimal]) -> dict[str, str]:
            return {name: show(amount) for name, amount in split.items()}

        return {
            "currency": self.currency, "limit": show(self.limit), "spent": show(self.spent),
            "by_role": shown(self.by_role), "by_provider": shown(self.by_provider),
            "by_kind": shown(self.by_kind), "by_model": shown(self.by_model),
            "by_basis": shown(self.by_basis), "overrun": show(self.overrun), "tries": self.tries,
            "usage": self.usage.units(),
        }  # fmt: skip


class Ledger:
    """The entries of one run, in order."""

    __slots__ = ("_entries", "_nano", "_of_task", "currency")

    def __init__(self, currency: str = CREDITS) -> None:
        self.currency = currency
        self._entries: list[LedgerEntry] = []
        self._nano = 0
        self._of_task: dict[str, int] = {}

    def append(self, entry: LedgerEntry) -> None:
        """Write one entry; its number must be the next."""
        if entry.n != len(self._entries) + 1:
            raise ValueError(f"entry {entry.n} written as number {len(self._entries) + 1}")
        self._entries.append(entry)
        self._nano += entry.nano
        self._of_task[entry.task] = self._of_task.get(entry.task, 0) + entry.nano

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[LedgerEntry]:
        return iter(self._entries)

    def __getitem__(self, index: int) -> LedgerEntry:
        return self._entries[index]

    @property
    def nano(self) -> int:
        """The sum in nano-units."""
        return self._nano

    @property
    def spent(self) -> Decimal:
        """The sum."""
        return from_nano(self._nano)

    def clock(self, began: datetime) -> Callable[[], datetime]:
        """A clock that stands at the end of the last entry, and at `began` before the first: it tells the same times
        when a run is repeated."""
        return lambda: self._entries[-1].ended if self._entries else began

    def of_task(self, task: str) -> Decimal:
        """What one task cost, all attempts and tries."""
        return from_nano(self._of_task.get(task, 0))

    def bill(self, limit: Decimal, overrun: int = 0) -> Bill:
        """The ledger added up; `limit` in the run's currency, `overrun` in nano-units."""
        sums: dict[tuple[str, ...], int] = {}
        usage, tries = NO_USAGE, 0
        for entry in self._entries:
            key = (entry.role, entry.provider, entry.kind, entry.model, entry.basis)
            sums[key] = sums.get(key, 0) + entry.nano
            if entry.usage is not NO_USAGE:
                usage = usage + entry.usage
            tries += entry.corrects is None
        splits: tuple[dict[str, int], ...] = ({}, {}, {}, {}, {})
        for (role, provider, kind, model, basis), nano in sums.items():
            names = (role, provider, kind, f"{provider}:{model}" if model else provider, basis)
            for split, name in zip(splits, names, strict=True):
                split[name] = split.get(name, 0) + nano
        by_role, by_provider, by_kind, by_model, by_basis = (
            {name: from_nano(split[name]) for name in sorted(split)} for split in splits
        )
        return Bill(
            self.currency, limit, self.spent, by_role, by_provider, by_kind, by_model, by_basis, from_nano(overrun),
            tries, usage,
        )  # fmt: skip
