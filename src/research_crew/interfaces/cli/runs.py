"""`research-crew runs`: the stored runs, newest first."""

import argparse
import time

from research_crew.core.errors import InvalidInput
from research_crew.core.money import from_nano, show
from research_crew.interfaces.cli.ask import as_json
from research_crew.interfaces.cli.stored import add_store, loaded_of, opened
from research_crew.settings import store_file
from research_crew.stores.owner import is_dead
from research_crew.stores.records import RunRow

_SHOWN = 20


def options(parser: argparse.ArgumentParser) -> None:
    """Which ones."""
    parser.add_argument("words", nargs="*", metavar="WORD", help="only those with this in their question or name")
    parser.add_argument("--status", help="running, complete, incomplete, no-evidence, cancelled or failed")
    parser.add_argument("--last", type=int, metavar="N", help=f"how many ({_SHOWN})")
    parser.add_argument("--all", action="store_true", help="all of them")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    add_store(parser)


def command(arguments: argparse.Namespace) -> int:
    """Print a line a run."""
    if arguments.last is not None and arguments.last < 1:
        raise InvalidInput("--last", arguments.last, "use a whole number of at least 1")
    loaded = loaded_of(arguments)
    file = store_file(loaded.settings)
    if file is not None and loaded.settings.store is None and not file.exists():
        print("[]" if arguments.json else "no runs are stored yet")
        return 0
    limit = None if arguments.all else (arguments.last or _SHOWN)
    with opened(loaded) as store:
        rows = store.read.runs(limit, arguments.status or "", " ".join(arguments.words))
    if arguments.json:
        print(as_json([to_json(row) for row in rows]))
        return 0
    for row in rows:
        when = row.created.astimezone().strftime("%Y-%m-%d %H:%M")
        name = f"{row.name}: " if row.name else ""
        question = " ".join(f"{name}{row.question}".split())
        cost = f"{show(row.cost)} {row.currency}"
        print(f"{row.id}  {when}  {state(row):<11}  {cost:>16}  {question[:90]}")
    if not rows:
        print("no such runs")
    return 0


def state(row: RunRow) -> str:
    """What a person wants to know: whether it runs, what it came to, or that it can be resumed."""
    if row.status == "running" and (row.lease < time.time() or is_dead(row.owner)):
        return "interrupted"
    return row.status


def to_json(row: RunRow) -> dict[str, object]:
    """A line of the list, for programs."""
    return {
        "id": row.id, "name": row.name, "question": row.question, "agents": row.agents, "status": state(row),
        "created": row.created.isoformat(), "ended": row.ended.isoformat() if row.ended else None, "parent": row.parent,
        "currency": row.currency, "limit": show(from_nano(row.budget)), "spent": show(row.cost),
        "held": show(from_nano(row.held)),
    }  # fmt: skip
