"""PDF by PDFium: the text of every page, with the headings of its bookmarks. Pictures of text are reported, not read.

Lines that stand at the top or the bottom of most pages (running titles, page numbers) are left out: they would fall
into the middle of sentences that run over two pages.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice

import pypdfium2

from research_crew.documents.document import Document, Page, clean, has_words, instruction_notes, line
from research_crew.documents.outcome import FileTrouble
from research_crew.evidence.folding import fold

MOST_PAGES = 5000
_MOST_BOOKMARKS = 5000
_HYPHEN = re.compile("(?<=[^\\W\\d_])[\ufffe\u00ad\u0002]\\s*\n?")
_DATE = re.compile(r"D:(\d{4})(\d{2})?(\d{2})?")
_EDGE = 2
"""Lines at the top and at the bottom of a page that may be running ones."""
_LEAST_PAGES, _MOST_OF = 4, 0.6


def parse(kind: str, data: bytes, name: str) -> Document:  # noqa: ARG001
    """One page of text per page, numbered from 1; raises `FileTrouble` for a broken, locked or picture-only file."""
    try:
        pdf = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise FileTrouble("encrypted", "protected by a password", kind) from None
        raise FileTrouble("broken", f"damaged: {error}", kind) from None
    try:
        count = len(pdf)
        if count == 0:
            raise FileTrouble("broken", "it has no pages", kind)
        texts = without_running_lines([_text(pdf, n) for n in range(min(count, MOST_PAGES))])
        marks = _bookmarks(pdf)
        facts = {key: line(value) for key, value in pdf.get_metadata_dict(skip_empty=True).items()}
    finally:
        pdf.close()
    blank = sum(not has_words(text) for text in texts)
    if blank == len(texts):
        raise FileTrouble("no-text", f"{count} page(s) of pictures; it would need text recognition", kind)
    notes: list[str] = []
    if count > MOST_PAGES:
        notes.append(f"only the first {MOST_PAGES:,} of {count:,} pages")
    if blank:
        notes.append(f"{blank} of {count} page(s) without text")
    date = _DATE.match(facts.get("CreationDate", ""))
    published = "-".join(part for part in date.groups() if part) if date else None
    notes += instruction_notes("", "", facts)
    return Document(
        kind, tuple(_pages(texts, marks)), facts.get("Title", ""), published, facts.get("Author"), None, tuple(notes)
    )


def _text(pdf: pypdfium2.PdfDocument, index: int) -> str:
    try:
        page = pdf[index]
        text_page = page.get_textpage()
        text: str = text_page.get_text_bounded()
        text_page.close()
        page.close()
    except pypdfium2.PdfiumError:
        return ""  # one damaged page does not lose the others; a file without a readable page is `no-text`
    return clean(_HYPHEN.sub("", text.replace("\r\n", "\n")))


def without_running_lines(texts: Sequence[str]) -> list[str]:
    """The pages without the lines that most of them share at their edges, figures in them aside."""
    if len(texts) < _LEAST_PAGES:
        return list(texts)
    pages = [text.split("\n") for text in texts]
    counts = Counter(form for lines in pages for form in {_form(some) for some in _edges(lines)})
    running = {form for form, count in counts.items() if form and count >= max(_LEAST_PAGES - 1, _MOST_OF * len(pages))}
    kept: list[str] = []
    for lines in pages:
        top, bottom = 0, len(lines)
        while top < min(_EDGE, bottom) and _form(lines[top]) in running:
            top += 1
        while bottom > max(len(lines) - _EDGE, top) and _form(lines[bottom - 1]) in running:
            bottom -= 1
        inner = "\n".join(lines[top:bottom]).strip("\n")
        # A page of nothing but such lines is a form or a slide, and they are its text.
        kept.append(inner if has_words(inner) else "\n".join(lines))
    return kept


def _edges(lines: Sequence[str]) -> tuple[str, ...]:
    return (*lines[:_EDGE], *lines[-_EDGE:])


def _form(text: str) -> str:
    """Equal for the same running line on two pages; empty for what is none: long lines, and ends of sentences."""
    words = text.strip()
    sentence = words.endswith((".", "!", "?", "。", ":", ",", ";")) and has_letters(words)
    return "" if sentence or len(words) > 120 else re.sub(r"\d+", "0", fold(words))


def has_letters(text: str) -> bool:
    """Whether there is more in it than figures and marks."""
    return any(c.isalpha() for c in text)


def _bookmarks(pdf: pypdfium2.PdfDocument) -> dict[int, list[tuple[int, str]]]:
    """Page index → (level, title) of the bookmarks that lead there."""
    found: dict[int, list[tuple[int, str]]] = {}
    try:
        for item in islice(pdf.get_toc(max_depth=6), _MOST_BOOKMARKS):
            place = item.get_dest()
            index = place.get_index() if place is not None else None
            title = line(item.get_title() or "")
            if index is not None and title:
                found.setdefault(index, []).append((item.level + 1, title))
    except (pypdfium2.PdfiumError, ValueError):
        return found  # a damaged outline loses headings, not text
    return found


def _pages(texts: Sequence[str], marks: dict[int, list[tuple[int, str]]]) -> list[Page]:
    """Pages with the lines that bookmarks name marked as headings; a section goes on over the pages after it."""
    pages: list[Page] = []
    current = ""
    for index, text in enumerate(texts):
        before = current
        titles = {_loose(title): (level, title) for level, title in marks.get(index, ())}
        lines: list[str] = []
        for piece in text.split("\n"):
            level, title = titles.pop(_loose(piece), (0, "")) if titles and len(piece) <= 200 else (0, "")
            if level:
                current = title
                # A heading parts paragraphs, though the page shows that by size alone.
                lines += ["", f"{'#' * level} {piece.strip()}", ""]
            else:
                lines.append(piece)
        if titles:
            # Its line was not found: at least what follows is known to belong there.
            current = list(titles.values())[-1][1]
            before = before if lines and any(p.startswith("#") for p in lines) else current
        pages.append(Page("\n".join(lines), index + 1, before))
    return pages


def _loose(text: str) -> str:
    """Equal for a bookmark and its line on the page: numbers before it, blanks and marks make no difference."""
    return re.sub(r"[\W_]+", "", re.sub(r"^[\s\d.]+", "", fold(text)))
