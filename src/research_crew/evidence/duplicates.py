"""Same fact, same text, or conflict: claims that say one thing become one, and copies whose figures differ show up.

An index of shingles (see `shingles`) names the few candidates for each text; cost is linear in the number of texts as
long as they are not all alike. Two near-identical texts whose numbers differ are never merged: they are a conflict.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from research_crew.evidence.agreement import agree
from research_crew.evidence.claim import Claim
from research_crew.evidence.dates import find_dates, months
from research_crew.evidence.folding import content_terms
from research_crew.evidence.language import detect_language
from research_crew.evidence.negation import differs
from research_crew.evidence.quantities import Quantity, find_quantities
from research_crew.evidence.sentences import split_sentences
from research_crew.evidence.shingles import Groups, ShingleIndex, masked_terms, sketch
from research_crew.evidence.stems import stem
from research_crew.evidence.units import units

Relation = Literal["same", "conflict", "different"]

SAME_AT = 0.75
"""Share of content words in common (Jaccard) from which two claims may be one fact."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two texts (by their place in the input) that are near-identical, yet state different figures."""

    first: int
    second: int
    says: str
    instead: str


@dataclass(frozen=True, slots=True)
class Grouping:
    """Claims after merging: `roots` with the citations of their duplicates joined, `duplicates` with `of` set."""

    roots: tuple[Claim, ...]
    duplicates: tuple[Claim, ...]
    conflicts: tuple[Conflict, ...]
    """Places refer to the sequence of claims that was given."""


def relation(a: str, b: str, language: str | None = None) -> Relation:
    """How two sentences stand to each other."""
    code = language or detect_language(a)
    if " ".join(content_terms(a, code)) == " ".join(content_terms(b, code)):
        return "same" if not differs(a, b, code) else "conflict"
    left, right = _content(a, code), _content(b, code)
    together = len(left | right)
    if not together or len(left & right) / together < SAME_AT:
        return "different"
    if figures_differ(a, b) or differs(a, b, code):
        return "conflict"
    return "same" if _names_agree(a, b, code) else "different"


@lru_cache(maxsize=1024)
def _content(text: str, code: str) -> frozenset[str]:
    """Stems of the content words; numbers, units and months are compared apart."""
    apart = units().keys() | months().keys()
    words = (t for t in content_terms(text, code) if not t[0].isdigit() and t not in apart)
    return frozenset(stem(t, code) for t in words)


def _names_agree(a: str, b: str, code: str) -> bool:
    """Whether neither sentence has a word that changes the fact: each one's own words are few and not both names."""
    left, right = _content(a, code), _content(b, code)
    return not (left - right and right - left and _capitals(a, left - right, code) and _capitals(b, right - left, code))


def _capitals(text: str, stems: frozenset[str], code: str) -> bool:
    return any(w[:1].isupper() and stem(w.lower().strip(".,;:'\"()"), code) in stems for w in text.split()[1:])


def figures_differ(a: str, b: str) -> bool:
    """Whether two texts that are otherwise alike state different numbers or dates."""
    ours, theirs = find_dates(a), find_dates(b)
    if ours and theirs and not all(any(d.agrees(o) for o in theirs) for d in ours):
        return True
    left, right = find_quantities(a, dates=True), find_quantities(b, dates=True)
    if len(left) == len(right):
        return not all(_alike(x, y) for x, y in zip(left, right, strict=True))
    fewer, more = sorted((left, right), key=len)
    return not all(any(_alike(x, y) for y in more) for x in fewer)


def _alike(x: Quantity, y: Quantity) -> bool:
    return agree(x, y) or agree(y, x)


def group(claims: Sequence[Claim], language: str | None = None) -> Grouping:
    """Merge claims that state the same fact. The root of a group is its first claim; `also` takes the citations of the
    others, each place once. Claims in conflict are kept apart and listed."""
    groups = Groups(range(len(claims)))
    index = ShingleIndex()
    conflicts: list[Conflict] = []
    seen: dict[str, int] = {}
    for i, claim in enumerate(claims):
        key = " ".join(claim.text.split()).casefold()
        if key in seen:
            groups.join(seen[key], i)
            continue
        seen[key] = i
        sample = sketch(claim.text, width=2)
        for j in index.candidates(sample, least=max(1, len(sample.hashes) // 4)):
            match relation(claims[j].text, claim.text, language or claim.language):
                case "same":
                    groups.join(j, i)
                case "conflict":
                    conflicts.append(Conflict(j, i, claims[j].text, claim.text))
        index.add(i, sample)
    members: dict[int, list[int]] = {}
    for i in range(len(claims)):
        members.setdefault(groups.root(i), []).append(i)
    roots, duplicates = [], []
    for root, places in members.items():
        places_cited = {(c.source, c.start, c.quote) for c in claims[root].citations}
        also = list(claims[root].also)
        for i in places[1:]:
            for citation in claims[i].citations:
                if (citation.source, citation.start, citation.quote) not in places_cited:
                    places_cited.add((citation.source, citation.start, citation.quote))
                    also.append(citation)
            duplicates.append((i, replace(claims[i], of=claims[root].id)))
        roots.append(replace(claims[root], also=tuple(also)))
    return Grouping(tuple(roots), tuple(c for _, c in sorted(duplicates, key=lambda d: d[0])), tuple(conflicts))


@dataclass(frozen=True, slots=True)
class Copies:
    """Near-copies among texts: `groups` of places (two or more each), `conflicts` where their figures differ."""

    groups: tuple[tuple[int, ...], ...]
    conflicts: tuple[Conflict, ...]


def near_copies(texts: Sequence[str], threshold: float = 0.6) -> Copies:
    """Which of these texts are copies of one another, whole or of a part, and where copies state different figures.

    Sentences of two copies are paired by their words with the numbers masked, so that figures of a page's frame (a
    date, a counter) do not make a conflict."""
    groups = Groups(range(len(texts)))
    index = ShingleIndex()
    pairs: list[tuple[int, int]] = []
    for i, text in enumerate(texts):
        sample = sketch(text)
        for j in index.near(sample, threshold, contained=True):
            groups.join(i, j)
            pairs.append((j, i))
        index.add(i, sample)
    members: dict[int, list[int]] = {}
    for i in range(len(texts)):
        members.setdefault(groups.root(i), []).append(i)
    conflicts: list[Conflict] = []
    for j, i in pairs:
        conflicts.extend(conflicts_between(texts[j], texts[i], j, i))
    return Copies(tuple(tuple(m) for m in members.values() if len(m) > 1), tuple(conflicts))


def conflicts_between(a: str, b: str, first: int = 0, second: int = 1, least_terms: int = 5) -> list[Conflict]:
    """Sentences of two near-copies that are the same but for their figures."""
    theirs: dict[str, list[str]] = {}
    for span in split_sentences(b):
        theirs.setdefault(" ".join(masked_terms(span.of(b))), []).append(span.of(b))
    found = []
    for span in split_sentences(a):
        sentence = span.of(a)
        words = masked_terms(sentence)
        if len(words) < least_terms or not any(w[0] == "0" for w in words):
            continue
        others = theirs.get(" ".join(words), [])
        if others and all(figures_differ(sentence, other) for other in others):
            found.append(Conflict(first, second, sentence, others[0]))
    return found
