"""Tavily: `POST /search`, a web search made for programs.

Facts, from docs.tavily.com (api-reference/endpoint/search, api-credits, rate-limits, best-practices), November 2026:
- header `Authorization: Bearer KEY`; body `query` (under 400 characters; longer is a 400 that says so),
  `search_depth` (`basic`), `max_results` (0 to 20), `start_date`, `end_date` (`YYYY-MM-DD`), `include_domains` (up to
  300), `exclude_domains` (up to 150), `include_raw_content` (`text`), `include_usage`;
- reply `results` of `title`, `url`, `content` (passages), `raw_content` (the page's text, or null), `score`, and for
  news `published_date`; `usage.credits` when asked for;
- a basic search is 1 credit; a credit is 0.008 USD, less on a plan;
- 100 requests a minute with a development key; 401 wrong key, 429 too many, 432 and 433 limits of the plan;
- no language filter.
"""

from decimal import Decimal
from typing import Any

from research_crew.search.engine import HttpEngine
from research_crew.search.names import Kit
from research_crew.search.prices import PRICES
from research_crew.search.protocol import Hits, Query, Result
from research_crew.search.rows import (
    Row,
    amount_of,
    day_of,
    number_of,
    plain,
    shortened,
    text_of,
    title_of,
    to_hits,
    url_of,
)


class Tavily(HttpEngine):
    """The engine `tavily`."""

    name = "tavily"
    base_url = "https://api.tavily.com"
    interval = 0.6
    needs_key = "app.tavily.com"
    characters = 400
    meanings = {432: "no-credit", 433: "no-credit"}  # noqa: RUF012

    async def ask(self, query: Query) -> Hits:
        """See `HttpEngine.ask`."""
        text, notes = shortened(query.text, self.characters)
        body: dict[str, Any] = {
            "query": text,
            "search_depth": "basic",
            "max_results": max(1, min(query.limit, 20)),
            "include_raw_content": "text",
            "include_usage": True,
        }
        if query.include_domains:
            body["include_domains"] = list(query.include_domains[:300])
        if query.exclude_domains:
            body["exclude_domains"] = list(query.exclude_domains[:150])
        if query.since:
            body["start_date"] = query.since.isoformat()
        if query.until:
            body["end_date"] = query.until.isoformat()
        if query.limit > 20:
            notes = (*notes, "at most 20 results")
        headers = {"Authorization": f"Bearer {self.key.reveal()}"}
        data = (await self.door.ask("/search", headers=headers, body=body)).json()
        data = data if isinstance(data, dict) else {"results": data}
        honours = ("domains", "time range")
        return to_hits(self.name, data.get("results"), _result, query, honours=honours, notes=notes, cost=_cost(data))


def _cost(data: dict[str, Any]) -> Decimal | None:
    usage = data.get("usage")
    used = amount_of(usage.get("credits")) if isinstance(usage, dict) else None
    return used * PRICES["tavily"].each if used is not None else None


def _result(row: Row) -> Result:
    url = url_of(row.get("url"))
    return Result(
        title_of(row.get("title"), url), url, text=text_of(row.get("raw_content")), snippet=plain(row.get("content")),
        published=day_of(row.get("published_date")), score=number_of(row.get("score")), engine=Tavily.name,
    )  # fmt: skip


def make(argument: str, kit: Kit) -> Tavily:  # noqa: ARG001
    """See `names.Maker`."""
    return Tavily(kit.http, kit.keys.get("tavily"), kit.base_urls.get("tavily"))
