"""The local index: a folder's passages in SQLite FTS5, kept up to date without reading again what has not changed.

Words are folded and cut into search terms on our side (`evidence.folding`): accents, ß and case do not matter, and text
in scripts without spaces is indexed by overlapping pairs of characters. A query is the OR of its terms, ranked by BM25
(Robertson and Zaragoza 2009, as FTS5 implements it) with titles and headings weighing more.
"""

import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from research_crew.core.errors import UserError
from research_crew.documents.document import Document, Page
from research_crew.documents.folder import FoundFile, walk
from research_crew.documents.kinds import kind_of
from research_crew.documents.outcome import FileOutcome, FileTrouble
from research_crew.documents.reading import MOST_BYTES, ParsingProcess
from research_crew.documents.schema import SCHEMA, VERSION
from research_crew.documents.words import index_terms, query_terms
from research_crew.evidence.passage import split_passages

_WEIGHTS = "4.0, 1.5, 1.0"
"""Of title, heading and body."""
_MOST_TERMS = 60


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
    """BM25, the higher the better."""
    published: str | None = None
    author: str | None = None


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What an update did."""

    outcomes: tuple[FileOutcome, ...]
    """Every file of the folder, in order, also those that were not read again."""
    read: int
    unchanged: int
    removed: int


class DocumentIndex:
    """An index in a file, or in memory (`":memory:"`). Threads may share it; one lock stands around the connection."""

    def __init__(self, path: Path | str = ":memory:") -> None:
        """Open or make an index; one that is damaged or of another version is made anew, since it is only a copy."""
        self._lock = Lock()  # protects the connection
        self._db = _open(str(path))

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    # -- filling ------------------------------------------------------------------------------------------------

    def update(
        self, folder: Path, on_progress: Callable[[FileOutcome, bool], None] | None = None,
        most_bytes: int = MOST_BYTES, parsing: ParsingProcess | None = None,
    ) -> IndexReport:  # fmt: skip
        """Bring the index up to date with a folder; files whose size and time are unchanged are not read again.

        `on_progress(outcome, read)` is told of every file. A file that cannot be read has its own outcome and stops
        nothing. All changes are one transaction: an interrupted update leaves the index as it was.
        """
        outcomes: list[FileOutcome] = []
        read = unchanged = 0
        with self._lock, self._db, parsing or ParsingProcess() as process:
            known = {row[1]: row for row in self._db.execute(f"select id, {', '.join(_COLUMNS)} from document")}
            for found in walk(folder):
                before = known.pop(found.path, None)
                if isinstance(found, FileOutcome):
                    outcome, fresh = found, True
                    self._forget(before)
                    self._insert(outcome, None)
                elif before is not None and (before[11], before[12]) == (found.size, found.modified_ns):
                    outcome, fresh = _outcome(before), False
                else:
                    self._forget(before)
                    outcome, document = _read(found, process, most_bytes)
                    fresh = True
                    self._insert(outcome, document)
                read, unchanged = read + fresh, unchanged + (not fresh)
                outcomes.append(outcome)
                if on_progress is not None:
                    on_progress(outcome, fresh)
            for row in known.values():
                self._forget(row)
        return IndexReport(tuple(outcomes), read, unchanged, len(known))

    def add_texts(self, rows: Iterable[tuple[str, str, str]]) -> int:
        """Add texts that are no files: (id, title, text) each; returns how many. An id that is there is replaced."""
        count = 0
        with self._lock, self._db:
            for name, title, text in rows:
                self._forget(self._db.execute("select id from document where path = ?", (name,)).fetchone())
                document = Document("txt", (Page(text),), title)
                self._insert(FileOutcome(name, "read", "", "txt", 1, len(text), len(text)), document)
                count += 1
        return count

    def _insert(self, outcome: FileOutcome, document: Document | None) -> None:
        d = document or Document("", ())
        row = (
            outcome.path, outcome.state, outcome.reason, outcome.kind, d.title, d.published, d.author, d.language,
            outcome.pages, outcome.characters, outcome.size, outcome.modified_ns, outcome.hash,
        )  # fmt: skip
        marks = ", ".join("?" * len(row))
        number = self._db.execute(f"insert into document ({', '.join(_COLUMNS)}) values ({marks})", row).lastrowid
        title = index_terms(d.title)
        for page in d.pages:
            self._db.execute("insert into page values (?, ?, ?)", (number, page.number or 0, page.text))
            for p in split_passages(page.text, page=page.number):
                place = (number, page.number or 0, p.start, p.end, p.heading)
                passage = self._db.execute(
                    'insert into passage (document, page, start, "end", heading) values (?, ?, ?, ?, ?)', place
                ).lastrowid
                self._db.execute(
                    "insert into term (rowid, title, heading, body) values (?, ?, ?, ?)",
                    (passage, title, index_terms(p.heading) if p.heading else "", index_terms(p.text)),
                )

    def _forget(self, row: tuple[object, ...] | None) -> None:
        if row is None:
            return
        self._db.execute("delete from term where rowid in (select id from passage where document = ?)", row[:1])
        self._db.execute("delete from document where id = ?", row[:1])

    # -- asking -------------------------------------------------------------------------------------------------

    def search(self, text: str, limit: int = 10, language: str | None = None) -> list[IndexHit]:
        """The best passages for a query, best first, one for each page or file; never raises for what was typed."""
        wanted = query_terms(text, language)[:_MOST_TERMS]
        if not wanted or limit < 1:
            return []
        expression = " OR ".join(f'"{term}"' for term in wanted)
        found: list[IndexHit] = []
        seen: set[tuple[str, int]] = set()
        with self._lock:
            rows = self._db.execute(_SEARCH, (expression, limit * 4 + 10))
            for path, page, title, published, author, heading, start, end, body, score in rows:
                if (path, page) not in seen:
                    seen.add((path, page))
                    hit = IndexHit(path, page or None, title, heading, body, start, end, -score, published, author)
                    found.append(hit)
                    if len(found) == limit:
                        break
        return found

    def text(self, path: str, page: int | None = None) -> str | None:
        """The stored text of a file, or of one of its pages; None for one that is not there."""
        with self._lock:
            row = self._db.execute(
                "select text from page join document on document.id = page.document where path = ? and number = ?",
                (path, page or 0),
            ).fetchone()
        return row[0] if row else None

    def outcomes(self) -> Iterator[FileOutcome]:
        """Every file that was looked at, by path."""
        with self._lock:
            rows = self._db.execute(f"select id, {', '.join(_COLUMNS)} from document order by path").fetchall()
        return map(_outcome, rows)

    def __len__(self) -> int:
        with self._lock:
            count: int = self._db.execute("select count(*) from passage").fetchone()[0]
        return count


_COLUMNS = (
    "path", "state", "reason", "kind", "title", "published", "author", "language", "pages", "characters", "size",
    "modified_ns", "hash",
)  # fmt: skip
_SEARCH = f"""
    select d.path, p.page, d.title, d.published, d.author, p.heading, p.start, p."end",
           substr(g.text, p.start + 1, p."end" - p.start), hit.score
    from (select rowid, bm25(term, {_WEIGHTS}) as score from term where term match ? order by score, rowid limit ?) hit
    join passage p on p.id = hit.rowid join document d on d.id = p.document
    join page g on g.document = p.document and g.number = p.page
    order by hit.score, d.path, p.page, p.start
