"""What the tools hand to an agent: numbered sources, and the text of one."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class FoundPage:
    """One result of a search, under the number that every agent of the run sees for it."""

    number: int
    title: str
    snippet: str
    """The passage that matched, or what the engine showed."""
    where: str
    """Address, or path within the documents folder."""
    heading: str = ""
    page: int | None = None
    tier: str = "ordinary"
    new: bool = True
    """Whether this search was the first of the run to see it."""
    score: float | None = None
    text_known: bool = False
    """Whether the run already has its text, so that reading it costs nothing."""


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """What one search came to. A search that failed is not a search without results."""

    pages: tuple[FoundPage, ...]
    status: Literal["ok", "empty", "throttled", "failed"]
    detail: str = ""
    """Why it failed or was throttled."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PageText:
    """The text of a source; empty when it could not be read, and then `state` says why."""

    number: int
    title: str
    text: str
    state: str = "read"
    instructions: int = 0
    """How many instructions addressed to an assistant it contains."""
