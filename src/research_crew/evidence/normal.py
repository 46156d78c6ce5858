"""A text in the form in which quotes are compared, with the way back to the positions of the text itself.

What people and models change without meaning to is made equal: case, Unicode compatibility forms (NFKC: ligatures,
full-width letters), white space of every kind, soft and line-end hyphens, quotation marks and dashes, and the space
before a punctuation mark. Every change keeps its place, so that a match in the normal form is a span of the original.
"""

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache

_SAME = {
    **dict.fromkeys("‘’‚‛′´`ʼ＇", "'"),
    **dict.fromkeys("“”„‟«»″＂", '"'),
    **dict.fromkeys("‐‑‒–—―−－﹣", "-"),
    **dict.fromkeys("\t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\u2028\u2029", " "),
}
_DROPPED = "\u00ad\u200b\u200c\u200d\u2060\ufeff\u200e\u200f\u202a-\u202e"
_WIDE = "\u3001-\u9fff\uf900-\ufaff\uff00-\uffef"
_IRREGULAR = (
    rf"\s+(?=[.,;:!?)\]}}%’”])|\s{{2,}}|(?<=[{_WIDE}])\s+(?=[{_WIDE}])"
    rf"|(?<=[^\W\d_])[-\u2010\u2011](?:[ \t]*\n\s*)?(?=[^\W\d_])|''|``|[{_DROPPED}]+|\w[\u0300-\u036f]+"
)


class _OneToOne(dict[int, str | int]):
    """Code point -> one character; filled as characters are met. Characters that become several stay as they are."""

    def __missing__(self, code: int) -> str | int:
        c = chr(code)
        folded = _SAME.get(c) or unicodedata.normalize("NFKC", c).casefold()
        value: str | int = folded if len(folded) == 1 else code
        self[code] = value
        return value


_TABLE = _OneToOne()


@dataclass(frozen=True, slots=True)
class NormalText:
    """`text` is the normal form; `begins[i]`, `origins[i]` say where piece i begins in it and in the original."""

    text: str
    begins: tuple[int, ...]
    origins: tuple[int, ...]
    length: int
    """Of the original."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The span of the original that `text[start:end]` came from."""
        first = self._origin(start)
        i = bisect_right(self.begins, end - 1) - 1
        last = self.origins[i] + (end - 1 - self.begins[i])
        following = self.origins[i + 1] if i + 1 < len(self.origins) else self.length
        at_border = i + 1 < len(self.begins) and self.begins[i + 1] == end
        return first, max(last + 1, following if at_border and self._replaced(i) else last + 1)

    def _origin(self, position: int) -> int:
        i = bisect_right(self.begins, position) - 1
        return self.origins[i] + (position - self.begins[i])

    def _replaced(self, i: int) -> bool:
        """Whether piece i stands for more original characters than it has itself."""
        return self.origins[i + 1] - self.origins[i] > self.begins[i + 1] - self.begins[i]


def _replacement(piece: str) -> str:
    if piece in ("''", "``"):
        return '"'
    if piece.isspace():
        return " "
    return unicodedata.normalize("NFKC", piece).casefold()


@lru_cache(maxsize=16)
def normal_text(text: str) -> NormalText:
    """The normal form of `text`. The last 16 are kept, since many claims quote one page."""
    pattern = _IRREGULAR
    if not text.isascii():
        expanding = [
            c
            for c in set(text)
            if not c.isascii() and c not in _SAME and len(unicodedata.normalize("NFKC", c).casefold()) > 1
        ]
        if expanding:
            pattern += "|[" + "".join(re.escape(c) for c in sorted(expanding)) + "]"
    parts: list[str] = []
    begins: list[int] = [0]
    origins: list[int] = [0]
    size = 0
    position = 0
    for match in re.finditer(pattern, text):
        start, end = match.span()
        regular = same_length(text[position:start])
        parts.append(regular)
        size += len(regular)
        piece = match.group()
        new = _new(piece, match, text)
        begins.append(size)
        origins.append(start)
        for i in range(1, len(new)):  # a ligature: each of its letters points at the ligature
            begins.append(size + i)
            origins.append(start)
        parts.append(new)
        size += len(new)
        position = end
        if begins[-1] == size:
            begins.pop()
            origins.pop()
        begins.append(size)
        origins.append(end)
    parts.append(same_length(text[position:]))
    return NormalText("".join(parts), tuple(begins), tuple(origins), len(text))


def same_length(text: str) -> str:
    """`text` in lower case with its full-width forms, dashes and quotes made plain, character by character: positions
    in the result are positions in `text`."""
    return text.translate(_TABLE)


def _new(piece: str, match: re.Match[str], text: str) -> str:
    if piece.isspace():
        following = text[match.end() : match.end() + 1]
        before = text[match.start() - 1 : match.start()] if match.start() else ""
        wide = bool(re.match(f"[{_WIDE}]", following) and re.match(f"[{_WIDE}]", before))
        return "" if wide or (following and following in ".,;:!?)]}%’”") else " "
    if piece[0] in "-\u2010\u2011" or re.fullmatch(f"[{_DROPPED}]+", piece):
        return ""
    return _replacement(piece)
