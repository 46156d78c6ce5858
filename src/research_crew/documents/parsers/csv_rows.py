"""Comma- and tab-separated values: one paragraph a row, with the names of its columns.

RFC 4180, with the separators that are met in practice; the separator is the one that cuts the first lines most evenly.
"""

import csv
from io import StringIO

from research_crew.documents.document import Document, Page
from research_crew.documents.parsers.plain import text_of
from research_crew.documents.tables import row_texts

MOST_ROWS = 200_000
MOST_CELLS = 16_384
"""Of a row: as many columns as the widest spreadsheets have. A file of one endless line is data for a program."""
_SEPARATORS = (",", ";", "\t", "|")
_LOOKED_AT = 20
_LONGEST_CELL = 1_000_000


def parse(kind: str, data: bytes, name: str) -> Document:  # noqa: ARG001
    """The rows as one page."""
    text, notes = text_of(data, kind)
    csv.field_size_limit(_LONGEST_CELL)
    rows: list[str] = []
    more = False
    wide: list[int] = []

    def cut(row: list[str], number: int) -> list[str]:
        if len(row) > MOST_CELLS:
            wide.append(number)
        return row[:MOST_CELLS]

    try:
        read = csv.reader(StringIO(text, newline=""), delimiter=separator(text))
        for row in row_texts(cut(cells, number) for number, cells in enumerate(read, 1)):
            if len(rows) == MOST_ROWS:
                more = True
                break
            rows.append(row)
    except csv.Error as error:
        # What was read before a cell that never ends is worth keeping.
        notes += (f"read up to row {len(rows)}: {error}",)
    if wide:
        notes += (f"only the first {MOST_CELLS:,} cells of {len(wide):,} row(s), the first of them row {wide[0]:,}",)
    if more:
        notes += (f"only the first {MOST_ROWS:,} rows",)
    return Document(kind, (Page("\n\n".join(rows)),), notes=notes)


def separator(text: str) -> str:
    """The separator that gives the first rows the same number of cells, at least two; a comma when none does."""
    head = text.split("\n", _LOOKED_AT + 1)[:_LOOKED_AT]
    best, score = ",", 0.0
    for mark in _SEPARATORS:
        try:
            widths = [len(row) for row in csv.reader(head, delimiter=mark) if row]
        except csv.Error:
            continue
        if widths and (common := max(set(widths), key=widths.count)) > 1:
            even = widths.count(common) / len(widths) + common / 1000
            if even > score:
                best, score = mark, even
    return best
