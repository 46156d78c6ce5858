"""What a question compares: the names that "or", "and", "than" put side by side.

Side by side means that nothing else stands between them. "Who is older, A or B?" compares; "Who played for A and the
team that B is on?" does not: there the second name has to be followed before it means anything, and two researchers
could not do it apart.
"""

import re
from dataclasses import dataclass

from research_crew.agents.names import mentions

_SMALL = r"(?:the|a|film|films|movie|song|album|der|die|das|le|la|les|el|los)"
_LEAD = rf"\s+(?:(?:{_SMALL}\s+)*|l['’])[\"“]?"
_OR = re.compile(rf"[\s,?\"”]*(?:or|oder|ou|o){_LEAD}", re.I)
_AND = re.compile(rf"[\s,?\"”]*(?:and|und|et|y|e|&|vs\.?|versus|than|als|que){_LEAD}", re.I)
_WITH = re.compile(rf"[\s,?\"”]*(?:with|to|mit|avec|con){_LEAD}", re.I)
_COMMA = re.compile(r"\s*[,:]\s*[\"“]?")
_COMPARE = re.compile(r"\b(?:compar\w*|vergleich\w*)\b", re.I)
_MARKS = re.compile(
    r"\b(?:compar\w*|versus|vs\.?|differ\w*|than|both|between|same|out of|older|younger|taller|higher|larger|bigger|smaller|"
    r"longer|shorter|faster|slower|earlier|later|better|worse|cheaper|vergleich\w*|unterschied\w*|beide\w*|zwischen|gleiche\w*|"
    r"älter|jünger|größer|kleiner|höher|länger|früher|später|différences?|entre|même|plus|diferencias?|mism[oa]s?|más|antes)\b",
    re.I,
)
_CJK_MARKS = re.compile(r"比较|比較|区别|差异|哪|谁|更|違い|どちら|相違")
_CJK_PAIR = re.compile(
    r"(?:比较(?:一下)?|请问|在)?(?P<a>[\u3400-\u9fff\u30a0-\u30ffA-Za-z0-9]{2,12}?)(?:和|与|跟|同|还是|と|vs)"
    r"(?P<b>[\u3400-\u9fff\u30a0-\u30ffA-Za-z0-9]{2,12}?)(?=的|哪|谁|之间|有|相比|，|、|？|の|は|では|を|$)"
)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Names side by side, and what is asked of each."""

    subjects: tuple[str, ...]
    asked: str
    """The question without the names."""


def compared(text: str, language: str) -> Comparison | None:
    """What a question compares; None when it does not put names side by side."""
    if language in ("zh", "ja"):
        pair = _CJK_PAIR.search(text) if _CJK_MARKS.search(text) else None
        if pair is None:
            return None
        return Comparison((pair["a"], pair["b"]), f"{text[: pair.start()]}{text[pair.end() :]}")
    spans = _spans(text, language)
    for i in range(len(spans) - 1):
        group, joins = [spans[i]], set()
        for following in spans[i + 1 :]:
            kind = _join(text[group[-1][1] : following[0]])
            if not kind:
                break
            joins.add(kind)
            group.append(following)
        joined = _joined(text, group, "or" in joins)
        rest = f"{text[: group[0][0]].rstrip(' ,:')}{text[group[-1][1] :]}"
        asks = "or" in joins or ("and" in joins and _MARKS.search(text)) or ("with" in joins and _COMPARE.search(text))
        if len(joined) > 1 and asks:
            return Comparison(tuple(joined), " ".join(rest.split()))
    return None


def _join(gap: str) -> str:
    """How what stands between two names joins them; empty when it does not."""
    for kind, pattern in (("or", _OR), ("and", _AND), ("with", _WITH), ("comma", _COMMA)):
        if pattern.fullmatch(gap):
            return kind
    return ""


def _spans(text: str, language: str) -> list[tuple[int, int]]:
    """Places of the names, each with what stands in brackets behind it."""
    found: list[tuple[int, int]] = []
    for mention in mentions(re.sub(r"\([^)]*\)", lambda m: " " * len(m[0]), text), language):
        start, end = mention.start, mention.start + len(mention.name)
        if found and start < found[-1][1]:
            continue
        bracket = re.match(r"\s*\([^)]*\)", text[end:])
        found.append((start, end + (bracket.end() if bracket else 0)))
    return found


def _joined(text: str, group: list[tuple[int, int]], by_or: bool) -> list[str]:
    """The names of a group. With "or" a comma is part of a name ("Priscilla, Queen of the Desert or …"); with "and" it
    parts two of a list."""
    joined: list[tuple[int, int]] = [group[0]]
    for start, end in group[1:]:
        if by_or and _COMMA.fullmatch(text[joined[-1][1] : start]):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return [text[start:end] for start, end in joined]
