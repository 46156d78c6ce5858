"""Numbers in running text, in figures or words, with the unit and the noun that they count.

A number may be read in more than one way ("1.234" is a thousand or a bit more than one, by locale): all readings are
kept. Numbers inside a name (COVID-19, H1N1, F-16) are no numbers. Whether two numbers agree is `agreement`'s business.
"""

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from research_crew.evidence.dates import find_dates
from research_crew.evidence.figures import FIGURE, MIXED, cjk_value, figure_values, mixed_value
from research_crew.evidence.folding import UNSPACED, fold
from research_crew.evidence.language import detect_language, stop_words
from research_crew.evidence.normal import same_length
from research_crew.evidence.number_words import CJK_DIGITS, CJK_LARGE, CJK_SMALL, MULTIPLIERS
from research_crew.evidence.spelled import read_spelled
from research_crew.evidence.stems import stem
from research_crew.evidence.units import PERCENT, SYMBOLS, Unit, units


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number of a text. `text[start:end]` is the number itself, without its unit."""

    values: tuple[float, ...]
    """All readings."""
    step: float
    """One in the last place that was written: 0.1 for 2.5, 1e5 for 2.5 million."""
    start: int
    end: int
    unit: Unit | None = None
    noun: str = ""
    """Stem of the word it counts; empty if none follows."""
    spelled: bool = False
    """Written in words."""
    ordinal: bool = False
    about: bool = False
    """Marked as not exact: about, over, nearly; also every fraction in words."""

    @property
    def year_like(self) -> bool:
        """A bare whole number that may be a year."""
        return self.unit is None and self.step == 1.0 and 1000 <= self.values[0] <= 2200 and not self.spelled


_NUMERALS = "".join((*CJK_DIGITS, *CJK_SMALL, *CJK_LARGE))
_COUNTERS = "年月日个個人名次岁歳倍天件つ本回度点種种家国座千百万億亿%成割カ条位台匹番代分间間"
_NOT_NUMBERS = frozenset({"十分", "万一", "千万", "一一", "万千"})
_TOKEN = re.compile(
    r"(?P<digits>(?<![0-9a-zà-ɏ_])(?<![0-9][.,])(?<![a-zà-ɏ][-/])(?:"
    + f"(?P<mixed>{MIXED})|(?P<figure>{FIGURE})))"
    + f"|(?P<cjk>(?<![0-9{_NUMERALS}])[{_NUMERALS}]+)"
    + f"|(?P<word>[^\\W\\d_{UNSPACED}]+)"
)
_TAIL = re.compile(r"(?P<ordinal>(?:st|nd|rd|th|er|eme|ème|º|ª)\b)|'?s\b")
_GLUE = re.compile(r"\s?(?P<mark>%|°c|°f|°|km²|m²)|\s?-?(?P<unit>[^\W\d_]+\.?(?:/[a-z]+)?)")
_TWO_WORDS = re.compile(r"\s?-?([^\W\d_]+)[\s-]([^\W\d_]+)")
_NAME_BEFORE = re.compile(r"[a-z]\d[/-]")
_MONEY_BEFORE = re.compile(r"(us\$|[$€£¥₹₩₽]|\b(?:usd|eur|gbp|chf|rs))\s?$")
_ABOUT = frozenset(
    re.findall(
        r"\S+",
        """
        about around approximately approx roughly nearly almost over under circa ca some than least most to estimated
        rund etwa fast knapp uber mehr als ungefahr mindestens environ pres plus unos casi cerca quasi oltre c
        """,
    )
)
_CONNECTOR = re.compile(r"\s*(?:-|to|and|bis|und|a|à|y|e|et|or|~|から|至|到)\s*[$€£¥]?\s*$")
_CLAUSE_END = re.compile(r"[.,;:!?()、。，；：]")


def find_quantities(text: str, *, language: str | None = None, dates: bool = False) -> list[Quantity]:
    """The numbers of `text` in order. Those inside a date (`find_dates`) are left out unless `dates`."""
    return list(_quantities(text, language or detect_language(text), dates))


@lru_cache(maxsize=1024)
def _quantities(text: str, code: str, dates: bool) -> tuple[Quantity, ...]:
    """Remembered for the texts asked about last: a claim is compared with many others."""
    plain = same_length(text)
    taken = [] if dates else [(d.start, d.end) for d in find_dates(text)]
    found: list[Quantity] = []
    position = 0
    for match in _TOKEN.finditer(plain):
        if match.start() < position or any(a <= match.start() < b for a, b in taken):
            continue
        quantity = _from_digits(plain, match, code) if match["digits"] else _from_words(plain, match, code)
        if quantity is not None:
            position = quantity.end
            found.append(_with_context(plain, quantity, code))
    return tuple(_share_in_ranges(plain, found))


def _from_digits(plain: str, match: re.Match[str], language: str) -> Quantity | None:
    start, end = match.span("digits")
    if match["mixed"]:
        value, step = mixed_value(match["mixed"])
        return Quantity((value,), step, start, end)
    if re.match(r"[a-z]\d", plain[end : end + 2]):
        return None
    if end - start < 3 and _NAME_BEFORE.fullmatch(plain[max(start - 3, 0) : start]):
        return None  # OCT3/4 is one name
    values, step = figure_values(match["figure"], language)
    tail = _TAIL.match(plain, end)
    return Quantity(values, step, start, tail.end() if tail else end, ordinal=bool(tail and tail["ordinal"]))


def _from_words(plain: str, match: re.Match[str], language: str) -> Quantity | None:
    if match["cjk"]:
        run = match["cjk"]
        after = plain[match.end() : match.end() + 1]
        value = cjk_value(run)
        weak = len(run) == 1 and (not after or after not in _COUNTERS or run in "一百千万十兆")
        if value is None or weak or run in _NOT_NUMBERS:
            return None
        return Quantity((value,), 1.0, match.start(), match.end(), spelled=True)
    read = read_spelled(plain, match.start(), language)
    if read is None:
        return None
    unit = PERCENT if read.fraction else None
    return Quantity(
        (read.value,), 1.0, match.start(), read.end, unit, spelled=True, ordinal=read.ordinal, about=read.fraction
    )


def _with_context(plain: str, q: Quantity, language: str) -> Quantity:
    """Add multiplier, unit, noun and vagueness from the words around."""
    if q.unit is not None:
        return q
    end, unit, values, step = q.end, None, q.values, q.step
    for _ in range(2):
        m = _GLUE.match(plain, end)
        if m is None:
            break
        if m["mark"]:
            unit, end = units().get(m["mark"]), m.end()
            break
        word = fold(m["unit"].rstrip("."))
        glued = not plain[end].isspace() and plain[end] != "-"
        factor = MULTIPLIERS.get(word)
        money = _money(plain, q.start) is not None
        if factor and not q.ordinal and (len(word) > 1 or (glued and word == "k") or money):
            values, step, end = tuple(v * factor for v in values), step * factor, m.end()
            continue
        unit, end = _unit(plain, m, word, end, glued)
        break
    unit = unit or _money(plain, q.start)
    noun = _noun(plain, end, language) if unit is None or unit.dimension == "ratio" else ""
    before = re.findall(r"[^\W\d_]+", fold(plain[max(q.start - 24, 0) : q.start]))
    about = bool(set(before[-2:]) & _ABOUT) or plain[max(q.start - 1, 0) : q.start] in ("~", "±", "≈", "约", "約")
    return replace(q, values=values, step=step, unit=unit, noun=noun, about=about)


def _unit(plain: str, m: re.Match[str], word: str, end: int, glued: bool) -> tuple[Unit | None, int]:
    """The unit at `m`, also of two words ("per cent", "square miles") or at the head of an unspaced run."""
    two = _TWO_WORDS.match(plain, end)
    if two and (found := units().get(f"{fold(two[1])}-{fold(two[2])}")):
        return found, two.end()
    if found := units().get(word):
        return (found, m.end()) if len(word) > 1 or glued or word in "mglth" else (None, end)
    run = m["unit"]
    if run[0] >= "\u3000":
        for length in (8, 6, 4, 3, 2, 1):
            if found := units().get(run[:length]):
                return found, m.start("unit") + length
    return None, end


def _money(plain: str, start: int) -> Unit | None:
    m = _MONEY_BEFORE.search(plain, max(start - 5, 0), start)
    return units().get(SYMBOLS.get(m[1][-1], m[1])) if m else None


def _noun(plain: str, end: int, language: str) -> str:
    """Stem of the first content word soon after a number, in the same clause."""
    stops = stop_words(language)
    for m in re.finditer(r"[^\W\d_]+", plain[end : end + 40]):
        if _CLAUSE_END.search(plain, end, end + m.start()):
            return ""
        word = fold(m.group())
        if len(word) > 2 and word not in stops and word[0] < "\u3000":
            return stem(word, language)
    return ""


def _share_in_ranges(plain: str, found: list[Quantity]) -> list[Quantity]:
    """Give the first number of a range what only the second carries: 5 to 10 percent, $5-10 million."""
    result = list(found)
    for i in range(len(found) - 2, -1, -1):
        a, b = found[i], result[i + 1]
        if a.year_like and plain[a.end : b.start] in ("-", "/") and 10 <= b.values[0] <= 99:
            century = a.values[0] - a.values[0] % 100
            result[i + 1] = replace(b, values=(*b.values, century + b.values[0]))  # 2018-19
        if a.year_like or not _CONNECTOR.fullmatch(plain[a.end : b.start]):
            continue
        if a.unit is None and a.noun == "" and b.noun == "" and b.unit is None:
            continue
        more = tuple(v * b.step for v in a.values) if b.step >= 1e3 > a.step else ()
        result[i] = replace(a, unit=a.unit or b.unit, noun=a.noun or b.noun, values=(*a.values, *more))
    return result
