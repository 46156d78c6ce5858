"""How near the words of a claim are to those of a text, each in its context. Needs the extra `semantic`.

The vectors are the token vectors of the embedding model, from which sentence vectors are made as their mean; a word of
several pieces has the mean of their best matches.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from research_crew.documents.embedding import Embedder
from research_crew.documents.semantic import check_installed
from research_crew.documents.wordpiece import token_ids, vocabulary

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

MOST_TOKENS = 160
"""Word pieces of a passage that are compared: two long sentences."""


class WordNearness:
    """`evidence.meaning.Meaning` by an embedding model; loads it when first asked (0.3 s)."""

    def __init__(self, embedder: Embedder | None = None) -> None:
        self._embedder = embedder
        self._states = lru_cache(maxsize=256)(self._read)

    def nearest(self, claim: str, passages: Sequence[str]) -> list[tuple[str, float]]:
        """The words of the claim in order, in lower case, each with the cosine of the nearest word of the passages.

        Raises `MissingExtra` when the model is not installed.
        """
        pieces, ours = self._states(claim)
        best = [-1.0] * len(pieces)
        for passage in passages:
            theirs = self._states(passage)[1]
            if len(theirs) and len(ours):
                best = [max(old, float(new)) for old, new in zip(best, (ours @ theirs.T).max(axis=1), strict=True)]
        words: list[tuple[str, list[float]]] = []
        for piece, near in zip(pieces, best, strict=True):
            if piece.startswith("##") and words:
                words[-1] = (words[-1][0] + piece[2:], [*words[-1][1], near])
            else:
                words.append((piece, [near]))
        return [(word, sum(nears) / len(nears)) for word, nears in words]

    def _read(self, text: str) -> tuple[list[str], "Matrix"]:
        """The pieces of a text and their vectors, of length 1."""
        if self._embedder is None:
            self._embedder = Embedder()
        ids = token_ids(text, MOST_TOKENS)
        return [_pieces()[i] for i in ids[1:-1]], self._embedder.states(ids)[1:-1]


@lru_cache(maxsize=1)
def _pieces() -> list[str]:
    """Number → piece."""
    return list(vocabulary())


def open_meaning() -> WordNearness:
    """The model of word meanings, loaded when first asked. Raises `MissingExtra` when the extra is not there."""
    check_installed()
    return WordNearness()
