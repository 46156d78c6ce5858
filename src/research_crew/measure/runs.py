"""The scripted world by the real task graph, runner and ledger: one row per seed and arm."""

from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from math import floor

from research_crew.agents.scripted.agent import Reported, ScriptedAgent
from research_crew.agents.scripted.draws import draw, key
from research_crew.agents.scripted.world import Prices, World
from research_crew.core.budget import Budget
from research_crew.core.calling import run_in_own_loop
from research_crew.core.crews import research_crew, solo_crew
from research_crew.core.errors import InvalidInput
from research_crew.core.graph import Task, TaskGraph
from research_crew.core.outcome import RunResult, TaskResult
from research_crew.core.runner import Grow, Runner
from research_crew.measure.exact import exact_solo
from research_crew.measure.score import score

LIMIT = 10_000
_QUESTION = "scripted"
_BAD = frozenset(("failed", "skipped", "over-budget"))
_PRICED = {"planner": "plan", "researcher": "research", "critic": "critique", "editor": "edit", "solo": "solo"}
_USUAL = Prices()


@dataclass(frozen=True, slots=True)
class Row:
    """What one run came to."""

    found: int
    bogus: int
    prec: float | None
    """None when nothing was reported."""
    cost: float
    fails: int
    """Tasks that ended failed, skipped or over-budget."""


def crew_rows(world: World, seeds: Iterable[int], n: int = 4, needs: str | int = "all") -> list[Row]:
    """One crew per seed."""
    graph = _priced(research_crew(_QUESTION, n, needs), world)  # type: ignore[arg-type]
    return _alike(graph, world, seeds)


def solo_rows(world: World, seeds: Iterable[int]) -> list[Row]:
    """One agent alone per seed, without a critic."""
    return _alike(_priced(solo_crew(_QUESTION), world), world, seeds)


def solo_equal_rows(world: World, seeds: Iterable[int], bills: Iterable[float], repeats: bool = True) -> list[Row]:
    """One agent per seed that may spend that seed's bill: a first pass, and further ones until no more can be paid.

    `repeats`: its passes share one list of inventions, see `exact_solo_equal`.
    """
    first = _priced(solo_crew(_QUESTION), world)
    name = "solo/pass-" if repeats else "solo:"
    price = _amount(world.prices.further)

    def run(seed: int, bill: float) -> Coroutine[object, object, Row]:
        limit = _amount(bill)
        if limit < first.critical_path().value:
            return _row(_NOTHING, world, seed, _LIMIT)
        spent = Decimal(0)
        passes = 1

        def more(task: Task, result: TaskResult) -> list[Task]:
            nonlocal spent, passes
            spent += result.cost
            if limit - spent < price:
                return []
            passes += 1
            return [Task(f"{name}{passes - 1}", "solo", price, depends_on=(task.id,), needs=0, brief=_QUESTION)]

        return _row(first, world, seed, limit, more)

    return _all(run, seeds, bills)


def union_equal_rows(world: World, seeds: Iterable[int], bills: Iterable[float]) -> list[Row]:
    """Several agents per seed, merged: as many as that seed's bill pays on average, up or down by a seeded coin."""
    each = exact_solo(world).cost
    task = Task("union:0", "solo", _amount(world.prices.solo), brief=_QUESTION)

    def run(seed: int, bill: float) -> Coroutine[object, object, Row]:
        low = floor(bill / each)
        k = low + (draw(key(seed, "union"), 0) < bill / each - low)
        return _row(TaskGraph(replace(task, id=f"union:{i}") for i in range(k)), world, seed, _LIMIT)

    return _all(run, seeds, bills)


def seeds_from(first: int, count: int) -> range:
    """`count` seeds; raises `InvalidInput` for fewer than one."""
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= 10_000_000:
        raise InvalidInput("--seeds", count, "use a whole number from 1 to 10000000")
    return range(first, first + count)


_LIMIT = Decimal(LIMIT)
_NOTHING = TaskGraph(())


def _amount(price: float) -> Decimal:
    return Decimal(str(price))


def _priced(graph: TaskGraph, world: World) -> TaskGraph:
    """The graph at the prices of the world."""
    if world.prices == _USUAL:
        return graph
    prices = world.prices.to_json()
    return TaskGraph(replace(task, cost=_amount(prices[_PRICED[task.role]])) for task in graph)


def _alike(graph: TaskGraph, world: World, seeds: Iterable[int]) -> list[Row]:
    """The same graph for every seed, under a limit that binds nobody."""
    limit = max(_LIMIT, 2 * sum((task.price for task in graph), Decimal(0)))
    return _all(lambda seed, _: _row(graph, world, seed, limit), seeds, None)


def _all(
    run: Callable[[int, float], Coroutine[object, object, Row]], seeds: Iterable[int], bills: Iterable[float] | None
) -> list[Row]:
    """One row per seed, all in one event loop."""
    listed: Sequence[int] = list(seeds)
    limits: Sequence[float] = [0.0] * len(listed) if bills is None else list(bills)

    async def all_of_them() -> list[Row]:
        return [await run(seed, bill) for seed, bill in zip(listed, limits, strict=True)]

    return run_in_own_loop(all_of_them)


async def _row(graph: TaskGraph, world: World, seed: int, limit: Decimal, grow: Grow | None = None) -> Row:
    agent = ScriptedAgent(seed, world=world, book=False)
    result = await Runner(graph, agent, Budget(limit), inline=True, grow=grow).run()
    counted = score(_answer(result), range(world.n_facts))
    fails = sum(task.state in _BAD for task in result.results)
    return Row(counted.found, counted.bogus, counted.precision, float(result.spent), fails)


def _answer(result: RunResult) -> set[int]:
    """The claims of the edited report, or of all agents alone together, by number."""
    last = result.results[-1:]
    told = last if last and last[0].role == "editor" else result.results
    return {claim for task in told if isinstance(task.output, Reported) for claim in task.output.claims}
