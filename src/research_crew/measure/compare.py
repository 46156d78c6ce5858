"""The scripted crew against one scripted agent: the table, its plain sentences, the exact values beside it."""

from dataclasses import dataclass

from research_crew.agents.scripted.world import World
from research_crew.measure import published as theirs
from research_crew.measure.exact import Expected, exact_crew, exact_solo
from research_crew.measure.exact_equal import exact_solo_equal, exact_union_equal
from research_crew.measure.moments import COLUMNS, Mean, Moments, moments
from research_crew.measure.runs import Row, crew_rows, seeds_from, solo_equal_rows, solo_rows, union_equal_rows
from research_crew.measure.statistics import MARGIN, Difference, Verdict, decide, paired

SCHEMA = "research-crew/comparison/1"
HEADER = "found  bogus  prec  cost  fails  found/cost"


@dataclass(frozen=True, slots=True)
class Arm:
    """One arm of a comparison: what was drawn, and what is expected."""

    name: str
    drawn: Moments
    exact: Expected
    budget_used: float | None = None
    """Share of the crew's bill that it spent; None for an arm that has no such limit."""

    def to_json(self) -> dict[str, object]:
        """The arm by the names of `comparison/1`."""
        d = self.drawn
        return {
            "name": self.name,
            **{column: getattr(d, column).value for column in COLUMNS},
            "found_per_cost": d.found_per_cost.value,
            "interval": {
                column: list(getattr(d, column).interval) for column in (*COLUMNS, "found_per_cost")
            },
            "budget_used": self.budget_used,
            "exact": {
                **{column: getattr(self.exact, column) for column in COLUMNS},
                "found_per_cost": self.exact.found_per_cost,
            },
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Comparison:
    """The crew and one agent over the same seeds, at their own prices."""

    seeds: int
    world: World
    n: int
    needs: str | int
    crew: Arm
    solo: Arm
    published: bool = False
    equal: tuple[Arm, ...] = ()
    """The baselines that may spend the crew's bill: `solo=` and `union=`."""
    verdict: Verdict | None = None
    """None without those baselines."""

    @property
    def arms(self) -> tuple[Arm, ...]:
        """Every arm, in the order of the table."""
        return (self.crew, self.solo, *self.equal)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the table says in words: found and found per cost, nothing else."""
        plain = plain_sentences(self.crew.drawn, self.solo.drawn)
        unspent = tuple(
            f"{arm.name} could not spend {1 - arm.budget_used:.1%} of the crew's bill."
            for arm in self.equal
            if arm.budget_used is not None and arm.name == "solo="
        )
        return (*plain, *unspent, self.verdict.sentence) if self.verdict else plain

    def render(self) -> str:
        """The table for a person; exact values and published ones stand below it, never inside."""
        width = max(len(arm.name) for arm in self.arms)
        head = f"{'':<{width}}  {HEADER}"
        lines = [head, "-" * len(head)]
        lines += [f"{arm.name:<{width}}  {row(arm.drawn)}" for arm in self.arms]
        lines += ["", *self.sentences, "", f"exact, no sampling error ({self.seeds} seeds were drawn above):"]
        lines += [f"{arm.name:<{width}}  {row(arm.exact)}" for arm in self.arms]
        if self.published:
            lines += ["", "published by the inspiration (60 seeds of its own generator), and how far from exact:"]
            lines += [
                f"{arm.name:<{width}}  {distance(figures, arm)}"
                for arm, figures in ((self.crew, theirs.CREW), (self.solo, theirs.SOLO))
            ]
        return "\n".join(lines)

    def to_json(self) -> dict[str, object]:
        """`research-crew/comparison/1`."""
        return {
            "schema": SCHEMA, "questions": self.seeds, "margin": self.verdict.margin if self.verdict else None,
            "simulated": True,
            "world": self.world.to_json(), "researchers": self.n, "needs": self.needs,
            "arms": [arm.to_json() for arm in self.arms], "verdict": self.verdict.winner if self.verdict else None,
            "differences": self.verdict.to_json() if self.verdict else None, "sentences": list(self.sentences),
        }  # fmt: skip


def compare_scripted(
    seeds: int = 60, world: World | None = None, n: int = 4, needs: str | int = "all", first_seed: int = 0,
    published: bool = False, equal_money: bool = False, margin: float = MARGIN, repeats: bool = True,
) -> Comparison:  # fmt: skip
    """Draw `seeds` crews of n researchers and as many single agents from the same world (strictness 0.3 by default).

    `equal_money` adds the baselines that may spend the crew's bill, and the verdict against both. `repeats`: see
    `exact_solo_equal`.
    """
    world = world or World(critic_strictness=0.3)
    span = seeds_from(first_seed, seeds)
    crew, solo = crew_rows(world, span, n, needs), solo_rows(world, span)
    arms = Arm("crew", moments(crew), exact_crew(world, n, needs)), Arm("solo", moments(solo), exact_solo(world))
    if not equal_money:
        return Comparison(seeds, world, n, needs, *arms, published)
    bills = [row.cost for row in crew]
    again, union = solo_equal_rows(world, span, bills, repeats), union_equal_rows(world, span, bills)
    equal = (
        Arm("solo=", moments(again), exact_solo_equal(world, n, needs, repeats), _used(again, crew)),
        Arm("union=", moments(union), exact_union_equal(world, n, needs), _used(union, crew)),
    )
    gaps = {"solo=": _paired(crew, again, margin), "union=": _paired(crew, union, margin)}
    return Comparison(seeds, world, n, needs, *arms, published, equal, decide(gaps, margin))


def _paired(crew: list[Row], other: list[Row], margin: float) -> Difference:
    return paired([r.found - r.bogus for r in crew], [r.found - r.bogus for r in other], margin=margin)


def _used(rows: list[Row], crew: list[Row]) -> float:
    return sum(r.cost for r in rows) / sum(r.cost for r in crew)


def crew_arm(world: World, span: range, n: int, needs: str | int) -> Arm:
    """The crew over some seeds, and what is expected of it."""
    return Arm("crew", moments(crew_rows(world, span, n, needs)), exact_crew(world, n, needs))


def solo_arm(world: World, span: range) -> Arm:
    """One agent over some seeds, and what is expected of it."""
    return Arm("solo", moments(solo_rows(world, span)), exact_solo(world))


def row(figures: Moments | Expected) -> str:
    """The cells of an arm under `HEADER`: decimals 2, 2, 2, 1, 2, 3."""

    def cell(value: float | Mean | None, width: int, decimals: int) -> str:
        number = value.value if isinstance(value, Mean) else value
        return f"{'-':>{width}}" if number is None else f"{number:>{width}.{decimals}f}"

    per_cost = figures.found_per_cost
    return "  ".join(
        (
            cell(figures.found, 5, 2), cell(figures.bogus, 5, 2), cell(figures.prec, 4, 2), cell(figures.cost, 4, 1),
            cell(figures.fails, 5, 2), cell(per_cost, 10, 3),
        )
    )  # fmt: skip


def distance(figures: theirs.Figures, arm: Arm) -> str:
    """Published values with their distance from the exact ones, in standard errors of 60 seeds."""
    parts: list[str] = []
    for column in ("found", "bogus", "prec", "cost", "fails"):
        value, exact = getattr(figures, column), getattr(arm.exact, column)
        if value is None or exact is None:
            continue
        drawn: Mean = getattr(arm.drawn, column)
        error = drawn.error * (drawn.n / theirs.SEEDS) ** 0.5
        apart = f" ({abs(value - exact) / error:.1f} s.e.)" if error > 0 else ""
        parts.append(f"{column} {value:g}{apart}")
    return ", ".join(parts)


def plain_sentences(crew: Moments, solo: Moments) -> tuple[str, str]:
    """How much more the crew found and cost, and who wins per unit of spend."""
    more, dearer = _times(crew.found.value, solo.found.value), _times(crew.cost.value, solo.cost.value)
    winner = "crew" if crew.found_per_cost.value > solo.found_per_cost.value else "solo"
    return (f"the crew found {more} as much and cost {dearer} as much.", f"per unit of spend, the {winner} wins.")


def _times(a: float, b: float) -> str:
    return f"{a / b:.2f}x" if b else "infinitely times"
