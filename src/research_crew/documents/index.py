"""The local index: a folder's passages in SQLite FTS5, kept up to date without reading again what has not changed.

Words are folded and cut into search terms on our side (`words`): accents, ß and case do not matter, and text in scripts
without spaces is indexed by overlapping pairs of characters. A query is the OR of its terms (`ranking`).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from sqlite3 import Connection, DatabaseError, OperationalError

from research_crew.documents import rows
from research_crew.documents.document import Document, Page, clean
from research_crew.documents.outcome import FileOutcome
from research_crew.documents.prepared import prepare
from research_crew.documents.ranking import Statistics, rank, statistics
from research_crew.documents.reading import MOST_BYTES, ParsingProcess
from research_crew.documents.rows import IndexedDocument
from research_crew.documents.store import MEMORY, Store
from research_crew.documents.update import IndexReport, OnFile, update
from research_crew.documents.words import query_terms
from research_crew.evidence.passage import Passage

__all__ = ["DocumentIndex", "IndexHit", "IndexReport", "IndexedDocument"]


@dataclass(frozen=True, slots=True)
class IndexHit:
    """One passage that matched."""

    path: str
    page: int | None
    title: str
    heading: str
    text: str
    start: int
    """Where the passage begins in the stored text of its page, in code points."""
    end: int
    score: float
    """The higher the better; only comparable within one search."""
    published: str | None = None
    author: str | None = None


class DocumentIndex:
    """An index in a file, or in memory (`":memory:"`). Threads may share it: searches run side by side."""

    def __init__(self, path: Path | str = MEMORY) -> None:
        """Open or make an index. One that is damaged or of an older form is made anew, since it is only a copy.

        Raises `InvalidInput` for another program's database and for an index of a newer version, `UserError` for a
        place where none can be made. The file is readable by its owner only.
        """
        self._store = Store(str(path))
        self._facts: Statistics | None = None

    def close(self) -> None:
        """Close the file; searches that still run end first."""
        self._store.close()

    # -- filling ------------------------------------------------------------------------------------------------

    def update(
        self, folder: Path, on_progress: OnFile | None = None, most_bytes: int = MOST_BYTES,
        parsing: ParsingProcess | None = None,
    ) -> IndexReport:  # fmt: skip
        """Bring the index up to date with a folder.

        A file whose size and time are unchanged is not looked at, one whose bytes are unchanged is not parsed.
        `on_progress(outcome, read)` is told of every file. A file that cannot be read has its own outcome and stops
        nothing. All changes are one transaction: an interrupted update leaves the index as it was, and other
        processes see it before or after, never between. `parsing` is the process to use; it is closed here.
        """
        with parsing or ParsingProcess() as process:
            try:
                with self._store.write() as db:
                    return update(db, folder, process, most_bytes, on_progress)
            except OperationalError:
                raise
            except DatabaseError:
                if not self._store.renew():
                    raise
            with self._store.write() as db:
                return update(db, folder, process, most_bytes, on_progress)

    def add_texts(self, texts: Iterable[tuple[str, str, str]]) -> int:
        """Add texts that are no files: (id, title, text) each; returns how many. An id that is there is replaced."""
        count = 0
        with self._store.write() as db:
            for name, title, text in texts:
                held = db.execute("select id from document where path = ?", (name,)).fetchone()
                if held is not None:
                    rows.forget(db, held[0])
                # Longer than `line` allows is right for a caller's title; only what a store refuses is taken out.
                document = Document("txt", (Page(clean(text)),), clean(title))
                outcome = FileOutcome(name, "read", "", "txt", 1, len(document.pages[0].text), len(text))
                rows.insert(db, outcome, prepare(document))
                count += 1
        return count

    # -- asking -------------------------------------------------------------------------------------------------

    def search(self, text: str, limit: int = 10, language: str | None = None) -> list[IndexHit]:
        """The best passages for a query, best first, one for each page or file; never raises for what was typed.

        `language` is that of the query (ISO 639-1), found out when None.
        """
        terms = query_terms(text, language)
        if not terms or limit < 1:
            return []
        with self._store.read() as db:
            self._facts = facts = statistics(db, self._facts, self._store.era)
            ranked = rank(db, terms, facts, limit * 4 + 40)
            return _one_a_page(db, ((r.passage, r.score) for r in ranked), limit)

    def hits(self, ranked: Iterable[tuple[int, float]], limit: int) -> list[IndexHit]:
        """Passages that were ranked elsewhere, as (number in `contents`, score), best first: the best of each page or
        file. One that is no longer there is left out."""
        with self._store.read() as db:
            return _one_a_page(db, ranked, limit)

    def contents(self) -> list[tuple[int, str, str, str]]:
        """Every passage: (number, title of its document, heading, text). A number lasts until the next update."""
        with self._store.read() as db:
            return db.execute(_CONTENTS).fetchall()

    def generation(self) -> tuple[int, int]:
        """Another value after every change of the index."""
        with self._store.read() as db:
            self._facts = facts = statistics(db, self._facts, self._store.era)
        return facts.generation

    def text(self, path: str, page: int | None = None) -> str | None:
        """The stored text of a file, or of one of its pages; None for one that is not there.

        Of a file with pages, without a page: all of them, parted by empty lines.
        """
        query = "select number, text from page join document on document.id = page.document where path = ? order by number"
        with self._store.read() as db:
            pages = db.execute(query, (path,)).fetchall()
        if page is None:
            return "\n\n".join(text for _, text in pages) if pages else None
        return next((text for number, text in pages if number == page), None)

    def passages(self, path: str, page: int | None = None) -> list[Passage]:
        """The passages of a file, or of one of its pages, in order; positions are within the text of each page."""
        with self._store.read() as db:
            found = db.execute(_PASSAGES, (path, page, page)).fetchall()
        return [Passage(text, start, end, 0, number or None, heading) for number, start, end, heading, text in found]

    def documents(self) -> list[IndexedDocument]:
        """Every document with text, by path."""
        with self._store.read() as db:
            return list(rows.documents(db))

    def outcomes(self) -> Iterator[FileOutcome]:
        """Every file that was looked at, by path."""
        with self._store.read() as db:
            held = rows.known(db)
        return (one.outcome for one in held.values())

    def __len__(self) -> int:
        """The number of passages."""
        with self._store.read() as db:
            count: int = db.execute("select count(*) from passage").fetchone()[0]
        return count


_HIT = """
    select d.path, p.page, d.title, p.heading, substr(g.text, p.start + 1, p."end" - p.start), p.start, p."end",
           d.published, d.author
    from passage p join document d on d.id = p.document
    join page g on g.document = p.document and g.number = p.page where p.id = ?
