"""`research-crew ask --run ID "…"`: a further question, answered from what a stored run has read."""

import argparse
import secrets

from research_crew.again import ask_run
from research_crew.core.calling import run_in_own_loop
from research_crew.core.errors import UserError
from research_crew.interfaces.cli.printing import print_result
from research_crew.interfaces.cli.progress import Progress
from research_crew.interfaces.cli.signals import stop_on_signal
from research_crew.interfaces.cli.stored import opened
from research_crew.settings import Loaded


def answer(question: str, arguments: argparse.Namespace, loaded: Loaded) -> int:
    """Answer it as a run of its own, and print it."""
    if arguments.docs is not None:
        raise UserError("--run answers from the sources of a run and cannot go together with --docs; drop one")
    # Only engines named on this line widen the search; those of the configuration were meant for other questions.
    settings = replace_search(loaded, arguments.search)
    progress = Progress(arguments.quiet)
    with opened(loaded, write=True) as store, stop_on_signal(arguments.quiet) as stop:
        result = run_in_own_loop(
            lambda: ask_run(
                store, arguments.run, question, settings.settings, loaded.keys, on_event=progress, stop=stop,
                new_id=secrets.token_hex(6), on_chosen=lambda lines: progress.say("; ".join(lines)),
                alone=arguments.one_agent,
            )
        )  # fmt: skip
    progress.close()
    arguments.output = settings.settings.output
    return print_result(result, arguments)


def replace_search(loaded: Loaded, search: str | None) -> Loaded:
    """The settings with the engines that this line names, if any."""
    from dataclasses import replace

    return replace(loaded, settings=replace(loaded.settings, search=search))
