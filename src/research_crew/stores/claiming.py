"""Taking a run over: the lease, the fence, and what the last driver left on its way."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from research_crew.core.ledger import LedgerEntry
from research_crew.core.money import NO_USAGE
from research_crew.stores.database import Transaction
from research_crew.stores.owner import is_dead
from research_crew.stores.records import about_of, to_text

CRASHED = "the process ended while this call was on its way"

_ROW = "SELECT fence, owner, lease FROM runs WHERE id = :run"
_TAKE = """UPDATE runs SET fence = fence + 1, owner = :owner, lease = :lease, status = 'running', ended = NULL
    WHERE id = :run AND fence = :fence RETURNING fence"""
_OPEN = """SELECT task, attempt, step, try, hold, about FROM calls WHERE run = :run AND state = 'open'
    ORDER BY opened, task, attempt, step, try"""
_CRASHED = """UPDATE calls SET state = 'done', outcome = 'cancelled', n = :n, value = 'null'
    WHERE run = :run AND task = :task AND attempt = :attempt AND step = :step AND try = :try"""


@dataclass(frozen=True, slots=True)
class Taken:
    """What came of the wish to drive a run."""

    fence: int | None = None
    """Of the new driver; None when it is driven by another, or is not there."""
    owner: str = ""
    seconds: float = 0.0
    """Until the lease of the other ends."""
    missing: bool = False


def take(tx: Transaction, run: str, owner: str, lease: float, dead: Callable[[str], bool] | None = None) -> Taken:
    """Become the driver of a run, unless another process has it and lives."""
    rows = tx.run(_ROW, {"run": run})
    if not rows:
        return Taken(missing=True)
    fence, other, until = rows[0]
    now = tx.time()
    if until > now and not (dead or is_dead)(other):
        return Taken(owner=other, seconds=until - now)
    taken = tx.run(_TAKE, {"run": run, "fence": fence, "owner": owner, "lease": now + lease})
    return Taken(fence=taken[0][0]) if taken else Taken(owner=other)


def settle_crashed(tx: Transaction, run: str, fence: int) -> None:
    """Charge every call that was on its way at its reservation: it may have been executed, and nobody knows its bill.

    A late bill that its process could still write down is charged instead of the reservation.
    """
    (number,) = tx.run("SELECT coalesce(max(n), 0) FROM ledger WHERE run = :run", {"run": run})[0]
    now = datetime.fromtimestamp(tx.time(), UTC)
    for task, attempt, step, try_, hold, about_text in tx.run(_OPEN, {"run": run}):
        number += 1
        about = about_of(about_text)
        entry = LedgerEntry(
            number, task, about.role, attempt, step, try_, about.kind, about.provider, about.model, NO_USAGE, hold,
            "assumed", "cancelled", about.started or now, now, note=CRASHED,
        )  # fmt: skip
        place = {"run": run, "task": task, "attempt": attempt, "step": step, "try": try_}
        tx.run(_CRASHED, {**place, "n": number})
        _enter(tx, run, fence, entry, hold)
    _late_bills(tx, run, fence, number, now)
    tx.run("DELETE FROM books WHERE run = :run", {"run": run})  # they are booked anew when the run is repeated
    # It goes on: a stop is no more, and a plan that nobody agreed to is asked for again.
    tx.run("DELETE FROM marks WHERE run = :run AND (kind = 'stop' OR value = 'null')", {"run": run})


def _late_bills(tx: Transaction, run: str, fence: int, number: int, now: datetime) -> None:
    """Correct what was assumed by what a process that had lost the run still wrote down."""
    import json

    bills = tx.run("SELECT task, attempt, step, try, nano, entry FROM late_bills WHERE run = :run", {"run": run})
    for task, attempt, step, try_, nano, text in bills:
        place = {"run": run, "task": task, "attempt": attempt, "step": step, "try": try_}
        rows = tx.run(
            "SELECT n, hold FROM calls WHERE run = :run AND task = :task AND attempt = :attempt AND step = :step AND try = :try",
            place,
        )  # fmt: skip
        late = json.loads(text)
        if rows and rows[0][0] is not None:
            number += 1
            first, charged = rows[0]
            entry = LedgerEntry(
                number, task, late["role"], attempt, step, try_, late["kind"], late["provider"], late["model"], NO_USAGE,
                nano - charged, "measured", late["outcome"], now, now, corrects=first, note="late bill",
            )  # fmt: skip
            _enter(tx, run, fence, entry, 0)
        tx.run(
            "DELETE FROM late_bills WHERE run = :run AND task = :task AND attempt = :attempt AND step = :step AND try = :try",
            place,
        )  # fmt: skip


def _enter(tx: Transaction, run: str, fence: int, entry: LedgerEntry, hold: int) -> None:
    tx.run(
        "INSERT INTO ledger (run, n, nano, entry) VALUES (:run, :n, :nano, :entry)",
        {"run": run, "n": entry.n, "nano": entry.nano, "entry": to_text(entry.to_json())},
    )
    tx.run(
        "UPDATE runs SET held = held - :hold, spent = spent + :nano WHERE id = :run AND fence = :fence",
        {"run": run, "hold": hold, "nano": entry.nano, "fence": fence},
    )
