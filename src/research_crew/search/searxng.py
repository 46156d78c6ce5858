"""SearXNG: `GET /search?format=json` of one's own instance, which asks many search engines at once.

Facts, from docs.searxng.org (dev/search_api, admin/settings), November 2026:
- `q`, `format=json` (an instance that has not switched JSON on answers 403), `language`, `time_range` (`day`, `month`,
  `year`: from today back, no dates), `pageno`; no number of results, about 20 a page;
- `site:` in `q` is handed on to engines that know it;
- reply `results` of `title`, `url`, `content`, `publishedDate`, `score`, `engines`; `unresponsive_engines` beside it;
- no key, no price; limits are those of the instance.
"""

from research_crew.core.errors import InvalidInput
from research_crew.search.engine import HttpEngine
from research_crew.search.names import Kit
from research_crew.search.protocol import Hits, Query, Result
from research_crew.search.rows import Row, day_of, number_of, plain, title_of, to_hits, url_of
from research_crew.search.sites import with_sites


class SearXNG(HttpEngine):
    """The engine `searxng`; `searxng:https://search.example.org` names the instance."""

    name = "searxng"
    base_url = ""
    interval = 0.2
    characters = 500
    # Its usual reason for a 403 is not a key: the JSON format is off.
    meanings = {403: "rejected"}  # noqa: RUF012

    async def ask(self, query: Query) -> Hits:
        """See `HttpEngine.ask`."""
        text, notes = with_sites(query, self.characters)
        params = {"q": text, "format": "json"}
        if query.language:
            params["language"] = query.language
        data = (await self.door.ask("/search", params=params)).json()
        data = data if isinstance(data, dict) else {"results": data}
        silent = [plain(e) for e in data.get("unresponsive_engines") or () if isinstance(e, list) and e]
        if silent:
            notes = (*notes, f"engines that did not answer: {', '.join(silent)[:200]}")
        return to_hits(self.name, data.get("results"), _result, query, honours=("language",), notes=notes)


def _result(row: Row) -> Result:
    url = url_of(row.get("url"))
    return Result(
        title_of(row.get("title"), url), url, snippet=plain(row.get("content")),
        published=day_of(row.get("publishedDate")), score=number_of(row.get("score")), engine=SearXNG.name,
    )  # fmt: skip


def make(argument: str, kit: Kit) -> SearXNG:
    """See `names.Maker`; the argument is the address of the instance."""
    address = argument or kit.base_urls.get("searxng", "")
    if not address.startswith(("http://", "https://")):
        raise InvalidInput("search searxng", address, "name your instance, as in searxng:https://search.example.org")
    return SearXNG(kit.http, None, address)
