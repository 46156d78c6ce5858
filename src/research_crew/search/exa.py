"""Exa: `POST /search`, its own index, with the text of the pages in the reply.

Facts, from exa.ai/docs (reference/search, pricing, rate-limits, error-codes) and the published OpenAPI specification,
November 2026:
- header `x-api-key`; body `query`, `type` (default `auto`), `numResults` (1 to 100), `includeDomains`,
  `excludeDomains`, `startPublishedDate`, `endPublishedDate` (ISO 8601), and what is wanted of the pages nested under
  `contents`;
- reply `results` of `title` (may be null), `url`, `publishedDate`, `author`, `score`, `text`, `highlights`; the bill is
  `costDollars.total`;
- 7 USD for 1,000 searches with up to 10 results and their text, 1 USD for 1,000 further results;
- 10 searches a second; 401 wrong key, 402 no credit, 429 with Retry-After, 5xx and 503 its own fault; error body
  `{"requestId", "error", "tag"}`;
- no language filter, no documented limit on the length of a query.
"""

from datetime import date, time
from typing import Any

from research_crew.search.engine import HttpEngine
from research_crew.search.names import Kit
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


class Exa(HttpEngine):
    """The engine `exa`. `page_characters` is how much text of each page is asked for."""

    name = "exa"
    base_url = "https://api.exa.ai"
    interval = 0.1
    burst = 10
    needs_key = "dashboard.exa.ai/api-keys"
    page_characters = 10_000

    async def ask(self, query: Query) -> Hits:
        """See `HttpEngine.ask`."""
        text, notes = shortened(query.text, self.characters)
        body: dict[str, Any] = {
            "query": text,
            "type": "auto",
            "numResults": max(1, min(query.limit, 100)),
            "contents": {"text": {"maxCharacters": self.page_characters}},
        }
        if query.include_domains:
            body["includeDomains"] = list(query.include_domains)
        if query.exclude_domains:
            body["excludeDomains"] = list(query.exclude_domains)
        if query.since:
            body["startPublishedDate"] = _moment(query.since, time.min)
        if query.until:
            body["endPublishedDate"] = _moment(query.until, time(23, 59, 59))
        answer = await self.door.ask("/search", headers={"x-api-key": self.key.reveal()}, body=body)
        data = answer.json()
        data = data if isinstance(data, dict) else {"results": data}
        dollars = data.get("costDollars")
        cost = amount_of(dollars.get("total")) if isinstance(dollars, dict) else None
        honours = ("domains", "time range")
        return to_hits(self.name, data.get("results"), _result, query, honours=honours, notes=notes, cost=cost)


def _result(row: Row) -> Result:
    url = url_of(row.get("url"))
    return Result(
        title_of(row.get("title"), url), url, text=text_of(row.get("text")), snippet=plain(row.get("highlights")),
        published=day_of(row.get("publishedDate")), author=plain(row.get("author")) or None,
        score=number_of(row.get("score")), engine=Exa.name,
    )  # fmt: skip


def _moment(day: date, at: time) -> str:
    return f"{day.isoformat()}T{at.isoformat()}.000Z"


def make(argument: str, kit: Kit) -> Exa:  # noqa: ARG001
    """See `names.Maker`."""
    return Exa(kit.http, kit.keys.get("exa"), kit.base_urls.get("exa"))
