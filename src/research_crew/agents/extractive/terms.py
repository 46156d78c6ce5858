"""The content words of a text as stems, and the words of a question that stand for some of them."""

import re
from functools import lru_cache

from research_crew.evidence.folding import UNSPACED, content_terms, fold
from research_crew.evidence.stems import stem

_WORDS = re.compile(r"\w+")
_UNSPACED = re.compile(f"[{UNSPACED}]+")
_TOKEN = re.compile(rf"[{UNSPACED}]+|[^\W{UNSPACED}][\w'’-]*")


@lru_cache(maxsize=50_000)
def key_terms(text: str, language: str) -> frozenset[str]:
    """Stems of the content words; in scripts without spaces, pairs of characters."""
    return frozenset(stem(term, language) for term in content_terms(text, language))


def tokens(text: str) -> list[tuple[int, str]]:
    """(place, word) of every word; a run of unspaced script is cut into overlapping pairs."""
    found: list[tuple[int, str]] = []
    for match in _TOKEN.finditer(text):
        run = match[0]
        if _UNSPACED.match(run):
            found += [(match.start() + i, run[i : i + 2]) for i in range(max(1, len(run) - 1))]
        else:
            found.append((match.start(), run))
    return found


def words_for(text: str, wanted: frozenset[str], language: str) -> str:
    """The words of a text that stand for the wanted stems, in order; pairs of characters that overlap are joined."""
    parts: list[str] = []
    end = -1
    for place, word in tokens(text):
        if not key_terms(word, language) & wanted:
            continue
        if place < end:
            parts[-1] += word[end - place :]
        else:
            parts.append(word.strip("'’"))
        end = place + len(word) if _UNSPACED.match(word) else -1
    return " ".join(dict.fromkeys(part.strip("的のはをがに") for part in parts))


def word_count(text: str) -> int:
    """Words of a text; two characters of unspaced script count as one."""
    unspaced = sum(map(len, _UNSPACED.findall(text)))
    return len(_UNSPACED.sub(" ", text).split()) + (unspaced + 1) // 2


@lru_cache(maxsize=50_000)
def plain(text: str) -> str:
    """Folded words with single spaces, one at each end: a whole-word needle or haystack."""
    return " ".join(["", *_WORDS.findall(fold(text)), ""])


def says(text: str, name: str) -> bool:
    """Whether a text has a name as whole words; in unspaced script, anywhere."""
    needle = plain(name)
    if len(needle) < 4:
        return False
    if _UNSPACED.search(needle):
        return needle.strip() in plain(text)
    return needle in plain(text)
