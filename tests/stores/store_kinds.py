"""The kinds of store that every test of the contract runs on. A further database is one more entry."""

from collections.abc import Callable
from pathlib import Path

from postgres_server import new_database
from research_crew.stores.postgres import PostgresDatabase
from research_crew.stores.sqlite import SqliteDatabase
from research_crew.stores.store import Store
from research_crew.stores.writer import AtOnce, Together


class Clock:
    """Seconds that pass when the test says so; shared by all processes of a database."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


Opener = Callable[[str], Store]
"""Opens the same store once more, as another process: `opener("name of the process")`."""


def sqlite(folder: Path, clock: Clock) -> Opener:
    """A file; commits do not wait for the disk."""

    def opener(owner: str) -> Store:
        database = SqliteDatabase(folder / "runs.sqlite", clock=clock, wait=0.2)
        return Store(database, AtOnce(database), owner=owner, is_dead=lambda other: other == "")

    return opener


def sqlite_durable(folder: Path, clock: Clock) -> Opener:
    """A file; a thread commits several at once and waits for the disk."""

    def opener(owner: str) -> Store:
        database = SqliteDatabase(folder / "runs.sqlite", durable=True, clock=clock, wait=0.2)
        return Store(database, Together(database), owner=owner, is_dead=lambda other: other == "")

    return opener


def postgres(_: Path, clock: Clock) -> Opener:
    """A database of a real server."""
    url = new_database()

    def opener(owner: str) -> Store:
        database = PostgresDatabase(url, clock=clock)
        return Store(database, Together(database), owner=owner, is_dead=lambda other: other == "")

    return opener


KINDS: dict[str, Callable[[Path, Clock], Opener]] = {
    "sqlite": sqlite, "sqlite-durable": sqlite_durable, "postgres": postgres,
}  # fmt: skip
