"""Names, quoted phrases and other key phrases of a text, by its letters alone."""

import re
from dataclasses import dataclass
from functools import lru_cache

from research_crew.evidence.dates import months
from research_crew.evidence.folding import fold
from research_crew.evidence.language import stop_words

_QUOTED = re.compile(r"[\"“„«‹「『《]([^\"“”„«»‹›「」『』《》]{2,80})[\"”“»›」』》]")
_WORD = r"(?:(?:[^\W\d_a-zß-öø-ÿ]\.)+|[^\W\d_a-zß-öø-ÿ][\w'’&-]*\w|[^\W\d_a-zß-öø-ÿ])"
_LINK = r"(?:of|the|de|da|di|del|della|du|des|la|le|von|van|der|den|zu|al|el|bin|ibn|&)"
_NAME = re.compile(rf"{_WORD}(?:(?:\s|-\s?)+(?:{_LINK}\s+){{0,2}}(?:{_WORD}|\d+))*")
_KATAKANA = re.compile(r"[\u30a1-\u30fa\u30fc][\u30a1-\u30fa\u30fc・=＝]{2,}")
_HAN_BETWEEN_KANA = re.compile(r"(?:(?<=[\u3041-\u309f、。])|^)[\u3400-\u9fff]{3,8}(?=[\u3041-\u309f、。])")
_TRANSLITERATED = re.compile(r"[\u3400-\u9fff]{2,6}(?:·[\u3400-\u9fff]{1,6})+")
_LATIN = re.compile(r"[A-Za-z][A-Za-z0-9+#.-]*(?:\s+[A-Z][A-Za-z0-9+#.-]*)*")
_CJK = re.compile(r"[\u3041-\u30ff\u3400-\u9fff]")
_KANA = re.compile(r"[\u3041-\u3096]")
_OF_A_PEOPLE = re.compile(r"(?:an|ish|ese|ch|man|ic)$")
_DAYS = frozenset(["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"])
_OPENERS = frozenset(
    re.findall(
        r"\w+",
        "compare describe explain list name tell vergleiche vergleichen beschreibe erklare nenne comparer comparez compara",
    )
)
"""Verbs that open a request: their capital says nothing."""
_TITLES = frozenset(["mr", "mrs", "ms", "dr", "st", "sir"])


@dataclass(frozen=True, slots=True)
class Mention:
    """A name where it stands in a text."""

    name: str
    start: int
    weight: float
    """1 for what is surely a name; less for an adjective of a people, or a German noun."""


@lru_cache(maxsize=50_000)
def mentions(text: str, language: str = "en") -> tuple[Mention, ...]:
    """Names and quoted phrases in order of appearance.

    In German every noun has a capital, so that a single word there is rather a key word than a name; the name of a
    month or a day is none.
    """
    found = [Mention(m[1].strip(), m.start(1), 1.0) for m in _QUOTED.finditer(text)]
    if _CJK.search(text):
        patterns = [(_KATAKANA, 1.0), (_LATIN, 1.0), (_TRANSLITERATED, 1.0)]
        patterns += [(_HAN_BETWEEN_KANA, 0.6)] if _KANA.search(text) else []
        found += [Mention(m[0], m.start(), weight) for pattern, weight in patterns for m in pattern.finditer(text)]
    else:
        found += [name for m in _NAME.finditer(text) if (name := _latin(text, m, language)) is not None]
    return tuple(sorted(found, key=lambda m: m.start))


def _latin(text: str, match: re.Match[str], language: str) -> Mention | None:
    words, start = match[0].split(), match.start()
    stops = stop_words(language) - _TITLES
    opens = not start or text[:start].rstrip(" \"“„«'")[-1:] in ".?!:;…¿¡\n"
    while words and opens and (_bare(words[0]) in stops or _bare(words[0]) in _OPENERS):
        start += len(words.pop(0)) + 1
    name = re.sub(r"['’]s$", "", " ".join(words).strip(" ,'’-&"))
    if len(name) < 2 or any(_bare(w) in months() or _bare(w) in _DAYS for w in words):
        return None
    if len(words) == 1 and _bare(name) in stops:
        return None
    noun = language == "de" and not name.isupper()
    people = _OF_A_PEOPLE.search(name) and re.match(r"\s[a-zà-ÿ]", text[match.end() : match.end() + 2])
    return Mention(name, start, 0.3 if len(words) == 1 and (noun or people) else 1.0)


def _bare(word: str) -> str:
    return fold(word).strip(".,")


def names(text: str, language: str = "en") -> list[str]:
    """The names of a text, each once; not a single word that only opens a sentence, nor one of little weight."""
    found: dict[str, None] = {}
    for mention in mentions(text, language):
        opens = mention.start == 0 or text[: mention.start].rstrip()[-1:] in ".?!:;"
        single = " " not in mention.name and not _CJK.search(mention.name)
        if mention.weight < 0.5 or (single and opens and not mention.name.isupper() and not _quoted(text, mention)):
            continue
        found.setdefault(mention.name)
    return list(found)


def _quoted(text: str, mention: Mention) -> bool:
    return text[mention.start - 1 : mention.start] in ('"', "“", "„", "«")
