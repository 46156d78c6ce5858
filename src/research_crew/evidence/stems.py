"""Light stems: enough to make "rivers" and "river", "founded" and "founding" the same word, never more.

Suffix stripping in a few rules per language (in the spirit of the S-stemmer of Harman 1991 and the minimal stemmers of
Savoy 2006), on folded words. Meant for comparing a claim with a sentence, not for an index.
"""

from functools import lru_cache

_ENDINGS = {
    "en": "ations ation ingly edly ments ment ness ings ing ers ies ied ed er ly es s e y",
    "de": "ungen ung lichen liche lich heiten heit ern em en er es e n s",
    "fr": "issements issement ations ation ements ement euses euse eurs eur aient ait ees ee es er ez e s",
    "es": "aciones acion mente ados adas ado ada idos idas ido ida ando iendo es os as o a e s",
    "it": "azioni azione mente ati ate ato ata ando endo i e o a",
    "pt": "acoes acao mente ados adas ado ada idos ido ida ando endo es os as o a e s",
    "nl": "ingen ing heden heid lijke lijk en er e s",
    "ru": """
        ами ями ого его ому ему ыми ими ах ях ов ев ом ем ой ей ый ий ая ое ые ие ам ям ы и а я о е у ю ь
    """,
}
"""Longest first."""
_SPLIT = {code: tuple(endings.split()) for code, endings in _ENDINGS.items()}


@lru_cache(maxsize=65536)
def stem(word: str, language: str = "en") -> str:
    """The light stem of a folded word; words of three letters, figures and other languages stay as they are."""
    if len(word) < 4 or word[0].isdigit():
        return word
    for ending in _SPLIT.get(language, ()):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            root = word[: -len(ending)]
            if (
                language == "en"
                and ending in ("ing", "ed", "er", "ings", "ers")
                and len(root) > 3
                and root[-1] == root[-2] not in "ls"
            ):
                root = root[:-1]
            if language == "en" and ending in ("s", "es") and word.endswith("ss"):
                return word
            return root[:-1] if language == "en" and len(root) > 3 and root[-1] in "ie" else root
    return word
