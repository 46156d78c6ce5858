"""Pages as text: the fetcher of `net` joined with the parsers of `documents`.

Parsers run in a process of their own with limits on time and memory, as they do for files. One page is parsed at a
time; fetching goes on meanwhile.
"""

import asyncio
import html as entities
import re
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import urljoin, urlsplit

from research_crew.documents.outcome import FileTrouble
from research_crew.documents.reading import ParsingProcess
from research_crew.net.fetch import Fetcher
from research_crew.net.page import Extract, Extracted, FetchedPage
from research_crew.net.sniff import Kind
from research_crew.search.known import KnownUrls

_LINK = re.compile(r"<a\s[^>]{0,2000}?\bhref\s*=\s*(?:\"([^\"]{1,2000})\"|'([^']{1,2000})'|([^\s\"'>]{1,2000}))", re.I)
_CANONICAL = re.compile(r"<link\s[^>]{0,1000}?\brel\s*=\s*[\"']?canonical\b[^>]{0,2000}", re.I)
_HREF = re.compile(r"\bhref\s*=\s*[\"']?([^\s\"'>]{1,2000})", re.I)
_BASE = re.compile(r"<base\s[^>]{0,500}?\bhref\s*=\s*[\"']?([^\s\"'>]{1,2000})", re.I)
_MOST_LINKS = 500


class Parsers:
    """Extractors for the fetcher, over one parsing process."""

    def __init__(self, process: ParsingProcess | None = None) -> None:
        self._process = process or ParsingProcess(seconds=30.0)
        self._lock = threading.Lock()

    def by_kind(self) -> Mapping[Kind, Extract]:
        """What `Fetcher` wants: an extractor for each kind of body."""
        return {"html": self.html, "pdf": self.pdf}

    def html(self, body: bytes, codec: str | None, url: str) -> Extracted:
        """See `Extract`."""
        source = body.decode(codec or "utf-8", "replace")
        # The parser goes by a byte order mark first: what was found out about the encoding reaches it so.
        found = self._parse("html", source.encode("utf-8-sig", "replace"), url)
        head = source[:200_000]
        canonical = _CANONICAL.search(head)
        link = _HREF.search(canonical[0]) if canonical else None
        base = _BASE.search(head)
        where = _joined(url, base[1]) or url if base else url
        return Extracted(
            found.text, found.title, found.published, found.author, _joined(where, link[1]) if link else None,
            found.language, _links(source, where), found.notes,
        )  # fmt: skip

    def pdf(self, body: bytes, codec: str | None, url: str) -> Extracted:  # noqa: ARG002
        """See `Extract`; pages are parted by an empty line."""
        return self._parse("pdf", body, url)

    def close(self) -> None:
        """End the parsing process."""
        self._process.close()

    def _parse(self, kind: str, body: bytes, url: str) -> Extracted:
        name = urlsplit(url).path.rpartition("/")[2] or urlsplit(url).netloc
        with tempfile.NamedTemporaryFile(prefix="page-") as file, self._lock:
            file.write(body)
            file.flush()
            try:
                document = self._process.read(kind, Path(file.name), name)
            except FileTrouble as trouble:
                if trouble.state in ("empty", "no-text"):
                    return Extracted("", notes=(trouble.reason,))
                raise ValueError(trouble.reason) from None
        text = "\n\n".join(page.text for page in document.pages)
        return Extracted(
            text, document.title, document.published, document.author, None, document.language, (), document.notes
        )


class PageReader:
    """Reads pages for one run: `read(url)` is all that an agent's tool needs.

    With `known`, an address that is not in it is refused without a request, and what a page links to is added.
    """

    name = "web"

    def __init__(self, fetcher: Fetcher, parsers: Parsers | None = None, known: KnownUrls | None = None) -> None:
        """`parsers` are closed with the reader."""
        self.fetcher, self.known = fetcher, known
        self._parsers = parsers

    async def read(self, url: str) -> FetchedPage:
        """One page, whatever comes of it."""
        address = url if self.known is None else self.known.resolve(url)
        if address is None:
            note = "no search returned this address and no page read so far links to it"
            return FetchedPage(url, url, None, "refused", notes=(note,))
        page = await self.fetcher.fetch(address)
        if self.known is not None:
            self.known.add_page(page)
        return page

    async def close(self) -> None:
        """Close connections and end the parsing process."""
        await self.fetcher.close()
        if self._parsers is not None:
            await asyncio.to_thread(self._parsers.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def open_reader(known: KnownUrls | None = None, **options: object) -> PageReader:
    """A reader of the usual kind; `options` go to `Fetcher`."""
    parsers = Parsers()
    return PageReader(Fetcher(extractors=parsers.by_kind(), **options), parsers, known)  # type: ignore[arg-type]


def _links(source: str, base: str) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for match in _LINK.finditer(source):
        address = _joined(base, match[1] or match[2] or match[3])
        if address:
            found[address] = None
        if len(found) >= _MOST_LINKS:
            break
    return tuple(found)


def _joined(base: str, href: str) -> str | None:
    try:
        address = urljoin(base, entities.unescape(href).strip())
    except ValueError:
        return None
    return address.partition("#")[0] if address.lower().startswith(("http://", "https://")) else None
