"""`research-crew --compare`: the scripted crew against one scripted agent, by the real graph, runner and ledger."""

import argparse

from research_crew.interfaces.cli.ask import as_json
from research_crew.interfaces.cli.options import add_scripted, add_shared, needs_of, researchers_of, world_of


def options(parser: argparse.ArgumentParser) -> None:
    """Every dial of the comparison."""
    parser.add_argument("--seeds", type=int, default=60, help="how many crews are drawn (60)")
    parser.add_argument("-n", type=int, help="number of researchers (4)")
    parser.add_argument("--published", action="store_true", help="beside it the figures published by the inspiration")
    add_scripted(parser)
    add_shared(parser)


def command(arguments: argparse.Namespace) -> int:
    """Print the table, or its JSON."""
    from research_crew.measure.compare import compare_scripted

    comparison = compare_scripted(
        seeds=arguments.seeds, world=world_of(arguments, 0.3), n=researchers_of(arguments.n, 4),
        needs=needs_of(arguments.needs), first_seed=arguments.seed or 0, published=arguments.published,
    )  # fmt: skip
    print(as_json(comparison.to_json()) if arguments.json else comparison.render())
    return 0
