"""What one check came to."""

from dataclasses import asdict, dataclass
from typing import Literal

State = Literal["ok", "note", "bad"]
"""`note`: it works without; `bad`: what is configured cannot work."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    about: str
    """`keys`, `model openai:gpt-5.5`, `search exa` …"""
    state: State
    says: str
    way_out: str = ""
    """What to do; empty when there is nothing to do."""

    def to_json(self) -> dict[str, str]:
        """The check as JSON values."""
        return asdict(self)
