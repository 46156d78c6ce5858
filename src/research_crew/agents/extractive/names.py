"""Names, quoted phrases and other key phrases of a text, by its letters alone."""

import re

from research_crew.evidence.folding import fold
from research_crew.evidence.language import stop_words

_QUOTED = re.compile(r"[\"“„«‹「『《]([^\"“”„«»‹›「」『』《》]{2,80})[\"”“»›」』》]")
_WORD = r"(?:[^\W\d_a-zß-öø-ÿ][\w'’.&-]*\w|[^\W\d_a-zß-öø-ÿ])"
_LINK = r"(?:of|the|de|da|di|del|della|du|des|la|le|von|van|der|den|zu|und|and|for|y|et|in|on|to|al|el|bin|ibn|&)"
_NAME = re.compile(rf"{_WORD}(?:\s+(?:{_LINK}\s+){{0,2}}(?:{_WORD}|\d+))*")
_KATAKANA = re.compile(r"[\u30a1-\u30fa\u30fc][\u30a1-\u30fa\u30fc・=＝]{2,}")
_LATIN_IN_CJK = re.compile(r"[A-Za-z][A-Za-z0-9+#.-]*(?:\s+[A-Z][A-Za-z0-9+#.-]*)*")
_CJK = re.compile(r"[\u3041-\u30ff\u3400-\u9fff]")


def names(text: str, language: str = "en") -> list[str]:
    """Names and quoted phrases in order of appearance, each once.

    In German every noun has a capital, so that single words there are key words rather than names.
    """
    found = [m[1].strip() for m in _QUOTED.finditer(text)]
    if _CJK.search(text):
        found += _KATAKANA.findall(text) + _LATIN_IN_CJK.findall(text)
    else:
        stops = stop_words(language)
        for match in _NAME.finditer(text):
            name = match[0].strip(" .,'’-&")
            first, _, rest = name.partition(" ")
            while rest and fold(first) in stops and first.lower() not in ("the", "el", "la", "le", "die", "der", "das"):
                first, _, rest = rest.partition(" ")
                name = f"{first} {rest}".strip()
            opens = match.start() == 0 or text[: match.start()].rstrip()[-1:] in ".?!:;"
            if " " not in name and (fold(name) in stops or len(name) < 2 or (opens and not name.isupper())):
                continue
            found.append(re.sub(r"['’]s$", "", name))
    return list(dict.fromkeys(name for name in found if len(name) > 1))
