"""Search terms of the index: the same folding and the same light plural stem on both sides."""

from functools import lru_cache

from research_crew.evidence.folding import content_terms, terms


@lru_cache(maxsize=200_000)
def plural(term: str) -> str:
    """The term without an English plural (S-stemmer, Harman 1991): right for most, harmless for other languages,
    since both sides are treated alike."""
    if len(term) < 4 or not term.isascii() or not term.endswith("s") or term.endswith(("ss", "us", "is")):
        return term
    if term.endswith("ies") and len(term) > 4 and term[-4] not in "ae":
        return term[:-3] + "y"
    if term.endswith("es") and term[-3] in "xzh":
        return term[:-2]
    return term[:-1]


def index_terms(text: str) -> str:
    """All terms of a text, parted by blanks."""
    return " ".join(map(plural, terms(text)))


def query_terms(text: str, language: str | None = None) -> list[str]:
    """The distinct terms of a query in order, stop words left out unless there is nothing else."""
    wanted = content_terms(text, language) or terms(text, language)
    return list(dict.fromkeys(map(plural, wanted)))
