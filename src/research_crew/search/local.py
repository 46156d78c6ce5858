"""The engine `docs`: the local index as a search engine. No network, nothing to pay outside the run's credits."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from research_crew.documents.index import DocumentIndex, IndexHit
from research_crew.documents.semantic import Retrieval, SemanticIndex
from research_crew.search.protocol import Hits, Query, Result


class LocalSearch:
    """Searches an open `DocumentIndex`; each file, or page of a paged file, is one result."""

    name = "docs"

    def __init__(
        self, index: DocumentIndex, text_limit: int = 0, *, semantic: SemanticIndex | None = None,
        retrieval: Retrieval = "lexical",
    ) -> None:  # fmt: skip
        """With `text_limit`, a result carries the stored text of its page as well, at most so many characters. A run
        leaves it at 0: it reads the pages it wants itself, pays for them and keeps them out of its journal.

        `semantic` is needed for every `retrieval` but the lexical one.
        """
        if semantic is None and retrieval != "lexical":
            raise ValueError(f"{retrieval} retrieval without an index of meanings")
        self._index, self._text_limit = index, text_limit
        self._semantic, self._retrieval = semantic, retrieval
        # One thread: searches that were asked for in an order are answered in it.
        self._thread: ThreadPoolExecutor | None = None

    async def search(self, query: Query) -> Hits:
        """The best passage of each file or page. By words it runs on the loop: that takes milliseconds; by meaning,
        where a passage that is new takes tens of them, in a thread."""
        if self._retrieval == "lexical":
            hits = self._find(query)
        else:
            self._thread = self._thread or ThreadPoolExecutor(1, "embedding")
            hits = await asyncio.get_running_loop().run_in_executor(self._thread, self._find, query)
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

    def close(self) -> None:
        """End the thread; the index is the caller's."""
        if self._thread is not None:
            self._thread.shutdown(wait=True, cancel_futures=True)

    def _find(self, query: Query) -> list[IndexHit]:
        if self._semantic is not None and self._retrieval == "hybrid":
            return self._semantic.hybrid(query.text, query.limit, query.language)
        if self._semantic is not None and self._retrieval == "semantic":
            return self._semantic.semantic(query.text, query.limit)
        return self._index.search(query.text, query.limit, query.language)

    def _result(self, hit: IndexHit) -> Result:
        text = (self._index.text(hit.path, hit.page) or "")[: self._text_limit] if self._text_limit else ""
        return Result(
            hit.title, path=hit.path, page=hit.page, text=text, snippet=hit.text, start=hit.start,
            heading=hit.heading, published=hit.published, author=hit.author, score=hit.score, engine=self.name,
        )  # fmt: skip
