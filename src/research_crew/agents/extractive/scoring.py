"""Which sentences answer a question: by the words they share with it, by the names they lead to, by their page."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from research_crew.agents.extractive.pool import Pool
from research_crew.agents.extractive.terms import key_terms, says, word_count
from research_crew.agents.names import mentions
from research_crew.evidence.sentences import split_sentences

_WHEN = re.compile(
    r"\b(?:when|year|date|born|died|older|younger|how (?:long|old)|wann|jahr|quand|année|date|cuándo|cuando|año|fecha)\b"
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
_TITLE, _RELATED, _LEADS, _REACHED = 0.8, 0.8, 0.5, 0.3
"""What counts beside the asked words in a sentence: those in its title alone, words that answer the asked ones, a name
that leads to a page that was read, standing on such a page."""
_ON_PAGE = 0.4
"""What any sentence of the best page is worth: answers often share no word with the question."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a source that may become a claim."""

    text: str
    """As it stands in the source, white space apart."""
    quote: str
    source: int
    start: int
    terms: frozenset[str]
    title: str
    place: int
    """How many sentences stand before it."""


def sentences_of(number: int, title: str, text: str, language: str) -> list[Sentence]:
    """The sentences of a source that are neither headings nor scraps nor whole paragraphs."""
    found: list[Sentence] = []
    for place, span in enumerate(split_sentences(text)):
        quote = span.of(text).strip()
        plain = " ".join(quote.lstrip("-*• ").split())
        scrap = quote.startswith(("#", "|")) or quote.endswith((":", "：")) or plain.count(" | ") > 1
        if scrap or not _SHORTEST <= word_count(plain) <= _LONGEST:
            continue
        found.append(Sentence(plain, quote, number, span.start, key_terms(plain, language), title, place))
    return found


class Scorer:
    """Scores the sentences of the pages that were read."""

    def __init__(self, pool: Pool, read: Iterable[int]) -> None:
        self._pool = pool
        pages = [pool.candidates[n] for n in read if n in pool.candidates]
        best = max((c.score for c in pages), default=0.0) or 1.0
        self._whole = sum(pool.weights.values()) or 1.0
        self._leads, self._reached = pool.crossed(pages)
        named = {c.number for c in pool.named()}
        self._pages = {
            c.number: max(c.score / best, 0.9 * (c.number in named), 0.9 * self._reached.get(c.number, 0.0))
            for c in pages
        }  # fmt: skip
        self._when, self._many = bool(_WHEN.search(pool.asked)), bool(_HOW_MANY.search(pool.asked))

    def score(self, sentence: Sentence) -> float:
        """0 for a sentence of a page that has nothing to do with the question; about 1 for one that says it all."""
        pool, page = self._pool, self._pages.get(sentence.source, 0.0)
        value = self._weight(sentence) / self._whole
        value += _LEADS * max((w for name, w in self._leads.items() if says(sentence.text, name)), default=0.0)
        value += _REACHED * self._reached.get(sentence.source, 0.0)
        if (self._when and _YEAR.search(sentence.text)) or (self._many and _FIGURE.search(sentence.text)):
            value *= 1.2
        told = (m.name for m in mentions(sentence.text, pool.language))
        if any(not says(pool.asked, name) and not says(sentence.title, name) for name in told):
            value *= 1.15
        if sentence.place == 0:
            value *= 1.1
        if _LEANS.match(sentence.text):
            value *= 0.75
        return (_ON_PAGE + value) * page if value else 0.0

    def _weight(self, sentence: Sentence) -> float:
        pool, weights = self._pool, self._pool.weights
        inside = sum(weights[t] for t in sentence.terms & pool.terms)
        title = key_terms(sentence.title, pool.language) & pool.terms
        by_title = sum(weights[t] for t in title - sentence.terms)
        by_relation = sum(
            weights[t] for t, like in pool.related.items() if t not in sentence.terms and like & sentence.terms
        )
        return inside + _TITLE * by_title + _RELATED * by_relation

    def coverage(self, sentences: Iterable[Sentence]) -> float:
        """The share of what is asked that these sentences speak of."""
        pool = self._pool
        said: set[str] = set()
        for sentence in sentences:
            said |= sentence.terms | key_terms(sentence.title, pool.language)
        answered = {t for t in pool.terms if t in said or pool.related.get(t, frozenset()) & said}
        return sum(pool.weights[t] for t in answered) / self._whole


def overlap(a: frozenset[str], b: frozenset[str]) -> float:
    """Jaccard: the share of terms that two sentences have in common."""
    together = len(a | b)
    return len(a & b) / together if together else 0.0


def choose(
    sentences: Sequence[Sentence], scorer: Scorer, most: int, words: int | None = None, floor: float = 0.45
) -> list[Sentence]:
    """The best sentences, each adding something to those before it (maximal marginal relevance, Carbonell and
    Goldstein 1998); none below `floor` times the best; `words` is the most that all have together."""
    weighed = [(scorer.score(s), s) for s in sentences]
    weighed.sort(key=lambda pair: (-pair[0], pair[1].source, pair[1].start))
    scored = [pair for pair in weighed[: most * 8] if pair[0] > 0]
    if not scored:
        return []
    least = scored[0][0] * floor
    chosen: list[Sentence] = []
    alike: Mapping[Sentence, float] = {pair[1]: 0.0 for pair in scored}
    room = words if words is not None else 10**9
    while scored and len(chosen) < most:
        best = max(scored, key=lambda p: p[0] * (1 - 0.7 * alike[p[1]]))
        scored.remove(best)
        length = word_count(best[1].text)
        if best[0] < least:
            break
        if length > room or alike[best[1]] >= 0.85:
            continue
        chosen.append(best[1])
        room -= length
        alike = {p[1]: max(alike[p[1]], overlap(p[1].terms, best[1].terms)) for p in scored}
    return chosen
