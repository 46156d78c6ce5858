"""`research-crew estimate "question"`: price and time before anything is bought; `--score`: how good such promises were."""

import argparse
import asyncio
from pathlib import Path

from research_crew.core.errors import InvalidInput
from research_crew.interfaces.cli.ask import as_json, given_settings, run_options
from research_crew.interfaces.cli.options import DIALS, add_scripted, add_world, needs_of, researchers_of, world_of


def options(parser: argparse.ArgumentParser) -> None:
    """The question, other leads to hold beside, and everything that says how it is researched."""
    parser.add_argument("question", nargs="*", help="the question")
    parser.add_argument("--also-lead", metavar="VENDOR:NAME,...", help="the same run under other leads, side by side")
    parser.add_argument("--score", action="store_true", help="how often past promises held their bills")
    parser.add_argument("--runs", metavar="PATH,...", help="exported run records (or folders of them) to learn from too")
    run_options(parser)
    add_scripted(parser)
    add_world(parser)


def command(arguments: argparse.Namespace) -> int:
    """Print the estimates and keep them as promises, or print how the promises of the past were kept."""
    from research_crew.core.runner import utc_now
    from research_crew.crew import check_question
    from research_crew.measure import promises
    from research_crew.measure.estimate import Estimate, estimate, estimate_scripted, with_lead
    from research_crew.measure.run_files import bills_of, read_runs
    from research_crew.settings import load

    rows, past = promises.read(promises.promises_file())
    if arguments.score:
        scored = promises.score(rows)
        print(as_json(scored.to_json()) if arguments.json else scored.render())
        return 0
    loaded = load(given_settings(arguments))
    scripted = loaded.settings.agents == "scripted" or arguments.world or any(getattr(arguments, d) is not None for d in DIALS)
    made: list[Estimate] = []
    if scripted:
        made.append(estimate_scripted(world_of(arguments, 0.5), researchers_of(arguments.n, 4), needs_of(arguments.needs)))
    else:
        question = check_question(" ".join(arguments.question))
        if arguments.runs:
            past += bills_of(read_runs(Path(name) for name in arguments.runs.split(",")))
        leads = [lead.strip() for lead in (arguments.also_lead or "").split(",") if lead.strip()]
        several = [loaded.settings, *(with_lead(loaded.settings, lead) for lead in leads)]
        if leads and loaded.settings.agents == "extractive":
            raise InvalidInput("--also-lead", arguments.also_lead, "agents without a model have no lead")
        for settings in several:
            made.append(asyncio.run(estimate(question, settings, loaded.keys, past, alone=arguments.one_agent)))  # noqa: PERF401
        promises.add(promises.promises_file(), made[0].promise(question, utc_now().isoformat()))
    if arguments.json:
        print(as_json(made[0].to_json() | {"also": [e.to_json() for e in made[1:]]}))
        return 0
    print("\n\n".join(f"{e.kind}\n{e.render()}" for e in made))
    return 0
