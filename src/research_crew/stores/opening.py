"""Opening a store by its name: a file for SQLite, an address for Postgres."""

from pathlib import Path

from research_crew.core.errors import InvalidInput
from research_crew.stores.sqlite import SqliteDatabase
from research_crew.stores.store import Store
from research_crew.stores.writer import AtOnce, Together


def open_store(where: str | Path, *, durable: bool = False, read_only: bool = False) -> Store:
    """The store in a file, made when it is not there, or in the Postgres database of an address.

    `durable` waits for the disk at every commit, several of them at once; Postgres always does. Raises `StoreError` for
    a file or database that cannot be used.
    """
    if str(where).startswith(("postgresql://", "postgres://")):
        from research_crew.stores.postgres import PostgresDatabase

        server = PostgresDatabase(str(where))
        return Store(server, Together(server))
    if "://" in str(where):
        raise InvalidInput("--store", str(where), "name a file, or postgresql://user@host/name")
    database = SqliteDatabase(Path(where).expanduser(), durable=durable, read_only=read_only)
    return Store(database, Together(database) if durable else AtOnce(database))
