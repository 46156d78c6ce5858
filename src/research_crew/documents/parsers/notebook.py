"""Jupyter notebooks (nbformat 4): the prose of its Markdown cells, the code, and what the code printed as text."""

import json

from research_crew.documents.document import Document, Page
from research_crew.documents.outcome import FileTrouble
from research_crew.documents.parsers.markdown import readable
from research_crew.documents.parsers.plain import text_of

_LONGEST_OUTPUT = 20_000


def parse(kind: str, data: bytes, name: str) -> Document:  # noqa: ARG001
    """The cells in order as one page; pictures, tracebacks and widgets are left out."""
    text, notes = text_of(data, kind)
    try:
        book = json.loads(text)
        cells = book.get("cells") or [c for sheet in book.get("worksheets", ()) for c in sheet["cells"]]
        pieces = [_cell(cell) for cell in cells]
    except (ValueError, RecursionError) as error:
        raise FileTrouble("broken", f"no notebook: {error}"[:200], kind) from None
    except (AttributeError, KeyError, TypeError):
        raise FileTrouble("broken", "no notebook: it has no cells", kind) from None
    whole = "\n\n".join(piece for piece in pieces if piece.strip())
    if not whole:
        raise FileTrouble("empty", "no cell with text in it", kind)
    title, whole = readable(whole)
    return Document(kind, (Page(whole),), title, notes=notes)


def _cell(cell: dict[str, object]) -> str:
    source = _joined(cell.get("source", cell.get("input", "")))
    match cell.get("cell_type"):
        case "markdown":
            return source
        case "heading":
            level = cell.get("level", 1)
            return f"{'#' * (level if isinstance(level, int) else 1)} {source}"
        case "code":
            outputs = cell.get("outputs")
            printed = [_output(o) for o in outputs if isinstance(o, dict)] if isinstance(outputs, list) else []
            parts = [source, *(p for p in printed if p.strip())]
            return "\n\n".join(f"```\n{part.strip()}\n```" for part in parts if part.strip())
        case _:
            return source


def _output(output: dict[str, object]) -> str:
    if output.get("output_type") == "error":
        return ""
    data = output.get("data")
    said = data.get("text/plain", "") if isinstance(data, dict) else output.get("text", "")
    return _joined(said)[:_LONGEST_OUTPUT]


def _joined(value: object) -> str:
    return "".join(map(str, value)) if isinstance(value, list) else str(value or "")
