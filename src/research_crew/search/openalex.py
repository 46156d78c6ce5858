"""OpenAlex: 250 million scholarly works with abstracts, dates and open-access addresses. A key is free and optional.

Facts, from developers.openalex.org (api-reference/authentication, errors, works), November 2026:
- `GET /works` with `search`, `per_page` (1 to 100), `filter` (`from_publication_date:`, `to_publication_date:`,
  `language:`, joined by commas), `select`, `api_key`;
- reply `results` of `display_name` (may be null), `doi`, `id`, `primary_location.landing_page_url`,
  `open_access.oa_url`, `publication_date`, `authorships[].author.display_name`, `abstract_inverted_index` (word →
  positions), `relevance_score`;
- a search costs 0.001 USD; without a key 0.10 USD a day are free, with one 1 USD a day, then it is paid for: with a key
  the price counts, without one nothing can be billed; `meta.cost_usd` is taken where the reply has it;
- 100 requests a second; 403 and 429 for too many, 400 for a filter it does not know: `{"error", "message"}`;
- no domains.
"""

from typing import Any

from research_crew.search.engine import HttpEngine
from research_crew.search.names import Kit
from research_crew.search.protocol import Hits, Query, Result
from research_crew.search.rows import Row, amount_of, day_of, number_of, plain, shortened, title_of, to_hits, url_of

_FIELDS = (
    "id,doi,display_name,publication_date,authorships,primary_location,open_access,abstract_inverted_index,"
    "relevance_score"
)
_LONGEST_ABSTRACT = 5_000


class OpenAlex(HttpEngine):
    """The engine `openalex`."""

    name = "openalex"
    base_url = "https://api.openalex.org"
    interval = 0.02
    characters = 500
    meanings = {403: "throttled"}  # noqa: RUF012

    async def ask(self, query: Query) -> Hits:
        """See `HttpEngine.ask`."""
        text, notes = shortened(query.text, self.characters)
        params = {"search": text, "per_page": str(max(1, min(query.limit, 100))), "select": _FIELDS}
        filters = [
            f"from_publication_date:{query.since}" if query.since else "",
            f"to_publication_date:{query.until}" if query.until else "",
            f"language:{query.language}" if query.language else "",
        ]
        if any(filters):
            params["filter"] = ",".join(part for part in filters if part)
        if self.key:
            params["api_key"] = self.key.reveal()
        data = (await self.door.ask("/works", params=params)).json()
        data = data if isinstance(data, dict) else {"results": data}
        meta = data.get("meta")
        cost = amount_of(meta.get("cost_usd")) if self.key and isinstance(meta, dict) else None
        honours = ("time range", "language")
        return to_hits(self.name, data.get("results"), _result, query, honours=honours, notes=notes, cost=cost)


def _result(row: Row) -> Result:
    place, access = row.get("primary_location"), row.get("open_access")
    url = (
        url_of(row.get("doi"))
        or url_of(place.get("landing_page_url") if isinstance(place, dict) else None)
        or url_of(access.get("oa_url") if isinstance(access, dict) else None)
        or url_of(row.get("id"))
    )
    return Result(
        title_of(row.get("display_name"), url), url, snippet=_abstract(row.get("abstract_inverted_index")),
        published=day_of(row.get("publication_date")), author=_authors(row.get("authorships")),
        score=number_of(row.get("relevance_score")), engine=OpenAlex.name,
    )  # fmt: skip


def _abstract(index: Any) -> str:
    """The abstract in reading order, from words and the places where they stand."""
    if not isinstance(index, dict):
        return ""
    listed = [(word, spots) for word, spots in index.items() if isinstance(spots, list)]
    places = [(at, word) for word, spots in listed for at in spots if isinstance(at, int)]
    return plain(" ".join(word for _, word in sorted(places)[:_LONGEST_ABSTRACT]))


def _authors(authorships: Any) -> str | None:
    rows = [row.get("author") for row in authorships if isinstance(row, dict)] if isinstance(authorships, list) else []
    names = [name for row in rows if isinstance(row, dict) and (name := plain(row.get("display_name")))]
    return (", ".join(names[:5]) + (" et al." if len(names) > 5 else "")) or None


def make(argument: str, kit: Kit) -> OpenAlex:  # noqa: ARG001
    """See `names.Maker`."""
    return OpenAlex(kit.http, kit.keys.get("openalex"), kit.base_urls.get("openalex"))
