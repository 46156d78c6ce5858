"""Values of the fetcher: what a page gave, and what an extractor makes of a body."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal

State = Literal[
    "read", "throttled", "refused", "empty", "wrong-type", "failed", "too-large", "timed-out", "robots"
]  # fmt: skip
"""How asking for a page ended.

`refused`: by our guard, by the page limit, or by the server (401, 403, 451). `failed`: no answer that could be used
(connection, 404, 5xx, broken body). `robots`: its robots.txt asks not to. The rest say what they are."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """The readable content of one body."""

    text: str
    title: str = ""
    published: str | None = None
    """ISO 8601, as far as the page gives it."""
    author: str | None = None
    canonical: str | None = None
    """The page's own idea of its address; not trusted for anything but naming."""
    language: str | None = None
    links: tuple[str, ...] = ()
    """Absolute http and https addresses in the content, in order, without repetition."""
    notes: tuple[str, ...] = ()


Extract = Callable[[bytes, str | None, str], Extracted]
"""Body, name of its encoding (None when it has none, as PDF), final URL → content. Raises `ValueError` when the body is
not what it seems; may raise any error of its parser's own, which the caller has to turn into `ValueError`."""


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """One page that was asked for, whatever came of it."""

    url: str
    """As asked for."""
    final_url: str
    """After redirects."""
    status: int | None
    """HTTP status; None when there was no answer."""
    state: State
    text: str = ""
    title: str = ""
    published: str | None = None
    author: str | None = None
    canonical: str | None = None
    language: str | None = None
    content_type: str = ""
    """As sniffed."""
    bytes: int = 0
    """Of the body, after decompression."""
    notes: tuple[str, ...] = ()
    """For a person: why it was not read, what was odd."""
    links: tuple[str, ...] = ()
    instructions: Mapping[str, int] = field(default_factory=dict)
    """Instructions addressed to an assistant that were found in it, by kind."""
    retry_after: float | None = None
    """Seconds, when throttled and told."""
    from_cache: bool = False

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values; `from_json` reads them back."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "FetchedPage":
        """The inverse of `to_json`; fields that are not known are ignored."""
        known = {f.name: data[f.name] for f in fields(cls) if f.name in data}
        for name in ("notes", "links"):
            known[name] = tuple(known.get(name, ()))
        return cls(**known)
