"""`research-crew resume ID`: go on with a run that was stopped, or whose process died; nothing is bought twice."""

import argparse

from research_crew.again import resume
from research_crew.core.calling import run_in_own_loop
from research_crew.interfaces.cli.confirm import at_terminal
from research_crew.interfaces.cli.files import FileReporter
from research_crew.interfaces.cli.printing import add_printing, print_result
from research_crew.interfaces.cli.progress import Progress
from research_crew.interfaces.cli.signals import stop_on_signal
from research_crew.interfaces.cli.stored import add_store, loaded_of, opened
from research_crew.settings import editor


def options(parser: argparse.ArgumentParser) -> None:
    """Which run, and with how much more money."""
    parser.add_argument("run", metavar="ID", help="id of the run, or its beginning")
    parser.add_argument("--budget", help="a higher limit for the whole run")
    parser.add_argument("--rebuy", action="store_true", help="buy anew what the run asks otherwise than the first time")
    add_store(parser)
    add_printing(parser)


def command(arguments: argparse.Namespace) -> int:
    """Go on, and print what came of it."""
    loaded = loaded_of(arguments)
    progress = Progress(arguments.quiet)
    with opened(loaded, write=True) as store, stop_on_signal(arguments.quiet) as stop:
        row = store.read.run(arguments.run)
        asks = store.read.setup(row.id)["options"]["confirm"]
        confirm = at_terminal(editor(), progress.block) if asks else None
        result = run_in_own_loop(
            lambda: resume(
                store, arguments.run, loaded.keys, budget=arguments.budget, rebuy=arguments.rebuy, on_event=progress,
                stop=stop, on_file=FileReporter(progress, stop), confirm=confirm,
            )
        )  # fmt: skip
    progress.close()
    return print_result(result, arguments)