"""
_PASSAGES = """
    select p.page, p.start, p."end", p.heading, substr(g.text, p.start + 1, p."end" - p.start)
    from passage p join document d on d.id = p.document join page g on g.document = p.document and g.number = p.page
    where d.path = ? and (? is null or p.page = ?) order by p.page, p.start, p.id
"""
_CONTENTS = """
    select p.id, d.title, p.heading, substr(g.text, p.start + 1, p."end" - p.start)
    from passage p join document d on d.id = p.document
    join page g on g.document = p.document and g.number = p.page order by p.id
"""


def _one_a_page(db: Connection, ranked: Iterable[tuple[int, float]], limit: int) -> list[IndexHit]:
    found: list[IndexHit] = []
    seen: set[tuple[int, int]] = set()
    for passage, score in ranked:
        place = db.execute("select document, page from passage where id = ?", (passage,)).fetchone()
        if place is not None and place not in seen:
            seen.add(place)
            found.append(_hit(db, passage, score))
            if len(found) == limit:
                break
    return found


def _hit(db: Connection, passage: int, score: float) -> IndexHit:
    path, page, title, heading, text, start, end, published, author = db.execute(_HIT, (passage,)).fetchone()
    return IndexHit(path, page or None, title, heading, text, start, end, score, published, author)
