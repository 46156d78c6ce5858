"""`research-crew graph`: the waves and the critical path of the declared crew."""

import argparse
import json

from research_crew.core.crews import research_crew
from research_crew.core.money import show
from research_crew.interfaces.cli.options import needs_of, researchers_of


def options(parser: argparse.ArgumentParser) -> None:
    """The size of the crew."""
    parser.add_argument("-n", type=int, help="number of researchers (4)")
    parser.add_argument("--needs", help="researchers the critic needs: all, any or a number (all)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")


def command(arguments: argparse.Namespace) -> int:
    """Print the waves."""
    graph = research_crew("?", researchers_of(arguments.n, 4), needs_of(arguments.needs))
    waves, (value, path) = graph.waves(), graph.critical_path()
    if arguments.json:
        total = sum((task.price for task in graph), start=value * 0)
        print(json.dumps({"waves": waves, "critical_path": {"value": show(value), "path": path}, "cost": show(total)}))
        return 0
    for number, wave in enumerate(waves, 1):
        tasks = [graph[name] for name in wave]
        print(f"wave {number}: " + ", ".join(f"{t.id} ({t.role}, {show(t.price)})" for t in tasks))
    print(f"critical path {show(value)}: " + " -> ".join(path))
    return 0
