"""One simulated run: the declared crew with scripted agents, through the real graph, runner and ledger."""

import argparse
import sys
from dataclasses import replace
from decimal import Decimal

from research_crew.agents.scripted.agent import ScriptedAgent, close_books
from research_crew.core.budget import Budget
from research_crew.core.crews import CRITIQUE_COST, EDIT_COST, PLAN_COST, RESEARCH_COST, research_crew
from research_crew.core.errors import OverBudget
from research_crew.core.money import to_decimal
from research_crew.core.outcome import EXIT_CODES, RunResult, RunStatus
from research_crew.core.runner import run
from research_crew.interfaces.cli.ask import as_json
from research_crew.interfaces.cli.options import needs_of, researchers_of, world_of
from research_crew.interfaces.render.tasks import task_lines
from research_crew.measure.score import score
from research_crew.result import CrewResult
from research_crew.settings import Settings

LIMIT = Decimal(10_000)
SMALLEST = PLAN_COST + RESEARCH_COST + CRITIQUE_COST + EDIT_COST


def run_once(question: str, arguments: argparse.Namespace, settings: Settings) -> int:
    """Simulate one crew and print one line per task."""
    world = world_of(arguments, 0.5)
    graph = research_crew(question, researchers_of(arguments.n, 4), needs_of(arguments.needs))
    budget = Budget(settings.budget or LIMIT, calls=settings.max_calls, tokens=settings.max_tokens)
    if to_decimal(budget.limit) < SMALLEST:
        raise OverBudget(SMALLEST, to_decimal(budget.limit))
    agent = ScriptedAgent(settings.seed, world=world)
    result = run(
        graph, agent, budget, seed=settings.seed, deadline=settings.deadline, concurrency=settings.concurrency,
        run_id=f"scripted-{settings.seed}",
    )  # fmt: skip
    status = status_of(result)
    close_books(result.books, result)
    answer = agent.answer(result)
    counted = score(answer, world.facts)
    if arguments.json:
        record = CrewResult(result.run_id, question, "en", "scripted", status, replace(result, status=status))
        simulated = {"found": counted.found, "bogus": counted.bogus, "precision": counted.precision}
        print(as_json(record.to_json() | {"simulated": simulated, "answer": sorted(answer)}))
    else:
        print(
            f"simulated (scripted agents, seed {settings.seed}; no model, no source was asked): "
            f"found {counted.found} of {len(world.facts)} facts, {counted.bogus} bogus"
        )
        print("\n".join(task_lines(result.results, result.bill.limit, result.spent, len(graph.waves()))))
    code = EXIT_CODES[status]
    if code and not arguments.quiet:
        print(f"research-crew: {status} (exit code {code})", file=sys.stderr)
    return code


def status_of(result: RunResult) -> RunStatus:
    """The status of a scripted run: without one successful researcher there is no evidence."""
    if result.status in ("complete", "cancelled", "refused"):
        return result.status
    found = any(task.usable for task in result.results if task.role == "researcher")
    return "incomplete" if found else "no-evidence"
