"""The comparison of the scripted world by vectorised draws: the same arms and sentences as by runs, by the million."""

from typing import TYPE_CHECKING, Any

from research_crew.agents.scripted.world import World
from research_crew.measure.compare import Arm, Comparison
from research_crew.measure.exact import exact_crew, exact_solo
from research_crew.measure.exact_equal import exact_solo_equal, exact_union_equal
from research_crew.measure.sample import Drawn, sample_crews, sample_solo, sample_solo_equal, sample_union_equal
from research_crew.measure.statistics import MARGIN, Difference, Z, decide

if TYPE_CHECKING:
    from numpy.typing import NDArray


def compare_sampled(
    count: int = 1_000_000, world: World | None = None, n: int = 4, needs: str | int = "all", seed: int = 0,
    margin: float = MARGIN,
) -> Comparison:  # fmt: skip
    """Draw `count` crews and as many of each baseline. Raises `MissingExtra` without numpy.

    The interval of the paired difference is by the normal approximation: so many rows need no bootstrap.
    """
    world = world or World(critic_strictness=0.3)
    crew = sample_crews(world, count, n, needs, seed)
    solo = sample_solo(world, count, seed + 1)
    again, union = sample_solo_equal(world, crew.cost, seed=seed + 2), sample_union_equal(world, crew.cost, seed + 3)
    spent = float(crew.cost.sum())
    equal = (
        Arm("solo=", again.moments, exact_solo_equal(world, n, needs), float(again.cost.sum()) / spent),
        Arm("union=", union.moments, exact_union_equal(world, n, needs), float(union.cost.sum()) / spent),
    )
    arms = Arm("crew", crew.moments, exact_crew(world, n, needs)), Arm("solo", solo.moments, exact_solo(world))
    gaps = {arm.name: _gap(_value(crew) - _value(drawn)) for arm, drawn in zip(equal, (again, union), strict=True)}
    return Comparison(count, world, n, needs, *arms, False, equal, decide(gaps, margin))


def _value(drawn: Drawn) -> "NDArray[Any]":
    value: NDArray[Any] = drawn.found.astype(float) - drawn.bogus
    return value


def _gap(gaps: "NDArray[Any]") -> Difference:
    middle, n = float(gaps.mean()), len(gaps)
    half = Z * float(gaps.std(ddof=1)) / n**0.5 if n > 1 else None
    low, high = (None, None) if half is None else (middle - half, middle + half)
    return Difference(middle, low, high, n, n, None)
