"""One parser a file: bytes in, a `Document` out. `parse` loads only the one that is needed.

A parser is a function `parse(kind, data, name)` that raises `FileTrouble` for a file without text, and may raise
anything at all for a hostile one: it runs in the parsing process (`documents.child`).
"""

from importlib import import_module

from research_crew.documents.document import Document, has_words
from research_crew.documents.outcome import FileTrouble

_MODULES = {
    "txt": "plain", "md": "markdown", "html": "html", "pdf": "pdf", "docx": "docx", "pptx": "pptx", "xlsx": "xlsx",
    "epub": "epub", "csv": "csv_rows", "json": "json_values", "jsonl": "json_values", "ipynb": "notebook",
}  # fmt: skip


def parse(kind: str, data: bytes, name: str) -> Document:
    """Parse a file of a known kind; raises `FileTrouble` for one without text.

    `name` is only for the title, where the file names none.
    """
    document: Document = import_module(f"research_crew.documents.parsers.{_MODULES[kind]}").parse(kind, data, name)
    tidy = document.tidied(name)
    if not any(has_words(page.text) for page in tidy.pages):
        raise FileTrouble("empty", "no letter or digit in it", kind)
    return tidy
