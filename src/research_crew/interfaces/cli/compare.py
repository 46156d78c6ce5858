"""`research-crew compare "question"` and `compare --bench NAME`: crew against one agent at equal money, counted."""

import argparse
import asyncio
from pathlib import Path

from research_crew.core.errors import InvalidInput
from research_crew.interfaces.cli.ask import as_json, given_settings, run_options
from research_crew.interfaces.cli.options import number


def options(parser: argparse.ArgumentParser) -> None:
    """The questions, the arms, and everything that says how a question is researched."""
    parser.add_argument("question", nargs="*", help="one question; or --bench for a set")
    parser.add_argument("--bench", metavar="NAME", help="a set of questions: a folder, or a name within --data")
    parser.add_argument("--data", metavar="DIR", help="folder that holds sets of questions")
    parser.add_argument("--questions", type=int, metavar="N", help="the first N questions of the set only")
    parser.add_argument("--arms", metavar="A,B,...", help="of crew, solo, solo=, union= and closed-book (all that can be had)")
    parser.add_argument("--margin", type=number, help="facts by which an arm must be better to win (0.25)")
    parser.add_argument("--results", metavar="FILE", help="takes every answer; named again, the comparison goes on from it")
    run_options(parser)


def command(arguments: argparse.Namespace) -> int:
    """Run what is missing, show how far it is, print the table or its JSON."""
    from research_crew.interfaces.cli.progress import Progress
    from research_crew.interfaces.cli.signals import stop_on_signal
    from research_crew.measure.answers import Answered
    from research_crew.measure.bench import acompare, dataset_of
    from research_crew.measure.statistics import MARGIN
    from research_crew.settings import load

    question = " ".join(arguments.question)
    if bool(question.strip()) == (arguments.bench is not None):
        raise InvalidInput("compare", question or "-", 'give one question, or --bench NAME (one of the two)')
    if arguments.questions is not None and arguments.questions < 1:
        raise InvalidInput("--questions", arguments.questions, "use at least 1")
    loaded = load(given_settings(arguments))
    data = dataset_of(question or None, arguments.bench, Path(arguments.data) if arguments.data else None)
    progress = Progress(arguments.quiet)

    def on_answer(answer: Answered, done: int, total: int) -> None:
        told = f"{done}/{total} {answer.question} {answer.arm}: found {answer.found} of {answer.facts or '?'}, bogus {answer.bogus}"
        told += f", cost {answer.spent.cost:g}"
        if progress.live and done < total:
            progress.moving(told)
        elif done == total or done % 20 == 0 or not arguments.bench:
            progress.say(told)

    with stop_on_signal(arguments.quiet) as stop:
        compared = asyncio.run(
            acompare(
                data, loaded.settings, loaded.keys, arms=arguments.arms.split(",") if arguments.arms else None,
                questions=arguments.questions, margin=MARGIN if arguments.margin is None else arguments.margin,
                results=Path(arguments.results) if arguments.results else None, on_answer=on_answer, stop=stop,
            )
        )
    progress.close()
    print(as_json(compared.to_json()) if arguments.json else compared.render())
    if stop.reason:
        return 130
    return 0 if not compared.left_out else 4
