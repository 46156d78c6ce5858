"""Plain text, in whatever encoding it is."""

from research_crew.documents.document import Document, Page, clean, has_words
from research_crew.documents.outcome import FileTrouble
from research_crew.evidence.charset import decode


def text_of(data: bytes, kind: str = "txt") -> tuple[str, tuple[str, ...]]:
    """The text of bytes and what a person should know; raises `FileTrouble` when it has no letter or digit."""
    text, _, notes = decode(data, None, markup=False)
    text = clean(text)
    if not has_words(text):
        raise FileTrouble("empty", "no letter or digit in it", kind)
    return text, notes


def parse(kind: str, data: bytes, name: str) -> Document:  # noqa: ARG001
    """The whole text as one page; the title is the file's name."""
    text, notes = text_of(data)
    return Document(kind, (Page(text),), notes=notes)
