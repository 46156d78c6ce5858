"""Plans without a model: by the parts of the question and the names in it."""

import re

from research_crew.agents.extractive.names import names
from research_crew.agents.extractive.scoring import key_terms
from research_crew.agents.roles import Brief, Complexity, Plan, Question
from research_crew.evidence.folding import fold
from research_crew.evidence.language import stop_words

_PARTS = re.compile(
    r"(?<=[?？！!。;；])\s*|,\s+(?=(?:and|or|und|oder|et|ou|y|o|what|when|where|who|which|why|how|was|wann|wo|wer|wie|warum|"
    r"quand|où|qui|comment|pourquoi|qué|cuándo|dónde|quién|cómo)\b)|\s+(?:and|und|et|y)\s+(?=(?:what|when|where|who|which|why|"
    r"how|was|wann|wo|wer|wie|warum|welche|quand|où|qui|quel|comment|pourquoi|qué|cuándo|dónde|quién|cómo|cuál)\b)|[，、](?=.{4})",
    re.I,
)
_COMPARES = re.compile(
    r"\b(?:compare[ds]?|comparison|versus|vs\.?|differ(?:s|ence|ences|ent)?|than|both|either|or|same|vergleich\w*|unterschied\w*|"
    r"oder|beide|als|différence|comparer|ou|que|diferencia|comparar|o)\b|比较|区别|还是|和|比|違い|どちら|と",
    re.I,
)

_OPENING = re.compile(r"^(?:and|or|und|oder|et|ou|y|o)\s+", re.I)


def plan(question: Question) -> Plan:
    """Briefs by part, or by name where one question speaks of several; in a later loop for the gaps alone."""
    language = question.language
    if question.gaps:
        briefs = tuple(_brief(gap, question, others=()) for gap in question.gaps[: question.max_researchers])
        return Plan("comparison" if len(briefs) > 1 else "simple", "Only what is still missing.", briefs, language)
    parts = _split(question.text, language)
    entities = _distinct(names(question.text, language))
    complexity: Complexity = "simple"
    if len(parts) == 1 and len(entities) > 1 and _COMPARES.search(question.text):
        complexity, strategy = "comparison", f"One brief for each of {len(entities)} names, on the same question."
        subjects = [(entity, question.text) for entity in entities]
    elif len(parts) > 1:
        complexity = "comparison" if len(parts) < 4 else "complex"
        strategy = f"One brief for each of {len(parts)} parts of the question."
        subjects = [(part, part) for part in parts]
    elif len(entities) > 2:
        complexity, strategy = "comparison", f"One brief for each of {len(entities)} names in the question."
        subjects = [(entity, question.text) for entity in entities]
    else:
        strategy, subjects = "One researcher: the question has one part.", [(question.text, question.text)]
    subjects = subjects[: question.max_researchers]
    texts = [subject for subject, _ in subjects]
    briefs = tuple(
        _brief(asked, question, [t for t in texts if t != subject], None if subject == asked else subject)
        for subject, asked in subjects
    )
    return Plan(complexity, strategy, briefs, language)


def _brief(asked: str, question: Question, others: list[str] | tuple[str, ...], subject: str | None = None) -> Brief:
    """Queries from broad to narrow: the part as asked, its names with the words about them, each name alone."""
    found = [subject] if subject else names(asked, question.language)
    queries = [asked, *found] if subject is None else [f"{subject} {_about(asked, question.language)}", subject]
    whole = [question.text] if asked != question.text else []
    chosen = list(dict.fromkeys(" ".join(q.split()) for q in [*queries, *whole] if key_terms(q, question.language)))
    return Brief(
        asked if subject is None else f"{subject}: {asked}",
        tuple(chosen[: max(3, question.queries_per_round)]) or (asked,),
        "verbatim sentences, each with its source",
        f"not: {'; '.join(others)}" if others else "",
    )


def _about(asked: str, language: str) -> str:
    """The words of a question that are neither names nor stop words: what it wants to know."""
    rest = asked
    for name in names(asked, language):
        rest = rest.replace(name, " ")
    stops = stop_words(language)
    return " ".join(w for w in re.findall(r"[\w'-]+", rest) if fold(w) not in stops)[:120]


def _split(text: str, language: str) -> list[str]:
    """The parts of a question that can be asked alone: at least two content words each."""
    parts = [_OPENING.sub("", part.strip(" ,;，；")) for part in _PARTS.split(text)]
    whole = [part for part in parts if part and len(key_terms(part, language)) >= 2]
    return whole if len(whole) > 1 else [text]


def _distinct(found: list[str]) -> list[str]:
    """Names that are not part of another."""
    folded = [fold(name) for name in found]
    return [n for i, n in enumerate(found) if not any(i != j and folded[i] in other for j, other in enumerate(folded))]
