"""Replies kept for revalidation: a small protocol, in memory and in a directory.

Only whole 200 replies are kept, and none that says `no-store` (RFC 9111). What is in `max-age` is used as it is; older
ones are asked about again with their ETag or date, and a 304 costs no body. Nothing is pickled.
"""

import hashlib
import json
import os
import re
import tempfile
from collections import OrderedDict
from dataclasses import asdict, dataclass
from dataclasses import fields as dataclass_fields
from pathlib import Path
from typing import Protocol

_VERSION = 1
_MAX_AGE = re.compile(r"(?:^|,)\s*max-age\s*=\s*\"?(\d{1,9})", re.I)


@dataclass(frozen=True, slots=True)
class Kept:
    """One reply as it came, decompressed."""

    url: str
    final_url: str
    body: bytes
    content_type: str
    fetched: float
    """Seconds since the epoch."""
    etag: str | None = None
    modified: str | None = None
    max_age: int = 0
    """Seconds for which it need not be asked about again."""

    def fresh(self, now: float) -> bool:
        """Whether it may be used without asking."""
        return now < self.fetched + self.max_age

    def validators(self) -> dict[str, str]:
        """The fields of a conditional request."""
        conditions = {"If-None-Match": self.etag, "If-Modified-Since": self.modified}
        return {name: value for name, value in conditions.items() if value}


class PageCache(Protocol):
    """Where replies are kept, by the URL that was asked for."""

    def get(self, url: str) -> Kept | None:
        """The reply, or None; a broken one is None."""
        ...

    def put(self, kept: Kept) -> None:
        """Keep a reply in place of an earlier one."""
        ...


def max_age(cache_control: str) -> int | None:
    """Seconds from a Cache-Control field; 0 when it asks for revalidation, None when it must not be kept."""
    lower = cache_control.lower()
    if "no-store" in lower:
        return None
    found = _MAX_AGE.search(lower)
    return 0 if "no-cache" in lower or not found else min(int(found[1]), 86_400)


class MemoryCache:
    """In memory, the least recently used dropped first."""

    def __init__(self, most: int = 64_000_000) -> None:
        self._most, self._size = most, 0
        self._kept: OrderedDict[str, Kept] = OrderedDict()

    def get(self, url: str) -> Kept | None:
        """See `PageCache.get`."""
        if url in self._kept:
            self._kept.move_to_end(url)
        return self._kept.get(url)

    def put(self, kept: Kept) -> None:
        """See `PageCache.put`."""
        old = self._kept.pop(kept.url, None)
        self._size += len(kept.body) - (len(old.body) if old else 0)
        self._kept[kept.url] = kept
        while self._size > self._most and self._kept:
            self._size -= len(self._kept.popitem(last=False)[1].body)


class DirectoryCache:
    """A file per reply in a private directory: one line of JSON, then the body."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def get(self, url: str) -> Kept | None:
        """See `PageCache.get`."""
        try:
            head, _, body = self._path(url).read_bytes().partition(b"\n")
            fields = json.loads(head)
        except (FileNotFoundError, ValueError):
            return None
        if not isinstance(fields, dict) or fields.pop("version", None) != _VERSION:
            return None
        if fields.pop("size", None) != len(body) or fields.get("url") != url:
            return None
        if fields.keys() | {"body"} != {f.name for f in dataclass_fields(Kept)}:
            return None
        return Kept(body=body, **fields)

    def put(self, kept: Kept) -> None:
        """See `PageCache.put`. Written beside and moved into place, so that a reader never sees half a file."""
        fields = asdict(kept)
        body = fields.pop("body")
        head = json.dumps({**fields, "version": _VERSION, "size": len(body)}).encode()
        handle, name = tempfile.mkstemp(dir=self._folder)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(head + b"\n" + body)
            Path(name).replace(self._path(kept.url))
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise

    def _path(self, url: str) -> Path:
        return self._folder / hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()
