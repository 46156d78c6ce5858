"""`research-crew sweep strictness|researchers|failures|…`: one dial of the scripted world over a range."""

import argparse

from research_crew.interfaces.cli.ask import as_json
from research_crew.interfaces.cli.options import add_scripted, add_shared, needs_of, researchers_of, world_of


def options(parser: argparse.ArgumentParser) -> None:
    """What is swept, and the dials that stay."""
    parser.add_argument("over", help="strictness, researchers, failures, recall, hallucination or price-ratio")
    parser.add_argument("--seeds", type=int, default=60, help="how many crews are drawn for each value (60)")
    parser.add_argument("-n", type=int, help="number of researchers (4)")
    parser.add_argument("--published", action="store_true", help="beside it the figures published by the inspiration")
    parser.add_argument("--csv", action="store_true", help="print CSV instead of a table")
    add_scripted(parser)
    add_shared(parser)


def command(arguments: argparse.Namespace) -> int:
    """Print the table, CSV or JSON."""
    from research_crew.measure.sweep import sweep

    swept = sweep(
        arguments.over, seeds=arguments.seeds, world=world_of(arguments, 0.5), n=researchers_of(arguments.n, 4),
        needs=needs_of(arguments.needs), first_seed=arguments.seed or 0, published=arguments.published,
    )  # fmt: skip
    print(as_json(swept.to_json()) if arguments.json else swept.to_csv() if arguments.csv else swept.render())
    return 0
