"""Which sentences answer a question, by the words they share, weighed by how rare those are in what was read."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log

from research_crew.evidence.folding import content_terms
from research_crew.evidence.sentences import split_sentences
from research_crew.evidence.stems import stem

_WHEN = re.compile(
    r"\b(?:when|year|date|born|died|how (?:long|old)|wann|jahr|quand|année|date|cuándo|cuando|año|fecha)\b"
    r"|何年|いつ|几年|何时|哪年|什么时候",
    re.I,
)
_HOW_MANY = re.compile(
    r"\b(?:how (?:many|much|large|big|fast|far)|number|limit|maximum|wie ?viele?|combien|cuánt[oa]s?)\b"
    r"|いくつ|どれくらい|多少|几个",
    re.I,
)
_LEANS = re.compile(
    r"(?:but|for example|for instance|in (?:that|this) case|however|this|these|those|it|they|he|she|likewise|also|thus|so|then|"
    r"therefore|hence|such|aber|dies\w*|zum beispiel|jedoch|er|sie|es|mais|par exemple|cependant|il|elle|ce|cette|pero|por ejemplo|"
    r"sin embargo|este|esta|esto)\b|但是|例如|这|它|しかし|例えば|これ|それ",
    re.I,
)
"""Beginnings of a sentence that leans on the one before it and says less when it stands alone."""
_FIGURE = re.compile(r"\d")
_YEAR = re.compile(r"\b(?:1[0-9]|20)\d\d\b|\d{3,4}年")
_SHORTEST, _LONGEST = 4, 60


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a source that may become a claim."""

    text: str
    """As it stands in the source, white space apart."""
    quote: str
    source: int
    start: int
    terms: frozenset[str]
    title: frozenset[str]
    place: int
    """How many sentences stand before it."""


def key_terms(text: str, language: str) -> frozenset[str]:
    """Stems of the content words."""
    return frozenset(stem(term, language) for term in content_terms(text, language))


def sentences_of(number: int, title: str, text: str, language: str) -> list[Sentence]:
    """The sentences of a source that are neither headings nor scraps nor whole paragraphs."""
    name = key_terms(title, language)
    found: list[Sentence] = []
    for place, span in enumerate(split_sentences(text)):
        quote = span.of(text).strip()
        plain = " ".join(quote.lstrip("-*• ").split())
        words = len(plain.split()) if plain.isascii() or " " in plain else len(plain) // 3
        scrap = quote.startswith(("#", "|")) or quote.endswith((":", "：")) or plain.count(" | ") > 1
        if scrap or not _SHORTEST <= words <= _LONGEST:
            continue
        found.append(Sentence(plain, quote, number, span.start, key_terms(plain, language), name, place))
    return found


class Scorer:
    """Scores sentences against what is asked; the weights come from the sentences that were read."""

    def __init__(self, asked: str, sentences: Sequence[Sentence], language: str, more: Iterable[str] = ()) -> None:
        """`more`: names found on the way, which count half as much as what was asked."""
        self._asked = key_terms(asked, language)
        extra = frozenset(term for text in more for term in key_terms(text, language)) - self._asked
        counts: dict[str, int] = {}
        for sentence in sentences:
            for term in sentence.terms | sentence.title:
                counts[term] = counts.get(term, 0) + 1
        total = len(sentences) + 1
        self._weights = {t: log(1 + total / (1 + counts.get(t, 0))) for t in self._asked}
        self._weights |= {t: 0.5 * log(1 + total / (1 + counts.get(t, 0))) for t in extra}
        self._whole = sum(self._weights[t] for t in self._asked) or 1.0
        self._when, self._many = bool(_WHEN.search(asked)), bool(_HOW_MANY.search(asked))

    def score(self, sentence: Sentence) -> float:
        """0 for a sentence that shares nothing; about 1 for one that says all that is asked."""
        inside = sum(self._weights.get(t, 0.0) for t in sentence.terms)
        by_title = sum(self._weights.get(t, 0.0) for t in sentence.title - sentence.terms)
        value = (inside + 0.6 * by_title) / self._whole
        if not value:
            return 0.0
        if (self._when and _YEAR.search(sentence.text)) or (self._many and _FIGURE.search(sentence.text)):
            value *= 1.2
        if sentence.place == 0:
            value *= 1.1
        return value * 0.75 if _LEANS.match(sentence.text) else value

    def coverage(self, sentences: Iterable[Sentence]) -> float:
        """The share of what is asked that these sentences speak of."""
        said = frozenset().union(*(s.terms | s.title for s in sentences)) if sentences else frozenset()
        return sum(self._weights[t] for t in self._asked & said) / self._whole

    def unsaid(self, sentences: Iterable[Sentence]) -> frozenset[str]:
        """The asked terms that none of these sentences has."""
        said: frozenset[str] = frozenset().union(*(s.terms | s.title for s in sentences))
        return self._asked - said


def overlap(a: frozenset[str], b: frozenset[str]) -> float:
    """Jaccard: the share of terms that two sentences have in common."""
    together = len(a | b)
    return len(a & b) / together if together else 0.0


def choose(sentences: Sequence[Sentence], scorer: Scorer, most: int, floor: float = 0.35) -> list[Sentence]:
    """The best sentences, each adding something to those before it (maximal marginal relevance, Carbonell and
    Goldstein 1998); none below `floor` times the best."""
    weighed = [(scorer.score(s), s) for s in sentences]
    weighed.sort(key=lambda pair: (-pair[0], pair[1].source, pair[1].start))
    scored = [pair for pair in weighed[: most * 8] if pair[0] > 0]
    if not scored:
        return []
    least = scored[0][0] * floor
    chosen: list[Sentence] = []
    while scored and len(chosen) < most:
        alike = {p[1]: max((overlap(p[1].terms, c.terms) for c in chosen), default=0.0) for p in scored}
        best = max(scored, key=lambda p: p[0] * (1 - 0.7 * alike[p[1]]))
        scored.remove(best)
        if best[0] < least:
            break
        if all(overlap(best[1].terms, c.terms) < 0.85 for c in chosen):
            chosen.append(best[1])
    return chosen
