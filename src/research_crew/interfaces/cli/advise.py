"""`research-crew advise`: crew or one agent, how many researchers, how strict a critic, for the prices of a world."""

import argparse
from pathlib import Path

from research_crew.interfaces.cli.options import (
    DIALS,
    add_scripted,
    add_shared,
    add_world,
    needs_of,
    number,
    researchers_of,
    world_of,
)


def options(parser: argparse.ArgumentParser) -> None:
    """What a fact is worth, what a bogus claim costs, and the world."""
    parser.add_argument("--worth", type=number, help="what a true fact is worth, in the currency of the world's prices")
    parser.add_argument("--harm", type=number, default=1.0, help="what a bogus claim costs, as a multiple of that (1)")
    parser.add_argument("--precision", type=number, help="the precision that an answer must have on average, 0 to 1")
    parser.add_argument("-n", type=int, help="most researchers, and most passes of one agent (16)")
    add_scripted(parser)
    add_world(parser)
    add_shared(parser)


def command(arguments: argparse.Namespace) -> int:
    """Print what is best at which worth, or its JSON."""
    from research_crew.measure.advise import advise
    from research_crew.measure.calibrated import Calibrated, load_world

    world = Calibrated(world_of(arguments, 0.5))
    turned = any(getattr(arguments, dial) is not None for dial in (*DIALS, "critic_strictness"))
    if arguments.world is not None and not turned:
        world = load_world(Path(arguments.world))
    advice = advise(
        world, worth=arguments.worth, harm=arguments.harm, precision=arguments.precision,
        most=researchers_of(arguments.n, 16), needs=needs_of(arguments.needs), seed=arguments.seed or 0,
    )  # fmt: skip
    if arguments.json:
        from research_crew.interfaces.cli.ask import as_json

        print(as_json(advice.to_json()))
    else:
        print(advice.render())
    return 0
