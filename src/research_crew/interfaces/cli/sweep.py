"""`research-crew sweep strictness|researchers|failures|…`: one dial of the scripted world over a range."""

import argparse

from research_crew.interfaces.cli.ask import as_json
from research_crew.interfaces.cli.options import (
    add_scripted,
    add_shared,
    add_world,
    needs_of,
    numbers,
    researchers_of,
    world_of,
)


def options(parser: argparse.ArgumentParser) -> None:
    """What is swept, and the dials that stay."""
    parser.add_argument("over", help="strictness, researchers, failures, recall, hallucination, catch, collateral or price-ratio")
    parser.add_argument("--values", metavar="A,B,...", help="what the dial is turned to")
    parser.add_argument("--seeds", type=int, default=60, help="how many crews are drawn for each value (60)")
    parser.add_argument("-n", type=int, help="number of researchers (4)")
    parser.add_argument("--published", action="store_true", help="beside it the figures published by the inspiration")
    parser.add_argument("--csv", action="store_true", help="print CSV instead of a table")
    parser.add_argument("--svg", action="store_true", help="print curves as SVG instead of a table")
    add_scripted(parser)
    add_world(parser)
    add_shared(parser)


def command(arguments: argparse.Namespace) -> int:
    """Print the table, CSV, JSON or SVG."""
    from research_crew.measure.sweep import sweep

    swept = sweep(
        arguments.over, seeds=arguments.seeds, world=world_of(arguments, 0.5), n=researchers_of(arguments.n, 4),
        needs=needs_of(arguments.needs), first_seed=arguments.seed or 0, published=arguments.published,
        values=numbers("--values", arguments.values),
    )  # fmt: skip
    if arguments.json:
        print(as_json(swept.to_json()))
    else:
        print(swept.to_csv() if arguments.csv else swept.to_svg() if arguments.svg else swept.render())
    return 0
