"""`research-crew --compare`: the scripted crew against one scripted agent, by the real graph, runner and ledger."""

import argparse

from research_crew.interfaces.cli.ask import as_json
from research_crew.interfaces.cli.options import (
    add_scripted,
    add_shared,
    add_world,
    needs_of,
    number,
    researchers_of,
    world_of,
)


def options(parser: argparse.ArgumentParser) -> None:
    """Every dial of the comparison."""
    parser.add_argument("--seeds", type=int, default=60, help="how many crews are drawn (60)")
    parser.add_argument("-n", type=int, help="number of researchers (4)")
    parser.add_argument("--published", action="store_true", help="beside it the figures published by the inspiration")
    parser.add_argument("--equal-money", action="store_true",
                        help="add the baselines that may spend the crew's bill, solo= and union=, and the verdict")
    parser.add_argument("--margin", type=number, help="facts by which an arm must be better to win (0.25)")
    add_scripted(parser)
    add_world(parser)
    add_shared(parser)


def command(arguments: argparse.Namespace) -> int:
    """Print the table, or its JSON."""
    from research_crew.core.errors import InvalidInput
    from research_crew.measure.compare import compare_scripted
    from research_crew.measure.statistics import MARGIN

    if arguments.margin is not None and not arguments.equal_money:
        raise InvalidInput("--margin", arguments.margin, "it belongs to the verdict: add --equal-money")

    comparison = compare_scripted(
        seeds=arguments.seeds, world=world_of(arguments, 0.3), n=researchers_of(arguments.n, 4),
        needs=needs_of(arguments.needs), first_seed=arguments.seed or 0, published=arguments.published,
        equal_money=arguments.equal_money, margin=MARGIN if arguments.margin is None else arguments.margin,
    )  # fmt: skip
    print(as_json(comparison.to_json()) if arguments.json else comparison.render())
    return 0
