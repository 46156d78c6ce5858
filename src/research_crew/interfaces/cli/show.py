"""`research-crew show ID`: the report of a stored run, or how far it is while it runs."""

import argparse

from research_crew.core.ledger import Ledger
from research_crew.core.money import from_nano, show
from research_crew.interfaces.cli.ask import as_json
from research_crew.interfaces.cli.printing import add_printing, print_result
from research_crew.interfaces.cli.runs import to_json
from research_crew.interfaces.cli.stored import add_store, loaded_of, opened
from research_crew.record import result_of
from research_crew.stores.records import RunRow
from research_crew.stores.store import Store


def options(parser: argparse.ArgumentParser) -> None:
    """Which run."""
    parser.add_argument("run", metavar="ID", help="id of the run, or its beginning")
    add_store(parser)
    add_printing(parser)


def command(arguments: argparse.Namespace) -> int:
    """Print its result; without one, what it has bought and booked so far."""
    with opened(loaded_of(arguments)) as store:
        row = store.read.run(arguments.run)
        record = store.read.record(row.id) if row.status not in ("running", "failed") else None
        if record is not None:
            return print_result(result_of(record), arguments)
        so_far = progress_of(store, row)
    print(as_json(so_far) if arguments.json else "\n".join(_lines(so_far)))
    return 0


def progress_of(store: Store, row: RunRow) -> dict[str, object]:
    """How far a run is: `research-crew/run-progress/1`."""
    ledger = Ledger(row.currency)
    for entry in store.read.ledger(row.id, row.currency):
        ledger.append(entry)
    tasks: dict[str, str] = {}
    for _, event in store.read.events(row.id):
        if event.kind == "task-started":
            tasks[event.task] = "running"
        elif event.kind == "task-ended":
            tasks[event.task] = str(event.data["state"])
    claims: dict[str, str] = {}
    for line, _ in store.read.books(row.id):
        claims[line.id] = line.state
    flying = [{"call": str(key), "held": show(held)} for key, held in store.read.in_flight(row.id)]
    return {
        "schema": "research-crew/run-progress/1", **to_json(row), "tasks": tasks,
        "claims": {s: list(claims.values()).count(s) for s in dict.fromkeys(claims.values())},
        "sources": len(store.read.sources(row.id)), "in_flight": flying,
        "bill": ledger.bill(from_nano(row.budget)).to_json(),
    }  # fmt: skip


def _lines(so_far: dict[str, object]) -> list[str]:
    lines = [
        f"run {so_far['id']}: {so_far['status']}", f"question: {so_far['question']}",
        f"spent {so_far['spent']} of {so_far['limit']} {so_far['currency']}, {so_far['held']} held",
    ]  # fmt: skip
    for what in ("tasks", "claims"):
        counts = so_far[what]
        assert isinstance(counts, dict)
        lines.append(f"{what}: " + (", ".join(f"{name} {value}" for name, value in counts.items()) or "none yet"))
    lines.append(f"sources read: {so_far['sources']}")
    flying = so_far["in_flight"]
    assert isinstance(flying, list)
    lines += [f"on its way: {call['call']} ({call['held']} held)" for call in flying]
    if so_far["status"] in ("interrupted", "failed"):
        lines.append(f"go on with it: research-crew resume {so_far['id']}")
    return lines
