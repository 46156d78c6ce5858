"""One registry of sources for a whole run: the same page has the same number for everyone who meets it.

The key of a page is its canonical address, that of a file its path and page. The text that was read is kept with its
SHA-256 and the time. Near-copies are one *witness*: ten sites with one text are one source of support. The registry is
safe under threads and tasks (one lock around its tables, never held while a text is hashed); numbers depend on the
order in which pages were first met, witnesses do not.
"""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from threading import Lock
from typing import Any, Literal, Self, cast, get_args

from research_crew.core.errors import InvalidInput
from research_crew.evidence.canonical import canonical_url, document_key
from research_crew.evidence.shingles import Groups, ShingleIndex, sketch
from research_crew.evidence.tier import Tier, lowered, tier_of

SourceState = Literal[
    "found", "read", "throttled", "refused", "empty", "wrong-type", "duplicate", "cited", "read-not-cited"
]

_NEXT: dict[SourceState, frozenset[str]] = {
    "found": frozenset({"read", "throttled", "refused", "empty", "wrong-type", "duplicate"}),
    "throttled": frozenset({"read", "throttled", "refused", "empty", "wrong-type", "duplicate"}),
    "refused": frozenset({"read", "throttled"}),
    "empty": frozenset({"read"}),
    "wrong-type": frozenset({"read"}),
    "read": frozenset({"duplicate", "cited", "read-not-cited"}),
    "duplicate": frozenset({"cited", "read-not-cited", "read"}),
    "cited": frozenset({"read-not-cited", "duplicate"}),
    "read-not-cited": frozenset({"cited", "duplicate"}),
}
_NEAR = 0.8
_LEAST_TERMS = 30
"""A shorter text is a copy only if it is the same text: short pages share their few words by chance."""


@dataclass(frozen=True, slots=True)
class Source:
    """A numbered page or file of the run. Either `url` or `path` is set; `url` is as it was given, `key` canonical."""

    number: int
    key: str
    url: str | None = None
    path: str | None = None
    page: int | None = None
    title: str = ""
    published: str | None = None
    author: str | None = None
    tier: Tier = "ordinary"
    hash: str | None = None
    """SHA-256 of the stored text (UTF-8), hexadecimal; None until it was read."""
    state: SourceState = "found"
    retrieved: str | None = None
    """When the text was read, ISO 8601."""
    copy_of: int | None = None
    """The smallest number of the sources with nearly this text, where that is another one. `SourceRegistry.all` fills
    it in."""

    def to_json(self) -> dict[str, Any]:
        """JSON types only, by the names of the run record."""
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """The inverse of `to_json`; unknown names are ignored."""
        known = {f.name for f in fields(cls)}
        return cls(**{name: value for name, value in data.items() if name in known})


