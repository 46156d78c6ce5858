"""A real question: announces what will answer it, runs the crew, prints report, bill and what was dropped."""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from research_crew.core.money import CREDITS
from research_crew.crew import Crew, Solo, check_question
from research_crew.exporting import export
from research_crew.interfaces.cli.confirm import at_terminal
from research_crew.interfaces.cli.files import FileReporter
from research_crew.interfaces.cli.progress import Progress
from research_crew.interfaces.cli.signals import stop_on_signal
from research_crew.interfaces.cli.verbose import Verbose
from research_crew.interfaces.render.summary import beside_one_agent, bill_lines, dropped_lines, tries_by_kind
from research_crew.interfaces.render.tasks import call_line, task_lines
from research_crew.result import CrewResult
from research_crew.settings import Loaded, Settings, editor

NOTICE = (
    "> No language model was used: what follows are verbatim sentences from the documents, chosen by the program.\n"
    "> The README, \"With a model\", says what it takes to have them put into words."
)


def answer(question: str, arguments: argparse.Namespace, loaded: Loaded) -> int:
    """Run one question and print what came of it; returns the exit code."""
    settings = loaded.settings
    asked = check_question(question)
    progress = Progress(arguments.quiet)
    maker = Solo if arguments.one_agent else Crew
    confirm = at_terminal(editor(), progress.block) if arguments.confirm else None
    watch = Verbose(progress, progress.block) if arguments.verbose else progress
    if settings.stream == "auto" and progress.live:
        settings = replace(settings, stream="on")
    with stop_on_signal(arguments.quiet) as stop:
        reporter = FileReporter(progress, stop)
        crew = maker(
            settings=settings, keys=loaded.keys, on_chosen=lambda lines: progress.say("; ".join(lines)),
            on_file=reporter, on_count=reporter.embedding, confirm=confirm,
        )  # fmt: skip
        result = crew.run(asked, on_event=watch, stop=stop)
        beside = None
        free = result.bill.currency == CREDITS
        if free and not arguments.one_agent and result.report is not None and not stop.reason:
            same = replace(settings, budget=result.total_cost, deadline=None, store="off")
            beside = Solo(settings=same, keys=loaded.keys).run(asked, stop=stop)
    progress.close()
    keep_bill(result, settings, arguments.one_agent)
    if arguments.export:
        progress.say(f"written: {export(result, Path(arguments.export))}")
    if arguments.json or settings.output == "json":
        print(result.json())
    else:
        print(text_of(result, settings.output, arguments.bill, beside, arguments.calls))
    if not arguments.quiet:
        say_status(result, settings.store != "off")
    return result.exit_code


def say_status(result: CrewResult, stored: bool = True) -> None:
    """Beside the result: that it is not complete, and how to go on with it where that can be."""
    if result.exit_code:
        how = f"; go on with it: research-crew resume {result.id}" if stored and result.status == "cancelled" else ""
        print(f"research-crew: {result.status} (exit code {result.exit_code}){how}", file=sys.stderr)


def keep_bill(result: CrewResult, settings: Settings, alone: bool) -> None:
    """Keep what the run came to, for the estimates of later ones."""
    from research_crew.core.runner import utc_now
    from research_crew.measure.estimate import kind_of
    from research_crew.measure.promises import add, paid_by, promises_file

    add(promises_file(), paid_by(result, kind_of(result.agents, settings, alone), utc_now()))


def text_of(
    result: CrewResult, output: str, itemised: bool, beside: CrewResult | None = None, calls: bool = False
) -> str:
    """The report and what belongs below it; `markdown` is the report alone, `all` adds the whole conversation."""
    if output == "markdown":
        return result.markdown
    parts = [NOTICE, ""] if result.agents == "extractive" else []
    if output == "all":
        parts += [result.transcript, "---", ""]
    parts.append(result.markdown)
    if itemised:
        waves = 1 + max((_depth(result, task.id) for task in result.tasks), default=0)
        parts += [*task_lines(result.tasks, result.bill.limit, result.total_cost, waves), ""]
    parts += ["## Calls", "", *(f"- {call_line(entry)}" for entry in result.ledger), ""] if calls else []
    parts += [*bill_lines(result.bill, tries_by_kind(result)), "", *dropped_lines(result)]
    if result.warnings:
        parts += ["", "## Warnings", "", *(f"- {warning}" for warning in result.warnings)]
    if beside is not None:
        parts += ["", "## Beside one agent", "", beside_one_agent(result, beside)]
    return "\n".join(parts)


def _depth(result: CrewResult, task: str) -> int:
    return 1 + max((_depth(result, d) for d in result.run[task].depends_on), default=-1)
