"""The engine `docs`: the local index as a search engine. No network, nothing to pay outside the run's credits."""

from research_crew.documents.index import DocumentIndex
from research_crew.search.protocol import Hits, Query, Result


class LocalSearch:
    """Searches an open `DocumentIndex`; each file, or page of a paged file, is one result."""

    name = "docs"

    def __init__(self, index: DocumentIndex) -> None:
        self._index = index

    async def search(self, query: Query) -> Hits:
        """The best passage of each file or page. Runs on the loop: a query takes milliseconds, and in a fixed order."""
        hits = self._index.search(query.text, query.limit, query.language)
        results = tuple(
            Result(
                hit.title, path=hit.path, page=hit.page, snippet=hit.text, start=hit.start, heading=hit.heading,
                published=hit.published, author=hit.author, score=hit.score, engine=self.name,
            )
            for hit in hits
        )  # fmt: skip
        notes = tuple(
            f"no {what} for local documents"
            for what, given in (("time range", query.since or query.until), ("domains", query.include_domains))
            if given
        )
        return Hits(results, "ok" if results else "empty", notes=notes)