class SourceRegistry:
    """All sources of one run. `on_change(source, before)` is told of every new state, in order, outside the lock."""

    def __init__(self, on_change: Callable[[Source, SourceState | None], None] | None = None) -> None:
        self._lock = Lock()  # protects every table below
        self._numbers: dict[str, int] = {}
        self._sources: dict[int, Source] = {}
        self._ceilings: dict[int, Tier] = {}
        self._texts: dict[int, str] = {}
        self._pinned: set[int] = set()
        self._hashes: dict[str, int] = {}
        self._index = ShingleIndex()
        self._groups = Groups()
        self._on_change = on_change

    def register(
        self,
        *,
        url: str | None = None,
        path: str | None = None,
        page: int | None = None,
        title: str = "",
        published: str | None = None,
        author: str | None = None,
        tier: str | None = None,
        content_type: str | None = None,
    ) -> Source:
        """The source for this page or file, new or known. What was unknown of a known one is filled in.

        `tier` may lower the tier decided in code, never raise it. Raises InvalidInput without a usable url or path.
        """
        if (url is None) == (path is None):
            raise InvalidInput("source", url or path or "", "name either a url or a path")
        key = canonical_url(url) if url is not None else document_key(cast(str, path), page)
        with self._lock:
            number = self._numbers.setdefault(key, len(self._numbers) + 1)
            known = self._sources.get(number)
            if known is not None:
                title, published, author = known.title or title, known.published or published, known.author or author
            self._ceilings[number] = lowered(self._ceilings.get(number, "strong"), tier or "")
            decided = tier_of(url, path=path, author=author, published=published, content_type=content_type)
            level = lowered(decided, self._ceilings[number])
            source = (
                Source(number, key, url, path, page, title, published, author, level)
                if known is None
                else replace(known, title=title, published=published, author=author, tier=level)
            )
            self._sources[number] = source
        if known is None:
            self._tell(source, None)
        return source

    def store_text(self, number: int, text: str, retrieved: str | None = None) -> Source:
        """Keep the text that was read; the source becomes `read` (or `empty` for a text without a letter).

        A different text replaces the stored one only as long as nothing was quoted from it (`pin`): afterwards it would
        move the quotes, so the old text and its hash stay.
        """
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        blank = not any(c.isalnum() for c in text)
        sample = None if blank else sketch(text)
        with self._lock:
            before = self._source(number)
            if number in self._pinned and before.hash != digest:
                return before
            state: SourceState = "empty" if blank else ("read" if "read" in _NEXT[before.state] else before.state)
            source = replace(before, hash=digest, state=state, retrieved=retrieved or before.retrieved)
            self._sources[number] = source
            self._texts[number] = text
            if sample is not None and before.hash != digest:
                twin = self._hashes.setdefault(digest, number)
                self._groups.join(twin, number)
                if sample.size >= _LEAST_TERMS:
                    for other in self._index.near(sample, _NEAR, contained=False):
                        self._groups.join(other, number)
                    self._index.add(number, sample)
        if source.state != before.state:
            self._tell(source, before.state)
        return source

    def mark(self, number: int, state: SourceState) -> Source:
        """Move a source to another state; InvalidInput for a move that makes no sense (`found` to `cited`)."""
        if state not in get_args(SourceState):
            raise InvalidInput("source state", state, "use one of " + ", ".join(get_args(SourceState)))
        with self._lock:
            before = self._source(number)
            if before.state == state:
                return before
            if state not in _NEXT[before.state] or (state == "read" and before.hash is None):
                raise InvalidInput("source state", f"{before.state} -> {state}", f"source {number} cannot move so")
            source = self._sources[number] = replace(before, state=state)
        self._tell(source, before.state)
        return source

    def pin(self, number: int) -> None:
        """Something was quoted from the stored text: from now on it cannot be replaced."""
        with self._lock:
            self._source(number)
            self._pinned.add(number)

    def lower_tier(self, number: int, proposed: str) -> Source:
        """Take a model's lower opinion of a source; a higher one changes nothing."""
        with self._lock:
            before = self._source(number)
            self._ceilings[number] = lowered(self._ceilings.get(number, "strong"), proposed)
            source = self._sources[number] = replace(before, tier=lowered(before.tier, proposed))
        return source

    def close(self, cited: Iterable[int] = ()) -> None:
        """At the end of a run: `cited` sources are marked so, other read ones `duplicate` (a near-copy of an earlier
        one) or `read-not-cited`."""
        wanted = set(cited)
        for source in self.all():
            if source.number in wanted:
                self.mark(source.number, "cited")
            elif source.state in ("read", "cited", "read-not-cited", "duplicate"):
                self.mark(source.number, "read-not-cited" if source.copy_of is None else "duplicate")

    def text(self, number: int) -> str:
        """The stored text, empty when none was read. Raises InvalidInput for an unknown number."""
        with self._lock:
            self._source(number)
            return self._texts.get(number, "")

    def by_number(self, number: int) -> Source:
        """The source with this number. Raises InvalidInput when there is none."""
        with self._lock:
            return self._source(number)

    def by_key(self, key: str) -> Source | None:
        """The source with this canonical key, if it was met."""
        with self._lock:
            number = self._numbers.get(key)
            return self._sources[number] if number is not None else None

    def all(self) -> tuple[Source, ...]:
        """Every source, by number, each with what it is a copy of."""
        with self._lock:
            roots = ((n, self._groups.root(n)) for n in sorted(self._sources))
            return tuple(replace(self._sources[n], copy_of=root if root != n else None) for n, root in roots)

    def witness(self, number: int) -> int:
        """The number that stands for all near-copies of this source's text: the smallest of them."""
        with self._lock:
            self._source(number)
            return self._groups.root(number)

    def witnesses(self, numbers: Iterable[int]) -> frozenset[int]:
        """The independent sources among these: near-copies count once."""
        return frozenset(self.witness(n) for n in numbers)

    def counts(self) -> dict[str, int]:
        """How many sources are in each state; the sum is the number of sources, always."""
        totals = dict.fromkeys(get_args(SourceState), 0)
        for source in self.all():
            totals[source.state] += 1
        return totals

    def restore(self, sources: Iterable[Source], texts: dict[int, str]) -> None:
        """Put the sources of a stored run back, with their numbers and states, into an empty registry."""
        stored = sorted(sources, key=lambda s: s.number)
        with self._lock:
            if self._sources:
                raise InvalidInput("registry", len(self._sources), "restore into an empty one")
            for source in stored:
                self._numbers[source.key] = source.number
                self._sources[source.number] = replace(source, hash=None, state="found")
        for source in stored:
            if source.number in texts:
                self.store_text(source.number, texts[source.number], source.retrieved)
            with self._lock:
                self._sources[source.number] = source
                self._pinned.add(source.number)

    def __contains__(self, number: object) -> bool:
        with self._lock:
            return number in self._sources

    def __len__(self) -> int:
        with self._lock:
            return len(self._sources)

    def _source(self, number: int) -> Source:
        try:
            return self._sources[number]
        except KeyError:
            raise InvalidInput("source", number, f"the run has sources 1 to {len(self._sources)}") from None

    def _tell(self, source: Source, before: SourceState | None) -> None:
        if self._on_change is not None:
            self._on_change(source, before)
