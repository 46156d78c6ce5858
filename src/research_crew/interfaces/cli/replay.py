"""`research-crew replay ID`: the report, ledger and books of a run rebuilt from its record, nothing sent, cost 0."""

import argparse
import sys

from research_crew.again import replay
from research_crew.core.calling import run_in_own_loop
from research_crew.interfaces.cli.printing import add_printing, print_result
from research_crew.interfaces.cli.stored import add_store, loaded_of, opened, say


def options(parser: argparse.ArgumentParser) -> None:
    """Which run."""
    parser.add_argument("run", metavar="ID", help="id of the run, or its beginning")
    add_store(parser)
    add_printing(parser)


def command(arguments: argparse.Namespace) -> int:
    """Rebuild it, say whether it came out the same, and print it; exit 1 when it did not."""
    with opened(loaded_of(arguments)) as store:
        row = store.read.run(arguments.run)
        result = run_in_own_loop(lambda: replay(store, row.id))
        same = result.to_json() == store.read.record(row.id)
    code = print_result(result, arguments)
    if not same:
        print(f"research-crew: the replay of {row.id} differs from its record", file=sys.stderr)
        return 1
    say(f"the same as recorded, byte for byte; bought now: 0 {row.currency}", arguments.quiet)
    return code
