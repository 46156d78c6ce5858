"""Reading numerals: figures with the separators of any locale, and Chinese and Japanese numerals."""

import re

from research_crew.evidence.number_words import CJK_DIGITS, CJK_LARGE, CJK_SMALL

FIGURE = (
    r"\d{1,3}(?:(?P<sep>[,.'])\d{3})(?:(?P=sep)\d{3})*(?:[.,]\d+)?(?!\d)"
    r"|\d{1,3}(?: \d{3}){2,}(?!\d)|\d{2,3} \d{3}(?![\d.,]?\d)"
    r"|\d+(?:[.,]\d+)?"
)
"""Digits with thousands separators or decimals; the group `sep` may be used once in a pattern."""

_COMMA_GROUPS = frozenset({"en", "zh", "ja", "ko", "th"})

MIXED = r"\d[\d.,]*[百千]?[万萬億亿兆만억](?:\d[\d.,]*[百千]?[万萬億亿만억]?)*"
"""Figures with Chinese, Japanese or Korean multipliers among them: 3万5000, 1億2000万, 2.5亿."""


def figure_values(raw: str, language: str = "") -> tuple[tuple[float, ...], float]:
    """All readings of a figure, and the value of one in the last place that was written.

    "1,234" may be 1234 or 1.234 and has both readings, except in English, Chinese, Japanese and Korean text, where the
    comma groups and the dot divides; "1,234.5" and "1.234,5" have one, as has "12,5" (12.5).
    """
    text = re.sub(r"[' ]", "", raw)
    marks = [c for c in text if c in ".,"]
    if not marks:
        return (float(text),), 1.0
    last = max(text.rfind("."), text.rfind(","))
    whole, decimals = re.sub(r"[.,]", "", text[:last]), text[last + 1 :]
    as_decimal = float(f"{whole}.{decimals}")
    if re.fullmatch(r"[1-9]\d{0,2}([.,])\d{3}(\1\d{3})*", text):
        if language in _COMMA_GROUPS and len(marks) == 1:
            return ((as_decimal,), 10.0 ** -len(decimals)) if marks[0] == "." else ((float(whole + decimals),), 1.0)
        grouped = float(re.sub(r"[.,]", "", text))
        return ((grouped,) if len(marks) > 1 else (grouped, as_decimal)), 1.0
    return (as_decimal,), 10.0 ** -len(decimals)


def mixed_value(run: str) -> tuple[float, float]:
    """Value of a `MIXED` run and of one in its last place."""
    total, step = 0.0, 1.0
    for digits, small, large in re.findall(r"(\d[\d.,]*)([百千]?)([万萬億亿兆만억]?)", run):
        values, last = figure_values(digits.rstrip(".,"))
        factor = float(CJK_SMALL.get(small, 1) * CJK_LARGE.get(large, 1))
        total += values[0] * factor
        step = last * factor
    return total, step


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
            total += (section + digit or 1) * CJK_LARGE[c]
            section = digit = 0
    return float(total + section + digit) or None
