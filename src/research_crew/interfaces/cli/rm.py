"""`research-crew rm ID …`: deletes stored runs, after a question."""

import argparse
import asyncio
import sys

from research_crew.core.errors import UserError
from research_crew.core.money import show
from research_crew.interfaces.cli.stored import add_store, loaded_of, opened, say


def options(parser: argparse.ArgumentParser) -> None:
    """Which runs."""
    parser.add_argument("runs", nargs="+", metavar="ID", help="ids of runs, or their beginnings")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--quiet", action="store_true", help="say nothing")
    add_store(parser)


def command(arguments: argparse.Namespace) -> int:
    """Delete them once the person has said yes; exit 2 without an answer."""
    with opened(loaded_of(arguments), write=True) as store:
        rows = {row.id: row for row in (store.read.run(name) for name in arguments.runs)}
        if not arguments.yes:
            for row in rows.values():
                print(f"{row.id}  {row.status}  {show(row.cost)} {row.currency}  {row.question[:90]}", file=sys.stderr)
            if not sys.stdin.isatty():
                raise UserError("nothing was deleted: there is nobody to ask; add --yes")
            print(f"delete {len(rows)} run(s) with their sources? [y/N] ", end="", file=sys.stderr, flush=True)
            if sys.stdin.readline().strip().lower() not in ("y", "yes"):
                say("nothing was deleted", arguments.quiet)
                return 2
        for name in rows:
            asyncio.run(store.remove(name))
    say(f"deleted: {', '.join(rows)}", arguments.quiet)
    return 0
