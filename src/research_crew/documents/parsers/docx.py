"""DOCX by python-docx: paragraphs and tables in the order of the document, headings as `#` lines."""

from io import BytesIO
from zipfile import BadZipFile

import docx
from docx.opc.exceptions import OpcError
from docx.table import Table
from docx.text.paragraph import Paragraph
from lxml.etree import XMLSyntaxError

from research_crew.documents.document import Document, Page, clean
from research_crew.documents.outcome import FileTrouble
from research_crew.documents.zips import check_zip


def parse(kind: str, data: bytes, name: str) -> Document:
    """The text as one page, with title, author and date of the file's properties."""
    check_zip(data)
    try:
        file = docx.Document(BytesIO(data))
    except (OpcError, KeyError, ValueError, BadZipFile, XMLSyntaxError) as error:
        raise FileTrouble("broken", f"damaged: {error}") from None
    lines: list[str] = []
    for item in file.iter_inner_content():
        if isinstance(item, Paragraph):
            style = (item.style.name or "") if item.style is not None else ""
            level = style.rpartition(" ")[2]
            if item.text.strip() and style.startswith("Heading") and level.isdigit():
                lines += ["", f"{'#' * min(6, int(level))} {item.text.strip()}", ""]
            elif item.text.strip() and style == "Title":
                lines += [f"# {item.text.strip()}", ""]
            else:
                lines += [item.text, ""]
        elif isinstance(item, Table):
            lines += [*(" | ".join(_cells(row.cells)) for row in item.rows), ""]
    text = clean("\n".join(lines))
    if not any(c.isalnum() for c in text):
        raise FileTrouble("no-text" if file.inline_shapes else "empty", "no text in it")
    facts = file.core_properties
    first = next((line.lstrip("# ") for line in lines if line.startswith("#")), "")
    made = facts.created.date().isoformat() if facts.created is not None else None
    return Document(kind, (Page(text),), facts.title or first or name, made, facts.author or None)


def _cells(cells: tuple[object, ...]) -> list[str]:
    """The texts of a row; a merged cell, which the library repeats, once."""
    seen: list[object] = []
    texts: list[str] = []
    for cell in cells:
        element = getattr(cell, "_tc", cell)
        if element not in seen:
            seen.append(element)
            texts.append(" ".join(str(getattr(cell, "text", "")).split()))
    return texts
