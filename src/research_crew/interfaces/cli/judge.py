"""`research-crew judge RUN.json [OTHER.json] --model vendor:name`: marks of a model, beside the counts."""

import argparse
import asyncio
from pathlib import Path

from research_crew.interfaces.cli.ask import as_json, given_settings, run_options


def options(parser: argparse.ArgumentParser) -> None:
    """The records, and who judges."""
    parser.add_argument("records", nargs="+", metavar="RUN.json", help="one exported run, or two of the same question")
    run_options(parser)


def command(arguments: argparse.Namespace) -> int:
    """Print the marks."""
    from research_crew.core.errors import InvalidInput
    from research_crew.measure.judge import judge
    from research_crew.measure.run_files import read_runs
    from research_crew.settings import load

    loaded = load(given_settings(arguments))
    records = [record for name in arguments.records for record in read_runs([Path(name)])]
    if len(records) > 2:
        raise InvalidInput("judge", f"{len(records)} records", "give one run record, or two of the same question")
    judged = asyncio.run(judge(records, loaded.settings, loaded.keys))
    print(as_json(judged.to_json()) if arguments.json else judged.render())
    return 0
