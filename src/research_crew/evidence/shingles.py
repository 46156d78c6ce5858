"""How much text two texts share, without comparing every pair of texts.

A text becomes a sample of the hashes of its word n-grams ("shingles", Broder 1997): every hash below a bound is kept,
and the bound halves until the sample is small (FracMinHash, Irber et al. 2022). Samples of different bounds compare
at the lower one, so a page and an article inside a longer page can be compared as well as two sentences. Numbers are
masked before hashing: a copy whose figures were altered is still a copy, which is how alterations are found.
"""

import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from research_crew.evidence.dates import months
from research_crew.evidence.folding import terms
from research_crew.evidence.language import detect_language
from research_crew.evidence.number_words import MULTIPLIERS, number_words, ordinal_words

_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_SAMPLE = 256
_FULL = 1 << 32


@dataclass(frozen=True, slots=True)
class Sketch:
    """A sample of a text's shingles: all whose hash is below `bound`."""

    hashes: frozenset[int]
    bound: int
    size: int
    """Number of terms of the text."""

    def below(self, bound: int) -> frozenset[int]:
        """The sample a lower bound would have kept."""
        return self.hashes if bound >= self.bound else frozenset(h for h in self.hashes if h < bound)


@cache
def _number_terms(code: str) -> frozenset[str]:
    """Every folded term that stands for a number or a month."""
    long = (word for word in MULTIPLIERS if len(word) > 3)
    return frozenset((*number_words(code), *ordinal_words(code), *long, *months()))


def masked_terms(text: str) -> list[str]:
    """Terms with every number, in digits or words, replaced by "0"; runs of them count once."""
    code = detect_language(text)
    masked: list[str] = []
    numbers = _number_terms(code)
    for term in terms(text, code):
        if term[0].isdecimal():
            new = _DIGITS.sub("0", term)
        elif term in numbers:
            new = "0"
        else:
            new = term
        if new != "0" or masked[-1:] != ["0"]:
            masked.append(new)
    return masked


def sketch(text: str, width: int = 4) -> Sketch:
    """The sketch of a text, over runs of `width` terms (fewer if the text is shorter)."""
    words = [word.encode() for word in masked_terms(text)]
    width = max(1, min(width, len(words)))
    grams = set(map(b" ".join, zip(*(words[i:] for i in range(width)), strict=False)))
    hashes = {zlib.crc32(gram) * 0x9E3779B1 % _FULL for gram in grams}
    bound = _FULL
    while len(hashes) > _SAMPLE:
        bound >>= 1
        hashes = {h for h in hashes if h < bound}
    return Sketch(frozenset(hashes), bound, len(words))


def containment(a: Sketch, b: Sketch) -> float:
    """Share of the smaller text's shingles that the other has too, 0 to 1."""
    bound = min(a.bound, b.bound)
    left, right = a.below(bound), b.below(bound)
    smaller = min(len(left), len(right))
    return len(left & right) / smaller if smaller else 0.0


def resemblance(a: Sketch, b: Sketch) -> float:
    """Jaccard similarity of the two sets of shingles, 0 to 1."""
    bound = min(a.bound, b.bound)
    left, right = a.below(bound), b.below(bound)
    together = len(left | right)
    return len(left & right) / together if together else 0.0


class ShingleIndex:
    """Finds which of the texts added so far share shingles with a new one; cost is linear in what is shared.

    A shingle that more than `crowd` texts have says nothing about copying (a cookie notice) and is not followed.
    """

    def __init__(self, crowd: int = 64) -> None:
        self._crowd = crowd
        self._sketches: dict[int, Sketch] = {}
        self._holders: dict[int, list[int]] = {}

    def add(self, number: int, sample: Sketch) -> None:
        """Add a text under a number of the caller's."""
        self._sketches[number] = sample
        known = self._holders
        for h in sample.hashes:
            holders = known.get(h)
            if holders is None:
                known[h] = [number]
            elif len(holders) <= self._crowd:
                holders.append(number)

    def candidates(self, sample: Sketch, least: int = 1) -> list[int]:
        """Numbers of the texts that share at least `least` shingles with `sample`, in order."""
        shared, _ = self._shared(sample)
        return sorted(n for n, count in shared.items() if count >= least)

    def _shared(self, sample: Sketch) -> tuple[dict[int, int], int]:
        """Text → how many shingles it shares with `sample`; and how many shingles were not followed."""
        shared: dict[int, int] = {}
        crowded = 0
        for h in sample.hashes & self._holders.keys():
            holders = self._holders[h]
            if len(holders) > self._crowd:
                crowded += 1
                continue
            for number in holders:
                shared[number] = shared.get(number, 0) + 1
        return shared, crowded

    def near(self, sample: Sketch, threshold: float, *, contained: bool = False) -> list[int]:
        """Numbers of the texts whose resemblance (or containment) with `sample` reaches `threshold`."""
        measure = containment if contained else resemblance
        shared, crowded = self._shared(sample)
        found = []
        for number in sorted(shared):
            other = self._sketches[number]
            if not contained and other.bound == sample.bound:
                # What two samples have together is at least the larger of them: most are ruled out by their counts.
                larger = max(len(sample.hashes), len(other.hashes))
                if shared[number] + crowded < threshold * larger:
                    continue
            if measure(sample, other) >= threshold:
                found.append(number)
        return found


class Groups:
    """Numbers joined into groups; a group is named by its smallest member, in whatever order the joins came."""

    def __init__(self, numbers: Iterable[int] = ()) -> None:
        self._parent = {n: n for n in numbers}

    def root(self, number: int) -> int:
        """The smallest number of the group; a number never seen is its own group."""
        parent = self._parent.setdefault(number, number)
        while parent != self._parent[parent]:
            parent = self._parent[parent]
        self._parent[number] = parent
        return parent

    def join(self, a: int, b: int) -> None:
        """Make the groups of two numbers one."""
        left, right = sorted((self.root(a), self.root(b)))
        self._parent[right] = left
