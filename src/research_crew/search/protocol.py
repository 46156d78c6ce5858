"""What a search engine is: one method, three frozen values.

A search that failed is not a search with no results, so `Hits` says which of the two it was. An engine never raises
for an outage or an empty page; it raises only for the caller's mistake (a missing key, an unknown option), before
anything is sent.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Literal, Protocol

HitsStatus = Literal["ok", "empty", "throttled", "failed"]
Failure = Literal[
    "", "unreachable", "timed-out", "outage", "throttled", "wrong-key", "no-credit", "rejected", "unreadable"
]  # fmt: skip
"""Why a search failed, for a program. `unreachable`: certainly not executed (no connection). `outage`: the engine's own
fault (5xx). `rejected`: it did not take the request (400, 404, 422). `unreadable`: an answer that is not what its
documentation says."""


@dataclass(frozen=True, slots=True)
class Query:
    """One request to a search engine."""

    text: str
    """As typed into a search box."""
    limit: int = 10
    """Most results wanted."""
    language: str | None = None
    """ISO 639-1 code, or None for any."""
    since: date | None = None
    until: date | None = None
    include_domains: tuple[str, ...] = ()
    exclude_domains: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """One page or file that a search returned; either `url` or `path` is set."""

    title: str
    url: str | None = None
    path: str | None = None
    """Relative to the documents folder, with forward slashes."""
    page: int | None = None
    """1-based page of a paged file."""
    text: str = ""
    """The content the engine gave, if any; empty means that the page has to be read."""
    snippet: str = ""
    start: int | None = None
    """Where `snippet` begins in the stored text of the file, in code points (local documents only)."""
    heading: str = ""
    published: str | None = None
    author: str | None = None
    score: float | None = None
    engine: str = ""


@dataclass(frozen=True, slots=True)
class Hits:
    """What came back from one search."""

    results: tuple[Result, ...]
    status: HitsStatus
    cost: Decimal | None = None
    """The price named in the reply itself, in the engine's currency; None when the reply names none."""
    detail: str = ""
    """Why it failed or was throttled, for a person; empty otherwise."""
    skipped: Mapping[str, int] = field(default_factory=dict)
    """Rows left out, by reason (`no url`, `not an object`, `duplicate`)."""
    retry_after: float | None = None
    """Seconds the engine asked to wait, when throttled."""
    notes: tuple[str, ...] = ()
    """What the engine could not honour (`no time range`, `query shortened to 400 characters`)."""
    failure: Failure = ""
    """The kind of failure when the status is `failed` or `throttled`."""


class SearchEngine(Protocol):
    """Anything with this one method is a search engine."""

    async def search(self, query: Query) -> Hits:
        """Run one search; raises only for the caller's mistake."""
        ...
