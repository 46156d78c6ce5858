"""Support by meaning: how many words of a claim have no word near them in the text. Needs a model of word meanings.

A claim's words are compared, each in its context, with the words of the passages that serve the claim best: the cosine
of their token vectors, the best match of each, as in BERTScore (Zhang et al., ICLR 2020). The share of content words
without a near one joins the lexical features in a logistic score of its own. Whole-sentence cosines were tried and
added nothing. Weights: `benchmarks/evidence_meaning.py` on the choosing half; for English, the model's language.
"""

import math
from collections.abc import Sequence
from dataclasses import astuple
from typing import Protocol

from research_crew.evidence.language import stop_words
from research_crew.evidence.lexical import Features, Words

NEAR = 0.5
"""Cosine from which two words in context count as near."""
PASSAGES = 4
"""Passages of two sentences that are compared, the ones with most of the claim's words."""
LANGUAGES = frozenset({"en"})
"""Languages that the model of the extra was trained for; others are held to their words."""

WEIGHTS = (0.84, 1.22, -1.38, -0.43, -1.44, 0.35, -1.77)
"""Of the lexical features in their order, and of the share of words without a near one."""
BIAS = -0.10


class Meaning(Protocol):
    """A model that knows how near words are to each other in their contexts."""

    def nearest(self, claim: str, passages: Sequence[str]) -> Sequence[tuple[str, float]]:
        """The words of the claim in order, in lower case, each with the cosine of the nearest word of the passages."""
        ...


def far_share(claim: str, words: Words, wanted: frozenset[str], language: str, meaning: Meaning) -> float:
    """Share of the claim's content words, 0 to 1, to which no word of the text is near. `wanted` are its stems."""
    passages = words.passages(wanted, PASSAGES)
    found = meaning.nearest(claim, passages) if passages else ()
    stops = stop_words(language)
    content = [near for word, near in found if word not in stops and any(c.isalnum() for c in word)]
    content = content or [near for _, near in found]
    return sum(near < NEAR for near in content) / len(content) if content else 1.0


def combine(features: Features, far: float) -> float:
    """The score of a pair, 0 to 1."""
    total = BIAS + sum(w * x for w, x in zip(WEIGHTS, (*astuple(features), far), strict=True))
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))
