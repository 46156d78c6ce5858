"""Promises and bills: what an estimate said before a run, what the run came to, and how often the range held it.

One JSON line each, appended to a file of the person's own: a promise when `estimate` was asked, a bill when a run of the
command line ended. A bill keeps the promise that was made last for the same question and the same makers.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from research_crew.measure.rates import Rate
from research_crew.result import CrewResult

SCHEMA = "research-crew/promises/1"


@dataclass(frozen=True, slots=True)
class Promise:
    """A range that a run was said to end in, 9 times out of 10."""

    question: str
    kind: str
    """What the run is made with: agents and models."""
    low: float
    high: float
    currency: str
    seconds_low: float
    seconds_high: float
    at: str


@dataclass(frozen=True, slots=True)
class Paid:
    """What a run came to."""

    question: str
    kind: str
    cost: float
    currency: str
    seconds: float
    stages: dict[str, tuple[int, float]]
    """Role → calls and cost."""
    at: str


@dataclass(frozen=True, slots=True)
class Scored:
    """Promises that met their bill."""

    pairs: tuple[tuple[Promise, Paid], ...]
    open: int
    """Promises whose question was not run yet."""

    @property
    def cost(self) -> Rate:
        """Bills within the range that was promised."""
        return Rate(sum(p.low <= b.cost <= p.high for p, b in self.pairs), len(self.pairs))

    @property
    def time(self) -> Rate:
        """The same for the time."""
        return Rate(sum(p.seconds_low <= b.seconds <= p.seconds_high for p, b in self.pairs), len(self.pairs))

    def render(self) -> str:
        """One line for each, then how often the 90 % interval held."""
        lines = [f"{'promised':>21}  {'bill':>9}  {'kept':<4}  question"]
        for promise, paid in self.pairs:
            kept = "yes" if promise.low <= paid.cost <= promise.high else "no"
            span = f"{promise.low:.4g} to {promise.high:.4g}"
            lines.append(f"{span:>21}  {paid.cost:>9.4g}  {kept:<4}  {promise.question[:60]}")
        if not self.pairs:
            lines = ["no promise has met its bill yet: research-crew estimate \"question\", then ask the question"]
        else:
            lines += ["", f"the 90 % interval held {self.cost} of the bills and {self.time} of the times."]
        return "\n".join([*lines, f"{self.open} promise(s) still open."])

    def to_json(self) -> dict[str, object]:
        """Plain values."""
        return {
            "schema": SCHEMA, "scored": [{"promise": asdict(p), "bill": asdict(b)} for p, b in self.pairs],
            "cost": self.cost.to_json(), "time": self.time.to_json(), "open": self.open,
        }  # fmt: skip


def promises_file() -> Path:
    """Where they are kept: the platform's folder for what a person would miss."""
    from platformdirs import user_data_path

    return user_data_path("research-crew") / "promises.jsonl"


def paid_by(result: CrewResult, kind: str, at: datetime) -> Paid:
    """The bill of a finished run."""
    stages: dict[str, tuple[int, float]] = {}
    for entry in result.ledger:
        calls, cost = stages.get(entry.role, (0, 0.0))
        stages[entry.role] = (calls + 1, cost + float(entry.amount))
    spent = float(result.total_cost)
    return Paid(result.question, kind, spent, result.bill.currency, result.run.wall_s, stages, at.isoformat())


def add(file: Path, row: Promise | Paid) -> None:
    """Append one line; a file that cannot be written keeps nothing, which ends no run."""
    name = "promise" if isinstance(row, Promise) else "bill"
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with file.open("a", encoding="utf-8") as out:
            out.write(json.dumps({"schema": SCHEMA, name: asdict(row)}, ensure_ascii=False) + "\n")
    except OSError:
        return


def read(file: Path) -> tuple[list[Promise | Paid], list[Paid]]:
    """Everything in order, and the bills alone; lines that are no such thing are passed over."""
    rows: list[Promise | Paid] = []
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
        try:
            row: dict[str, Any] = json.loads(line)
            if "promise" in row:
                rows.append(Promise(**row["promise"]))
            elif "bill" in row:
                given = row["bill"]
                stages = {role: (int(n), float(c)) for role, (n, c) in given["stages"].items()}
                rows.append(Paid(**(given | {"stages": stages})))
        except (ValueError, TypeError, KeyError):
            continue
    return rows, [row for row in rows if isinstance(row, Paid)]


def score(rows: Sequence[Promise | Paid]) -> Scored:
    """Each bill with the last promise before it for the same question and kind; a promise is kept once."""
    waiting: dict[tuple[str, str], Promise] = {}
    pairs: list[tuple[Promise, Paid]] = []
    for row in rows:
        name = (row.question, row.kind)
        if isinstance(row, Promise):
            waiting[name] = row
        elif name in waiting:
            pairs.append((waiting.pop(name), row))
    return Scored(tuple(pairs), len(waiting))
