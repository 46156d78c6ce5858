"""Prompts: one file a role, filled in; and the text of sources, cut to its best passages and fenced."""

from functools import cache
from hashlib import sha256
from importlib.resources import files
from string import Template

from research_crew.agents.roles import Question
from research_crew.evidence.written import language_name

ROLES = ("planner", "researcher", "critic", "chooser", "writer", "citer")
SMALL = tuple(f"small/{role}" for role in ROLES if role != "chooser")
"""The same for small models, whose findings always fit."""


@cache
def prompt_file(role: str) -> str:
    """The prompt of a role as it stands in its file."""
    return (files("research_crew.agents.model") / "prompts" / f"{role}.md").read_text(encoding="utf-8")


def system_prompt(role: str, question: Question, **values: object) -> str:
    """The prompt of a role with the date, the language and the limits filled in."""
    known = {"today": question.today, "language": language_name(question.language), **values}
    return Template(prompt_file(role)).substitute({k: str(v) for k, v in known.items()}).strip()


@cache
def prompts_version() -> str:
    """Twelve digits that change with any prompt: frozen in the record of a run."""
    return sha256("\0".join(prompt_file(role) for role in (*ROLES, *SMALL)).encode()).hexdigest()[:12]
