"""The words right around a number: where a text has the same words around another number, it says otherwise.

A number that occurs somewhere in a source may still be wrong where a claim has it ("from 1898 to 1898" for "from 1889
to 1898"). A slot is what stands within two words of a number, other numbers masked; two slots are the same if three of
those words are, at least one of them a content word.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from research_crew.evidence.agreement import agree
from research_crew.evidence.folding import terms
from research_crew.evidence.language import stop_words
from research_crew.evidence.number_words import is_number_word
from research_crew.evidence.quantities import Quantity

_REACH = 48
_SPAN = re.compile(r"\s?[-–—/:]\s?|\s(?:to|and|until|till|bis|und|à|et|a|y|e|tot|en)\s", re.I)
_BREAK = re.compile(r"[.!?;。！？；]\s|[。！？；\n]|,\s?(?=[\"“„«])")

Slot = tuple[str, str, str, str]


def slots(text: str, q: Quantity, language: str) -> list[Slot]:
    """The slots of a number of `text`: two words before it and one after, and one before and two after."""
    left_text = text[max(q.start - _REACH, 0) : q.start]
    cuts = list(_BREAK.finditer(left_text))
    left = _masked(left_text[cuts[-1].end() :] if cuts else left_text, language)
    cut_word = not cuts and q.start > _REACH
    right_text = text[q.end : q.end + _REACH]
    stop = _BREAK.search(right_text)
    right = _masked(right_text[: stop.start()] if stop else right_text, language)
    left = ["^", *left[1 if cut_word else 0 :]]
    right = [*right, "$"]
    found: list[Slot] = []
    stops = stop_words(language)
    for before, after in ((left[-2:], right[:1]), (left[-1:], right[:2])):
        words = [*before, *after]
        if len(words) == 3 and any(w not in stops and w not in ("0", "^", "$") and len(w) > 1 for w in words):
            found.append(("L" if len(before) == 2 else "R", *words))  # type: ignore[arg-type]
    return found


def _masked(text: str, language: str) -> list[str]:
    return ["0" if t[0].isdecimal() or is_number_word(t, language) else t for t in terms(text, language)]


def contradicted(
    claim: str, text: str, claimed: Sequence[Quantity], stated: Sequence[Quantity], language: str
) -> list[Quantity]:
    """The numbers of a claim in whose slot the text has other numbers only."""
    places: dict[Slot, list[Quantity]] = {}
    for s in stated:
        for slot in slots(text, s, language):
            places.setdefault(slot, []).append(s)
    found = []
    for q in claimed:
        same = [s for slot in slots(claim, q, language) for s in places.get(slot, ())]
        if same and not any(agree(q, s) for s in same):
            found.append(q)
    spans = _spans(text, stated)
    for a, b in _spans(claim, claimed):
        for mine, other, end in ((a, b, 0), (b, a, 1)):
            rivals = [pair[1 - end] for pair in spans if agree(mine, pair[end])]
            if rivals and not any(agree(other, r) for r in rivals) and other not in found:
                found.append(other)
    return found


def _spans(text: str, numbers: Sequence[Quantity]) -> list[tuple[Quantity, Quantity]]:
    """Pairs of numbers that make a range or a result: 1951 to 1955, between 80 and 90, 27-17."""
    return [(a, b) for a, b in pairwise(numbers) if _SPAN.fullmatch(text[a.end : b.start])]
