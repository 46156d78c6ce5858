"""The file of an index: opened with care, written by one, read by many.

An index is only a copy of what the documents say, so a damaged one, or one of an older form, is made anew; but nothing
that is not certainly ours is ever written to or deleted.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock

from research_crew.core.errors import InvalidInput, UserError
from research_crew.documents.schema import APPLICATION, SCHEMA, VERSION
from research_crew.documents.words import fingerprint

MEMORY = ":memory:"
_WAIT = 60.0
"""Seconds to wait for another process that is writing."""
_IDLE_READERS = 8


class Store:
    """Connections to one index. Threads may share it: in a file, readers run side by side and beside the writer, each
    on what was there when it began; in memory there is one connection, and they take turns."""

    def __init__(self, path: str) -> None:
        """Open or make the index; raises `InvalidInput` for a file that is none or of a newer version."""
        self._path = path
        self._writing = RLock()  # protects the writer's connection
        self._idle: list[sqlite3.Connection] = []
        self._pool = RLock()  # protects the idle readers
        self._closed = False
        self._spoiled = False
        """A reader found the file damaged; it is put aside already."""
        self.era = 0
        """Counts the files that this index has been, so that a reader of an earlier one is not used again."""
        self._writer = _open(path)

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """One transaction that happens whole or not at all; counts up the generation."""
        with self._writing:
            self._check()
            if self._spoiled:
                self.renew()
            try:
                self._writer.execute("begin immediate")
            except sqlite3.OperationalError as error:
                raise UserError(f"the index {self._path} is being written by another process: {error}") from None
            try:
                yield self._writer
                self._writer.execute("update meta set value = value + 1 where name = 'generation'")
                self._writer.execute("commit")
            except BaseException:
                with suppress(sqlite3.Error):
                    self._writer.execute("rollback")
                raise

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """A connection that sees one state of the index; raises `UserError` when the file turns out to be damaged."""
        if self._path == MEMORY:
            with self._writing:
                self._check()
                yield self._writer
            return
        db, era = self._reader()
        try:
            db.execute("begin")
            yield db
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError as error:
            with self._pool:
                if not self._spoiled:
                    self._spoiled = True
                    with suppress(OSError):
                        _put_aside(self._path)
            raise UserError(self._damaged(str(error))) from None
        finally:
            self._give_back(db, era)

    def renew(self) -> bool:
        """Put a damaged file aside and begin an empty one; False in memory, where nothing can be damaged."""
        if self._path == MEMORY:
            return False
        with self._writing, self._pool:
            self._shut()
            if not self._spoiled:
                _put_aside(self._path)
            self._spoiled = False
            self.era += 1
            self._writer = _connect(self._path)
        return True

    def close(self) -> None:
        """Close every connection. A reader in use is closed when it is given back."""
        with self._writing, self._pool:
            self._closed = True
            self._shut()

    def _shut(self) -> None:
        for db in (*self._idle, self._writer):
            db.close()
        self._idle.clear()

    def _check(self) -> None:
        if self._closed:
            raise UserError("the index is closed")

    def _damaged(self, what: str) -> str:
        return f"the index {self._path} is damaged ({what}); run again, it is made anew"

    def _reader(self) -> tuple[sqlite3.Connection, int]:
        with self._pool:
            self._check()
            if self._spoiled:
                raise UserError(self._damaged("found before"))
            if self._idle:
                return self._idle.pop(), self.era
            db = _plain(self._path)
            era = self.era
        db.execute("pragma query_only = on")
        return db, era

    def _give_back(self, db: sqlite3.Connection, era: int) -> None:
        with suppress(sqlite3.Error):
            db.execute("rollback")
        with self._pool:
            if not self._closed and era == self.era and len(self._idle) < _IDLE_READERS:
                self._idle.append(db)
                return
        db.close()


class _Outdated(Exception):
    """An index of ours, of an older form."""


def _open(path: str) -> sqlite3.Connection:
    try:
        return _connect(path)
    except _Outdated:
        _delete(path)
    except sqlite3.OperationalError as error:
        raise UserError(f"the index {path} cannot be opened: {error}") from None
    except sqlite3.DatabaseError:
        _put_aside(path)
    except OSError as error:
        raise UserError(f"the index {path} cannot be opened: {error.strerror}") from None
    try:
        return _connect(path)
    except (sqlite3.Error, OSError) as error:
        raise UserError(f"the index {path} cannot be made: {error}") from None


def _connect(path: str) -> sqlite3.Connection:
    """Open, check and if need be fill. `sqlite3.DatabaseError` (but not its operational kind) means a damaged file."""
    if path != MEMORY:
        file = Path(path)
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file.touch(mode=0o600)
        file.chmod(0o600)
    db = _plain(path)
    try:
        application = db.execute("pragma application_id").fetchone()[0]
        version = db.execute("pragma user_version").fetchone()[0]
        tables = {row[0] for row in db.execute("select name from sqlite_master")}
        if not tables:
            _fill(db, path)
        elif application != APPLICATION:
            # The first form had no mark yet.
            if version == 1 and {"document", "page", "passage", "term"} <= tables:
                raise _Outdated
            raise InvalidInput("index", path, "it is another program's database; name another file")
        elif version > VERSION:
            way_out = "a newer research-crew made it; upgrade, or delete the file and it is made anew"
            raise InvalidInput("index", path, way_out)
        elif version < VERSION or _made_with(db) != fingerprint():
            raise _Outdated
    except BaseException:
        db.close()
        raise
    return db


def _plain(path: str) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=_WAIT, check_same_thread=False, isolation_level=None)
    db.execute("pragma foreign_keys = on")
    return db


def _fill(db: sqlite3.Connection, path: str) -> None:
    if path != MEMORY:
        db.execute("pragma journal_mode = wal")
    db.executescript(f"""
        begin immediate;
        pragma application_id = {APPLICATION};
        pragma user_version = {VERSION};
        {SCHEMA}
        insert into meta values ('generation', 0), ('terms', '{fingerprint()}');
        commit;
    """)


def _made_with(db: sqlite3.Connection) -> str | None:
    row = db.execute("select value from meta where name = 'terms'").fetchone()
    return row[0] if row else None


def _put_aside(path: str) -> None:
    """A file that cannot be read as a database is kept under another name: it may be something else, named by mistake."""
    Path(path).replace(path + ".damaged")
    _delete(path)


def _delete(path: str) -> None:
    for suffix in ("", "-wal", "-shm"):
        Path(path + suffix).unlink(missing_ok=True)