"""


def _outcome(row: tuple[object, ...]) -> FileOutcome:
    _, path, state, reason, kind, _, _, _, _, pages, characters, size, modified, digest = row
    return FileOutcome(path, state, reason, kind, pages, characters, size, modified, digest)  # type: ignore[arg-type]


def _read(found: FoundFile, process: ParsingProcess, most_bytes: int) -> tuple[FileOutcome, Document | None]:
    """A file's document and outcome; only the outcome when it gives no text."""

    def without(state: str, reason: str, kind: str = "") -> tuple[FileOutcome, None]:
        facts = {"kind": kind, "size": found.size, "modified_ns": found.modified_ns}
        return FileOutcome(found.path, state, reason, **facts), None  # type: ignore[arg-type]

    if found.size == 0:
        return without("empty", "0 bytes")
    if found.size > most_bytes:
        return without("too-large", f"{found.size:,} bytes; at most {most_bytes:,} are read")
    kind = ""
    try:
        data = found.file.read_bytes()
        kind = kind_of(found.path, data[:8192], data)
        document = process.read(kind, found.file, Path(found.path).stem)
    except FileTrouble as trouble:
        return without(trouble.state, trouble.reason, kind)
    except OSError as error:
        return without("unreadable", error.strerror or str(error))
    characters = sum(len(page.text) for page in document.pages)
    facts = (kind, len(document.pages), characters, found.size, found.modified_ns, hashlib.sha256(data).hexdigest())
    return FileOutcome(found.path, "read", "; ".join(document.notes), *facts), document


def _open(path: str) -> sqlite3.Connection:
    try:
        return _connect(path)
    except sqlite3.DatabaseError:
        if path == ":memory:":
            raise
    for suffix in ("", "-wal", "-shm"):
        Path(path + suffix).unlink(missing_ok=True)
    try:
        return _connect(path)
    except sqlite3.Error as error:
        raise UserError(f"the index {path} cannot be written: {error}") from None


def _connect(path: str) -> sqlite3.Connection:
    """Raises `sqlite3.DatabaseError` for a file that is no index of this version."""
    if path != ":memory:":
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).touch(mode=0o600)
    db = sqlite3.connect(path, timeout=30, check_same_thread=False)
    try:
        db.execute("pragma foreign_keys = on")
        db.execute("pragma journal_mode = wal")
        db.execute("pragma synchronous = normal")
        version = db.execute("pragma user_version").fetchone()[0]
        if version == 0:
            db.executescript(f"begin; {SCHEMA} pragma user_version = {VERSION}; commit;")
        elif version != VERSION:
            raise sqlite3.DatabaseError(f"an index of version {version}")
    except BaseException:
        db.close()
        raise
    return db
