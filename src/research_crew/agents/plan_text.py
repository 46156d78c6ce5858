"""A plan as plain text that a person edits, and back.

    strategy: By part.

    1. What does the grey heron eat?
       queries: grey heron diet; what herons eat
       format: one sentence each
       leave alone: where it winters

A brief begins with its number and a dot. Lines that begin with `#` are left out, as is a brief without an objective.
"""

import re
from dataclasses import replace

from research_crew.agents.roles import Brief, Plan
from research_crew.core.errors import InvalidInput

MOST_QUERIES = 5
_BRIEF = re.compile(r"(\d+)[.)]\s*(.*)")
_FIELD = re.compile(r"(queries|format|leave alone|strategy)\s*:\s*(.*)", re.I)


def plan_text(plan: Plan) -> str:
    """The plan as it is edited."""
    lines = [f"strategy: {plan.strategy}", ""]
    for number, brief in enumerate(plan.subtasks, 1):
        lines += [f"{number}. {brief.objective}", f"   queries: {'; '.join(brief.search_queries)}"]
        lines += [f"   format: {brief.output_format}"] if brief.output_format else []
        lines += [f"   leave alone: {brief.boundaries}"] if brief.boundaries else []
        lines.append("")
    return "\n".join(lines)


def read_plan(text: str, plan: Plan) -> Plan:
    """The plan that an edited text means; what it does not say stays as in `plan`. Raises `InvalidInput` for a line
    that belongs to nothing."""
    strategy = plan.strategy
    briefs: list[Brief] = []
    for number, line in enumerate(text.splitlines(), 1):
        said = line.strip()
        if not said or said.startswith("#"):
            continue
        begun, named = _BRIEF.fullmatch(said), _FIELD.fullmatch(said)
        if begun is not None:
            briefs.append(brief_of(begun[2]))
        elif named is not None and named[1].lower() == "strategy":
            strategy = named[2]
        elif named is not None and briefs:
            briefs[-1] = _with(briefs[-1], named[1].lower(), named[2])
        elif briefs:
            briefs[-1] = replace(briefs[-1], objective=f"{briefs[-1].objective} {said}".strip())
        else:
            raise InvalidInput(f"line {number} of the plan", said, "begin a brief with its number and a dot")
    whole = [replace(b, search_queries=b.search_queries or (b.objective,)) for b in briefs if b.objective]
    return replace(plan, strategy=strategy, subtasks=tuple(whole))


def brief_of(objective: str) -> Brief:
    """A brief of nothing but its objective, which is also what is searched for."""
    return Brief(" ".join(objective.split()), ())


def queries_of(text: str) -> tuple[str, ...]:
    """Queries as a person writes them, separated by semicolons."""
    return tuple(dict.fromkeys(" ".join(q.split()) for q in text.split(";") if q.strip()))[:MOST_QUERIES]


def _with(brief: Brief, name: str, value: str) -> Brief:
    if name == "queries":
        return replace(brief, search_queries=queries_of(value))
    return replace(brief, output_format=value) if name == "format" else replace(brief, boundaries=value)
