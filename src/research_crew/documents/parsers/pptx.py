"""PPTX (ECMA-376, PresentationML): a page a slide, its title as a heading, tables, and the speaker's notes.

Slides that the presentation hides are left out, and counted.
"""

from collections.abc import Iterator

from research_crew.documents.document import Document, Page
from research_crew.documents.outcome import FileTrouble
from research_crew.documents.tables import table_text
from research_crew.documents.zips import Element, ZipOfXml

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_OWN = ("title", "ctrTitle")
_FURNITURE = ("dt", "ftr", "sldNum", "hdr", "sldImg")
"""Placeholders that are the same on every slide."""


def parse(kind: str, data: bytes, name: str) -> Document:  # noqa: ARG001
    """One page per slide, numbered as in the presentation."""
    package = ZipOfXml(data, kind)
    root = package.needed("ppt/presentation.xml")
    parts = package.relations("ppt/presentation.xml")
    pages: list[Page] = []
    hidden = 0
    for number, entry in enumerate(root.iterfind(f"{_P}sldIdLst/{_P}sldId"), 1):
        _, part = parts.get(entry.get(f"{_R}id") or "", ("", ""))
        slide = package.xml(part)
        if slide is None:
            continue
        if slide.get("show") in ("0", "false"):
            hidden += 1
            continue
        title, blocks = _slide(slide)
        spoken = _notes(package, part)
        lines = [f"# {title}"] if title else []
        lines += blocks
        lines += [f"Notes: {spoken}"] if spoken else []
        pages.append(Page("\n\n".join(lines), number))
    if not any(page.text for page in pages):
        pictures = any(part.startswith("ppt/media/") for part in package.names)
        raise FileTrouble("no-text" if pictures else "empty", "no text in its slides", kind)
    facts = package.core()
    first = next((page.headings[0] for page in pages if page.headings), "")
    title = facts.get("title", "")
    title = first if title.lower() in ("", "powerpoint presentation") else title
    notes = (f"{hidden} hidden slide(s) left out",) if hidden else ()
    return Document(kind, tuple(pages), title, facts.get("created"), facts.get("creator"), facts.get("language"), notes)


def _slide(slide: Element) -> tuple[str, list[str]]:
    """The title of a slide and its other texts, in the order of the file."""
    title = ""
    blocks: list[str] = []
    for shape in slide.iter(f"{_P}sp", f"{_P}graphicFrame"):
        if shape.tag == f"{_P}graphicFrame":
            for table in shape.iter(f"{_A}tbl"):
                rows = [[_flat(cell) for cell in row.iterfind(f"{_A}tc")] for row in table.iterfind(f"{_A}tr")]
                blocks.append(table_text(rows, table.find(f"{_A}tblPr[@firstRow='1']") is not None or None))
            continue
        role = shape.find(f"{_P}nvSpPr/{_P}nvPr/{_P}ph")
        kind = role.get("type") or "" if role is not None else ""
        if kind in _FURNITURE:
            continue
        if kind in _OWN and not title:
            title = _flat(shape)
        else:
            blocks += _paragraphs(shape)
    return title, [block for block in blocks if block]


def _paragraphs(shape: Element) -> Iterator[str]:
    many = len(list(shape.iter(f"{_A}p"))) > 1
    for paragraph in shape.iter(f"{_A}p"):
        text = _text(paragraph).strip()
        if text:
            bare = paragraph.find(f"{_A}pPr/{_A}buNone") is not None
            yield f"- {text}" if many and not bare else text


def _text(paragraph: Element) -> str:
    parts = paragraph.iter(f"{_A}t", f"{_A}br", f"{_A}tab")
    return "".join((part.text or "") if part.tag == f"{_A}t" else "\n" if part.tag == f"{_A}br" else " " for part in parts)


def _flat(node: Element) -> str:
    return " ".join(" ".join(_text(paragraph) for paragraph in node.iter(f"{_A}p")).split())


def _notes(package: ZipOfXml, part: str) -> str:
    name = next((member for kind, member in package.relations(part).values() if kind == "notesSlide"), "")
    root = package.xml(name)
    if root is None:
        return ""
    said = []
    for shape in root.iter(f"{_P}sp"):
        role = shape.find(f"{_P}nvSpPr/{_P}nvPr/{_P}ph")
        if role is not None and role.get("type") == "body":
            said.append(_flat(shape))
    return " ".join(said).strip()
