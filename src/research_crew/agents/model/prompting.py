"""Prompts: one file a role, filled in; and the text of sources, cut to its best passages and fenced."""

from functools import cache
from hashlib import sha256
from importlib.resources import files
from string import Template

from research_crew.agents.roles import Question

ROLES = ("planner", "researcher", "critic", "chooser", "writer", "citer")
SMALL = tuple(f"small/{role}" for role in ROLES if role != "chooser")
"""The same for small models, whose findings always fit."""
_LANGUAGES = {
    "en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "pt": "Portuguese",
    "nl": "Dutch", "zh": "Chinese", "ja": "Japanese", "ko": "Korean", "ru": "Russian", "ar": "Arabic", "vi": "Vietnamese",
}  # fmt: skip


@cache
def prompt_file(role: str) -> str:
    """The prompt of a role as it stands in its file."""
    return (files("research_crew.agents.model") / "prompts" / f"{role}.md").read_text(encoding="utf-8")


def system_prompt(role: str, question: Question, **values: object) -> str:
    """The prompt of a role with the date, the language and the limits filled in."""
    known = {"today": question.today, "language": language_name(question.language), **values}
    return Template(prompt_file(role)).substitute({k: str(v) for k, v in known.items()}).strip()


def language_name(code: str) -> str:
    """`German` for `de`; the code itself for a language that is not listed."""
    return _LANGUAGES.get(code.split("-")[0].lower(), code)


@cache
def prompts_version() -> str:
    """Twelve digits that change with any prompt: frozen in the record of a run."""
    return sha256("\0".join(prompt_file(role) for role in (*ROLES, *SMALL)).encode()).hexdigest()[:12]
