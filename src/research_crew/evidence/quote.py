"""Find a quote in a stored text: exactly, after normalisation, or as the span that is nearest to it.

The exact search compares normal forms (see `normal`) and maps the match back. What is not there exactly is looked for
by pieces of the quote that are (as long as the threshold is above a half, some piece is intact), which vote for where
the quote would begin; the best places are aligned with it token by token (Sellers 1980, weighted by token length). The
score is the share of the quote that the span keeps. Cost is linear in the text and quadratic in the quote only.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from research_crew.evidence.folding import UNSPACED
from research_crew.evidence.normal import NormalText, normal_text

QUOTE_THRESHOLD = 0.8
"""Least share of the quote that a fuzzy span has to keep."""

_TOKEN = re.compile(f"[{UNSPACED}]|[^\\W_{UNSPACED}]+")
_GAP = re.compile(r"\s*(?:\[\s*(?:\.{3}|…)\s*\]|\(\s*(?:\.{3}|…)\s*\)|\.{3,}|…)\s*")
_MARKS = "\"' "
_UNSPACED_CHAR = re.compile(f"[{UNSPACED}]")
_LONGEST_GAP = 1200
"""Characters that a quote may leave out between two of its parts."""


@dataclass(frozen=True, slots=True)
class QuoteMatch:
    """`text[start:end]` is the quote as the text has it. `exact`: equal after normalisation. `score`: 0 to 1."""

    start: int
    end: int
    exact: bool
    score: float


def find_quote(text: str, quote: str, threshold: float = QUOTE_THRESHOLD) -> QuoteMatch | None:
    """Where `text` has `quote`, or None. Quotation marks around the quote are ignored; "..." in it may leave out up to
    1,200 characters. A match never begins or ends inside a word."""
    haystack = normal_text(text)
    needle = normal_text(quote).text.strip(_MARKS)
    if not _TOKEN.search(needle):
        return None
    at = _exact(haystack.text, needle)
    if at is not None:
        return QuoteMatch(*haystack.span(at, at + len(needle)), True, 1.0)
    parts = [p.strip(_MARKS + ",;:") for p in _GAP.split(needle)]
    parts = [p for p in parts if _TOKEN.search(p)]
    if len(parts) > 1 or (parts and len(parts[0]) < len(needle)):
        joined = _in_parts(haystack, parts, threshold)
        if joined:
            return joined
    bare = needle.strip(".,;:!?。！？…\"' ")
    if bare and bare != needle and (at := _exact(haystack.text, bare)) is not None:
        return QuoteMatch(*haystack.span(at, at + len(bare)), True, 1.0)
    return _nearest(haystack, bare or needle, threshold, 0, len(haystack.text))


def _exact(text: str, needle: str, begin: int = 0, stop: int | None = None) -> int | None:
    """First place of `needle` in `text` that cuts no word."""
    stop = len(text) if stop is None else stop
    at = text.find(needle, begin, stop)
    while at >= 0:
        if not (_inside_word(text, at) or _inside_word(text, at + len(needle))):
            return at
        at = text.find(needle, at + 1, stop)
    return None


def _inside_word(text: str, at: int) -> bool:
    if not 0 < at < len(text) or not (text[at - 1].isalnum() and text[at].isalnum()):
        return False
    return not (_UNSPACED_CHAR.match(text[at - 1]) or _UNSPACED_CHAR.match(text[at]))


def _in_parts(haystack: NormalText, parts: list[str], threshold: float) -> QuoteMatch | None:
    """All parts in order, none too far from the one before. With the first part tried at each of its places."""
    text = haystack.text
    begin = 0
    while (first := _exact(text, parts[0], begin)) is not None:
        end = first + len(parts[0])
        for part in parts[1:]:
            at = _exact(text, part, end, end + _LONGEST_GAP + len(part))
            if at is None:
                break
            end = at + len(part)
        else:
            return QuoteMatch(*haystack.span(first, end), True, 1.0)
        begin = first + 1
    found: list[QuoteMatch] = []
    position = 0
    for part in parts:
        stop = len(text) if not found else position + _LONGEST_GAP + len(part)
        match = _nearest(haystack, part, threshold, position, min(stop, len(text)), mapped=False)
        if match is None:
            return None
        found.append(match)
        position = match.end
    weight = sum(len(p) for p in parts)
    score = sum(m.score * len(p) for m, p in zip(found, parts, strict=True)) / weight
    return QuoteMatch(*haystack.span(found[0].start, found[-1].end), False, score)


def _nearest(
    haystack: NormalText, needle: str, threshold: float, begin: int, stop: int, *, mapped: bool = True
) -> QuoteMatch | None:
    wanted = [m.group() for m in _TOKEN.finditer(needle)]
    if len(wanted) < 3 and sum(map(len, wanted)) < 8:
        return None  # too little to tell a near match from a different one
    best: tuple[float, int, int] | None = None
    for left, right in _places(haystack.text, needle, begin, stop):
        tokens = list(_TOKEN.finditer(haystack.text, left, right))
        if not tokens:
            continue
        cost, first, last = _align(wanted, [m.group() for m in tokens])
        score = 1 - cost / sum(map(len, wanted))
        if last >= first and (best is None or score > best[0]):
            best = (score, tokens[first].start(), tokens[last].end())
    if best is None or best[0] < threshold:
        return None
    start, end = haystack.span(best[1], best[2]) if mapped else best[1:]
    return QuoteMatch(start, end, False, round(best[0], 4))


def _places(text: str, needle: str, begin: int, stop: int) -> Iterator[tuple[int, int]]:
    """Stretches of the text in which the quote may stand, the likeliest first, at most four."""
    size = len(needle)
    slack = max(20, size // 3)
    if stop - begin <= 2 * size + slack:
        yield begin, stop
        return
    length = 4 if _UNSPACED_CHAR.search(needle) else 8
    last = max(size - length, 0)
    step = max(length // 2, last // 60, 1)
    votes: dict[int, int] = {}
    for offset in range(0, last + 1, step):
        piece = needle[offset : offset + length]
        at = text.find(piece, begin, stop)
        for _ in range(24):
            if at < 0:
                break
            slot = (at - offset) // 64
            votes[slot] = votes.get(slot, 0) + 1
            at = text.find(piece, at + 1, stop)
    together = {slot: votes[slot] + votes.get(slot + 1, 0) for slot in votes}
    for slot in sorted(together, key=lambda s: (-together[s], s))[:4]:
        yield max(begin, slot * 64 - slack), min(stop, slot * 64 + 128 + size + slack)


def _align(wanted: list[str], tokens: list[str]) -> tuple[float, int, int]:
    """Cheapest way to turn a run of `tokens` into `wanted`: its cost, the run's first and last token."""
    width = len(tokens)
    costs: list[float] = [0.0] * (width + 1)  # the run may begin anywhere
    starts = list(range(width + 1))
    for want in wanted:
        weight = float(len(want))
        diagonal, diagonal_start = costs[0], starts[0]
        costs[0] += weight
        for j in range(1, width + 1):
            token = tokens[j - 1]
            change = diagonal + (0.0 if token == want else _difference(want, token))
            skip = costs[j] + weight
            extra = costs[j - 1] + len(token)
            diagonal, old_start = costs[j], starts[j]
            if change <= skip and change <= extra:
                costs[j], starts[j] = change, diagonal_start
            elif skip <= extra:
                costs[j] = skip
            else:
                costs[j], starts[j] = extra, starts[j - 1]
            diagonal_start = old_start
    end = min(range(width + 1), key=lambda j: (costs[j], j))
    return costs[end], starts[end], end - 1


def _difference(a: str, b: str) -> float:
    """Cost of one token for another: less for words with a common stem or one wrong letter, never for figures."""
    longest = max(len(a), len(b))
    if a[0].isdigit() or b[0].isdigit() or longest < 4:
        return float(longest)
    same = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        same += 1
    tail = 0
    while tail < min(len(a), len(b)) - same and a[-1 - tail] == b[-1 - tail]:
        tail += 1
    kept = same + tail
    return float(longest - kept) if kept * 2 >= longest else float(longest)
