"""One dial of the scripted world over a range: sampled and exact side by side, and what is solved for."""

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from research_crew.agents.scripted.world import World
from research_crew.core.errors import InvalidInput
from research_crew.measure import published as theirs
from research_crew.measure.compare import Arm, Comparison, crew_arm, distance, solo_arm
from research_crew.measure.exact import Expected, break_even, efficiency_peak, exact_crew, exact_solo
from research_crew.measure.moments import COLUMNS
from research_crew.measure.runs import seeds_from

_DIALS = {
    "strictness": "critic_strictness", "recall": "recall", "hallucination": "hallucination_rate", "catch": "catch",
    "collateral": "collateral", "failures": "failure_rate",
}  # fmt: skip
VALUES: dict[str, tuple[float, ...]] = {
    "strictness": (0.0, 0.3, 0.5, 0.7, 1.0),
    "researchers": (1, 2, 3, 4, 8, 16),
    "failures": (0.0, 0.1, 0.2, 0.3, 0.4, 0.5),
    "recall": (0.1, 0.2, 0.35, 0.5, 0.7, 0.9),
    "hallucination": (0.0, 0.05, 0.15, 0.3, 0.5),
    "catch": (0.0, 0.3, 0.6, 0.9, 1.0),
    "collateral": (0.0, 0.1, 0.25, 0.5, 1.0),
    "price-ratio": (0.5, 1.0, 2.0, 4.0, 4.5, 8.0),
}
"""What each dial is turned to."""
_CELLS = (
    ("found", 2, 14, 3), ("bogus", 2, 14, 3), ("prec", 3, 13, 3), ("cost", 1, 12, 1), ("fails", 3, 13, 3),
    ("found/cost", 3, 18, 3),
)  # fmt: skip
"""Column, decimals of what was drawn, width, decimals of what is exact."""


@dataclass(frozen=True, slots=True)
class Point:
    """The crew at one value of the dial, under one dependency rule."""

    value: float
    rule: str
    """`all`, `any` or the number of researchers that the critic needs."""
    crew: Arm
    solo: Arm
    comparison: Comparison


