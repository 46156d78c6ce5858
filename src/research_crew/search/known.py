"""Which addresses a run may fetch: those that a search returned, that a page already read links to, or that the person
named. An address that a model composed is none of them, and neither is a known one with another query string: what
goes out in a URL is decided here and not by text that was read.
"""

from collections.abc import Iterable
from urllib.parse import urlsplit, urlunsplit

from research_crew.net.page import FetchedPage
from research_crew.search.protocol import Hits


class KnownUrls:
    """The addresses of one run."""

    def __init__(self, named: Iterable[str] = ()) -> None:
        """`named` are those of the person."""
        self._known: dict[str, str] = {}
        self.add(named)

    def add(self, urls: Iterable[str]) -> None:
        """Addresses that may be fetched from now on."""
        for url in urls:
            self._known.setdefault(_form(url), url)

    def add_hits(self, hits: Hits) -> None:
        """Those of a search."""
        self.add(result.url for result in hits.results if result.url)

    def add_page(self, page: FetchedPage) -> None:
        """Those that a page which was read links to, and where it was found."""
        if page.state == "read":
            self.add((page.final_url, *page.links))

    def resolve(self, url: str) -> str | None:
        """The address as it was first seen, which is the one to fetch; None for one that is not known."""
        return self._known.get(_form(url))

    def __len__(self) -> int:
        return len(self._known)


def _form(url: str) -> str:
    """Equal for spellings that ask for the same: fragment, case of the host and a bare slash make no difference."""
    try:
        parts = urlsplit(url.strip())
        return urlunsplit((parts.scheme.lower(), parts.netloc.lower(), parts.path or "/", parts.query, ""))
    except ValueError:
        return url
