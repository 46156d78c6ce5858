"""One parser a file: bytes in, a `Document` out. `parse` loads only the one that is needed."""

from importlib import import_module

from research_crew.documents.document import Document

_MODULES = {"txt": "plain", "md": "markdown", "html": "html", "pdf": "pdf", "docx": "docx"}


def parse(kind: str, data: bytes, name: str) -> Document:
    """Parse a file of a known kind; raises `FileTrouble` for one without text.

    `name` is only for the title, where the file names none.
    """
    document: Document = import_module(f"research_crew.documents.parsers.{_MODULES[kind]}").parse(kind, data, name)
    return document
