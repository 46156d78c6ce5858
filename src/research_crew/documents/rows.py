"""Documents in and out of the tables of the index."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from research_crew.documents.outcome import FileOutcome
from research_crew.documents.prepared import Prepared

_COLUMNS = (
    "path", "state", "reason", "kind", "title", "published", "author", "language", "pages", "characters", "size",
    "modified_ns", "hash",
)  # fmt: skip
_INSERT = f"insert into document ({', '.join(_COLUMNS)}) values ({', '.join('?' * len(_COLUMNS))})"
_OUTCOME = "path, state, reason, kind, pages, characters, size, modified_ns, hash"


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """One document of an index that has text."""

    path: str
    title: str
    kind: str
    pages: int
    characters: int
    published: str | None = None
    author: str | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """What the index holds of a file."""

    id: int
    outcome: FileOutcome


def insert(db: sqlite3.Connection, outcome: FileOutcome, prepared: Prepared | None) -> None:
    """Store what became of a file, and its text where it has any."""
    d = prepared.document if prepared is not None else None
    facts = (d.title, d.published, d.author, d.language) if d is not None else ("", None, None, None)
    row = (
        outcome.path, outcome.state, outcome.reason, outcome.kind, *facts, outcome.pages, outcome.characters,
        outcome.size, outcome.modified_ns, outcome.hash,
    )  # fmt: skip
    number = db.execute(_INSERT, row).lastrowid
    if prepared is None:
        return
    pages = prepared.document.pages
    db.executemany("insert into page values (?, ?, ?)", ((number, page.number or 0, page.text) for page in pages))
    title = prepared.title_terms
    title_words = title.count(" ") + 1 if title else 0
    first = db.execute("select coalesce(max(id), 0) + 1 from passage").fetchone()[0]
    db.executemany(
        'insert into passage (id, document, page, start, "end", heading, words, title_words) values (?, ?, ?, ?, ?, ?, ?, ?)',
        (
            (n, number, pages[p.page].number or 0, p.start, p.end, p.heading, p.body_terms.count(" ") + 1, title_words)
            for n, p in enumerate(prepared.passages, first)
        ),
    )
    db.executemany(
        "insert into term (rowid, title, heading, body) values (?, ?, ?, ?)",
        ((n, title, p.heading_terms, p.body_terms) for n, p in enumerate(prepared.passages, first)),
    )


def forget(db: sqlite3.Connection, document: int) -> None:
    """Take a document out, with all that belongs to it."""
    db.execute("delete from term where rowid in (select id from passage where document = ?)", (document,))
    db.execute("delete from document where id = ?", (document,))


def known(db: sqlite3.Connection) -> dict[str, Known]:
    """Path → what is held of it, for every file that was looked at."""
    rows = db.execute(f"select id, {_OUTCOME} from document order by path")
    return {path: Known(number, FileOutcome(path, *rest)) for number, path, *rest in rows}


def documents(db: sqlite3.Connection) -> Iterator[IndexedDocument]:
    """Every document with text, by path."""
    rows = db.execute(
        "select path, title, kind, pages, characters, published, author, language from document "
        "where state = 'read' order by path"
    )
    return (IndexedDocument(*row) for row in rows)
