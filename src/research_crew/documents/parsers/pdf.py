"""PDF by PDFium: the text of every page. Pictures of text are reported, not read."""

import re

import pypdfium2

from research_crew.documents.document import Document, Page, clean, instruction_notes
from research_crew.documents.outcome import FileTrouble

MOST_PAGES = 5000
_HYPHEN = re.compile("(?<=[^\\W\\d_])[\ufffe\u00ad\u0002]\\s*\n?")
_DATE = re.compile(r"D:(\d{4})(\d{2})?(\d{2})?")


def parse(kind: str, data: bytes, name: str) -> Document:
    """One page of text per page, numbered from 1; raises `FileTrouble` for a broken, locked or picture-only file."""
    try:
        pdf = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise FileTrouble("encrypted", "protected by a password") from None
        raise FileTrouble("broken", f"damaged: {error}") from None
    try:
        count = len(pdf)
        pages = tuple(Page(text, n) for n in range(1, min(count, MOST_PAGES) + 1) if (text := _page(pdf, n - 1)))
        facts = pdf.get_metadata_dict(skip_empty=True)
    finally:
        pdf.close()
    if not any(c.isalnum() for page in pages for c in page.text):
        raise FileTrouble("no-text", f"{count} page(s) of pictures; it would need text recognition")
    date = _DATE.match(facts.get("CreationDate", ""))
    published = "-".join(part for part in date.groups() if part) if date else None
    notes: tuple[str, ...] = (f"only the first {MOST_PAGES} of {count} pages",) if count > MOST_PAGES else ()
    title, author = facts.get("Title", "").strip() or name, facts.get("Author") or None
    notes += instruction_notes("", "", facts)
    return Document(kind, pages, title, published, author, None, notes)


def _page(pdf: pypdfium2.PdfDocument, index: int) -> str:
    try:
        page = pdf[index]
        text_page = page.get_textpage()
        text: str = text_page.get_text_bounded()
        text_page.close()
        page.close()
    except pypdfium2.PdfiumError:
        return ""  # one damaged page does not lose the others; a file without a readable page is `no-text`
    return clean(_HYPHEN.sub("", text))
