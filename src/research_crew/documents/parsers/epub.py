"""EPUB (EPUB 3.3, OPF 2 and 3): a page a chapter, in reading order, each read as the HTML it is."""

from urllib.parse import unquote

from research_crew.documents.document import Document, Page
from research_crew.documents.outcome import FileTrouble
from research_crew.documents.parsers.html import read_html
from research_crew.documents.zips import CORE, Element, ZipOfXml, resolved
from research_crew.evidence.charset import decode

_C = "{urn:oasis:names:tc:opendocument:xmlns:container}"
_O = "{http://www.idpf.org/2007/opf}"
_E = "{http://www.w3.org/2001/04/xmlenc#}"
_DATE = "{http://purl.org/dc/elements/1.1/}date"
_PAGES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")


def parse(kind: str, data: bytes, name: str) -> Document:  # noqa: ARG001
    """One page per document of the spine with text in it, numbered by its place there."""
    package = ZipOfXml(data, kind)
    root = package.needed("META-INF/container.xml").find(f"{_C}rootfiles/{_C}rootfile")
    place = root.get("full-path") if root is not None else None
    if not place:
        raise FileTrouble("broken", "damaged: its container names no package", kind)
    book = package.needed(place)
    folder = place.rpartition("/")[0]
    items = {item.get("id"): item for item in book.iterfind(f"{_O}manifest/{_O}item")}
    locked = _locked(package)
    pages: list[Page] = []
    skipped = 0
    for number, entry in enumerate(book.iterfind(f"{_O}spine/{_O}itemref"), 1):
        item = items.get(entry.get("idref"))
        if item is None or item.get("media-type") not in _PAGES or "nav" in (item.get("properties") or "").split():
            continue
        member = resolved(folder, item.get("href") or "")
        if member in locked:
            skipped += 1
            continue
        source, _, _ = decode(package.bytes(member), None, markup=True)
        facts, text, _ = read_html(source)
        if text.strip():
            heading = "" if text.lstrip().startswith("#") else facts.title
            pages.append(Page(text, number, heading))
    if not pages and skipped:
        raise FileTrouble("encrypted", "its chapters are protected", kind)
    if not pages:
        pictures = any(member.lower().endswith((".jpg", ".jpeg", ".png")) for member in package.names)
        raise FileTrouble("no-text" if pictures else "empty", "no text in its chapters", kind)
    notes = (f"{skipped} protected chapter(s) left out",) if skipped else ()
    return Document(
        kind, tuple(pages), _said(book, CORE["title"]), _said(book, _DATE)[:10] or None,
        ", ".join(t for node in book.iter(CORE["creator"]) if (t := (node.text or "").strip())) or None,
        _said(book, CORE["language"]) or None, notes,
    )  # fmt: skip


def _said(book: Element, tag: str) -> str:
    return next((text for node in book.iter(tag) if (text := (node.text or "").strip())), "")


def _locked(package: ZipOfXml) -> frozenset[str]:
    """Members that are encrypted; fonts often are, and are of no interest."""
    root = package.xml("META-INF/encryption.xml")
    references = root.iter(f"{_E}CipherReference") if root is not None else ()
    return frozenset(unquote(reference.get("URI") or "") for reference in references)
