"""Wikipedia: the MediaWiki action API of the encyclopedia in the query's language. No key, no price.

Facts, from mediawiki.org (API:Search, API:Etiquette) and the extension TextExtracts, November 2026:
- `action=query`, `generator=search` with `gsrsearch` (at most 300 characters), `gsrlimit`; `prop=extracts|info` with
  `exintro`, `explaintext`, `exlimit` (20 at most), `inprop=url`; `formatversion=2`;
- reply `query.pages`, each with `title`, `fullurl`, `extract` (the introduction) and `index` (its rank); no `query`
  when nothing matched; an error is a 200 with `error.code` and `error.info` (`maxlag`, `ratelimited`);
- one request after the other, with a User-Agent that says who asks;
- no dates and no domains: an encyclopedia article has neither.
"""

import re

from research_crew.core.errors import InvalidInput
from research_crew.evidence.language import detect_language
from research_crew.search.engine import HttpEngine
from research_crew.search.names import Kit
from research_crew.search.protocol import Hits, Query, Result
from research_crew.search.request import Door, EngineTrouble
from research_crew.search.rows import Row, plain, shortened, title_of, to_hits, url_of


class Wikipedia(HttpEngine):
    """The engine `wikipedia`. `{language}` in its address stands for the query's language: the one
    asked for, otherwise the one its words are in."""

    name = "wikipedia"
    base_url = "https://{language}.wikipedia.org"
    interval = 0.2
    characters = 300

    async def ask(self, query: Query) -> Hits:
        """See `HttpEngine.ask`."""
        text, notes = shortened(query.text, self.characters)
        language = (query.language or detect_language(text)).lower()
        if not re.fullmatch(r"[a-z]{2,3}(-[a-z]{2,10})?", language):
            raise InvalidInput("language", language, "use a code such as en or pt")
        params = {
            "action": "query", "format": "json", "formatversion": "2", "redirects": "1",
            "generator": "search", "gsrsearch": text, "gsrlimit": str(max(1, min(query.limit, 50))),
            "prop": "extracts|info", "inprop": "url", "exintro": "1", "explaintext": "1", "exlimit": "20",
        }  # fmt: skip
        data = (await self._of(language).ask("/w/api.php", params=params)).json()
        if not isinstance(data, dict):
            raise EngineTrouble("unreadable", "the answer is not an object")
        error = data.get("error")
        if isinstance(error, dict):
            code = str(error.get("code", ""))
            busy = code in ("ratelimited", "maxlag")
            raise EngineTrouble("throttled" if busy else "rejected", f"{code}: {plain(error.get('info'))}"[:300])
        found = data.get("query", {"pages": []})
        pages = found.get("pages") if isinstance(found, dict) else found
        if isinstance(pages, list):
            pages = sorted(pages, key=lambda page: page.get("index", 0) if isinstance(page, dict) else 0)
        return to_hits(self.name, pages, _result, query, honours=("language",), notes=notes)

    def _of(self, language: str) -> Door:
        return self.door.elsewhere(language=language)


def _result(row: Row) -> Result:
    url = url_of(row.get("fullurl"))
    snippet = plain(row.get("extract"))[:2_000]
    return Result(title_of(row.get("title"), url), url, snippet=snippet, engine=Wikipedia.name)


def make(argument: str, kit: Kit) -> Wikipedia:  # noqa: ARG001
    """See `names.Maker`."""
    return Wikipedia(kit.http, None, kit.base_urls.get("wikipedia"))
