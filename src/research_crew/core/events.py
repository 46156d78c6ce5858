"""What a run tells while it goes on: frozen events, in the order in which things happened."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

EventKind = Literal[
    "run-started", "task-started", "task-ended", "attempt-failed", "call-started", "call-ended", "waiting",
    "text", "reply", "degraded", "warning", "plan", "report", "run-ended",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened. `data` holds plain JSON values; amounts are strings."""

    kind: EventKind
    at: datetime
    task: str = ""
    role: str = ""
    data: Mapping[str, object] = field(default_factory=dict)


OnEvent = Callable[[Event], None]
