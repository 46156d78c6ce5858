"""A file as text: pages in order, headings marked by `#` at the beginning of a line."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from research_crew.evidence.instructions import find_instructions

INSTRUCTED = "hidden instruction(s) addressed to an assistant"


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a paged file; the whole of any other, with number None."""

    text: str
    number: int | None = None
    """1-based."""


@dataclass(frozen=True, slots=True)
class Document:
    """What a parser makes of a file. Text has no NUL and no carriage return."""

    kind: str
    pages: tuple[Page, ...]
    title: str = ""
    published: str | None = None
    """ISO date, where the file names one."""
    author: str | None = None
    language: str | None = None
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """JSON types only: how a document comes out of the parsing process."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of `to_json`."""
        pages = tuple(Page(page["text"], page["number"]) for page in data["pages"])
        return cls(**{**data, "pages": pages, "notes": tuple(data["notes"])})


def instruction_notes(text: str, html: str = "", metadata: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """A note when a file contains instructions addressed to an assistant, where no reader sees them too.

    What a reader sees is kept as text; what is hidden is not even that, and only counted.
    """
    hidden = [i for i in find_instructions(text, html, metadata) if i.where not in ("text", "page")]
    return (f"{len(hidden)} {INSTRUCTED}",) if hidden else ()


def clean(text: str) -> str:
    """Line ends as `\\n`, no NUL, no trailing blanks, at most one empty line in a row."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "").replace("\f", "\n").split("\n")
    kept: list[str] = []
    for line in lines:
        stripped = line.rstrip()
        if stripped or (kept and kept[-1]):
            kept.append(stripped)
    return "\n".join(kept).strip("\n")
