"""A document cut into passages, with the terms that are indexed: everything about it that takes time, done at once.

For files this runs in the parsing process, so that a text made to be slow to cut is stopped by the same limits as a
file made to be slow to parse.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from research_crew.documents.document import Document
from research_crew.documents.words import index_terms
from research_crew.evidence.passage import split_passages


@dataclass(frozen=True, slots=True)
class IndexedPassage:
    """One passage as it is stored."""

    page: int
    """Which page of the document, counted from 0 (not its number)."""
    start: int
    end: int
    heading: str
    heading_terms: str
    body_terms: str


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document ready to be stored."""

    document: Document
    title_terms: str
    passages: tuple[IndexedPassage, ...]

    def to_json(self) -> dict[str, Any]:
        """JSON types only; `from_json` gives back an equal value."""
        rows = [[p.page, p.start, p.end, p.heading, p.heading_terms, p.body_terms] for p in self.passages]
        return {"document": self.document.to_json(), "title_terms": self.title_terms, "passages": rows}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of `to_json`."""
        passages = tuple(IndexedPassage(*row) for row in data["passages"])
        return cls(Document.from_json(data["document"]), data["title_terms"], passages)


def prepare(document: Document) -> Prepared:
    """Cut every page into passages and fold their words."""
    passages: list[IndexedPassage] = []
    heading_terms: dict[str, str] = {"": ""}
    for place, page in enumerate(document.pages):
        for p in split_passages(page.text, page=page.number, heading=page.heading):
            if p.heading not in heading_terms:
                heading_terms[p.heading] = index_terms(p.heading)
            passages.append(
                IndexedPassage(place, p.start, p.end, p.heading, heading_terms[p.heading], index_terms(p.text))
            )
    return Prepared(document, index_terms(document.title), tuple(passages))
