"""Postgres as a database of runs: the same tables and statements as SQLite, for processes on several machines.

A commit waits for the disk of the server, so many are made together (`writer.Together`). Leases are measured by the
server's clock, which all processes share. Needs the extra `workers`.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from research_crew.core.errors import MissingExtra, StoreError
from research_crew.core.secret import without_passwords
from research_crew.stores.database import Row, Transaction, Work, migrate
from research_crew.stores.schema import MIGRATIONS

if TYPE_CHECKING:
    from psycopg import Connection, Cursor

T = TypeVar("T")
_LOCK = 7_215_002
"""Advisory lock under which the tables are made: two processes that open an empty database at once take turns."""
_WAIT_MS = 10_000
"""How long a statement waits for a lock."""


class PostgresDatabase:
    """See `Database`. The writing connection belongs to one thread, the reading one to another."""

    def __init__(self, url: str, *, clock: Callable[[], float] | None = None) -> None:
        """`clock`: the server's unless another is given. Raises `StoreError` for a database that does not answer or that a newer version wrote, `MissingExtra`."""
        try:
            import psycopg
        except ModuleNotFoundError:
            raise MissingExtra("psycopg", "workers") from None
        self._errors = psycopg.Error
        self.name = str(without_passwords(url))
        self._url, self._clock = url, clock
        with self._trouble():
            self._writer = self._connect()
            self._reader: Connection[tuple[Any, ...]] | None = None
            try:
                with self._writer.transaction():
                    # Held to the end of this transaction, which the making of the tables is a part of.
                    self._writer.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
                    migrate(self, MIGRATIONS)
            except BaseException:
                self.close()
                raise

    def _connect(self) -> "Connection[tuple[Any, ...]]":
        import psycopg

        connection = psycopg.connect(self._url, autocommit=True)
        connection.execute(f"SET lock_timeout = {_WAIT_MS}".encode())
        return connection

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """See `Database.transaction`."""
        with self._trouble(), self._writer.transaction(), self._writer.cursor() as cursor:
            yield _Statements(cursor, self._clock)

    def savepoint(self, transaction: Transaction, work: Work[T]) -> T:
        """See `Database.savepoint`."""
        with self._writer.transaction():
            return work(transaction)

    def read(self, sql: str, parameters: Mapping[str, object] = {}) -> list[Row]:
        """See `Database.read`."""
        with self._trouble():
            if self._reader is None or self._reader.closed:
                self._reader = self._connect()
            return self._reader.execute(translated(sql), parameters).fetchall()

    def close(self) -> None:
        """See `Database.close`."""
        if self._reader is not None:
            self._reader.close()
        self._writer.close()

    @contextmanager
    def _trouble(self) -> Iterator[None]:
        """Errors of the server and of the way to it as `StoreError`s that say what to do."""
        try:
            yield
        except self._errors as error:
            state = getattr(error, "sqlstate", None) or ""
            said = without_passwords(str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__)
            what, way_out = next(
                (told for start, told in _TROUBLES.items() if state.startswith(start)),
                ("does not answer", "check the address and that the server runs; what was committed is safe, resume then"),
            )
            raise StoreError(self.name, f"{what} ({said})", way_out) from error


_TROUBLES = {
    "53100": ("cannot be written: the server's disk is full", "make room; what was committed is safe, and the run resumes"),
    "25006": ("cannot be written: it is read-only", "name a server that can be written to"),
    "55P03": (f"was locked by another process for {_WAIT_MS // 1000} s", "end that process, then resume"),
    "42501": ("may not be used by this user", "grant it the rights on the schema, or name another user"),
    "3D000": ("is not there", "create it, or name another"),
    "28": ("refuses this user", "check name and password"),
    "42": ("holds something else", "name a database of its own"),
    "XX001": ("is damaged", "restore it from a backup"),
}
"""The beginning of an SQLSTATE (PostgreSQL documentation, appendix A) → what it means, and the way out."""


class _Statements:
    def __init__(self, cursor: "Cursor[tuple[Any, ...]]", clock: Callable[[], float] | None) -> None:
        self._cursor, self._clock = cursor, clock

    def run(self, sql: str, parameters: Mapping[str, object] = {}) -> list[Row]:
        self._cursor.execute(translated(sql), parameters)
        return self._cursor.fetchall() if self._cursor.description is not None else []

    def many(self, sql: str, parameters: Sequence[Mapping[str, object]]) -> None:
        if parameters:
            self._cursor.executemany(translated(sql), parameters)

    def time(self) -> float:
        return self._clock() if self._clock is not None else float(self.run("SELECT extract(epoch FROM clock_timestamp())")[0][0])


@cache
def translated(sql: str) -> bytes:
    """`:name` as psycopg writes it, `%(name)s`; a `%` of the statement itself is doubled."""
    return re.sub(r"(?<![:\w]):([a-z_]\w*)", r"%(\1)s", sql.replace("%", "%%")).encode()
