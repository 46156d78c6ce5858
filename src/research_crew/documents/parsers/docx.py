"""DOCX (ECMA-376, WordprocessingML): paragraphs and tables in the order of the document, headings as `#` lines.

Read from the XML itself: what a library for writing such files leaves out (insertions under review, content controls,
text boxes, footnotes) is text to a reader. Deleted and hidden text is not.
"""

from collections.abc import Iterator

from research_crew.documents.document import Document, Page, has_words
from research_crew.documents.outcome import FileTrouble
from research_crew.documents.tables import table_text
from research_crew.documents.zips import Element, ZipOfXml

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_PASSED = frozenset(
    (f"{_W}del", f"{_W}moveFrom", f"{_W}delText", f"{_W}instrText", f"{_W}pPr", f"{_W}sectPr",
     "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback")
)  # fmt: skip
_OFF = ("0", "false", "off")


def parse(kind: str, data: bytes, name: str) -> Document:  # noqa: ARG001
    """The text as one page, with title, author and date of the file's properties."""
    package = ZipOfXml(data, kind)
    body = package.needed("word/document.xml").find(f"{_W}body")
    if body is None:
        raise FileTrouble("broken", "damaged: it has no body", kind)
    lines = list(_blocks(body, _levels(package), 0))
    notes = package.xml("word/footnotes.xml")
    for note in notes if notes is not None else ():
        if note.get(f"{_W}type") is None:
            lines += _blocks(note, {}, 0)
    text = "\n\n".join(lines)
    if not has_words(text):
        pictures = any(part.startswith("word/media/") for part in package.names)
        raise FileTrouble("no-text" if pictures else "empty", "no text in it", kind)
    facts = package.core()
    first = next((block.lstrip("# ") for block in lines if block.startswith("# ")), "")
    return Document(
        kind, (Page(text),), facts.get("title") or first, facts.get("created"), facts.get("creator"),
        facts.get("language"),
    )  # fmt: skip


def _levels(package: ZipOfXml) -> dict[str, int]:
    """Style id → level of heading, for the styles that are headings, by their own name or outline level or a parent's."""
    root = package.xml("word/styles.xml")
    own: dict[str, int] = {}
    parents: dict[str, str] = {}
    for style in root.iterfind(f"{_W}style") if root is not None else ():
        key = style.get(f"{_W}styleId") or ""
        label = (_value(style.find(f"{_W}name")) or "").lower()
        outline = _value(style.find(f"{_W}pPr/{_W}outlineLvl"))
        parents[key] = _value(style.find(f"{_W}basedOn")) or ""
        if label.startswith("heading ") and label[8:].isdigit():
            own[key] = int(label[8:])
        elif label == "title":
            own[key] = 1
        elif outline is not None and outline.isdigit() and int(outline) < 9:
            own[key] = int(outline) + 1
    levels: dict[str, int] = {}
    for key in parents:
        seen: set[str] = set()
        at = key
        while at and at not in own and at not in seen:
            seen.add(at)
            at = parents.get(at, "")
        if at in own:
            levels[key] = min(own[at], 6)
    return levels


def _blocks(parent: Element, levels: dict[str, int], depth: int) -> Iterator[str]:
    """The paragraphs and tables below a node, also those in content controls and insertions."""
    for child in parent:
        if child.tag == f"{_W}p":
            yield from _paragraph(child, levels, depth)
        elif child.tag == f"{_W}tbl":
            yield from _table(child, levels, depth)
        elif isinstance(child.tag, str) and child.tag not in _PASSED and len(child):
            yield from _blocks(child, levels, depth)


def _paragraph(node: Element, levels: dict[str, int], depth: int) -> Iterator[str]:
    boxes: list[Element] = []
    text = "".join(_inline(node, boxes)).strip()
    properties = node.find(f"{_W}pPr")
    level = 0
    listed = False
    if properties is not None:
        level = levels.get(_value(properties.find(f"{_W}pStyle")) or "", 0)
        outline = _value(properties.find(f"{_W}outlineLvl"))
        if not level and outline is not None and outline.isdigit() and int(outline) < 9:
            level = min(int(outline) + 1, 6)
        listed = properties.find(f"{_W}numPr") is not None
    if text and level:
        yield f"{'#' * level} {' '.join(text.split())}"
    elif text:
        yield f"- {text}" if listed else text
    for box in boxes:
        yield from _blocks(box, levels, depth)


def _inline(node: Element, boxes: list[Element]) -> Iterator[str]:
    """The visible text of a paragraph; text boxes anchored in it are put aside."""
    for child in node:
        tag = child.tag
        if tag in _PASSED or not isinstance(tag, str):
            continue
        if tag == f"{_W}txbxContent":
            boxes.append(child)
        elif tag == f"{_W}t":
            yield child.text or ""
        elif tag in (f"{_W}tab", f"{_W}ptab"):
            yield "\t"
        elif tag in (f"{_W}br", f"{_W}cr"):
            yield "\n"
        elif tag == f"{_W}noBreakHyphen":
            yield "-"
        elif tag == f"{_W}r" and _is_hidden(child):
            continue
        else:
            yield from _inline(child, boxes)


def _is_hidden(run: Element) -> bool:
    vanish = run.find(f"{_W}rPr/{_W}vanish")
    return vanish is not None and vanish.get(f"{_W}val") not in _OFF


def _table(node: Element, levels: dict[str, int], depth: int) -> Iterator[str]:
    """A table as rows of cells; one that only lays out a page (a single column, or tables in it) as what is in it."""
    rows = list(node.iter(f"{_W}tr")) if depth > 20 else list(node.iterfind(f"{_W}tr"))
    grid = [list(row.iterfind(f"{_W}tc")) for row in rows]
    if all(len(cells) <= 1 for cells in grid) or any(cell.find(f".//{_W}tbl") is not None for c in grid for cell in c):
        for cells in grid:
            for cell in cells:
                yield from _blocks(cell, levels, depth + 1)
        return
    texts = [[" ".join(" ".join(_blocks(cell, {}, depth + 1)).split()) for cell in cells] for cells in grid]
    marked = rows[0].find(f"{_W}trPr/{_W}tblHeader") is not None if rows else False
    text = table_text(texts, True if marked else None)
    if text:
        yield text


def _value(node: Element | None) -> str | None:
    return node.get(f"{_W}val") if node is not None else None
