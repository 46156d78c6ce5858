"""`research-crew sample`: many scripted crews drawn at once, beside the exact values. Needs numpy (the extra `sim`)."""

import argparse

from research_crew.interfaces.cli.options import add_scripted, add_shared, add_world, needs_of, researchers_of, world_of


def options(parser: argparse.ArgumentParser) -> None:
    """How many, and the dials."""
    parser.add_argument("--crews", type=int, default=1_000_000, help="how many crews are drawn (1000000)")
    parser.add_argument("-n", type=int, help="number of researchers (4)")
    add_scripted(parser)
    add_world(parser)
    add_shared(parser)


def command(arguments: argparse.Namespace) -> int:
    """Print the table of the comparison, drawn and exact, or its JSON."""
    from research_crew.measure.sampled import compare_sampled

    comparison = compare_sampled(
        arguments.crews, world_of(arguments, 0.3), researchers_of(arguments.n, 4), needs_of(arguments.needs),
        arguments.seed or 0,
    )  # fmt: skip
    if arguments.json:
        from research_crew.interfaces.cli.ask import as_json

        print(as_json(comparison.to_json()))
    else:
        print(comparison.render())
    return 0
