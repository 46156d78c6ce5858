"""One spelling for values that are the same: the words of a text as set matching compares them.

Lower case, no accents, punctuation or articles; "2 November 1932" and "November 2, 1932" are one date; "1,200", "1200"
and "1.2 thousand" one number, "twelve" is 12; "12 kilometres" and "12 km" one length, "%" is percent.
"""

import re
from functools import cache, lru_cache

from research_crew.evidence.folding import fold
from research_crew.evidence.number_words import number_words
from research_crew.evidence.units import units

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_MONTHS = {
    name: n
    for n, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
            "september sept sep", "october oct", "november nov", "december dec",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DATES = (
    re.compile(rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<m>{_MONTH}) (?P<y>\d{{3,4}})\b"),
    re.compile(rf"\b(?P<m>{_MONTH}) (?P<d>\d{{1,2}})(?:st|nd|rd|th)? (?P<y>\d{{3,4}})\b"),
    re.compile(r"\b(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)\b"),
)
_THOUSANDS = re.compile(r"(?<=\d)[,'’\u00a0\u202f](?=\d{3}(?!\d))")
_DECIMAL = re.compile(r"(?<=\d)\.(?=\d)")
_SCALES = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_SCALED = re.compile(r"\b(\d+)(?:p(\d+))? (thousand|million|billion|trillion)\b")
_MEASURED = re.compile(r"\b(\d[\dp]*) ?([a-z]+)\b")
_TWO_WORDS = re.compile(r"\b(twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)[- ](one|two|three|four|five|six|seven|eight|nine)\b")


@lru_cache(50_000)
def normal(text: str) -> str:
    """The words of a text as they are compared."""
    plain = _date_of(_DATES[2], fold(text))
    plain = _DECIMAL.sub("p", _THOUSANDS.sub("", plain)).replace("%", " percent ")
    plain = " ".join(_ARTICLES.sub(" ", re.sub(r"[\W_]+", " ", plain)).split())
    words = _words()
    plain = _TWO_WORDS.sub(lambda m: str(words[m[1]] + words.get(m[2], 1)), plain)
    plain = " ".join(str(words[word]) if word in words else word for word in plain.split())
    for pattern in _DATES[:2]:
        plain = _date_of(pattern, plain)
    return _MEASURED.sub(_in_units, _SCALED.sub(_whole, plain))


def _date_of(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda m: f"{m['y']}m{_MONTHS.get(m['m']) or int(m['m'])}d{int(m['d'])}", text)


def _whole(match: re.Match[str]) -> str:
    """ "1p2 million" as 1200000."""
    rest, zeros = match[2] or "", _SCALES[match[3]]
    return f"{match[1]}{rest[:zeros]:0<{zeros}}" + (f"p{rest[zeros:]}" if len(rest) > zeros else "")


def _in_units(match: re.Match[str]) -> str:
    unit = units().get(match[2])
    return match[0] if unit is None else f"{match[1]} {unit.name}"


@cache
def _words() -> dict[str, int]:
    """Number words from two to ninety. "one" is left alone: it is a pronoun as often as a number."""
    return {w: int(value) for w, value in number_words("en").items() if 1 < value <= 90 and w not in ("twice", "dozen")}
