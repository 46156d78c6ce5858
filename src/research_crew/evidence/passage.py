"""Pieces of a text, with their place: what is indexed, shown to a model, and quoted from."""

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from research_crew.evidence.folding import terms
from research_crew.evidence.sentences import split_sentences

PASSAGE_CHARS = 900
"""Aimed size of a passage, in characters."""

_BREAK = re.compile(r"\n[ \t]*\n\s*")
_MARKED_HEADING = re.compile(r"[ \t]*#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Passage:
    """`text` is `stored[start:end]` of the stored text of source `source`; positions are code points."""

    text: str
    start: int
    end: int
    source: int = 0
    page: int | None = None
    heading: str = ""
    """The nearest heading above it, empty if there is none."""


def split_passages(
    text: str, *, source: int = 0, page: int | None = None, heading: str = "", size: int = PASSAGE_CHARS
) -> list[Passage]:
    """Cut a text into passages of about `size` characters at paragraph borders, or sentence borders where a paragraph
    is longer. A heading (a line that begins with `#`) begins a passage and names those below it."""
    passages: list[Passage] = []
    open_start = open_end = -1
    current = heading

    def close() -> None:
        nonlocal open_start
        if open_start >= 0:
            passages.append(Passage(text[open_start:open_end], open_start, open_end, source, page, current))
        open_start = -1

    for start, end in _paragraphs(text):
        marked = _MARKED_HEADING.match(text, start, end)
        if marked:
            close()
            current = marked[1]
        for piece_start, piece_end in _pieces(text, start, end, size):
            if open_start >= 0 and piece_end - open_start > size * 1.15:
                close()
            if open_start < 0:
                open_start = piece_start
            open_end = piece_end
            if open_end - open_start >= size * 0.85:
                close()
    close()
    return passages


def _paragraphs(text: str) -> list[tuple[int, int]]:
    """Blocks between blank lines and before marked headings, without the white space around them."""
    cuts = [(m.start(), m.end()) for m in _BREAK.finditer(text)]
    cuts += [(m.start(), m.start()) for m in _MARKED_HEADING.finditer(text)]
    blocks = []
    position = 0
    for left, right in sorted({*cuts, (len(text), len(text))}):
        if left >= position:
            piece = text[position:left]
            if piece.strip():
                blocks.append((position + len(piece) - len(piece.lstrip()), position + len(piece.rstrip())))
        position = max(position, right)
    return blocks


def _pieces(text: str, start: int, end: int, size: int) -> list[tuple[int, int]]:
    """A paragraph, or its sentences if it is long, or parts of a sentence that is itself too long."""
    if end - start <= size:
        return [(start, end)]
    pieces: list[tuple[int, int]] = []
    for span in split_sentences(text[start:end]):
        left, right = start + span.start, start + span.end
        while right - left > size * 1.15:
            cut = text.rfind(" ", left + size // 2, left + size)
            cut = cut if cut > 0 else left + size
            pieces.append((left, cut))
            left = cut + (text[cut] == " ")
        pieces.append((left, right))
    return pieces


def best_passages(
    text: str, query_terms: Iterable[str], limit_chars: int, *, source: int = 0, page: int | None = None
) -> list[Passage]:
    """The passages of a page that serve a query best, together at most `limit_chars` long, in the page's order.

    Scored within the page: each query term counts by its rarity there (BM25's weights, k1 1.2, b 0.75); passages
    without a query term fill what room is left, from the top. A text that fits is returned whole.
    """
    passages = split_passages(text, source=source, page=page)
    if sum(p.end - p.start for p in passages) <= limit_chars:
        return passages
    scores = rank_passages(passages, query_terms)
    chosen: list[Passage] = []
    room = limit_chars
    for i in sorted(range(len(passages)), key=lambda i: (-scores[i], i)):
        size = passages[i].end - passages[i].start
        if size <= room:
            chosen.append(passages[i])
            room -= size
        elif not chosen:
            head = passages[i]
            chosen.append(Passage(head.text[:room], head.start, head.start + room, source, page, head.heading))
            break
    return sorted(chosen, key=lambda p: p.start)


def rank_passages(passages: Sequence[Passage], query_terms: Iterable[str]) -> list[float]:
    """A BM25 score for each passage, with the passages themselves as the collection (Robertson and Zaragoza 2009)."""
    wanted = list(dict.fromkeys(query_terms))
    counts = [Counter(terms(p.heading + " " + p.text)) for p in passages]
    lengths = [max(c.total(), 1) for c in counts]
    mean = sum(lengths) / max(len(lengths), 1)
    scores = [0.0] * len(passages)
    for term in wanted:
        holders = sum(1 for c in counts if term in c)
        if not holders:
            continue
        weight = math.log(1 + (len(passages) - holders + 0.5) / (holders + 0.5))
        for i, c in enumerate(counts):
            if f := c[term]:
                scores[i] += weight * f * 2.2 / (f + 1.2 * (0.25 + 0.75 * lengths[i] / mean))
    return scores


def heading_at(text: str, position: int) -> str:
    """The nearest marked heading above a position of a text; empty when there is none."""
    found = ""
    for marked in _MARKED_HEADING.finditer(text):
        if marked.start() > position:
            break
        found = marked[1]
    return found


def passage_at(passages: Sequence[Passage], position: int) -> Passage | None:
    """The passage that holds a position of the text, if any."""
    i = bisect_right([p.start for p in passages], position) - 1
    return passages[i] if i >= 0 and position < passages[i].end else None
