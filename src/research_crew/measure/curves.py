"""A sweep as curves: exact lines on a fine grid, and what was drawn as dots with their 95 % intervals."""

from collections.abc import Callable

from research_crew.measure.charts import Line, Panel, chart
from research_crew.measure.compare import Arm
from research_crew.measure.exact import Expected, exact_crew, exact_solo
from research_crew.measure.moments import Mean
from research_crew.measure.sweep import Sweep, rules_of, turn

FINE = 40
"""Steps of the exact curve."""
_TITLES = {
    "found": "true facts found", "bogus": "bogus claims", "prec": "precision", "fails": "tasks not ok",
    "found_per_cost": "facts per unit of cost",
}  # fmt: skip


def draw(sweep: Sweep) -> str:
    """The sweep as one SVG document of four panels."""
    second = "fails" if sweep.over == "failures" else "bogus"
    columns = ("found", second, "prec", "found_per_cost")
    title = f"the scripted world over {sweep.over}: {sweep.n} researchers, {sweep.seeds} seeds"
    return chart(title, [Panel(_TITLES[c], sweep.over, _lines(sweep, c)) for c in columns])


def _lines(sweep: Sweep, column: str) -> list[Line]:
    rules = rules_of(sweep.over, sweep.needs)
    lines = []
    for rule in rules:
        name = "crew" if len(rules) == 1 else f"crew, {rule}"
        points = [(p.value, p.crew) for p in sweep.points if p.rule == str(rule)]

        def crew(value: float, rule: str | int = rule) -> Expected:
            world, n = turn(sweep.over, value, sweep.world, sweep.n)
            return exact_crew(world, n, rule, precise=column == "prec")

        lines.append(Line(name, _exact(sweep, column, crew), _drawn(points, column)))
    solo = [(p.value, p.solo) for p in sweep.points if p.rule == str(rules[0])]
    return [*lines, Line("one agent", _exact(sweep, column, lambda value: _one_agent(sweep, value)), _drawn(solo, column))]


def _one_agent(sweep: Sweep, value: float) -> Expected:
    world, n = turn(sweep.over, value, sweep.world, sweep.n)
    solo = exact_solo(world)
    if sweep.over != "price-ratio":
        return solo
    cost = exact_crew(world, n, sweep.needs, precise=False).cost / value
    return Expected(solo.found, solo.bogus, solo.prec, cost, solo.fails)


def _exact(sweep: Sweep, column: str, expected: Callable[[float], Expected]) -> list[tuple[float, float]]:
    values = [p.value for p in sweep.points]
    low, high = min(values), max(values)
    if sweep.over == "researchers":
        grid = [float(n) for n in range(int(low), int(high) + 1)]
    else:
        grid = [low + (high - low) * i / FINE for i in range(FINE + 1)]
    found = [(value, getattr(expected(value), column)) for value in grid]
    return [(value, y) for value, y in found if y is not None]


def _drawn(points: list[tuple[float, Arm]], column: str) -> list[tuple[float, float, float]]:
    means: list[tuple[float, Mean]] = [(value, getattr(arm.drawn, column)) for value, arm in points]
    return [(value, mean.value, 1.96 * mean.error) for value, mean in means if mean.n]
