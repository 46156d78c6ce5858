"""Proper names in a claim, and whether a text has them.

Names are told by capital letters inside a sentence (in German, where every noun has one, only by acronyms, digits and
inner capitals), by runs of katakana, and by Latin words inside unspaced script. A name is found when the text has its
word, the word's acronym or expansion, or a form with another ending (French, France's).
"""

import re
from dataclasses import dataclass

from research_crew.evidence.folding import UNSPACED, fold, terms
from research_crew.evidence.language import detect_language, stop_words
from research_crew.evidence.sentences import split_sentences

_WORD = re.compile(r"[^\W\d_](?:[\w'’.&-]*\w)?")
_KATAKANA = re.compile("[\u30a1-\u30fa\u30fc]{3,}")
_LATIN = re.compile("[A-Za-z][A-Za-z0-9-]+")
_NOT_NAMES = frozenset(
    [
        "i",
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "mr",
        "mrs",
        "ms",
        "dr",
        "prof",
        "english",
    ]
)


@dataclass(frozen=True, slots=True)
class Name:
    """A word of a proper name, and its place in the text."""

    text: str
    start: int
    end: int


def find_names(text: str, language: str | None = None) -> list[Name]:
    """The words of proper names in `text`, in order."""
    code = language or detect_language(text)
    if code in ("ja", "zh", "ko", "th"):
        pattern = re.compile(f"{_KATAKANA.pattern}|{_LATIN.pattern}")
        return [Name(m.group(), *m.span()) for m in pattern.finditer(text)]
    found: list[Name] = []
    stops = stop_words(code)
    for span in split_sentences(text):
        words = list(_WORD.finditer(text, span.start, span.end))
        shouting = sum(1 for m in words if m.group().isupper()) * 2 > len(words) > 3
        titled = sum(1 for m in words if m.group()[0].isupper()) * 10 > len(words) * 7 and len(words) > 4
        for i, m in enumerate(words):
            word = m.group()
            folded = fold(word)
            if not any(c.isupper() for c in word) or folded in stops or folded in _NOT_NAMES or shouting:
                continue
            inner = any(c.isupper() for c in word[1:])
            if code == "de" and not inner:
                continue
            if (i == 0 or titled) and not inner and not _goes_on(words, i, text):
                continue
            found.append(Name(word, *m.span()))
    return found


def _goes_on(words: list[re.Match[str]], i: int, text: str) -> bool:
    """Whether the first word of a sentence is part of a name: the next word has a capital too and follows directly."""
    if i + 1 >= len(words):
        return False
    following = words[i + 1]
    return following.group()[0].isupper() and text[words[i].end() : following.start()] == " "


class NameIndex:
    """The words of a text, ready to be asked for names."""

    def __init__(self, text: str) -> None:
        self._folded = fold(text)
        self._terms = frozenset(terms(text))
        self._stubs = frozenset(t[:n] for t in self._terms for n in (4, 5) if len(t) >= n)
        self._initials = _initials(text)
        self._squeezed = re.sub(r"[^\w]", "", self._folded)

    def has(self, name: str) -> bool:
        """Whether the text has this name in some form."""
        if re.search(f"[{UNSPACED}]", name):
            return fold(name) in self._folded
        parts = [p for p in terms(name) if len(p) > 1] or terms(name)
        if all(p in self._terms for p in parts):
            return True
        joined = "".join(terms(name))
        if name.isupper() and (joined in self._initials or (len(joined) > 2 and joined in self._squeezed)):
            return True
        if "." in name and joined in self._terms:
            return True
        return all(self._has_form(p) for p in parts)

    def _has_form(self, part: str) -> bool:
        if part in self._terms or part.rstrip("s") in self._terms or part + "s" in self._terms:
            return True
        size = 5 if len(part) >= 7 else 4
        return len(part) >= 5 and part[:size] in self._stubs


def _initials(text: str) -> frozenset[str]:
    """Acronyms that the capitalised runs of a text make: "World Health Organization (of)" makes "who"."""
    found: set[str] = set()
    for run in re.finditer(r"(?:[A-Z][\w'’-]*)(?:[ -](?:of|for|the|and|on|in|de|du|des|der|und|[A-Z][\w'’-]*))+", text):
        letters = [w[0].lower() for w in re.split("[ -]", run.group()) if w[:1].isupper()]
        whole = [w[0].lower() for w in re.split("[ -]", run.group()) if w]
        for sequence in (letters, whole):
            for i in range(len(sequence)):
                for j in range(i + 2, min(len(sequence), i + 6) + 1):
                    found.add("".join(sequence[i:j]))
    return frozenset(found)
