"""SQLite as a database of runs: one private file in WAL mode, so that a run can be read while it runs.

`synchronous = NORMAL` (the default here) loses nothing when the process is killed; after a loss of power the last
moments may be missing, never half of something. `durable` waits for the disk at every commit (`FULL`).
See "Write-Ahead Logging" and "PRAGMA synchronous" in the documentation of SQLite.
"""

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from research_crew.core.errors import StoreError
from research_crew.stores.database import Row, Transaction, Work, migrate
from research_crew.stores.schema import MIGRATIONS

T = TypeVar("T")
_WAIT = 10.0
"""Seconds that another process may hold the file before this one gives up."""
_ELSE = "or name another with --store"
_TROUBLES: tuple[tuple[str, str, str], ...] = (
    ("disk is full", "cannot be written: the disk is full", "make room; what was committed is safe, and the run resumes"),
    ("disk I/O error", "cannot be read or written: the disk reports an error", "what was committed is safe; check the disk"),
    ("readonly database", "cannot be written: it is read-only", f"change its permissions, {_ELSE}"),
    ("read-only", "cannot be written: it is read-only", f"change its permissions, {_ELSE}"),
    ("is locked", f"was held by another process for {_WAIT:.0f} s", "end that process, then resume"),
    ("is busy", f"was held by another process for {_WAIT:.0f} s", "end that process, then resume"),
    ("unable to open", "cannot be opened", f"check that its folder is there and yours, {_ELSE}"),
    ("malformed", "is damaged", f"copy it, save what can be read with `sqlite3 FILE .recover`, {_ELSE}"),
    ("file is not a database", "is not a SQLite database", "name another with --store"),
    ("no such table", "holds something else", "name another with --store"),
    ("already exists", "holds something else", "name another with --store"),
)


class SqliteDatabase:
    """See `Database`. Used from one thread at a time."""

    def __init__(
        self, path: Path, *, durable: bool = False, read_only: bool = False, clock: Callable[[], float] = time.time,
        wait: float = _WAIT,
    ) -> None:  # fmt: skip
        """Makes the file and its folder when they are not there; both can be read by their owner only.

        Raises `StoreError` for a file that cannot be used, a newer version's, or something else.
        """
        self.name, self.path = str(path), path
        self._clock, self._wait = clock, wait
        self._reader: sqlite3.Connection | None = None
        with self._trouble():
            if read_only:
                if not path.exists():
                    raise StoreError(self.name, "is not there", "name the one that runs were stored in with --store")
                self._writer = self._connect(read_only=True)
                self._check()
                return
            try:
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
            except PermissionError as error:
                raise StoreError(self.name, f"cannot be opened: {error.strerror}", f"change its permissions, {_ELSE}") from None
            except OSError as error:
                raise StoreError(self.name, f"cannot be opened: {error.strerror}", _ELSE.removeprefix("or ")) from None
            self._writer = self._connect()
            try:
                tables = {name for (name,) in self._writer.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
                if tables and "store_version" not in tables:
                    raise StoreError(self.name, "holds something else", "name another with --store")
                self._writer.execute("PRAGMA journal_mode = WAL").fetchall()
                self._writer.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                migrate(self, MIGRATIONS)
            except BaseException:
                self._writer.close()
                raise

    def _connect(self, *, read_only: bool = False) -> sqlite3.Connection:
        mode = "ro" if read_only else "rw"
        address = f"{self.path.absolute().as_uri()}?mode={mode}"
        connection = sqlite3.connect(
            address, timeout=self._wait, isolation_level=None, check_same_thread=False, uri=True
        )
        connection.execute("PRAGMA trusted_schema = OFF")
        return connection

    def _check(self) -> None:
        """A file that is only read is not migrated: its version must be one that this program reads."""
        known = int(self.read("SELECT version FROM store_version")[0][0])
        if known != len(MIGRATIONS):
            what = f"has tables of version {known}, and this program reads version {len(MIGRATIONS)}"
            raise StoreError(self.name, what, "let the program that wrote it open it, or make it writable")

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """See `Database.transaction`."""
        with self._trouble():
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                yield _Statements(self._writer, self._clock)
            except BaseException:
                with contextlib.suppress(sqlite3.Error):  # what went wrong first is what is raised
                    self._writer.execute("ROLLBACK")
                raise
            try:
                self._writer.execute("COMMIT")
            except sqlite3.Error:
                with contextlib.suppress(sqlite3.Error):
                    self._writer.execute("ROLLBACK")
                raise

    def savepoint(self, transaction: Transaction, work: Work[T]) -> T:
        """See `Database.savepoint`."""
        self._writer.execute("SAVEPOINT part")
        try:
            value = work(transaction)
        except BaseException:
            self._writer.execute("ROLLBACK TO part")
            self._writer.execute("RELEASE part")
            raise
        self._writer.execute("RELEASE part")
        return value

    def read(self, sql: str, parameters: Mapping[str, object] = {}) -> list[Row]:
        """See `Database.read`."""
        with self._trouble():
            if self._reader is None:
                self._reader = self._connect(read_only=True)
            return self._reader.execute(sql, parameters).fetchall()

    def close(self) -> None:
        """See `Database.close`."""
        if self._reader is not None:
            self._reader.close()
        self._writer.close()

    @contextmanager
    def _trouble(self) -> Iterator[None]:
        """Errors of SQLite as `StoreError`s that say what to do."""
        try:
            yield
        except sqlite3.Error as error:
            said = str(error)
            for part, what, way_out in _TROUBLES:
                if part in said:
                    raise StoreError(self.name, f"{what} ({said})", way_out) from error
            raise StoreError(self.name, f"cannot be used: {said}", _ELSE.removeprefix("or ")) from error


class _Statements:
    def __init__(self, connection: sqlite3.Connection, clock: Callable[[], float]) -> None:
        self._connection, self.time = connection, clock

    def run(self, sql: str, parameters: Mapping[str, object] = {}) -> list[Row]:
        return self._connection.execute(sql, parameters).fetchall()

    def many(self, sql: str, parameters: Sequence[Mapping[str, object]]) -> None:
        if parameters:
            self._connection.executemany(sql, parameters)
