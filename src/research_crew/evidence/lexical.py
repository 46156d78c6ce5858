"""How far the words of a claim are those of a text: the support score of the base install, and its plain baseline.

The score is a logistic combination of six features of the pair alone; there is no table of word frequencies and no
model. Weights were fitted by `benchmarks/evidence_fit.py` on the choosing half of three public sets (claims of search
engines, Wikipedia sentences with the pages they cite, scientific claims with abstracts), each set weighing the same,
whole texts and their best passages alike.
`benchmarks/evidence_gate.py` reports on the other half.
"""

import math
import re
from dataclasses import astuple, dataclass

from research_crew.evidence.folding import content_terms, terms
from research_crew.evidence.language import stop_words
from research_crew.evidence.sentences import split_sentences
from research_crew.evidence.stems import stem

_FRAME = frozenset(
    re.findall(
        r"\S+",
        """
        also according based given context provided however additionally include including included one may many several
        such various known called used
        """,
    )
)
"""Words with which answers introduce what they say."""
_NGRAM = 5
_LONGEST = 60
"""Terms of a sentence; a longer one (a table, a list without marks) counts as several."""


@dataclass(frozen=True, slots=True)
class Features:
    """What the score looks at. All but `figures` and `names` are shares, 0 to 1."""

    coverage: float
    """Content words of the claim that the text has; one with another ending counts by its likeness."""
    window: float
    """Character 5-grams of the claim in the best two neighbouring sentences."""
    figures: float
    """Numbers and dates of the claim that the text does not state, at most 2."""
    names: float
    """Names of the claim that the text does not have, at most 3."""
    negation: float
    """1 if the nearest sentence says the opposite."""
    brevity: float
    """How short the text is, 0 (90 words or more) to 1 (32 or fewer): a sentence cannot have as many of a claim's words as a
    page that says the same."""


WEIGHTS = Features(2.03, 1.98, -0.73, -0.30, -0.94, 0.30)
BIAS = -2.10


def overlap(claim: str, text: str) -> float:
    """Share of the claim's distinct content words that the text has, 0 to 1: the plain baseline."""
    wanted = set(content_terms(claim)) or set(terms(claim))
    return len(wanted & set(terms(text))) / len(wanted) if wanted else 0.0


def brevity_of(terms_in_text: int) -> float:
    """`Features.brevity` of a text with so many words."""
    return min(max(4.5 - math.log(1 + terms_in_text), 0.0), 1.0)


class Words:
    """The stemmed words of a text by sentence, ready to be compared with claims."""

    def __init__(self, text: str, language: str) -> None:
        self.sentences = [s.of(text) for s in split_sentences(text)] or [text]
        self.stems: list[list[str]] = []
        self._of: list[int] = []
        for i, sentence in enumerate(self.sentences):
            found = [stem(t, language) for t in terms(sentence, language)]
            for k in range(0, len(found), _LONGEST):
                self.stems.append(found[k : k + _LONGEST])
                self._of.append(i)
        self._known = frozenset(s for part in self.stems for s in part)
        self._by_prefix: dict[str, list[str]] = {}
        for s in self._known:
            if len(s) > 3:
                self._by_prefix.setdefault(s[:3], []).append(s)

    def likeness(self, wanted: str) -> float:
        """1 if the text has the stem, else the Dice coefficient of the most similar one that begins alike."""
        if wanted in self._known:
            return 1.0
        if len(wanted) < 4 or wanted[0].isdigit():
            return 0.0
        grams = _trigrams(wanted)
        best = max(
            (2 * len(grams & (g := _trigrams(o))) / (len(grams) + len(g)) for o in self._by_prefix.get(wanted[:3], ())),
            default=0.0,
        )
        return best if best >= 0.5 else 0.0

    @property
    def size(self) -> int:
        """Number of words."""
        return sum(map(len, self.stems))

    def best(self, wanted: frozenset[str], width: int) -> int:
        """Where the `width` neighbouring sentences begin that have most of the wanted stems; the first of equals."""
        parts = [wanted.intersection(p) for p in self.stems]
        counts = [len(frozenset().union(*parts[i : i + width])) for i in range(len(parts))]
        return counts.index(max(counts)) if counts else 0

    def passages(self, wanted: frozenset[str], most: int) -> list[str]:
        """The pairs of neighbouring sentences with most of the wanted stems, the best first, each sentence opening one
        pair at most."""
        parts = [wanted.intersection(p) for p in self.stems]
        order = sorted(range(len(parts)), key=lambda i: (-len(parts[i].union(*parts[i + 1 : i + 2])), i))
        first = dict.fromkeys(self._of[i] for i in order[:most])
        return [" ".join(self.sentences[i : i + 2]) for i in first]

    def nearest(self, wanted: frozenset[str]) -> str:
        """The sentence that has most of the wanted stems."""
        return self.sentences[self._of[self.best(wanted, 1)]] if self._of else ""


def _trigrams(word: str) -> set[str]:
    framed = f"^{word}$"
    return {framed[i : i + 3] for i in range(len(framed) - 2)}


def content_stems(claim: str, language: str) -> frozenset[str]:
    """Stems of the words of a claim that carry its content; all its words if none do."""
    all_terms = terms(claim, language)
    stops = stop_words(language)
    kept = [t for t in all_terms if t not in stops and t not in _FRAME]
    return frozenset(stem(t, language) for t in kept or all_terms)


def word_features(claim: str, words: Words, language: str) -> tuple[float, float]:
    """Coverage and window of a claim (without markers) against a text."""
    wanted = content_stems(claim, language)
    sequence = [stem(t, language) for t in terms(claim, language)]
    if not wanted or not sequence:
        return 0.0, 0.0
    coverage = sum(words.likeness(w) for w in sorted(wanted)) / len(wanted)
    at = words.best(wanted, 2)
    grams = _grams(" ".join(sequence))
    near = _grams(" ".join(" ".join(s) for s in words.stems[at : at + 2]))
    window = len(grams & near) / len(grams)
    return coverage, window


def _grams(text: str) -> set[str]:
    return {text[i : i + _NGRAM] for i in range(max(len(text) - _NGRAM + 1, 1))}


def combine(features: Features) -> float:
    """The score of a pair from its features: 0 to 1, the estimated chance that the text supports the claim."""
    total = BIAS + sum(w * x for w, x in zip(astuple(WEIGHTS), astuple(features), strict=True))
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))
