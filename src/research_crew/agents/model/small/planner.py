"""The plan of a small lead: its parts, put right by code.

A small model asks one thing three times, or forgets the second name. So what it says of the same name is one brief, what
a question compares gets a brief for each name, and every name of the question gets a query.
"""

import re

from research_crew.agents.entities import compared
from research_crew.agents.model.prompting import system_prompt
from research_crew.agents.model.small.answers import PartAnswer, PartsAnswer
from research_crew.agents.model.team import Team
from research_crew.agents.names import names
from research_crew.agents.roles import PLANNER, Brief, Plan, Question
from research_crew.core.context import Context
from research_crew.core.errors import CallFailed
from research_crew.evidence.folding import content_terms, fold
from research_crew.models.asking import UnusableAnswer, ask_for, read_as
from research_crew.models.metered import DoesNotFit
from research_crew.models.schema import schema_of

MOST_QUERIES = 3
_SEVERAL = re.compile(r"(?:[,;?]|\band)\s+(?:and\s+)?(?:what|when|where|who|which|why|how)\b", re.I)
"""A question in several parts, each with a question word of its own: they can be looked up apart. "Who was born where …"
hangs on one thread and cannot."""


async def plan(question: Question, team: Team, ctx: Context) -> Plan:
    """A plan with at most `max_researchers` briefs; by the names of the question alone when the model gives none."""
    asked = question.text if not question.gaps else "\n".join(question.gaps)
    request = team.request(
        PLANNER, system_prompt("small/planner", question, most=question.max_researchers), f"Question: {asked}", team.caps.plan,
        schema_of(PartsAnswer), "plan",
    )  # fmt: skip
    parts: list[PartAnswer] = []
    fallback = ""
    try:
        reading = await ask_for(
            team.asker, ctx.meter, team.of(PLANNER), request, "plan", read_as(PartsAnswer), repair=False
        )
        parts = reading.value.parts
    except (UnusableAnswer, CallFailed, DoesNotFit) as error:
        fallback = str(error)
    briefs = helped(parts, asked, question.language, question.max_researchers)
    if not parts and not fallback:
        fallback = "the plan had no usable query"
    warnings = (f"fallback plan: {fallback}",) if fallback else ()
    complexity = "comparison" if len(briefs) > 1 else "simple"
    return Plan(complexity, "One brief for each name.", briefs, question.language, warnings, fallback)  # type: ignore[arg-type]


def helped(parts: list[PartAnswer], asked: str, language: str, most: int) -> tuple[Brief, ...]:
    """The briefs that a question needs, worded by the model where it kept to the names."""
    comparison = compared(asked, language)
    apart = _apart(parts)
    if comparison is None and _SEVERAL.search(asked) and len(apart) > 1:
        return tuple(Brief(part.ask.strip(), _queries([part.query, part.ask])) for part in apart[:most])
    if comparison is None:
        queries = [part.query or part.ask for part in parts]
        return (Brief(asked, _queries([asked, *subjects_of(asked, language), *queries])),)
    subjects = comparison.subjects[:most]
    return tuple(_of_subject(subject, subjects, comparison.asked, parts) for subject in subjects)


def _apart(parts: list[PartAnswer]) -> list[PartAnswer]:
    """The parts that ask different things: less than half of their words in common with any before."""
    kept: list[tuple[set[str], PartAnswer]] = []
    for part in parts:
        words = set(content_terms(part.ask))
        if words and all(2 * len(words & other) < len(words | other) for other, _ in kept):
            kept.append((words, part))
    return [part for _, part in kept]


def _of_subject(subject: str, subjects: tuple[str, ...], asked: str, parts: list[PartAnswer]) -> Brief:
    """The brief for one of the names that are compared: the model's question if it is about this one alone."""
    others = [other for other in subjects if other != subject]
    own = [part for part in parts if _about(part.ask, subject) and not any(_about(part.ask, o) for o in others)]
    objective = " ".join(dict.fromkeys(part.ask.strip() for part in own)) or f"{subject}: {asked.rstrip(' ,?')}?"
    queries = [part.query for part in own if _about(part.query, subject)]
    return Brief(objective, _queries([*queries, subject]), boundaries=f"not: {'; '.join(others)}")


def _about(text: str, name: str) -> bool:
    words = set(content_terms(name)) or {fold(name)}
    return words <= set(content_terms(text))


def subjects_of(text: str, language: str) -> list[str]:
    """What a question is about: the names that it compares, or all that it has."""
    comparison = compared(text, language)
    return list(comparison.subjects) if comparison is not None else names(text, language)


def _queries(texts: list[str]) -> tuple[str, ...]:
    """The first few that differ in their words, whatever the order of them."""
    kept: dict[frozenset[str], str] = {}
    for text in (" ".join(t.split()) for t in texts):
        words = frozenset(content_terms(text))
        if words:
            kept.setdefault(words, text)
    return tuple(list(kept.values())[:MOST_QUERIES])


def whole_brief(question: Question) -> Brief:
    """The brief of one small agent alone: the question, with a query for every name in it."""
    return Brief(question.text, _queries([question.text, *subjects_of(question.text, question.language)]))
