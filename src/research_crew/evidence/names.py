"""Proper names in a claim, and whether a text has them.

Names are told by capital letters inside a sentence (in German, where every noun has one, only by capitals inside the
word), by runs of katakana, and by Latin words inside unspaced script. A name is found when the text has its words, its
acronym or expansion, or a form with another ending (French, France's).
"""

import re
from dataclasses import dataclass

from research_crew.evidence.folding import UNSPACED, fold, terms
from research_crew.evidence.language import detect_language, stop_words
from research_crew.evidence.sentences import split_sentences

_WORD = re.compile(r"[^\W\d_](?:[\w'’.&-]*\w)?")
_KATAKANA = re.compile("[\u30a1-\u30fa\u30fc]{3,}")
_LATIN = re.compile("[A-Za-z][A-Za-z0-9-]+")
_OPENS = re.compile(r"(?:[:;•*|\"“„«(\n\[]|[-–—]\s|\d[.)])\s*$")
"""Before a word that begins something: its capital says nothing."""
_NOT_NAMES = frozenset(
    re.findall(
        r"\S+",
        """
        i january february march april may june july august september october november december monday tuesday
        wednesday thursday friday saturday sunday mr mrs ms dr prof sir lord lady english ok yes no
        """,
    )
)
_ALIASES = {
    "uk": ("united kingdom", "british", "britain"),
    "us": ("united states", "american", "america"),
    "usa": ("united states", "american", "america"),
    "eu": ("european union",),
    "un": ("united nations",),
    "france": ("french",),
    "germany": ("german",),
    "spain": ("spanish",),
    "british": ("united kingdom", "britain"),
    "england": ("english",),
    "netherlands": ("dutch",),
    "switzerland": ("swiss",),
    "denmark": ("danish",),
    "poland": ("polish",),
    "turkey": ("turkish",),
    "greece": ("greek",),
    "wales": ("welsh",),
}
"""Folded name -> other folded forms that stand for it and do not share its first letters."""


_ROMAN = {"ii": 2, "iii": 3, "iv": 4, "vi": 6, "vii": 7, "viii": 8, "ix": 9}
"""Numerals beside names (type II), which a text may give in figures. I, V and X are more often letters."""


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
        capitals = sum(1 for m in words if m.group()[0].isupper())
        titled = capitals * 10 > len(words) * 7 and len(words) > 4
        if sum(1 for m in words if m.group().isupper()) * 2 > len(words) > 3:
            continue  # all in capitals: nothing can be told
        for i, m in enumerate(words):
            word = m.group()
            folded = fold(word)
            if not any(c.isupper() for c in word) or folded in stops or folded in _NOT_NAMES:
                continue
            inner = any(c.isupper() for c in word[1:])
            if code == "de" and not inner:
                continue
            opens = i == 0 or bool(_OPENS.search(text, span.start, m.start()))
            if (opens or titled) and not inner and not (_goes_on(words, i, text) and not titled):
                continue
            found.append(Name(word, *m.span()))
    return found


def _goes_on(words: list[re.Match[str]], i: int, text: str) -> bool:
    """Whether a first word is part of a name: the next one has a capital too and follows after one space.

    Not so before a code (Active Ly49Q, The PRR MDA5), which may follow any word.
    """
    if i + 1 >= len(words) or len(words[i].group()) < 3:
        return False
    following = words[i + 1].group()
    code = any(c.isupper() or c.isdigit() for c in following[1:])
    return following[0].isupper() and not code and text[words[i].end() : words[i + 1].start()] == " "


def _compound(name: str) -> list[str]:
    """The parts of a name with hyphens that are names themselves: RecQ of RecQ-class, Paris and Bonn of Paris-Bonn."""
    parts = [p for p in name.split("-") if p]
    if len(parts) < 2:
        return []
    return [p for p in parts if any(c.isupper() or c.isdigit() for c in p)]


class NameIndex:
    """The words of a text, ready to be asked for names."""

    def __init__(self, text: str) -> None:
        self._folded = fold(text)
        self._terms = frozenset(terms(text))
        self._stubs = frozenset(t[:n] for t in self._terms for n in (4, 5) if len(t) >= n)
        self._initials = _initials(text)
        self._squeezed = re.sub(r"[\W_]", "", self._folded)

    def has(self, name: str) -> bool:
        """Whether the text has this name in some form."""
        if re.search(f"[{UNSPACED}]", name):
            return fold(name) in self._folded
        if (named := _compound(name)) and all(self.has(p) for p in named):
            return True
        parts = [p for p in terms(name) if len(p) > 1] or terms(name)
        if all(self._has_form(p) for p in parts):
            return True
        joined = "".join(terms(name))
        if joined in _ROMAN:
            return str(_ROMAN[joined]) in self._terms
        if any(alias in self._folded for alias in _ALIASES.get(joined, ())):
            return True
        coded = any(c.isupper() for c in name[1:]) or any(c.isdigit() for c in name)
        if not coded:
            return False
        single = joined[:-1] if name.endswith("s") else joined
        return any(j in self._initials or (len(j) > 1 and j in self._squeezed) for j in (joined, single))

    def _has_form(self, part: str) -> bool:
        if part in self._terms or part.rstrip("s") in self._terms or part + "s" in self._terms:
            return True
        return len(part) >= 5 and part[: 5 if len(part) >= 7 else 4] in self._stubs


def _initials(text: str) -> frozenset[str]:
    """Acronyms that the runs of a text make, with and without the small words: World Health Organization, "who"."""
    found: set[str] = set()
    for run in re.finditer(r"[^\W\d_]{2,}(?:['’]s)?(?:[ -](?:[^\W\d_]+)(?:['’]s)?){1,9}", text):
        words = re.split("[ -]", run.group())
        letters = [w[0].lower() for w in words if w]
        capitals = [w[0].lower() for w in words if w[:1].isupper()]
        for sequence, least in ((letters, 3), (capitals, 2)):
            for size in range(least, 6):
                found.update("".join(sequence[i : i + size]) for i in range(len(sequence) - size + 1))
    return frozenset(found)
