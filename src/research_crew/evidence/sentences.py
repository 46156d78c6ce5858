"""Where sentences begin and end, as positions into the text that was given.

Rules, not a model, so that the same text is always cut the same way: terminal marks of Latin, Chinese, Japanese,
Indic and Arabic script; abbreviations, initials, decimals and ordinals that are no ends; headings, list items and
blank lines that are ends without a mark; soft line breaks that are no ends; and text whose punctuation stands apart
by spaces ("word . Next"), as many published corpora have it.
"""

import re
from dataclasses import dataclass

from research_crew.evidence.abbreviations import ABBREVIATIONS, ALSO_WORDS, ENDING, MONTHS_AFTER_ORDINAL, STARTERS
from research_crew.evidence.line_breaks import hard_breaks


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a text: `text[start:end]`, in Unicode code points."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """The piece itself."""
        return text[self.start : self.end]


_TERMINAL = re.compile(
    r"""(?P<mark>[.!?…]+|[。！？｡؟।॥]+)
        (?P<tail>(?:\ ?(?:''|["”’»)\]›])(?!\w)|[」』】）》])*(?:\[[0-9a-z,\ ]{1,12}\])*)""",
    re.VERBOSE,
)
_WORD_BEFORE = re.compile(r"[^\s(\[\"“„«‘'/–—]*$")
_NEXT = re.compile(r"\s*[\"“”„«»‘’'(\[¿¡*_]*\s?(?P<word>[^\s.,;:!?]*)")
_PAIRED = re.compile(r"\.\s?[A-Za-zÄÖÜäöü]{1,2}\.")
_HIRAGANA = re.compile("[\u3041-\u3096]")
_CLOSED = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uac00-\ud7a3\uff00-\uffef]")


def _ends_here(text: str, match: re.Match[str]) -> bool:
    mark, end = match["mark"], match.end()
    if mark[0] in "。！？｡؟।॥":
        return not (match["tail"] and _HIRAGANA.match(text, end))  # 「はい。」と言った。 goes on
    glued = end < len(text) and not text[end].isspace()
    following = _NEXT.match(text, end)
    word = following["word"] if following else ""
    first = word[:1]
    if glued:
        return _ends_glued(text, match, word)
    if not first:
        return True
    if first.islower():
        return False
    if mark != ".":
        return True
    return not _is_abbreviation(text, match.start(), word)


def _ends_glued(text: str, match: re.Match[str], word: str) -> bool:
    """A mark with no space after it: an end in unspaced script, or where a page lost the space ("ends.Next one")."""
    end = match.end()
    if _CLOSED.match(text, end):
        return match["mark"] != "." or bool(_CLOSED.match(text, max(match.start() - 1, 0)))
    before = _WORD_BEFORE.search(text, max(match.start() - 40, 0), match.start())
    left = before.group() if before else ""
    lost_space = (len(left) >= 4 and left[-1].islower()) or left[-1:] in (")", "]")
    return lost_space and "." not in left and "/" not in left and word[:1].isupper() and word[1:2].islower()


def _is_abbreviation(text: str, at: int, word: str) -> bool:
    before = _WORD_BEFORE.search(text, max(at - 40, 0), at)
    left = before.group() if before else ""
    low = left.lower()
    if not left:
        return False  # a mark that stands apart by a space
    starts = word.lower() in STARTERS
    if low in ABBREVIATIONS:
        if low in ENDING:
            return not word[:1].isupper()
        return not (low in ALSO_WORDS and starts)
    if low.isdecimal():
        return word.lower() in MONTHS_AFTER_ORDINAL or (len(low) <= 2 and _opens_line(text, at - len(low)))
    if len(left) == 1 and left.isalpha():
        if left.isupper():
            return not starts or left == "I"
        return bool(_PAIRED.match(text, at)) or text[max(at - 4, 0) : at - 1].strip().endswith(".")  # "z. B.", "d. h."
    if "." in left and all(len(part) <= 2 for part in left.split(".")):  # U.S., J.K., e.g.
        return not starts
    return False


def _opens_line(text: str, at: int) -> bool:
    line = text.rfind("\n", 0, at) + 1
    return not text[line:at].strip(" \t([")


def split_sentences(text: str) -> list[Span]:
    """The sentences of `text`, in order, without the white space around them; together they hold all the rest of it."""
    spans: list[Span] = []
    start = 0
    cuts = hard_breaks(text)
    for block_end in (*cuts, len(text)):
        for match in _TERMINAL.finditer(text, start, block_end):
            if match.end() < block_end and not _ends_here(text, match):
                continue
            _add(spans, text, start, match.end())
            start = match.end()
        _add(spans, text, start, block_end)
        start = block_end
    return spans


def _add(spans: list[Span], text: str, start: int, end: int) -> None:
    """Append `text[start:end]` stripped; a piece of marks alone joins the sentence before it."""
    piece = text[start:end]
    stripped = piece.strip()
    if not stripped:
        return
    begin = start + len(piece) - len(piece.lstrip())
    finish = begin + len(stripped)
    if spans and not any(c.isalnum() for c in stripped) and "\n" not in text[spans[-1].end : begin]:
        spans[-1] = Span(spans[-1].start, finish)
        return
    spans.append(Span(begin, finish))
