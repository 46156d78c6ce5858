"""Dates in running text, however they are written, as year, month and day of which each may be missing."""

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from research_crew.evidence.normal import same_length

_MONTH_NAMES = (
    "january february march april may june july august september october november december",
    "jan feb mar apr may jun jul aug sep oct nov dec",
    "januar februar märz april mai juni juli august september oktober november dezember",
    "jänner feber mrz apr mai jun jul aug sept okt nov dez",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "januari februari maart april mei juni juli augustus september oktober november december",
    "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
)


@cache
def months() -> dict[str, int]:
    """Lower-case name -> number, in all languages at once, without the dot of an abbreviation."""
    return {name: i + 1 for names in _MONTH_NAMES for i, name in enumerate(names.split())}


@dataclass(frozen=True, slots=True)
class Date:
    """A date or a part of one; `start` and `end` are its place in the text."""

    year: int | None
    month: int | None
    day: int | None
    start: int
    end: int

    def agrees(self, other: "Date") -> bool:
        """Whether nothing that both of them state differs."""
        pairs = ((self.year, other.year), (self.month, other.month), (self.day, other.day))
        return all(a is None or b is None or a == b for a, b in pairs)

    def within(self, other: "Date") -> bool:
        """Whether `other` states everything that this date states, and the same."""
        pairs = ((self.year, other.year), (self.month, other.month), (self.day, other.day))
        return all(a is None or a == b for a, b in pairs)


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    names = "|".join(sorted(map(re.escape, months()), key=len, reverse=True))
    month = rf"(?P<month>{names})\b\.?"
    day = r"(?P<day>[12]?\d|3[01]|0[1-9])(?:st|nd|rd|th|er|\.|º|ª)?"
    year = r"(?P<year>[12]\d{3})(?![\d.,]\d)\b"
    of = r"(?:\s+(?:de|of|del|di))?"
    return tuple(
        re.compile(p)
        for p in (
            r"(?<![\d/.-])(?P<year>[12]\d{3})[-/.](?P<month>0?[1-9]|1[0-2])[-/.](?P<day>[12]\d|3[01]|0?[1-9])(?![\d/-])",
            r"(?P<year>[12]\d{3})\s*[年년]\s*(?:(?P<month>1[0-2]|0?[1-9])\s*[月월]\s*(?:(?P<day>[12]\d|3[01]|0?[1-9])\s*[日号號일])?)?",
            r"(?<![\d年년])(?P<month>1[0-2]|0?[1-9])\s*[月월]\s*(?:(?P<day>[12]\d|3[01]|0?[1-9])\s*[日号號일])",
            rf"(?<![\d.,]){day}{of}\s+{month}(?:{of}|,)?\s*{year}",
            rf"\b{month}\s+{day},?\s+{year}",
            rf"(?<![\d.,]){day}{of}\s+{month}",
            rf"\b{month}{of},?\s+{year}",
            rf"\b{month}\s+{day}(?![\d,.]\d)(?!\d)",
            r"(?<![\d/.-])(?P<first>\d{1,2})(?P<mark>[./-])(?P<second>\d{1,2})(?P=mark)(?P<year>[12]\d{3}|\d{2})(?![\d/-])",
        )
    )


def find_dates(text: str) -> list[Date]:
    """The dates of `text` that name more than a year, in order, none inside another.

    "12/03/1950" may be either of two days: both readings are given, at the same place.
    """
    return list(_dates(text))


@lru_cache(maxsize=1024)
def _dates(text: str) -> tuple[Date, ...]:
    plain = same_length(text)
    taken: list[tuple[int, int]] = []
    found: list[Date] = []
    for pattern in _patterns():
        for m in pattern.finditer(plain):
            if any(m.start() < end and start < m.end() for start, end in taken):
                continue
            dates = _read(m)
            if dates:
                taken.append(m.span())
                found.extend(dates)
    return tuple(sorted(found, key=lambda d: (d.start, d.month or 0)))


def _read(m: re.Match[str]) -> list[Date]:
    parts = m.groupdict()
    if "first" in parts:
        first, second, century = int(parts["first"]), int(parts["second"]), int(parts["year"])
        if len(parts["year"]) == 2:
            if parts["mark"] != "/":
                return []
            century += 2000 if century < 50 else 1900
        readings = sorted({(first, second), (second, first)})
        return [Date(century, b, a, *m.span()) for a, b in readings if 1 <= b <= 12 and 1 <= a <= 31]
    name = parts.get("month")
    month = None if name is None else int(name) if name.isdigit() else months()[name]
    day = int(parts["day"]) if parts.get("day") else None
    year = int(parts["year"]) if parts.get("year") else None
    if month is None:
        return []
    if name in ("may", "mar", "mars", "marzo", "sept", "mai") and day is None and year is None:
        return []
    return [Date(year, month, day, *m.span())]
