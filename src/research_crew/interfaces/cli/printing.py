"""Printing a result that is there already: the options, and the text or the record."""

import argparse

from research_crew.interfaces.cli.research import say_status, text_of
from research_crew.result import CrewResult


def add_printing(parser: argparse.ArgumentParser) -> None:
    """How a result is printed."""
    parser.add_argument("--output", default="final", help="final, all, markdown or json")
    parser.add_argument("--bill", action="store_true", help="one line per task")
    parser.add_argument("--json", action="store_true", help="print the record as JSON instead of text")
    parser.add_argument("--quiet", action="store_true", help="no progress")


def print_result(result: CrewResult, arguments: argparse.Namespace) -> int:
    """Print it; returns its exit code."""
    if arguments.json or arguments.output == "json":
        print(result.json())
    else:
        print(text_of(result, arguments.output, arguments.bill))
    if not arguments.quiet:
        say_status(result)
    return result.exit_code
