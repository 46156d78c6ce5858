"""The scripted world by the real task graph, runner and ledger: one row per seed."""

from collections.abc import Iterable
from dataclasses import dataclass

from research_crew.agents.scripted.agent import ScriptedAgent
from research_crew.agents.scripted.world import World
from research_crew.core.budget import Budget
from research_crew.core.calling import run_in_own_loop
from research_crew.core.crews import research_crew, solo_crew
from research_crew.core.errors import InvalidInput
from research_crew.core.graph import TaskGraph
from research_crew.core.runner import Runner
from research_crew.measure.score import score

LIMIT = 10_000
_QUESTION = "scripted"
_BAD = frozenset(("failed", "skipped", "over-budget"))


@dataclass(frozen=True, slots=True)
class Row:
    """What one run came to."""

    found: int
    bogus: int
    prec: float | None
    """None when nothing was reported."""
    cost: float
    fails: int


def crew_rows(
    world: World, seeds: Iterable[int], n: int = 4, needs: str | int = "all", budget: int = LIMIT
) -> list[Row]:
    """One crew per seed."""
    graph = research_crew(_QUESTION, n, needs)  # type: ignore[arg-type]
    return _rows(graph, world, seeds, max(budget, 10 * n))


def solo_rows(world: World, seeds: Iterable[int], budget: int = LIMIT) -> list[Row]:
    """One agent alone per seed, without a critic."""
    return _rows(solo_crew(_QUESTION), world, seeds, budget)


def seeds_from(first: int, count: int) -> range:
    """`count` seeds; raises `InvalidInput` for fewer than one."""
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= 10_000_000:
        raise InvalidInput("--seeds", count, "use a whole number from 1 to 10000000")
    return range(first, first + count)


def _rows(graph: TaskGraph, world: World, seeds: Iterable[int], limit: int) -> list[Row]:
    async def all_of_them() -> list[Row]:
        return [await _row(graph, world, seed, limit) for seed in seeds]

    return run_in_own_loop(all_of_them)


async def _row(graph: TaskGraph, world: World, seed: int, limit: int) -> Row:
    agent = ScriptedAgent(seed, world=world, book=False)
    result = await Runner(graph, agent, Budget(limit), inline=True).run()
    counted = score(agent.answer(result), world.facts)
    fails = sum(task.state in _BAD for task in result.results)
    return Row(counted.found, counted.bogus, counted.precision, float(result.spent), fails)
