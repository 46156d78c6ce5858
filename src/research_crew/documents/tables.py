"""Rows of cells as text that can be searched and quoted: one paragraph a row, so that no sentence runs over two.

A table with a header has its names repeated in every row (`Country: France | Capital: Paris`), since a row is found and
quoted alone.
"""

from collections.abc import Iterable, Iterator, Sequence

_BAR = " | "


def table_text(rows: Iterable[Sequence[str]], header: bool | None = None) -> str:
    """The rows, each a paragraph; `header` says whether the first one holds names, None to find out."""
    return "\n\n".join(row_texts(rows, header))


def row_texts(rows: Iterable[Sequence[str]], header: bool | None = None) -> Iterator[str]:
    """The paragraphs of `table_text`, as they come; rows without text are left out."""
    names: list[str] = []
    for number, row in enumerate(cells for raw in rows if any(cells := [one_line(cell) for cell in raw])):
        if number == 0 and (header or (header is None and looks_like_names(row))):
            names = row
            yield _BAR.join(cell for cell in row if cell)
            continue
        parts = [
            f"{names[i]}: {cell}" if i < len(names) and names[i] and names[i] != cell else cell
            for i, cell in enumerate(row)
            if cell
        ]
        yield _BAR.join(parts)


def looks_like_names(row: Sequence[str]) -> bool:
    """Whether a first row names its columns: at least two, all different, none a number, none long."""
    given = [cell for cell in row if cell]
    return (
        len(given) >= 2
        and len(given) == len(set(given)) >= len(row) - 1
        and all(len(cell) <= 60 and not is_number(cell) for cell in given)
    )


def is_number(text: str) -> bool:
    """Whether a cell holds an amount, a share or a date in figures."""
    figures = sum(c.isdigit() for c in text)
    return figures > 0 and all(c.isdigit() or c in " .,+-/:%$€£¥\u00a0eE" for c in text)


def one_line(cell: object) -> str:
    """A cell's text on one line."""
    return " ".join(str(cell).split()) if cell is not None else ""
