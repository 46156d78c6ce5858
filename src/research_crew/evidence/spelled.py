"""Numbers written in words: twenty-five, two hundred and fifty thousand, half a million, two thirds, Dutzend."""

import re
from dataclasses import dataclass

from research_crew.evidence.folding import fold
from research_crew.evidence.number_words import MULTIPLIERS, number_words, ordinal_words

_ONE = frozenset({"a", "an", "one", "ein", "eine", "einer", "un", "une", "una", "uno", "um", "uma", "een"})
_PARTS = {
    "half": 2,
    "halves": 2,
    "third": 3,
    "thirds": 3,
    "quarter": 4,
    "quarters": 4,
    "fifth": 5,
    "fifths": 5,
    "tenths": 10,
}
_PIECE = re.compile(r"[^\W\d_]+|\s+|-|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Spelled:
    """A number in words; `text[start:end]` are the words. A fraction is given in percent."""

    value: float
    end: int
    ordinal: bool = False
    fraction: bool = False


def read_spelled(plain: str, start: int, language: str) -> Spelled | None:
    """The number whose words begin at `start` of a lower-case text, or None."""
    words, ordinals = number_words(language), ordinal_words(language)
    total = current = 0.0
    end = start
    last = ""
    ordinal = False
    for m in _PIECE.finditer(plain, start, start + 120):
        piece = fold(m.group())
        if piece.isspace() or piece == "-" or (piece in ("and", "und", "y", "e") and current and current % 100 == 0):
            continue
        if piece in _PARTS and language == "en" and (fraction := _fraction(piece, last, current, plain, m.end())):
            return fraction
        if last in _ONE and piece not in MULTIPLIERS and piece not in words:
            break
        if last in _ONE and piece in words and words[piece] != 12:
            return None  # "a four-year plan": the number begins later
        if piece in words and _fits(current, words[piece]):
            current += words[piece]
        elif piece in ordinals and _fits(current, ordinals[piece]) and piece != last:
            current, ordinal = current + ordinals[piece], True
        elif piece in _ONE and not last:
            last = piece  # counts only if a multiplier follows
            continue
        elif piece in MULTIPLIERS and len(piece) > 2 and (current or last in _ONE or (not last and total)):
            factor = MULTIPLIERS[piece]
            if factor == 100 and current < 100:
                current = (current or 1) * 100
            else:
                total, current = total + (current or 1) * factor, 0.0
        else:
            break
        end, last = m.end(), piece
        if ordinal:
            break
    if end == start:
        return None
    return Spelled(total + current, end, ordinal)


def _fits(current: float, value: float) -> bool:
    """Whether a number word may follow what was read: a unit after a round ten, a lesser one after a hundred."""
    return (
        not current
        or (current % 100 == 0 and value < 100)
        or (current % 10 == 0 and current % 100 >= 20 and 0 < value < 10)
    )


_OF_MANY = re.compile(r"\s+(?:an?|of an?)?\s*(?P<unit>million|billion|trillion|dozen|hundred|thousand)\b")


def _fraction(piece: str, last: str, current: float, plain: str, end: int) -> Spelled | None:
    """Half, two thirds, a quarter of: in percent; half a million: the number; None if the word is no fraction here."""
    whole = _OF_MANY.match(plain, end)
    if piece == "half" and not current:
        if whole:
            factor = 12.0 if whole["unit"] == "dozen" else MULTIPLIERS[whole["unit"]]
            return Spelled(factor / 2, whole.end())
        return Spelled(50.0, end, fraction=True)
    single = piece in ("third", "quarter", "fifth")
    if single and last != "one" and not (last in _ONE and re.match(r"\s+of\b", plain[end:])):
        return None
    numerator = current or (1.0 if last in _ONE else 0.0)
    if not 0 < numerator < _PARTS[piece]:
        return None
    return Spelled(100.0 * numerator / _PARTS[piece], end, fraction=True)
