"""What the commands on stored runs share: which store, and how a run is shown."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from research_crew.core.errors import UserError
from research_crew.settings import Loaded, load, store_file
from research_crew.stores.opening import open_store
from research_crew.stores.store import Store


def add_store(parser: argparse.ArgumentParser) -> None:
    """The option that names another store."""
    parser.add_argument("--store", metavar="FILE", help="file of stored runs (by default in the platform's data folder)")


def loaded_of(arguments: argparse.Namespace) -> Loaded:
    """The settings in force."""
    return load({"store": arguments.store})


@contextmanager
def opened(loaded: Loaded, *, write: bool = False) -> Iterator[Store]:
    """The store that the settings name. Raises `StoreError`, `UserError` when none is kept."""
    file = store_file(loaded.settings)
    if file is None:
        raise UserError("no runs are stored (store is off); name a file with --store")
    with open_store(file, read_only=not write, durable=write and loaded.settings.durable) as store:
        yield store


def say(text: str, quiet: bool = False) -> None:
    """A line for a person, beside the result."""
    if not quiet:
        print(text, file=sys.stderr)
