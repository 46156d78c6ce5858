"""Values of a run as rows, and back. JSON throughout."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from research_crew.core.events import Event
from research_crew.core.journal import About, CallKey, Finished, Refused
from research_crew.core.ledger import LedgerEntry
from research_crew.core.money import from_nano
from research_crew.core.order import Mark

MOST_NANO = 2**62
"""Larger limits are written as this one: the database counts in 64 bits."""


@dataclass(frozen=True, slots=True)
class NewRun:
    """What a run is begun with."""

    id: str
    question: str
    agents: str
    currency: str
    budget: int
    """Limit in nano-units."""
    created: datetime
    name: str = ""
    parent: str | None = None
    """The run whose sources it answers from."""
    setup: Mapping[str, Any] = field(default_factory=dict)
    """Everything that has to be the same when it is resumed: settings, date, secret, versions. JSON values."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """A line of the list of runs."""

    id: str
    name: str
    question: str
    agents: str
    status: str
    """`running`, or what the run came to; `cancelled` and `failed` runs can be resumed."""
    created: datetime
    ended: datetime | None
    parent: str | None
    currency: str
    budget: int
    spent: int
    held: int
    owner: str
    lease: float

    @property
    def cost(self) -> Decimal:
        """What was spent."""
        return from_nano(self.spent)


@dataclass(frozen=True, slots=True)
class Past:
    """What earlier processes wrote down of a run."""

    setup: Mapping[str, Any]
    fence: int
    ledger: tuple[LedgerEntry, ...] = ()
    calls: Mapping[CallKey, "Call"] = field(default_factory=dict)
    marks: tuple[Mark, ...] = ()
    events: int = 0
    """How many there are."""


@dataclass(frozen=True, slots=True)
class Call:
    """One row of the journal."""

    hash: str
    result: Finished | Refused


def to_text(value: object) -> str:
    """JSON on one line. What no database keeps as text (lone surrogates, NUL) is written as an escape."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"))
    return text


def plain(text: str) -> str:
    """A text for a column that people read: without NUL and lone surrogates."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def about_row(about: About) -> str:
    """See `About`."""
    started = about.started.isoformat() if about.started else None
    return to_text([about.role, about.kind, about.provider, about.model, started])


def about_of(text: str) -> About:
    """The inverse of `about_row`."""
    role, kind, provider, model, started = json.loads(text)
    return About(role, kind, provider, model, datetime.fromisoformat(started) if started else None)


def event_row(run: str, n: int, event: Event) -> dict[str, object]:
    """An event as a row."""
    return {
        "run": run, "n": n, "kind": event.kind, "at": event.at.isoformat(), "task": plain(event.task),
        "role": plain(event.role), "data": to_text(dict(event.data)),
    }  # fmt: skip


def refused_of(value: str) -> Refused:
    """A refusal from its row."""
    needed, left, unit, at = json.loads(value)
    return Refused(Decimal(needed), Decimal(left), unit, at)


def refused_row(refused: Refused) -> str:
    """The inverse."""
    return to_text([str(refused.needed), str(refused.left), refused.unit, refused.at])
