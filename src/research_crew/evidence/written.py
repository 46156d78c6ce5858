"""Whether a text is written in a language: by its script, and in Latin script by function words.

No model. Names and quotes in another script are common in a report, so that half of the letters are enough; and a text
of too few words, or in a language that no table here knows, gets the benefit of the doubt.
"""

import re

from research_crew.evidence.language import LATIN, detect_language, latin_scores, script_counts

NAMES = {
    "en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "pt": "Portuguese",
    "nl": "Dutch", "zh": "Chinese", "ja": "Japanese", "ko": "Korean", "ru": "Russian", "uk": "Ukrainian", "ar": "Arabic",
    "fa": "Persian", "vi": "Vietnamese", "th": "Thai", "el": "Greek", "he": "Hebrew", "hi": "Hindi", "pl": "Polish",
    "sv": "Swedish", "da": "Danish", "no": "Norwegian", "fi": "Finnish", "cs": "Czech", "hu": "Hungarian",
    "ro": "Romanian", "tr": "Turkish", "id": "Indonesian",
}  # fmt: skip
"""Languages by their code (ISO 639-1)."""
_SCRIPT = {
    "zh": ("han",), "ja": ("kana", "han"), "ko": ("ko",), "ru": ("cyrillic",), "uk": ("cyrillic",), "ar": ("arabic",),
    "fa": ("arabic",), "th": ("th",), "el": ("el",), "he": ("he",), "hi": ("hi",),
}  # fmt: skip
_ENOUGH = 3.0
"""What the function words of a text must count for a language before they tell it from others."""
_NOT_PROSE = re.compile(r"```.*?```|`[^`\n]*`|https?://\S+|\[[^\]\n]*\]|[\"“„«»‘][^\"”“«»’\n]{0,300}[\"”»’]", re.S)


def language_code(text: str) -> str:
    """The code of a language that a person named: `de` for `de`, `de-AT` and `German`; what is not known stays."""
    named = text.strip().lower()
    by_name = {name.lower(): code for code, name in NAMES.items()}
    return by_name.get(named, named.replace("_", "-").split("-")[0])


def language_name(code: str) -> str:
    """`German` for `de`; the code itself for a language that is not listed."""
    return NAMES.get(code.split("-")[0].lower(), code)


def written_in(text: str, language: str) -> bool:
    """Whether a text is written in a language, as far as can be told without a model.

    A text of another script is not. One of the same Latin script is not when the function words of another language
    count at least twice as much in it.
    """
    code = language_code(language)
    prose = _NOT_PROSE.sub(" ", text)
    counts = script_counts(prose)
    total = sum(counts.values())
    if code not in NAMES or total < 10:
        return True
    own = sum(counts[name] for name in _SCRIPT.get(code, ("latin",)))
    own *= 2 if code in ("hi", "th") else 1  # whose vowel signs are not counted as letters
    if own * 2 < total:
        return False
    if code == "ja":
        return counts["kana"] * 20 >= counts["han"]
    if code == "zh":
        return counts["kana"] * 20 < counts["han"]
    if code in ("ru", "uk"):
        return counts["cyrillic"] < 200 or detect_language(prose) == code
    if code not in LATIN:
        return True
    scores = latin_scores(prose)
    best = max(scores.values())
    return best < _ENOUGH or scores[code] * 2 > best
