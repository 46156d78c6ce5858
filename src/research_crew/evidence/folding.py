"""One spelling for words that are the same to a reader, and the terms that search and comparison count.

`fold` removes case, accents and compatibility forms. `terms` cuts a text into search terms: words, and for scripts
written without spaces overlapping pairs of characters, since a whole run would only ever match itself. Pairs that are
hiragana alone are grammar, not content, and are dropped.
"""

import re
import unicodedata

from research_crew.evidence.language import detect_language, stop_words

UNSPACED = (
    "\u3041-\u3096\u309d\u309e\u30a1-\u30fa\u30fc-\u30fe\u31f0-\u31ff\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uac00-\ud7a3\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u1000-\u103f\u1780-\u17d3\U00020000-\U0002fa1f"
)
"""Regular-expression class body: kana, Han, Hangul, Thai, Lao, Burmese, Khmer."""

_MARKS = re.compile(
    "[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u200b-\u200d\u00ad\ufeff]"
)
_LETTERS = str.maketrans({"ø": "o", "đ": "d", "ð": "d", "ł": "l", "æ": "ae", "œ": "oe", "þ": "th", "ı": "i", "ħ": "h"})
_TOKEN = re.compile(f"([{UNSPACED}]+)|(?:[^\\W_{UNSPACED}]|[\u0900-\u0903\u093a-\u094f])+")
_ASCII_TOKEN = re.compile("[a-z0-9]+")
"""What `_TOKEN` finds in folded ASCII."""
_HIRAGANA_ONLY = re.compile("[\u3041-\u309f\u30fc]+")


def fold(text: str) -> str:
    """Casefolded, without accents, in one Unicode form (NFKC).

    "ß" becomes "ss", "ø" "o", full-width forms their plain ones, a ligature its letters; the voicing marks of kana and
    the vowel signs of Indic and Thai script stay, since they tell words apart.
    """
    if text.isascii():
        return text.lower()
    # Compatibility forms first: "℠" is two capitals, which only then can lose their case.
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    return unicodedata.normalize("NFC", _MARKS.sub("", decomposed)).translate(_LETTERS)


def terms(text: str, language: str | None = None) -> list[str]:
    """Search terms of `text`, folded, in order, repeats kept.

    Words of letters and digits; runs of unspaced script as overlapping character pairs (a single character stays
    alone). Pairs that are all hiragana are dropped unless `language` says that the text is not Japanese.
    """
    folded = fold(text)
    if folded.isascii():
        return _ASCII_TOKEN.findall(folded)
    drop_hiragana = language in (None, "ja")
    found: list[str] = []
    for match in _TOKEN.finditer(folded):
        run = match.group(1)
        if run is None:
            found.append(match.group())
            continue
        pairs = [run[i : i + 2] for i in range(len(run) - 1)] or [run]
        found.extend(p for p in pairs if not (drop_hiragana and _HIRAGANA_ONLY.fullmatch(p)))
    return found


def content_terms(text: str, language: str | None = None) -> list[str]:
    """`terms` without the stop words of `language` (detected from the text when None)."""
    code = language or detect_language(text)
    stops = stop_words(code)
    return [t for t in terms(text, code) if t not in stops]
