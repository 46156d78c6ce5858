"""Plans without a model: by what the question compares and by the parts that can be asked alone.

A question that hangs on one thread, however many names it has, goes to one researcher: the second half of "the spouse
of the director of X" cannot be looked for before the first is found.
"""

import re
from collections.abc import Mapping, Sequence

from research_crew.agents.entities import compared
from research_crew.agents.extractive.terms import key_terms, words_for
from research_crew.agents.names import names
from research_crew.agents.roles import Brief, Complexity, Plan, Question

_ASKS = (
    r"what|when|where|who|which|why|how|was|wann|wo|wer|wie|warum|welche[rsn]?|quand|où|qui|quel(?:le)?|comment|pourquoi|"
    r"qué|cuándo|dónde|quién|cómo|cuál"
)
_JOINS = r"and|or|und|oder|et|ou|y|o"
_PARTS = re.compile(
    rf"(?<=[?？！!。;；])\s*|,\s+(?=(?:{_JOINS}|{_ASKS})\b)|\s+(?:and|und|et|y)\s+(?=(?:{_ASKS})\b)|[，、](?=.{{4}})"
)
"""Borders of parts. Words in lower case only: behind a comma, "What …" with a capital is a title."""
_OPENING = re.compile(rf"^(?:{_JOINS})\s+", re.I)
_PRONOUN = re.compile(
    r"\b(?:it|its|he|him|his|she|her|they|them|their|er|ihn|ihm|sie|es|ihr|ihre[rnm]?|il|elle|ils|elles|lui|él|ella|ellos|ellas)\b",
    re.I,
)
_ASKING = re.compile(rf"\b(?:{_ASKS})\b|什么|哪|谁|何|多少|几|吗|怎|誰|どこ|どう|いつ|なぜ|か$", re.I)
_MOST_COMPARED = 4


def plan(question: Question, leads: Mapping[str, Sequence[str]] | None = None) -> Plan:
    """Briefs by what is compared or by part; in a later loop for the gaps alone, by the queries in `leads`."""
    language = question.language
    if question.gaps:
        briefs = tuple(
            _of_gap(gap, question, (leads or {}).get(gap, ())) for gap in question.gaps[: question.max_researchers]
        )
        return Plan("comparison" if len(briefs) > 1 else "simple", "Only what is still missing.", briefs, language)
    parts = _split(question.text, language)
    if len(parts) > 1:
        most = parts[: question.max_researchers]
        complexity: Complexity = "comparison" if len(parts) < 4 else "complex"
        briefs = tuple(_of_part(part, question, [p for p in most if p != part]) for part in most)
        return Plan(complexity, f"One brief for each of {len(parts)} parts of the question.", briefs, language)
    comparison = compared(question.text, language)
    if comparison is not None:
        subjects = comparison.subjects[: min(_MOST_COMPARED, question.max_researchers)]
        briefs = tuple(
            _of_subject(subject, comparison.asked, question, [s for s in subjects if s != subject])
            for subject in subjects
        )
        return Plan("comparison", f"One brief for each of {len(subjects)} names that are compared.", briefs, language)
    brief = _of_part(question.text, question, [])
    return Plan("simple", "One researcher: the question hangs on one thread.", (brief,), language)


def _of_part(part: str, question: Question, others: list[str]) -> Brief:
    """Queries from broad to narrow: the part as asked, then each name in it."""
    return _brief(part, [part, *names(part, question.language)], question, others)


def _of_subject(subject: str, asked: str, question: Question, others: list[str]) -> Brief:
    """What is asked, of one of the compared names: the name with the words about it, then the name alone."""
    about = words_for(asked, key_terms(asked, question.language), question.language)[:120]
    asked = asked.rstrip(" ,?？")
    objective = f"{subject}: {asked}?" if asked else subject
    return _brief(objective, [f"{subject} {about}", subject], question, others)


def _of_gap(gap: str, question: Question, leads: Sequence[str]) -> Brief:
    return _brief(gap, [*(leads or gap_queries(gap, question.language)), gap], question, [])


def gap_queries(gap: str, language: str) -> list[str]:
    """Other queries than the first time: each name alone, then the words that are no names."""
    found = names(gap, language)
    named = frozenset(t for name in found for t in key_terms(name, language))
    rest = words_for(gap, key_terms(gap, language) - named, language)
    return [query for query in (*found, rest) if key_terms(query, language)]


def _brief(objective: str, queries: list[str], question: Question, others: list[str]) -> Brief:
    usable = list(dict.fromkeys(" ".join(q.split()) for q in queries if key_terms(q, question.language)))
    return Brief(
        objective,
        tuple(usable[: question.queries_per_round]) or (objective,),
        "verbatim sentences, each with its source",
        f"not: {'; '.join(others)}" if others else "",
    )


def _split(text: str, language: str) -> list[str]:
    """The parts of a question that can be asked alone: each asks something, in at least two content words."""
    parts = [_OPENING.sub("", part.strip(" ,;，；")) for part in _PARTS.split(text)]
    whole = [p for p in parts if p and len(key_terms(p, language)) >= 2 and _ASKING.search(p)]
    if len(whole) < 2:
        return [text]
    subject = names(whole[0], language)
    return [whole[0], *(_with_subject(p, subject, language) for p in whole[1:])]


def _with_subject(part: str, subject: list[str], language: str) -> str:
    """A part that speaks of "it" or "them", with the name that the first part has for it."""
    if not subject or names(part, language) or not _PRONOUN.search(part):
        return part
    return f"{part.rstrip(' ?？')} ({subject[0]})?"
