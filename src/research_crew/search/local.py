"""The engine `docs`: the local index as a search engine. No network, nothing to pay outside the run's credits."""

from research_crew.documents.index import DocumentIndex, IndexHit
from research_crew.search.protocol import Hits, Query, Result


class LocalSearch:
    """Searches an open `DocumentIndex`; each file, or page of a paged file, is one result."""

    name = "docs"

    def __init__(self, index: DocumentIndex, text_limit: int = 0) -> None:
        """With `text_limit`, a result carries the stored text of its page as well, at most so many characters. A run
        leaves it at 0: it reads the pages it wants itself, pays for them and keeps them out of its journal."""
        self._index, self._text_limit = index, text_limit

    async def search(self, query: Query) -> Hits:
        """The best passage of each file or page. Runs on the loop: a query takes milliseconds, and in a fixed order."""
        hits = self._index.search(query.text, query.limit, query.language)
        results = tuple(map(self._result, hits))
        notes = tuple(
            f"no {what} for local documents"
            for what, given in (
                ("time range", query.since or query.until),
                ("domains", query.include_domains or query.exclude_domains),
            )
            if given
        )
        return Hits(results, "ok" if results else "empty", notes=notes)

    def _result(self, hit: IndexHit) -> Result:
        text = (self._index.text(hit.path, hit.page) or "")[: self._text_limit] if self._text_limit else ""
        return Result(
            hit.title, path=hit.path, page=hit.page, text=text, snippet=hit.text, start=hit.start,
            heading=hit.heading, published=hit.published, author=hit.author, score=hit.score, engine=self.name,
        )  # fmt: skip
