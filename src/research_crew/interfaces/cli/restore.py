"""`research-crew restore ID CLAIM …`: take dropped claims back; the report is written anew, no search is bought again."""

import argparse

from research_crew.again import restore
from research_crew.core.calling import run_in_own_loop
from research_crew.interfaces.cli.printing import add_printing, print_result
from research_crew.interfaces.cli.progress import Progress
from research_crew.interfaces.cli.signals import stop_on_signal
from research_crew.interfaces.cli.stored import add_store, loaded_of, opened


def options(parser: argparse.ArgumentParser) -> None:
    """Which run, which claims, and with how much more money."""
    parser.add_argument("run", metavar="ID", help="id of the run, or its beginning")
    parser.add_argument("claims", nargs="+", metavar="CLAIM", help="ids of dropped claims, such as research:0/1/3")
    parser.add_argument("--budget", help="a higher limit for the whole run")
    add_store(parser)
    add_printing(parser)


def command(arguments: argparse.Namespace) -> int:
    """Write it anew and print it."""
    loaded = loaded_of(arguments)
    progress = Progress(arguments.quiet)
    with opened(loaded, write=True) as store, stop_on_signal(arguments.quiet) as stop:
        result = run_in_own_loop(
            lambda: restore(
                store, arguments.run, arguments.claims, loaded.keys, budget=arguments.budget, on_event=progress, stop=stop
            )
        )
    progress.close()
    return print_result(result, arguments)
