"""Lists in prose: what a model writes when it was asked for JSON and numbers its answers instead."""

import re

_MARK = r"(?:\(?\d{1,3}[.):、．]|\(?[a-z][.)]|[-*•‣–·●▪]|[QqF]\d{1,3}[.:)]|第\d{1,3}[:：、]?|[一二三四五六七八九十]{1,3}、|[①-⑳])"
_LINE = re.compile(rf"^[ \t>]*(?:#+[ \t]*)?(?:\*\*|__)?{_MARK}(?:\*\*|__)?[ \t　]*(?=\S)", re.M)
_INLINE = re.compile(r"(?:^|(?<=[\s:：;；。.?？!！]))\(?(\d{1,2})[.)、．][ 　]*(?=\S)")
_WRAPPING = " \t\r\n\"'“”„«»`*_"
_QUESTION = re.compile(r"[^.!?。！？\n]{6,400}[?？؟]")


def items_in(text: str) -> list[str]:
    """The items of the numbered or bulleted list in a text, in order, without marks; empty when there is none.

    A list may also stand in one line (`1. this 2. that`), if its numbers count up from 1.
    """
    starts = list(_LINE.finditer(text))
    if len(starts) >= 2:
        return _items(text, [(m.start(), m.end()) for m in starts], by_line=True)
    counted: list[tuple[int, int]] = []
    for found in _INLINE.finditer(text):
        if int(found[1]) == len(counted) + 1:
            counted.append((found.start(), found.end()))
    if len(counted) >= 2:
        return _items(text, counted, by_line=False)
    return _items(text, [(m.start(), m.end()) for m in starts], by_line=True)


def questions_in(text: str) -> list[str]:
    """The questions of a text: the items of its list that ask something, otherwise every sentence that does."""
    asked = [item for item in items_in(text) if item.rstrip(_WRAPPING).endswith(("?", "？", "؟"))]
    found = asked or [_bare(_LINE.sub("", m[0].strip())) for m in _QUESTION.finditer(text)]
    return list(dict.fromkeys(question for question in found if question))


def _items(text: str, marks: list[tuple[int, int]], by_line: bool) -> list[str]:
    found = []
    for number, (_, begin) in enumerate(marks):
        last = number + 1 == len(marks)
        end = len(text) if last else marks[number + 1][0]
        item = text[begin:end]
        if by_line or last:
            # What follows a blank line, or the last item's line, is no longer the item.
            item = re.split(r"\n\s*\n", item, maxsplit=1)[0]
            item = item.split("\n", 1)[0] if last else " ".join(item.split())
        item = _bare(item)
        if item:
            found.append(item)
    return list(dict.fromkeys(found))


def _bare(item: str) -> str:
    item = " ".join(item.split()).strip(_WRAPPING)
    return re.sub(r"(?:\*\*|__)", "", item)
