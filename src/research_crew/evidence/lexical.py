"""How far the words of a claim are those of a text: the support score of the base install."""

from research_crew.evidence.folding import content_terms, terms
from research_crew.evidence.language import detect_language, stop_words
from research_crew.evidence.stems import stem


def overlap(claim: str, text: str) -> float:
    """Share of the claim's distinct content words that the text has: the plain baseline, 0 to 1."""
    wanted = set(content_terms(claim)) or set(terms(claim))
    if not wanted:
        return 0.0
    return len(wanted & set(terms(text))) / len(wanted)


def support_score(claim: str, text: str, language: str | None = None) -> float:
    """Support of `claim` by `text` between 0 and 1."""
    code = language or detect_language(claim)
    stops = stop_words(code)
    wanted = {stem(t, code) for t in terms(claim, code) if t not in stops}
    if not wanted:
        return overlap(claim, text)
    return len(wanted & {stem(t, code) for t in terms(text, code)}) / len(wanted)
