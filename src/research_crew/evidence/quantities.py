"""Numbers in running text, in figures or words, with the unit and the noun that they count.

A number may be read in more than one way ("1.234" is a thousand or a bit more than one, by locale): all readings are
kept, and two numbers agree when any of their readings do.
"""

import re
from dataclasses import dataclass, replace

from research_crew.evidence.dates import find_dates
from research_crew.evidence.folding import fold
from research_crew.evidence.language import stop_words
from research_crew.evidence.normal import same_length
from research_crew.evidence.number_words import CJK_DIGITS, CJK_LARGE, CJK_SMALL, MULTIPLIERS, number_words
from research_crew.evidence.stems import stem
from research_crew.evidence.units import Unit, units


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number of a text. `text[start:end]` is the number itself, without unit."""

    values: tuple[float, ...]
    """All readings."""
    step: float
    """One unit in the last place that was written: 0.1 for 2.5, 1e5 for 2.5 million."""
    unit: Unit | None
    noun: str
    """Stem of the word it counts, empty if none follows."""
    start: int
    end: int
    spelled: bool
    """Written in words."""
    ordinal: bool = False
    about: bool = False
    """Marked as not exact: about, over, nearly, …"""


_CJK_NUM = "".join((*CJK_DIGITS, *CJK_SMALL, *CJK_LARGE))
_FIGURE = r"\d{1,3}(?:(?P<sep>[,.'\u00a0\u202f\u2009 ])\d{3})(?:(?P=sep)\d{3})*(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)?"
_TOKEN = re.compile(
    rf"(?P<figure>(?<![\w.,])(?<![^\W\d_]-)(?:{_FIGURE})|(?<=[$€£¥₹₩₽~(\[\"'*/-])(?<![^\W\d_][-/])(?:\d[\d.,]*\d|\d)|(?<=[\u3040-\u9fff\uac00-\ud7a3])(?:\d[\d.,]*\d|\d))"
    rf"|(?P<cjk>[{_CJK_NUM}]*[{_CJK_NUM}])(?=.)"
    r"|(?P<word>[^\W\d_]+(?:-[^\W\d_]+)*)"
)
_NAME_TAIL = re.compile(r"[a-z]\d|[a-z]{3,}", re.ASCII)
_ORDINAL = re.compile(r"(?:st|nd|rd|th|er|eme|ème|º|ª)\b")
_DECADE = re.compile(r"'?s\b")
_GLUE = re.compile(r"\s?(?P<mark>%|°c|°f|°|℃|km²|m²)|\s?-?(?P<unit>[^\W\d_]+\.?(?:[/][a-z]+)?|[万億亿兆만억]+)")
_ABOUT = frozenset(
    [
        "about",
        "around",
        "approximately",
        "approx",
        "roughly",
        "nearly",
        "almost",
        "over",
        "under",
        "circa",
        "ca",
        "some",
        "more",
        "less",
        "than",
        "least",
        "most",
        "up",
        "to",
        "estimated",
        "rund",
        "etwa",
        "circa",
        "fast",
        "knapp",
        "uber",
        "mehr",
        "als",
        "environ",
        "pres",
        "plus",
        "unos",
        "casi",
        "cerca",
        "circa",
        "quasi",
        "oltre",
        "ungefahr",
        "mindestens",
    ]
)
_CONNECTOR = re.compile(r"\s*(?:-|to|and|bis|und|a|à|y|e|et|or|~|から|至|到)\s*[$€£¥]?\s*$")
_SYMBOLS = {"$": "usd", "€": "eur", "£": "gbp", "¥": "jpy", "₹": "inr", "₩": "krw", "₽": "rub"}
_STOPS = stop_words("en") | stop_words("de") | stop_words("fr") | stop_words("es")


def figure_values(raw: str) -> tuple[tuple[float, ...], float]:
    """Readings of digits with separators, and the value of one in the last place of the first reading.

    "1,234" may be 1234 or 1.234; "1,234.5" and "1.234,5" are plain; "12,5" is 12.5.
    """
    text = re.sub(r"['\u00a0\u202f\u2009 ]", "", raw)
    marks = [c for c in text if c in ".,"]
    if not marks:
        return (float(text),), 1.0
    last = max(text.rfind("."), text.rfind(","))
    decimals = len(text) - last - 1
    as_decimal = float(re.sub(r"[.,]", "", text[:last]) + "." + text[last + 1 :]) if decimals else float(text[:last])
    grouped = re.fullmatch(r"\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*", text)
    if grouped:
        whole = float(re.sub(r"[.,]", "", text))
        return ((whole,) if len(marks) > 1 or text[0] == "0" else (whole, as_decimal)), 1.0
    return (as_decimal,), 10.0**-decimals


def cjk_value(run: str) -> float | None:
    """Value of a run of Chinese numerals, 二十三 or 一九九八 or 三千万; None if it is none."""
    if all(c in CJK_DIGITS for c in run):
        return float("".join(str(CJK_DIGITS[c]) for c in run))
    total, section, digit = 0, 0, 0
    for c in run:
        if c in CJK_DIGITS:
            digit = CJK_DIGITS[c]
        elif c in CJK_SMALL:
            section += (digit or 1) * CJK_SMALL[c]
            digit = 0
        else:
            total += (section + digit) * CJK_LARGE[c]
            section = digit = 0
    value = total + section + digit
    return float(value) if value else None


def find_quantities(text: str, *, dates: bool = False) -> list[Quantity]:
    """The numbers of `text` in order. Those inside a date are left out unless `dates`."""
    plain = same_length(text)
    taken = [] if dates else [(d.start, d.end) for d in find_dates(text)]
    found: list[Quantity] = []
    position = 0
    words = number_words()
    for match in _TOKEN.finditer(plain):
        if match.start() < position or any(a <= match.start() < b for a, b in taken):
            continue
        quantity: Quantity | None = None
        if match["figure"]:
            quantity = _from_figure(plain, match)
        elif match["cjk"]:
            quantity = _from_cjk(plain, match)
        elif match["word"]:
            quantity = _from_words(plain, match, words)
        if quantity is None:
            continue
        position = quantity.end
        found.append(_with_context(plain, quantity))
    return _ranges(plain, found)


def _from_figure(plain: str, match: re.Match[str]) -> Quantity | None:
    raw = match["figure"].rstrip(".,")
    start, end = match.start(), match.start() + len(raw)
    if not raw or (end < len(plain) and re.match(r"[a-z]\d", plain[end : end + 2])):
        return None
    values, step = figure_values(raw)
    ordinal = _ORDINAL.match(plain, end)
    if ordinal:
        end = ordinal.end()
    elif _DECADE.match(plain, end):
        end = _DECADE.match(plain, end).end()  # type: ignore[union-attr]
    return Quantity(values, step, None, "", start, end, False, bool(ordinal))


def _from_cjk(plain: str, match: re.Match[str]) -> Quantity | None:
    run = match["cjk"]
    before = plain[match.start() - 1] if match.start() else ""
    if before.isdigit():
        return None
    after = plain[match.end() : match.end() + 1]
    value = cjk_value(run)
    if (
        value is None
        or (
            len(run) == 1 and after not in "年月日个個人名次岁歳倍天件つ本回度点種种家国座千百万億%分成割カ条位台匹番代"
        )
        or value == 1
    ):
        return None
    return Quantity((value,), 1.0, None, "", match.start(), match.end(), True)


def _from_words(plain: str, match: re.Match[str], words: dict[str, float]) -> Quantity | None:
    """A run of number words from here: twenty-five, two hundred and fifty thousand."""
    first = fold(match["word"])
    if not _is_number(first, words):
        return None
    total = current = 0.0
    end = match.start()
    for m in re.finditer(r"[^\W\d_]+|\s+|-|.", plain[match.start() : match.start() + 120]):
        piece = fold(m.group())
        if piece in words:
            value = words[piece]
            current = (
                current * 1 + value if current == 0 or (current >= 20 and value < 10) or current % 100 == 0 else -1
            )
            if current < 0:
                break
        elif piece in MULTIPLIERS and len(piece) > 2 and (current or total):
            factor = MULTIPLIERS[piece]
            if factor == 100:
                current *= 100
            else:
                total, current = total + current * factor, 0.0
        elif piece.isspace() or piece == "-" or (piece == "and" and end and current % 100 == 0 and current):
            continue
        else:
            break
        end = match.start() + m.end()
    if end <= match.start():
        return None
    value = total + max(current, 0.0)
    return Quantity(
        (value,), 1.0, None, "", match.start(), end, True, first.endswith("th") or first in ("first", "second", "third")
    )


def _is_number(word: str, words: dict[str, float]) -> bool:
    return word in words or word.split("-")[0] in words


def _with_context(plain: str, q: Quantity) -> Quantity:
    """Add multiplier, unit, noun and vagueness from the words around."""
    end, unit, values, step = q.end, None, q.values, q.step
    for _ in range(2):
        m = _GLUE.match(plain, end)
        if not m:
            break
        if m["mark"]:
            unit = units().get(m["mark"]) or unit
            end = m.end()
            break
        word = fold(m["unit"].rstrip("."))
        glued = plain[end : end + 1] not in (" ", "-")
        if m["unit"][0] in CJK_LARGE:
            factor = float(CJK_LARGE[m["unit"][0]])
            values, step, end = (
                tuple(v * factor for v in values),
                step * factor,
                end + (m.end("unit") - end if False else m.start("unit") - end + 1),
            )
            continue
        factor = MULTIPLIERS.get(word, 0.0)
        if (
            factor
            and (len(word) > 1 or glued)
            and not q.ordinal
            and not (word in ("m", "b") and not _money_before(plain, q.start))
        ):
            values, step, end = tuple(v * factor for v in values), step * factor, m.end()
            continue
        unit, end = _unit(plain, m, word, end, glued)
        break
    if unit is None:
        unit = _money_before(plain, q.start)
    noun = _noun(plain, end) if unit is None or unit.dimension == "ratio" else ""
    before = re.findall(r"[^\W\d_]+", fold(plain[max(q.start - 24, 0) : q.start]))
    about = bool(set(before[-2:]) & _ABOUT) or plain[max(q.start - 1, 0) : q.start] in ("~", "±", "≈", "c")
    return replace(q, values=values, step=step, unit=unit, noun=noun, about=about)


def _unit(plain: str, m: re.Match[str], word: str, end: int, glued: bool) -> tuple[Unit | None, int]:
    """The unit at `m`, also of two words ("per cent", "square miles") or at the head of an unspaced run."""
    two = re.match(r"\s?-?([^\W\d_]+)[\s-]([^\W\d_]+)", plain[end:])
    if two and (found := units().get(f"{fold(two[1])}-{fold(two[2])}")):
        return found, end + two.end()
    if found := units().get(word):
        if len(word) > 1 or glued or word in ("m", "g", "l", "t", "h"):
            return found, m.end()
        return None, end
    run = m["unit"]
    if run[0] >= "\u3000":
        for length in (6, 4, 3, 2, 1):
            if found := units().get(run[:length]):
                return found, m.start("unit") + length
    return None, end


def _money_before(plain: str, start: int) -> Unit | None:
    m = re.search(r"(us\$|[$€£¥₹₩₽]|\b(?:usd|eur|gbp|chf|rs))\s?$", plain[max(start - 5, 0) : start])
    if not m:
        return None
    return units().get(_SYMBOLS.get(m[1][-1], m[1]))


def _noun(plain: str, end: int) -> str:
    """Stem of the first content word soon after a number."""
    for m in re.finditer(r"[^\W\d_]+", plain[end : end + 40]):
        between = plain[end : end + m.start()]
        if re.search(r"[.,;:!?()、。，；：]", between):
            return ""
        word = fold(m.group())
        if len(word) > 2 and word not in _STOPS:
            return stem(word)
    return ""


def _ranges(plain: str, found: list[Quantity]) -> list[Quantity]:
    """Give the first number of a range the unit, multiplier and noun of the second: 5 to 10 percent, $5-10 million."""
    result = list(found)
    for i in range(len(found) - 2, -1, -1):
        a, b = found[i], result[i + 1]
        if (a.unit is None and not a.noun) or (b.unit and a.unit == b.unit):
            if _CONNECTOR.fullmatch(plain[a.end : b.start]):
                scale = b.step if b.step >= 1e3 and a.step < 1e3 else 0.0
                more = tuple(v * scale for v in a.values) if scale else ()
                result[i] = replace(a, unit=a.unit or b.unit, noun=a.noun or b.noun, values=(*a.values, *more))
    return result


def agree(claimed: Quantity, stated: Quantity) -> bool:
    """Whether a claim may say `claimed` where the source says `stated`: equal, converted, or fairly rounded."""
    if not _units_agree(claimed.unit, stated.unit):
        return False
    factor = 1.0
    if claimed.unit and stated.unit and claimed.unit != stated.unit:
        factor = stated.unit.factor / claimed.unit.factor
    for a in claimed.values:
        for raw in stated.values:
            b = raw * factor
            if abs(a - b) <= 1e-9 * max(abs(a), abs(b)) or _rounded(a, b, claimed, factor != 1.0):
                return True
    return False


def _units_agree(a: Unit | None, b: Unit | None) -> bool:
    if a is None or b is None or a == b:
        ratio = (a or b) is not None and (a or b).dimension in ("ratio", "points")  # type: ignore[union-attr]
        return a == b or not ratio
    if {a.dimension, b.dimension} == {"ratio", "points"}:
        return False
    return a.dimension == b.dimension and a.factor > 0 and b.factor > 0


def _rounded(claimed: float, stated: float, q: Quantity, converted: bool) -> bool:
    """Whether `claimed` is what rounding `stated` to the places that were written gives.

    Years and other small whole numbers are never rounded; at most 5 % away (0.7 % without a word like "about").
    """
    if stated == 0 or claimed == 0:
        return False
    away = abs(claimed - stated) / abs(stated)
    if away > (0.05 if q.about or converted else 0.007):
        return False
    if q.about and away <= 0.02:
        return True
    digits = f"{claimed:.12g}".replace(".", "").strip("0")
    if len(digits) < 2 and not (q.about or converted) and q.step < 1e5:
        return False
    step = q.step
    while claimed % (step * 10) == 0 and step * 10 <= claimed:
        step *= 10
    return (abs(claimed - stated) <= step / 2 * (1 + 1e-9) and stated != int(stated)) or (
        abs(claimed - stated) <= step / 2 and step >= 100
    )
