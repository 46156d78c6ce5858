"""What a store needs of a database: statements within a transaction, reading beside it, and one clock.

The two implementations differ in how they connect, in how they write a parameter, and in whose clock says how long a
lease still lasts. Everything above speaks the SQL of `schema`.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

from research_crew.core.errors import StoreError

T = TypeVar("T")
Row = tuple[Any, ...]


class Transaction(Protocol):
    """Statements that happen together or not at all."""

    def run(self, sql: str, parameters: Mapping[str, object] = {}) -> list[Row]:
        """One statement, and the rows that it returns; parameters are written `:name` in it."""
        ...

    def many(self, sql: str, parameters: Sequence[Mapping[str, object]]) -> None:
        """One statement for each of several sets of parameters; returns no rows."""
        ...

    def time(self) -> float:
        """Seconds since 1970, by the clock that all processes of this database share."""
        ...


Work = Callable[[Transaction], T]
"""Something done within a transaction; it may be done again when the database asks for it, and does nothing else."""


class Database(Protocol):
    """One database. Every trouble with it is raised as `StoreError`, with its name and the way out."""

    name: str
    """As a person knows it: its file or address, without a password."""

    def transaction(self) -> AbstractContextManager[Transaction]:
        """A transaction that may write; committed at the end of the block, rolled back by an exception."""
        ...

    def savepoint(self, transaction: Transaction, work: Work[T]) -> T:
        """Do a part of a transaction that may fail on its own."""
        ...

    def read(self, sql: str, parameters: Mapping[str, object] = {}) -> list[Row]:
        """Rows as they are committed, beside whatever is being written."""
        ...

    def close(self) -> None:
        """Close every connection."""
        ...


def migrate(database: Database, migrations: Sequence[Sequence[str]]) -> None:
    """Bring the tables to the newest version, in one transaction.

    Raises `StoreError` for a database that a newer version wrote, or that holds something else.
    """
    try:  # a store of this version is opened without waiting for whoever writes
        if database.read("SELECT version FROM store_version") == [(len(migrations),)]:
            return
    except StoreError:
        pass  # nothing there yet; other troubles come up again below
    with database.transaction() as tx:
        tx.run("CREATE TABLE IF NOT EXISTS store_version (version BIGINT NOT NULL)")
        rows = tx.run("SELECT version FROM store_version")
        known = int(rows[0][0]) if rows else 0
        if known > len(migrations):
            what = f"was written by a newer version (its tables are of version {known}, known here are {len(migrations)})"
            raise StoreError(database.name, what, "install the newest research-crew, or name another with --store")
        for statements in migrations[known:]:
            for sql in statements:
                tx.run(sql)
        if known < len(migrations):
            tx.run("DELETE FROM store_version")
            tx.run("INSERT INTO store_version (version) VALUES (:version)", {"version": len(migrations)})
