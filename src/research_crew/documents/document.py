"""A file as text: pages in order, headings marked by `#` at the beginning of a line."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from research_crew.evidence.instructions import find_instructions

INSTRUCTED = "hidden instruction(s) addressed to an assistant"
_HEADING = re.compile(r"^#{1,6}[ \t]+(\S.*)$", re.M)
_SURROGATE = re.compile("[\ud800-\udfff]")
_LONG_BLANK = re.compile(r"[ \t\u00a0\u2000-\u200a\u3000]{32,}")
_LONGEST_FACT = 400
_NO_TITLE = frozenset(("untitled", "(untitled)", "unknown", "document", "powerpoint presentation", "untitled document"))
_NO_AUTHOR = frozenset(("anonymous", "(anonymous)", "unknown", "user", "admin", "author"))
"""What programs write when nobody said anything."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a paged file (a slide, a sheet, a chapter); the whole of any other, with number None."""

    text: str
    number: int | None = None
    """1-based."""
    heading: str = ""
    """What stands above the page's first line without being in its text: the section that goes on from the page before,
    the title of a slide, the name of a sheet."""

    @property
    def headings(self) -> tuple[str, ...]:
        """All headings of the page, in order."""
        return tuple(h for h in (self.heading, *(m[1].rstrip(" \t#") for m in _HEADING.finditer(self.text))) if h)


@dataclass(frozen=True, slots=True)
class Document:
    """What a parser makes of a file. Text has no NUL, no lone surrogate and no carriage return."""

    kind: str
    pages: tuple[Page, ...]
    title: str = ""
    published: str | None = None
    """ISO date, where the file names one."""
    author: str | None = None
    language: str | None = None
    """ISO 639-1, as the file says."""
    notes: tuple[str, ...] = ()
    canonical: str | None = None
    """Where a saved page says it comes from; not trusted for anything but naming."""

    def to_json(self) -> dict[str, Any]:
        """JSON types only: how a document comes out of the parsing process."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of `to_json`."""
        pages = tuple(Page(**page) for page in data["pages"])
        return cls(**{**data, "pages": pages, "notes": tuple(data["notes"])})

    def tidied(self, name: str) -> Self:
        """Every text cleaned, pages without text left out; `name` stands for a title that is missing.

        The last step of every parser, so that none of them can let through what a store or a terminal chokes on.
        """
        cleaned = (replace(page, text=clean(page.text), heading=line(page.heading)) for page in self.pages)
        title, author = line(self.title).removeprefix("Microsoft Word - "), line(self.author or "")
        return replace(
            self,
            pages=tuple(page for page in cleaned if page.text),
            title=title if title.lower() not in ("", *_NO_TITLE) else line(name),
            published=line(self.published or "")[:10] or None,
            author=author if author.lower() not in ("", *_NO_AUTHOR) else None,
            language=(self.language or "").strip().replace("_", "-").partition("-")[0].lower()[:8] or None,
            notes=tuple(map(line, self.notes)),
            canonical=line(self.canonical or "") or None,
        )


def instruction_notes(text: str, html: str = "", metadata: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """A note when a file contains instructions addressed to an assistant, where no reader sees them too.

    What a reader sees is kept as text; what is hidden is not even that, and only counted.
    """
    hidden = [i for i in find_instructions(text, html, metadata) if i.where not in ("text", "page")]
    return (f"{len(hidden)} {INSTRUCTED}",) if hidden else ()


def clean(text: str) -> str:
    """Line ends as `\\n`, no NUL, no lone surrogate, no trailing blanks, at most one empty line in a row.

    A run of dozens of blanks says no more to a reader than a short one, and is where patterns over text become slow.
    """
    text = _SURROGATE.sub("\ufffd", text).replace("\r\n", "\n").replace("\r", "\n").replace("\0", "").replace("\f", "\n")
    text = _LONG_BLANK.sub(" " * 8, text)
    kept: list[str] = []
    for piece in text.split("\n"):
        stripped = piece.rstrip()
        if stripped or (kept and kept[-1]):
            kept.append(stripped)
    return "\n".join(kept).strip("\n")


def line(text: str) -> str:
    """One line for a title, a name, a note: no control characters, single blanks, at most 400 characters."""
    plain = "".join(c if c.isprintable() else " " for c in _SURROGATE.sub("\ufffd", text[: _LONGEST_FACT * 4]))
    return " ".join(plain.split())[:_LONGEST_FACT].rstrip()


def has_words(text: str) -> bool:
    """Whether there is a letter or a digit in it."""
    return any(c.isalnum() for c in text)
