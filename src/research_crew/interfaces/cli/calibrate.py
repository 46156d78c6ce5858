"""`research-crew calibrate FILES --to world.json`: the dials of a world, measured from stored runs."""

import argparse
import asyncio
from pathlib import Path

from research_crew.core.errors import InvalidInput
from research_crew.interfaces.cli.ask import as_json, given_settings, run_options


def options(parser: argparse.ArgumentParser) -> None:
    """What to measure from."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="answers (compare --results), run records, folders of them")
    parser.add_argument("--to", metavar="FILE", help="where the world is written (world.json); it serves every --world")
    parser.add_argument("--canaries", type=int, default=0, metavar="N", nargs="?", const=10,
                        help="put up to N canaries (10) for each record through the critic, and pay for it")
    run_options(parser)


def command(arguments: argparse.Namespace) -> int:
    """Measure, write the world, say what it is."""
    from research_crew.measure.answers_file import read_answers
    from research_crew.measure.calibrate import calibrate
    from research_crew.measure.critic_rates import measure_critic, through_critic
    from research_crew.measure.run_files import read_runs
    from research_crew.settings import load

    paths = [Path(name) for name in arguments.files]
    answers = [a for path in paths if path.suffix == ".jsonl" for a in read_answers(path)]
    records = read_runs([path for path in paths if path.suffix != ".jsonl"])
    critic = None
    if arguments.canaries:
        if not records:
            raise InvalidInput("--canaries", arguments.canaries, "canaries are made from run records: name some (--export DIR)")
        loaded = load(given_settings(arguments))
        critic = asyncio.run(
            measure_critic(records, loaded.settings, loaded.keys, most=arguments.canaries, seed=loaded.settings.seed)
        )
    world = calibrate(answers, records, critic, ", ".join(path.name for path in paths))
    target = Path(arguments.to or "world.json")
    try:
        world.save(target)
    except OSError as error:
        raise InvalidInput("--to", str(target), error.strerror or "it cannot be written") from None
    if arguments.json:
        print(as_json(world.to_json() | {"critic": critic.to_json() if critic else None}))
        return 0
    for name, value in world.world.to_json().items():
        if name == "prices":
            continue
        pair = world.intervals.get(name)
        print(f"{name:<20} {value:<8.4g}" + (f" [{pair[0]:.3f}, {pair[1]:.3f}]" if pair else " (default, not measured)" if name not in ("n_facts", "critic_strictness") else ""))
    print("prices               " + ", ".join(f"{k} {v:.4g}" for k, v in world.world.prices.to_json().items()))
    print(f"from {world.runs} runs; written: {target}")
    if critic is not None:
        print("\n".join(critic.sentences))
        before, kept = through_critic(records)
        corrected = critic.corrected_precision(before, kept)
        if corrected is not None:
            print(f"of {before} claims it kept {kept} in those runs: by its error rates {corrected:.1%} of the kept ones are true.")
    return 0
