"""DuckDuckGo: its page for browsers without scripts. No key, no price, and no promise.

There is no documented search interface (the Instant Answer API at api.duckduckgo.com gives topics, no web results), so
this reads the page that html.duckduckgo.com/html shows. What is known of it, from its source and from public bug
reports of its users, November 2026:
- `POST /html/` with `q` (up to 499 characters), `kl` (region), `df` (`YYYY-MM-DD..YYYY-MM-DD`); `site:` in `q` works;
- each result is a link of class `result__a`, often to `//duckduckgo.com/l/?uddg=ADDRESS`, and a `result__snippet`;
  advertisements have the class `result--ad`;
- too many requests are answered with status 202, or with a page that holds `anomaly`: that is throttled, not empty.
"""

import re
from urllib.parse import parse_qs, urlsplit

from research_crew.search.engine import HttpEngine
from research_crew.search.names import Kit
from research_crew.search.protocol import Hits, Query, Result
from research_crew.search.request import EngineTrouble
from research_crew.search.rows import Row, plain, title_of, to_hits, url_of
from research_crew.search.sites import with_sites

_REGIONS = {"en": "us-en", "de": "de-de", "fr": "fr-fr", "es": "es-es", "it": "it-it", "pt": "pt-pt", "nl": "nl-nl",
            "ja": "jp-jp", "zh": "cn-zh", "ko": "kr-kr", "ru": "ru-ru", "pl": "pl-pl", "sv": "se-sv"}  # fmt: skip


class DuckDuckGo(HttpEngine):
    """The engine `duckduckgo`."""

    name = "duckduckgo"
    base_url = "https://html.duckduckgo.com"
    interval = 2.0
    characters = 499
    meanings = {202: "throttled", 403: "throttled"}  # noqa: RUF012

    async def ask(self, query: Query) -> Hits:
        """See `HttpEngine.ask`."""
        text, notes = with_sites(query, self.characters)
        form = {"q": text, "kl": _REGIONS.get(query.language or "", "wt-wt")}
        if query.since and query.until:
            form["df"] = f"{query.since}..{query.until}"
        honours = [
            *(["time range"] if "df" in form else []),
            *(["language"] if query.language in _REGIONS else []),
        ]
        page = (await self.door.ask("/html/", form=form)).text
        rows = _rows(page)
        if not rows and "anomaly" in page:
            raise EngineTrouble("throttled", "it asks whether a person is searching (too many requests)")
        if not rows and not re.search(r"no-results|No\s+results", page):
            raise EngineTrouble("unreadable", "neither results nor a word that there are none: the page has changed")
        return to_hits(self.name, rows, _result, query, honours=honours, notes=notes)


def _rows(page: str) -> list[Row]:
    from selectolax.lexbor import LexborHTMLParser

    rows: list[Row] = []
    for node in LexborHTMLParser(page).css(".result"):
        link = node.css_first("a.result__a")
        if link is None or "result--ad" in (node.attributes.get("class") or ""):
            continue
        snippet = node.css_first(".result__snippet")
        rows.append({
            "title": link.text(deep=True), "href": link.attributes.get("href"),
            "snippet": snippet.text(deep=True) if snippet is not None else "",
        })  # fmt: skip
    return rows


def _result(row: Row) -> Result:
    href = str(row.get("href") or "")
    parts = urlsplit("https:" + href if href.startswith("//") else href)
    inner = parse_qs(parts.query).get("uddg", [""])[0] if parts.path.startswith("/l/") else ""
    url = url_of(inner or parts.geturl())
    return Result(title_of(row.get("title"), url), url, snippet=plain(row.get("snippet")), engine=DuckDuckGo.name)


def make(argument: str, kit: Kit) -> DuckDuckGo:  # noqa: ARG001
    """See `names.Maker`."""
    return DuckDuckGo(kit.http, None, kit.base_urls.get("duckduckgo"))
