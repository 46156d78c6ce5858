"""`research-crew explore --to world.html`: the scripted world as one offline page with sliders."""

import argparse
from pathlib import Path

from research_crew.interfaces.cli.options import add_scripted, add_shared, add_world, needs_of, researchers_of, world_of


def options(parser: argparse.ArgumentParser) -> None:
    """Where to, and how its sliders stand at first."""
    parser.add_argument("--to", metavar="FILE", default="world.html", help="the file to write (world.html)")
    parser.add_argument("-n", type=int, help="number of researchers (4)")
    add_scripted(parser)
    add_world(parser)
    add_shared(parser)


def command(arguments: argparse.Namespace) -> int:
    """Write the page and say where it is."""
    from research_crew.measure.explore import write_explore

    path = Path(arguments.to)
    write_explore(path, world_of(arguments, 0.5), researchers_of(arguments.n, 4), needs_of(arguments.needs))
    if arguments.json:
        from research_crew.interfaces.cli.ask import as_json

        print(as_json({"written": str(path), "bytes": path.stat().st_size}))
    else:
        print(f"written: {path} (open it in a browser; it loads nothing and sends nothing)")
    return 0
