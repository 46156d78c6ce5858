"""Which line breaks of a text end something, and which only wrap a line.

Plain text, PDF text and extracted pages break lines at a width, between paragraphs, after headings and between list
items, with one and the same character. A break counts as hard next to a blank line, a heading mark, a bullet or a
table row; otherwise a block decides: lines filled to a common width are wrapped, lines of any length are paragraphs.
"""

import re

_BULLET = re.compile(r"[ \t]*(?:[-*+•‣▪●◦·–—]|\(?\d{1,3}[.)]|\(?[a-z][.)]|#{1,6}|>|\||\d+(?:\.\d+)+)[ \t]+\S")
_HEADING = re.compile(r"[ \t]*#{1,6}[ \t]")
_ENDS = tuple('.!?…。！？｡:;"”»)）」』')
_WRAP_LIMIT = 130
"""Longest line that still looks wrapped by a program; longer lines are whole paragraphs."""
_SHORT = 45


def _wide(line: str) -> int:
    """Width on a page: characters of unspaced scripts are two columns wide."""
    return len(line) + sum(1 for c in line if "\u2e80" <= c <= "\uffef")


def hard_breaks(text: str) -> list[int]:
    """Positions of the line breaks (just after them) at which a sentence cannot go on."""
    if "\n" not in text:
        return []
    cuts: list[int] = []
    block: list[tuple[int, str]] = []  # (end position, stripped line)
    position = 0
    for line in text.splitlines(keepends=True):
        position += len(line)
        if not line.strip():
            cuts.extend(_inside(block))
            cuts.append(position)
            block = []
        else:
            block.append((position, line.rstrip()))
    cuts.extend(_inside(block))
    return [c for c in sorted(set(cuts)) if c < len(text)]


def _inside(block: list[tuple[int, str]]) -> list[int]:
    if len(block) < 2:
        return [block[0][0]] if block else []
    widths = [_wide(line) for _, line in block]
    width = max(widths)
    cuts = [block[-1][0]]
    for (end, line), (_, following), columns in zip(block, block[1:], widths, strict=False):
        if _is_hard(line, following, columns, width):
            cuts.append(end)
    return cuts


def _is_hard(line: str, following: str, columns: int, width: int) -> bool:
    if _HEADING.match(line) or _BULLET.match(following) or line.lstrip().startswith("|"):
        return True
    after = following.lstrip()
    if line.endswith(("-", "\u2010", "\u00ad", ",")) or (after[:1].islower() and width > _SHORT):
        return False
    if width > _WRAP_LIMIT or width <= _SHORT:
        return True
    if line.endswith(_ENDS) and columns < width * 0.9:
        return True
    first_word = len(after.split(maxsplit=1)[0]) if after else 0
    return columns + 1 + first_word < width * 0.8
