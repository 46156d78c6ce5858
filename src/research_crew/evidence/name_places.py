"""Where a name stands: a surname alone may stand for the whole name, and a word in a name's place is another name.

"Sakurai voiced Cloud" is enough for a claim about Takahiro Sakurai, unless the text has a Hideo Sakurai. A word that
begins a sentence has a capital in any case; it is a name if the text has the words around it around another name.
"""

import re
from collections.abc import Iterator, Sequence

from research_crew.evidence.folding import UNSPACED, fold
from research_crew.evidence.language import detect_language, stop_words
from research_crew.evidence.names import Name, NameIndex

_WORD = re.compile(f"[^\\W_{UNSPACED}]+(?:['’][^\\W\\d_]+)?")
_AROUND = 3
"""Words before or after a name that tell its place."""


def surname_alone(name: Name, names: Sequence[Name], claim: str, text: str, index: NameIndex) -> bool:
    """Whether a missing name of a claim comes before a surname that the text has without any other first name."""
    following = next((n for n in names if n.start > name.start), None)
    if following is None or not re.fullmatch(r" (?:[A-Z]\. )?", claim[name.end : following.start]):
        return False
    surname = following.text.removesuffix("'s").removesuffix("’s")
    if len(surname) < 3 or not index.has(surname):
        return False
    before = re.findall(rf"(?:(\S+) )?\b{re.escape(surname)}\b", text)
    return bool(before) and not any(_is_name(word) for word in before)


def _is_name(word: str) -> bool:
    bare = word.strip("\"'“”‘’([")
    return (
        bare[:1].isupper() and bare[-1:].isalnum() and fold(bare) not in stop_words("en") and fold(bare) not in _TITLES
    )


_TITLES = frozenset(
    {"mr", "mrs", "ms", "dr", "sir", "lord", "lady", "president", "professor", "minister", "king", "pope"}
)


def displaced(claim: str, text: str, names: Sequence[Name], index: NameIndex) -> list[str]:
    """Capitalised words of a claim that are not among `names` and that the text has nowhere, though it has the words
    around them around another capitalised word: "Tehran is the director of the press" for "Ann is the director of …".
    """
    stops = stop_words(detect_language(claim))
    told = {n.start for n in names}
    ours = list(_WORD.finditer(claim))
    wanted = [
        i
        for i, m in enumerate(ours)
        if m[0][0].isupper() and m.start() not in told and fold(m[0]) not in stops and not index.has(m[0])
    ]
    if not wanted:
        return []
    theirs = list(_WORD.finditer(text))
    places: dict[tuple[str, ...], list[str]] = {}
    for key, i in _places(theirs):
        places.setdefault(key, []).append(theirs[i][0])
    found = []
    for key, i in _places(ours):
        if i in wanted and not all(w in stops for w in key[1:]):
            others = places.get(key, ())
            if others and all(o[0].isupper() and fold(o) not in stops for o in others):
                found.append(ours[i][0])
    return list(dict.fromkeys(found))


def _places(words: Sequence[re.Match[str]]) -> Iterator[tuple[tuple[str, ...], int]]:
    """(side and the words there, index of a word) for every word with enough words before or after it."""
    folded = [fold(m[0]) for m in words]
    for i in range(len(words)):
        if i + _AROUND < len(words):
            yield ("after", *folded[i + 1 : i + 1 + _AROUND]), i
        if i >= _AROUND:
            yield ("before", *folded[i - _AROUND : i]), i
