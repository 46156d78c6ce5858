"""Opening a store by its name: a file for SQLite; later, an address for Postgres."""

from pathlib import Path

from research_crew.core.errors import InvalidInput
from research_crew.stores.sqlite import SqliteDatabase
from research_crew.stores.store import Store
from research_crew.stores.writer import AtOnce, Together


def open_store(where: str | Path, *, durable: bool = False, read_only: bool = False) -> Store:
    """The store in a file, made when it is not there.

    `durable` waits for the disk at every commit, several of them at once. Raises `StoreError` for a file that cannot be
    used.
    """
    if "://" in str(where):
        raise InvalidInput("--store", str(where), "name a file")
    database = SqliteDatabase(Path(where).expanduser(), durable=durable, read_only=read_only)
    return Store(database, Together(database) if durable else AtOnce(database))
