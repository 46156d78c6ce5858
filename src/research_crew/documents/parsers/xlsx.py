"""XLSX (ECMA-376, SpreadsheetML): a page a sheet, a paragraph a row, with the names of its columns.

Values are the stored results of formulas; figures are written as plain numbers, dates as ISO dates, shares with their
sign. Hidden sheets are left out, and counted.
"""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

from research_crew.documents.document import Document, Page
from research_crew.documents.outcome import FileTrouble
from research_crew.documents.tables import row_texts
from research_crew.documents.zips import Element, ZipOfXml

MOST_ROWS = 200_000
_MOST_COLUMNS = 500
_M = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_DATES = frozenset((*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)))
"""Numbers of built-in formats that show a date or a time (ECMA-376, 18.8.30)."""
_SHARES = frozenset((9, 10))
_QUOTED = re.compile(r"\"[^\"]*\"|\\.|\[(?!h|m|s)[^\]]*\]", re.I)


def parse(kind: str, data: bytes, name: str) -> Document:  # noqa: ARG001
    """One page per sheet with something in it, numbered as in the workbook; the name of the sheet is its heading."""
    package = ZipOfXml(data, kind)
    book = package.needed("xl/workbook.xml")
    parts = package.relations("xl/workbook.xml")
    reader = _Cells(package, book)
    pages: list[Page] = []
    notes: list[str] = []
    hidden = 0
    for number, sheet in enumerate(book.iterfind(f"{_M}sheets/{_M}sheet"), 1):
        if sheet.get("state") in ("hidden", "veryHidden"):
            hidden += 1
            continue
        _, part = parts.get(sheet.get(f"{_R}id") or "", ("", ""))
        if part not in package.names or "worksheet" not in part:
            continue
        rows: list[str] = []
        for row in row_texts(reader.rows(part)):
            if len(rows) == MOST_ROWS:
                notes.append(f"only the first {MOST_ROWS:,} rows of {sheet.get('name')}")
                break
            rows.append(row)
        if rows:
            pages.append(Page("\n\n".join(rows), number, sheet.get("name") or ""))
    if not pages:
        raise FileTrouble("empty", "no value in its sheets", kind)
    if hidden:
        notes.append(f"{hidden} hidden sheet(s) left out")
    facts = package.core()
    return Document(
        kind, tuple(pages), facts.get("title", ""), facts.get("created"), facts.get("creator"), None, tuple(notes)
    )


class _Cells:
    """Reads cells with the shared strings and the formats of a workbook."""

    def __init__(self, package: ZipOfXml, book: Element) -> None:
        self._package = package
        strings = package.xml("xl/sharedStrings.xml")
        self._strings = [_string(item) for item in strings.iterfind(f"{_M}si")] if strings is not None else []
        self._formats = _formats(package.xml("xl/styles.xml"))
        facts = book.find(f"{_M}workbookPr")
        mac = facts is not None and facts.get("date1904") in ("1", "true")
        # Day 60 of the older count is a 29 February that never was; from then on it runs one day ahead.
        self._zero = datetime(1904, 1, 1) if mac else datetime(1899, 12, 30)

    def rows(self, part: str) -> Iterator[list[str]]:
        """The rows of a sheet, each cell in its column."""
        for row in self._package.rows(part, f"{_M}row"):
            cells: list[str] = []
            for cell in row.iterfind(f"{_M}c"):
                column = _column(cell.get("r") or "", len(cells))
                if column >= _MOST_COLUMNS:
                    break
                cells += [""] * (column - len(cells))
                cells.append(self._value(cell))
            yield cells

    def _value(self, cell: Element) -> str:
        text = cell.findtext(f"{_M}v") or ""
        match cell.get("t"):
            case "s":
                return self._strings[int(text)] if text.isdigit() and int(text) < len(self._strings) else ""
            case "inlineStr":
                inline = cell.find(f"{_M}is")
                return _string(inline) if inline is not None else ""
            case "b":
                return "yes" if text == "1" else "no"
            case "e":
                return ""
            case "str" | "d":
                return text
            case _:
                style = cell.get("s") or "0"
                return self._number(text, self._formats.get(int(style), "") if style.isdigit() else "")

    def _number(self, text: str, shown: str) -> str:
        try:
            value = float(text)
            if shown == "date":
                # To the second: a serial number is a float, and an hour is rarely exact in it.
                moment = self._zero + timedelta(seconds=round(value * 86_400))
                clock = moment.time().isoformat()
                if 0 <= value < 1:
                    return clock
                return moment.date().isoformat() + (f" {clock}" if value % 1 else "")
            if shown == "share":
                return f"{value * 100:.10g}%"
            return str(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.12g}"
        except (ValueError, OverflowError):
            return text


def _string(node: Element) -> str:
    """A string, the runs of a formatted one joined; readings of Japanese words are left out."""
    return "".join(t.text or "" for t in node.iter(f"{_M}t") if t.getparent().tag != f"{_M}rPh")


def _column(reference: str, following: int) -> int:
    """`C7` → 2; a cell without a reference follows the one before it."""
    letters = reference.rstrip("0123456789").upper()
    if not letters or len(letters) > 3 or not letters.isascii() or not letters.isalpha():
        return following
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return max(number - 1, following)


def _formats(styles: Element | None) -> dict[int, str]:
    """Style → `date` or `share`, for the styles that show one."""
    if styles is None:
        return {}
    codes: dict[int, str] = {}
    for entry in styles.iterfind(f"{_M}numFmts/{_M}numFmt"):
        code = _QUOTED.sub("", (entry.get("formatCode") or "").partition(";")[0]).lower()
        number = entry.get("numFmtId") or ""
        if number.isdigit():
            codes[int(number)] = "share" if "%" in code else "date" if re.search(r"[ydhms]", code.replace("general", "")) else ""
    found: dict[int, str] = {}
    for index, style in enumerate(styles.iterfind(f"{_M}cellXfs/{_M}xf")):
        number = style.get("numFmtId") or ""
        if number.isdigit():
            built_in = "date" if int(number) in _DATES else "share" if int(number) in _SHARES else ""
            found[index] = codes.get(int(number), built_in)
    return found
