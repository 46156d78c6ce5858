"""`research-crew export ID --to FILE`: the record of a stored run as a file."""

import argparse
from pathlib import Path

from research_crew.core.errors import InvalidInput, UserError
from research_crew.interfaces.cli.stored import add_store, loaded_of, opened, say
from research_crew.record import result_of


def options(parser: argparse.ArgumentParser) -> None:
    """Which run, and where to."""
    parser.add_argument("run", metavar="ID", help="id of the run, or its beginning")
    parser.add_argument("--to", metavar="FILE", required=True, help="FILE.json for the record, FILE.md for the report")
    parser.add_argument("--quiet", action="store_true", help="say nothing")
    add_store(parser)


def command(arguments: argparse.Namespace) -> int:
    """Write it, whole or not at all, readable by its owner only."""
    target = Path(arguments.to).expanduser()
    with opened(loaded_of(arguments)) as store:
        row = store.read.run(arguments.run)
        record = store.read.record(row.id)
    if record is None:
        raise InvalidInput("export", row.id, f"it is {row.status}, without a result; resume it first")
    result = result_of(record)
    text = {".json": result.json() + "\n", ".md": result.markdown}.get(target.suffix.lower())
    if text is None:
        raise InvalidInput("--to", str(target), "end it with .json for the record or .md for the report")
    part = target.with_name(target.name + ".part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        part.touch(mode=0o600)
        part.write_text(text, encoding="utf-8")
        part.replace(target)
    except OSError as error:
        raise UserError(f"--to {target}: {error.strerror or error}; name a file that can be written") from None
    say(f"written: {target}", arguments.quiet)
    return 0
