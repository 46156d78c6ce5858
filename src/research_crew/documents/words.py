"""Search terms of the index: the same folding and the same light stem on both sides.

Which stem is decided by the script of the word and not by the language of the text: a language can be guessed wrong,
and then query and index would not meet. The endings are those of English for Latin script; on other languages they do
little, and the same on both sides.
"""

import hashlib
import re
from functools import lru_cache

from research_crew.evidence.folding import content_terms, fold, terms
from research_crew.evidence.language import detect_language
from research_crew.evidence.stems import stem

_LONGEST = 64
"""Characters of a term that count; longer ones are addresses, hashes and data, never typed whole."""
_EVERY_PAIR = "und"
"""Not Japanese: pairs of hiragana are kept in the index, for the query that holds nothing else."""
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_SPELLED_OUT = re.compile("(?<![aeq])([aou])e(?!u)")
_PROBE = "Rivers founded 2024: Größe, naïve cafés, Реками, 東京都のさくら, ภาษาไทย."


@lru_cache(maxsize=200_000)
def index_term(term: str) -> str:
    """The form of a folded term that is stored and looked for."""
    if term.isascii():
        return stem(term, "en")[:_LONGEST]
    return stem(term, "ru")[:_LONGEST] if "\u0400" <= term[0] <= "\u04ff" else term[:_LONGEST]


def index_terms(text: str) -> str:
    """All terms of a text, parted by blanks."""
    return " ".join(map(index_term, terms(text, _EVERY_PAIR)))


def query_terms(text: str, language: str | None = None) -> list[tuple[str, ...]]:
    """The distinct terms of a query in order, each with its other spellings; stop words are left out unless there is
    nothing else. German umlauts also meet the same word written with ae, oe, ue, and the other way round."""
    code = language or detect_language(text)
    wanted = content_terms(text, code) or terms(text, code) or terms(text, _EVERY_PAIR)
    written_out = dict[str, str]()
    if code == "de":
        for word in re.findall(r"\w+", text.lower()):
            other = word.translate(_UMLAUTS)
            if other != word:
                written_out[fold(word)] = fold(other)
            elif (short := _SPELLED_OUT.sub(r"\1", word)) != word:
                written_out[fold(word)] = fold(short)
    found: dict[str, tuple[str, ...]] = {}
    for term in wanted:
        forms = [index_term(term)]
        if term in written_out:
            forms.append(index_term(written_out[term]))
        found.setdefault(forms[0], tuple(dict.fromkeys(forms)))
    return list(found.values())


def fingerprint() -> str:
    """Changes when folding or stems do: an index made with others would find nothing, and has to be made anew."""
    return hashlib.sha256(index_terms(_PROBE).encode()).hexdigest()[:16]
