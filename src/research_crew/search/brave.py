"""Brave Search: `GET /res/v1/web/search`, an index of its own; passages, no page text.

Facts, from api-dashboard.search.brave.com (api-reference/web/search, app/plans, search operators), November 2026:
- header `X-Subscription-Token`; `q` (at most 400 characters and 50 words), `count` (1 to 20), `search_lang`,
  `freshness` (`YYYY-MM-DDtoYYYY-MM-DD`), `extra_snippets`, `text_decorations`, `result_filter`;
- domains by operators in the query: `site:a OR site:b`, `NOT site:c`;
- reply `web.results` of `title`, `url`, `description`, `extra_snippets`, `page_age`, `age`; no `web` when nothing
  matched;
- 5 USD for 1,000 requests, 50 a second on the plan Search, 1 a second on older free plans;
- 401 and 422 with `SUBSCRIPTION_TOKEN_INVALID` for a wrong key, 429 for too many.
"""

from datetime import date

from research_crew.search.engine import HttpEngine
from research_crew.search.names import Kit
from research_crew.search.protocol import Hits, Query, Result
from research_crew.search.rows import Row, day_of, plain, title_of, to_hits, url_of
from research_crew.search.sites import with_sites

_LANGUAGES = {"ja": "jp", "zh": "zh-hans", "pt": "pt-pt", "no": "nb"}


class Brave(HttpEngine):
    """The engine `brave`."""

    name = "brave"
    base_url = "https://api.search.brave.com"
    interval = 0.02
    needs_key = "api-dashboard.search.brave.com"
    characters = 400

    async def ask(self, query: Query) -> Hits:
        """See `HttpEngine.ask`."""
        text, notes = with_sites(query, self.characters, 50, no="NOT site:")
        params = {
            "q": text,
            "count": str(max(1, min(query.limit, 20))),
            "result_filter": "web",
            "text_decorations": "false",
            "extra_snippets": "true",
        }
        if query.language:
            params["search_lang"] = _LANGUAGES.get(query.language, query.language)
        if query.since or query.until:
            params["freshness"] = f"{query.since or date(1990, 1, 1)}to{query.until or date(2100, 1, 1)}"
        if query.limit > 20:
            notes = (*notes, "at most 20 results")
        headers = {"X-Subscription-Token": self.key.reveal(), "Accept": "application/json"}
        data = (await self.door.ask("/res/v1/web/search", params=params, headers=headers)).json()
        web = data.get("web", {"results": []}) if isinstance(data, dict) else {"results": data}
        rows = web.get("results") if isinstance(web, dict) else web
        return to_hits(self.name, rows, _result, query, honours=("time range", "language"), notes=notes)


def _result(row: Row) -> Result:
    url, more = url_of(row.get("url")), row.get("extra_snippets")
    snippet = plain([row.get("description"), *(more if isinstance(more, list) else [])])
    published = day_of(row.get("page_age"))
    return Result(title_of(row.get("title"), url), url, snippet=snippet, published=published, engine=Brave.name)


def make(argument: str, kit: Kit) -> Brave:  # noqa: ARG001
    """See `names.Maker`."""
    return Brave(kit.http, kit.keys.get("brave"), kit.base_urls.get("brave"))
