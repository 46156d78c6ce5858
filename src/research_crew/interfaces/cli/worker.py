"""`research-crew worker --database URL`: answers the questions of batches, beside others of its kind."""

import argparse
import asyncio
import os
import platform
import secrets

from research_crew.core.errors import InvalidInput, UserError
from research_crew.distribute.batch import AT_ONCE
from research_crew.distribute.worker import Worker
from research_crew.interfaces.cli.progress import Progress
from research_crew.interfaces.cli.signals import stop_on_signal
from research_crew.settings import load


def options(parser: argparse.ArgumentParser) -> None:
    """Where the work is, and how much of it at once."""
    parser.add_argument("--database", metavar="URL", help="postgresql://..., the same for every worker and the batch")
    parser.add_argument("--at-once", type=int, default=AT_ONCE, help=f"questions side by side ({AT_ONCE})")
    parser.add_argument("--name", help="name of this worker in messages (host and process)")
    parser.add_argument("--quiet", action="store_true", help="no messages")


def command(arguments: argparse.Namespace) -> int:
    """Work until Ctrl-C."""
    loaded = load({"database": arguments.database})
    if loaded.settings.database is None:
        raise UserError("--database: name the Postgres database that the batch uses (postgresql://user@host/name)")
    if arguments.at_once < 1:
        raise InvalidInput("--at-once", arguments.at_once, "use a whole number of at least 1")
    # Never the same twice, even on a machine that starts anew: two executors of one name would do each other's work.
    name = f"{arguments.name or f'{platform.node()}-{os.getpid()}'}-{secrets.token_hex(3)}"
    progress = Progress(arguments.quiet)
    with stop_on_signal(arguments.quiet) as stop:
        worker = Worker(loaded.settings.database, name, loaded.keys, at_once=arguments.at_once, stop=stop, say=progress.say)
        asyncio.run(worker.run())
    progress.close()
    return 0
