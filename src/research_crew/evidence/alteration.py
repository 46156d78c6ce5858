"""Make a true sentence false by changing one thing in it: a number, a date, a unit, a name, or whether it is denied.

Serves canaries (see `canary`) and the mutation test of the gate. The change is one that a reader would call another
fact: never a rounding, never a conversion, never the same month in other words. All randomness comes from the caller.
"""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from research_crew.evidence.dates import find_dates, months
from research_crew.evidence.folding import fold
from research_crew.evidence.language import detect_language
from research_crew.evidence.names import find_names
from research_crew.evidence.number_words import number_words
from research_crew.evidence.quantities import Quantity, find_quantities

Kind = Literal["number", "date", "unit", "name", "negation"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Altered:
    """The false sentence, and what was put in place of what."""

    text: str
    kind: Kind
    before: str
    after: str


def alter(text: str, kind: Kind, rng: random.Random, names: Sequence[str] = ()) -> Altered | None:
    """Change one thing of this kind, chosen by `rng`; None if the sentence has nothing of the kind.

    `names` are names to put in place of a name of the sentence, best taken from other sentences of the same sort.
    """
    match kind:
        case "number":
            options = _numbers(text, rng)
        case "date":
            options = _dates(text, rng)
        case "unit":
            options = _units(text, rng)
        case "name":
            options = _names(text, rng, names)
        case "negation":
            options = _negations(text)
    if not options:
        return None
    start, end, new = rng.choice(options)
    return Altered(text[:start] + new + text[end:], kind, text[start:end], new)


Change = tuple[int, int, str]


def _numbers(text: str, rng: random.Random) -> list[Change]:
    code = detect_language(text)
    changes = []
    for q in find_quantities(text, language=code):
        old = text[q.start : q.end]
        new = _other_word(old, code, rng) if q.spelled else _other_figure(old, q, rng)
        if new and new != old:
            changes.append((q.start, q.end, new))
    return changes


def _other_figure(old: str, q: Quantity, rng: random.Random) -> str:
    """Another figure of the same form. Years move by 1 to 9, small numbers by at least 1, others by a fifth or more."""
    digits = re.sub(r"\D", "", old)
    value = int(digits)
    if q.ordinal or not digits:
        return ""
    if q.year_like and old.endswith("s"):
        new = value + 10 * rng.choice([-3, -2, -1, 1, 2])
    elif q.year_like:
        new = value + rng.choice([-1, 1]) * rng.randint(1, 9)
    elif value < 10:
        new = rng.choice([v for v in range(1, 12) if v != value])
    else:
        new = round(value * rng.choice([rng.uniform(0.4, 0.8), rng.uniform(1.25, 1.9)]))
        if value % 10 == 0 and new >= 10:
            new -= new % 10
        new = new if abs(new - value) * 8 > value else value + max(value // 4, 1)
    shown = str(max(new, 1)).rjust(len(digits), "0") if digits[0] == "0" else str(max(new, 1))
    return _into_form(old, shown)


def _into_form(old: str, digits: str) -> str:
    """Put digits where the old ones stood, from the right; separators stay, more digits go to the front."""
    rest = list(digits)
    out: list[str] = []
    for c in reversed(old):
        if not c.isdigit():
            if rest or not any(d.isdigit() for d in old[: len(old) - len(out)]):
                out.append(c)
        elif rest:
            out.append(rest.pop())
    return "".join(rest) + "".join(reversed(out)).lstrip(".,' ") if out else "".join(rest)


def _other_word(old: str, code: str, rng: random.Random) -> str:
    """Another single number word of the language; runs of words are left alone."""
    value = number_words(code).get(fold(old))
    if value is None or not 2 <= value <= 90:
        return ""
    near = [w for w, v in number_words(code).items() if v != value and 2 <= v <= 90 and (v < 20) == (value < 20)]
    return rng.choice(near) if near else ""


def _dates(text: str, rng: random.Random) -> list[Change]:
    changes = []
    for d in {d.start: d for d in find_dates(text)}.values():
        said = text[d.start : d.end]
        part = rng.choice([p for p, v in (("year", d.year), ("month", d.month), ("day", d.day)) if v is not None])
        if part == "year":
            new = re.sub(
                r"[12]\d{3}", lambda m: str(int(m[0]) + rng.choice([-1, 1]) * rng.randint(1, 9)), said, count=1
            )
        elif part == "month":
            new = _other_month(said, rng)
        else:
            new = re.sub(
                r"(?<!\d)\d{1,2}(?!\d)",
                lambda m: str(rng.choice([v for v in range(1, 29) if v != int(m[0])])),
                said,
                count=1,
            )
        if new != said and find_dates(new):
            changes.append((d.start, d.end, new))
    return changes


def _other_month(said: str, rng: random.Random) -> str:
    m = re.search(r"[^\W\d_]{3,}", said)
    if m is None or fold(m[0]) not in months():
        return said
    old = months()[fold(m[0])]
    same_style = [w for w, n in months().items() if n != old and w.isascii() and (len(w) == 3) == (len(m[0]) == 3)][:12]
    if not same_style:
        return said
    new = rng.choice(same_style)
    return said[: m.start()] + (new.capitalize() if m[0][0].isupper() else new) + said[m.end() :]


_UNIT_SWAPS = {
    "%": " years", "percent": "years", "per cent": "years", "million": "billion", "billion": "million",
    "thousand": "million", "km": "miles", "kilometres": "miles", "kilometers": "miles", "miles": "km",
    "metres": "feet", "meters": "feet", "feet": "metres", "m": "km", "kg": "tonnes", "tonnes": "kg", "tons": "kg",
    "years": "months", "year": "month", "months": "weeks", "month": "week", "weeks": "days", "week": "day",
    "days": "weeks", "day": "week", "hours": "days", "hour": "day", "minutes": "hours", "minute": "hour",
    "seconds": "minutes", "dollars": "euros", "euros": "dollars", "mg": "g", "g": "kg", "acres": "hectares",
    "Prozent": "Jahre", "Millionen": "Milliarden", "Milliarden": "Millionen", "Jahre": "Monate", "Jahren": "Monaten",
    "Meter": "Kilometer", "Kilometer": "Meter", "ans": "mois", "millions": "milliards", "años": "meses",
    "millones": "mil", "年間": "か月", "万": "億", "亿": "万", "億": "万", "公里": "米", "キロ": "メートル",
}  # fmt: skip
_SIGNS = {"$": "€", "€": "$", "£": "$"}


def _units(text: str, rng: random.Random) -> list[Change]:
    del rng
    changes = []
    for q in find_quantities(text):
        m = re.compile(r"(\s?-?)(per cent|%|[^\W\d_]+)").match(text, q.end)
        if m and m[2] in _UNIT_SWAPS:
            changes.append((m.start(2), m.end(2), _UNIT_SWAPS[m[2]]))
        elif q.start and (sign := text[q.start - 1]) in _SIGNS:
            changes.append((q.start - 1, q.start, _SIGNS[sign]))
    return changes


def _names(text: str, rng: random.Random, pool: Sequence[str]) -> list[Change]:
    """Whole runs of name words, each with another name that shares no word with the sentence."""
    runs: list[tuple[int, int]] = []
    for n in find_names(text):
        if runs and text[runs[-1][1] : n.start] == " ":
            runs[-1] = (runs[-1][0], n.end)
        else:
            runs.append((n.start, n.end))
    here = fold(text)
    others = [name for name in pool if not any(word in here for word in fold(name).split())]
    if not others:
        return []
    return [(start, end, rng.choice(others)) for start, end in runs]


_AUXILIARY = re.compile(
    r"\b(?:is|are|was|were|has|have|had|can|could|will|would|should|may|might|must|did|does|do)\b(?!\s+(?:not|n't|\?))"
)
_GERMAN = re.compile(r"\b(?:ist|sind|war|waren|hat|haben|wurde|wurden|kann|wird)\b(?!\s+nicht)")


def _negations(text: str) -> list[Change]:
    """Remove a negation if there is one, otherwise put one after the first auxiliary verb."""
    for pattern, new in ((r"\bnot\s+", ""), (r"(?<=\w)n['’]t\b", ""), (r"\bnicht\s+", ""), (r"\bnever\s+", "")):
        if m := re.search(pattern, text):
            return [(*m.span(), new)]
    code = detect_language(text)
    if code == "ja" and (m := re.search("(?:した|ました|である|です|した)(?=。|$)", text)):
        return [(*m.span(), "しなかった" if m[0] in ("した", "ました") else "ではない")]
    if code == "zh" and (m := re.search("[是会能有](?![不没])", text)):
        return [(m.start(), m.start(), "没" if m[0] == "有" else "不")]
    for language, pattern_, word in (("en", _AUXILIARY, " not"), ("de", _GERMAN, " nicht")):
        if code == language and (m := pattern_.search(text)):
            return [(m.end(), m.end(), word)]
    return []


def names_of(texts: Sequence[str]) -> list[str]:
    """Names found in these sentences, each once, in order: a pool for `alter`."""
    found: dict[str, None] = {}
    for text in texts:
        runs: list[list[int]] = []
        for n in find_names(text):
            if runs and text[runs[-1][1] : n.start] == " ":
                runs[-1][1] = n.end
            else:
                runs.append([n.start, n.end])
        found.update(dict.fromkeys(text[a:b] for a, b in runs))
    return list(found)