@dataclass(frozen=True, slots=True)
class Sweep:
    """A dial over its range."""

    over: str
    seeds: int
    world: World
    n: int
    needs: str | int
    points: tuple[Point, ...]
    solved: tuple[str, ...]
    """What is solved for instead of read off the grid, in sentences."""
    published: bool = False

    def render(self) -> str:
        """The table for a person."""
        rules = len({p.rule for p in self.points}) > 1
        head = f"{self.over:>13}  " + (f"{'needs':>5}  " if rules else "")
        head += "  ".join(f"{name + ' (exact)':>{width}}" for name, _, width, _ in _CELLS)
        marginal = self.marginal
        head += "  next facts/cost" if marginal else ""
        lines = [head, "-" * len(head)]
        for place, p in enumerate(self.points):
            row = f"{p.value:>13g}  " + (f"{p.rule:>5}  " if rules else "") + _cells(p.crew)
            lines.append(f"{row:<{len(head) - 17}}{marginal[place]:>17.3f}" if place < len(marginal) else row)
        same = len({p.solo.exact for p in self.points}) == 1
        for p in self.points[:1] if same else {p.value: p for p in self.points}.values():
            label = "solo" if same else f"solo {p.value:g}"
            lines.append(f"{label:>13}  " + (f"{'-':>5}  " if rules else "") + _cells(p.solo))
        lines += ["", *self.solved]
        if self.published or self.over == "failures":
            lines += self._beside()
        return "\n".join(lines)

    @property
    def marginal(self) -> tuple[float, ...]:
        """More facts per more cost, exact, from each point to the next; empty where the dial changes no cost."""
        if self.over != "researchers":
            return ()
        pairs = [(a.crew.exact, b.crew.exact) for a, b in pairwise(self.points)]
        return tuple((b.found - a.found) / (b.cost - a.cost) if b.cost != a.cost else 0.0 for a, b in pairs)

    def _beside(self) -> list[str]:
        """The published figures of this sweep, with their distance."""
        if self.over == "failures":
            return [
                f"published at {theirs.FAILURE_RATE:.0%} failures: {theirs.CREW_FAILS:g} tasks not ok for the crew, "
                f"{theirs.SOLO_FAILS:g} for one agent."
            ]
        tables: dict[str, Mapping[float, theirs.Figures]] = {
            "strictness": theirs.STRICTNESS, "researchers": theirs.RESEARCHERS,
        }  # fmt: skip
        if self.over not in tables:
            return ["nothing was published for this dial."]
        lines = ["published by the inspiration (60 seeds of its own generator), and how far from exact:"]
        for p in self.points:
            figures = tables[self.over].get(p.value)
            if figures is not None:
                lines.append(f"{p.value:>13g}  {distance(figures, p.crew)}")
        if self.over == "strictness":
            lines.append(f"published break-even strictness: about {theirs.BREAK_EVEN:g}.")
        else:
            lines.append(f"published efficiency peak: at {theirs.PEAK} (its grid 1, 2, 4, 8, 16 had no 3).")
        return lines

    def to_csv(self) -> str:
        """One line per value and arm; sampled columns, then exact ones."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        names = (*COLUMNS, "found_per_cost")
        writer.writerow([self.over, "needs", "arm", *names, *(f"exact_{name}" for name in names)])
        for p in self.points:
            for arm in (p.crew, p.solo):
                drawn = [f"{getattr(arm.drawn, name).value:.6f}" for name in names]
                exact = [_exact(getattr(arm.exact, name)) for name in names]
                writer.writerow([f"{p.value:g}", p.rule, arm.name, *drawn, *exact])
        return out.getvalue().rstrip("\n")

    def to_svg(self) -> str:
        """Found, bogus or failures, precision and found per cost as curves: lines are exact, dots were drawn."""
        from research_crew.measure.curves import draw

        return draw(self)

    def to_json(self) -> dict[str, object]:
        """`comparison/1` per value, under `sweep`."""
        return {
            "schema": "research-crew/comparison/1",
            "sweep": {"over": self.over, "values": [p.value for p in self.points]},
            "comparisons": [p.comparison.to_json() | {"value": p.value, "needs": p.rule} for p in self.points],
            "marginal": list(self.marginal),
            "sentences": list(self.solved),
        }


def sweep(
    over: str, seeds: int = 60, world: World | None = None, n: int = 4, needs: str | int = "all", first_seed: int = 0,
    published: bool = False, values: tuple[float, ...] | None = None,
) -> Sweep:  # fmt: skip
    """Turn one dial: strictness, researchers, failures, recall, hallucination, catch, collateral or price-ratio.

    `failures` prints both dependency rules. `price-ratio` is what a crew costs over what one agent costs, at which
    found per cost is compared. Raises `InvalidInput` for another dial.
    """
    world = world or World()
    if over not in VALUES:
        raise InvalidInput("sweep", over, f"use one of {', '.join(VALUES)}")
    span = seeds_from(first_seed, seeds)
    points: list[Point] = []
    for value in values or VALUES[over]:
        turned, width = turn(over, value, world, n)
        for rule in rules_of(over, needs):
            crew, solo = crew_arm(turned, span, width, rule), solo_arm(turned, span)
            if over == "price-ratio":
                solo = _priced(solo, crew.exact.cost / value)
            comparison = Comparison(seeds, turned, width, rule, crew, solo)
            points.append(Point(value, str(rule), crew, solo, comparison))
    return Sweep(over, seeds, world, n, needs, tuple(points), _solve(over, world, n, needs, points), published)


def turn(over: str, value: float, world: World, n: int) -> tuple[World, int]:
    """The world and the number of researchers at one value of a dial."""
    if over == "researchers":
        if value != int(value) or value < 1:
            raise InvalidInput("researchers", value, "use a whole number of at least 1")
        return world, int(value)
    return (world.but(**{_DIALS[over]: value}), n) if over in _DIALS else (world, n)


def rules_of(over: str, needs: str | int) -> tuple[str | int, ...]:
    """The dependency rules that a sweep shows."""
    return ("all", "any") if over == "failures" else (needs,)


def _priced(arm: Arm, cost: float) -> Arm:
    """An arm as it would be if one run of it were expected to cost so much."""
    factor = cost / arm.exact.cost
    drawn = arm.drawn
    price, ratio = drawn.cost, drawn.found_per_cost
    return replace(
        arm,
        exact=replace(arm.exact, cost=cost),
        drawn=replace(
            drawn, cost=replace(price, value=price.value * factor, error=price.error * factor),
            found_per_cost=replace(ratio, value=ratio.value / factor, error=ratio.error / factor),
        ),
    )  # fmt: skip


def _solve(over: str, world: World, n: int, needs: str | int, points: list[Point]) -> tuple[str, ...]:
    first, last = points[0].crew.exact, points[-1].crew.exact
    if over == "strictness":
        mean, ratio = break_even(world, n), break_even(world, n, by="ratio")
        if mean is None or ratio is None:
            solved = "crew and one agent are never equally precise in this world."
        else:
            solved = (
                f"break-even strictness: {mean:.3f} (crew and one agent equally precise, run by run); "
                f"{ratio:.3f} by the ratio of the means."
            )
        return (solved, *_price_of_precision(first, last))
    if over == "researchers":
        peak, ratio_at = efficiency_peak(world, needs=needs)
        solved = f"efficiency peak: {peak} researchers, {ratio_at:.3f} facts per unit of cost."
        return (solved, *_price_of_precision(first, last))
    if over == "price-ratio":
        even = exact_crew(world, n, needs).found / exact_solo(world).found
        return (f"a crew of {n} wins per unit of cost when it costs less than {even:.3f} times one agent.",)
    return ()


def _price_of_precision(first: Expected, last: Expected) -> tuple[str, ...]:
    """What the points of precision between two ends of a sweep cost in facts, in one sentence."""
    if first.prec is None or last.prec is None or abs(last.prec - first.prec) < 1e-9:
        return ()
    points, facts = 100 * (last.prec - first.prec), last.found - first.found
    if points * facts > 0:
        return (f"precision moves by {points:+.1f} points and found by {facts:+.2f}: nothing is traded.",)
    return (
        f"precision moves by {points:+.1f} points and found by {facts:+.2f}: "
        f"a point of precision costs {abs(facts / points):.3f} facts.",
    )


def _cells(arm: Arm) -> str:
    cells = []
    for name, decimals, width, sharper in _CELLS:
        column = name.replace("/", "_per_")
        exact = getattr(arm.exact, column)
        shown = "-" if exact is None else f"{exact:.{sharper}f}"
        cells.append(f"{f'{getattr(arm.drawn, column).value:.{decimals}f} ({shown})':>{width}}")
    return "  ".join(cells)


def _exact(value: float | None) -> str:
    return "" if value is None else f"{value:.6f}"
