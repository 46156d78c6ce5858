"""Crews drawn by the million agree with the closed forms and with the runs."""

import math
import subprocess
import sys
from pathlib import Path

import pytest

from research_crew import InvalidInput, World
from research_crew.agents.scripted.world import Prices
from research_crew.measure.exact import Expected, exact_crew, exact_solo
from research_crew.measure.exact_equal import exact_solo_equal, exact_union_equal
from research_crew.measure.moments import Moments, moments
from research_crew.measure.runs import crew_rows

np = pytest.importorskip("numpy", reason="the extra `sim` is not installed")

from research_crew.measure.sample import (  # noqa: E402
    sample_crews,
    sample_solo,
    sample_solo_equal,
    sample_union_equal,
)


def agree(drawn: Moments, exact: Expected) -> None:
    for column in ("found", "bogus", "prec", "cost", "fails"):
        mean, expected = getattr(drawn, column), getattr(exact, column)
        if expected is not None:
            assert abs(mean.value - expected) <= 4.5 * mean.error + 1e-9, column


@pytest.mark.parametrize("needs", ["all", "any", 2])
@pytest.mark.parametrize("failure_rate", [0.0, 0.2, 0.5])
@pytest.mark.parametrize("strictness", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("n", [2, 5])
def test_crews_agree_with_exact(n: int, strictness: float, failure_rate: float, needs: str | int) -> None:
    world = World(recall=0.4, failure_rate=failure_rate, critic_strictness=strictness)
    agree(sample_crews(world, 40_000, n, needs, seed=11).moments, exact_crew(world, n, needs))


@pytest.mark.parametrize("failure_rate", [0.0, 0.2, 0.5])
def test_the_other_arms_agree_with_exact(failure_rate: float) -> None:
    world = World(failure_rate=failure_rate, prices=Prices(solo=5, further=2))
    bills = sample_crews(world, 40_000, 4, "any", seed=12).cost
    agree(sample_solo(world, 40_000, seed=13).moments, exact_solo(world))
    agree(sample_solo_equal(world, bills, seed=14).moments, exact_solo_equal(world, 4, "any"))
    agree(sample_solo_equal(world, bills, False, seed=15).moments, exact_solo_equal(world, 4, "any", False))
    agree(sample_union_equal(world, bills, seed=16).moments, exact_union_equal(world, 4, "any"))


@pytest.mark.parametrize("failure_rate", [0.0, 0.3])
def test_runs_and_sample_agree_with_each_other(failure_rate: float) -> None:
    world = World(failure_rate=failure_rate)
    runs, drawn = moments(crew_rows(world, range(300))), sample_crews(world, 20_000).moments
    for column in ("found", "bogus", "prec", "cost", "fails", "found_per_cost"):
        a, b = getattr(runs, column), getattr(drawn, column)
        assert abs(a.value - b.value) <= 4.5 * math.hypot(a.error, b.error) + 1e-9, column


def test_a_chance_that_is_no_whole_number_of_256ths_is_not_rounded() -> None:
    # 1/1000 lies between 0 and 1/256: rounded it would be 0 or four times too often.
    drawn = sample_crews(World(recall=0.001, hallucination_rate=0.999, critic_strictness=0), 100_000, 4, seed=3).moments
    assert drawn.found.value == pytest.approx(12 * (1 - 0.999**4), abs=4.5 * drawn.found.error)
    assert drawn.bogus.value == pytest.approx(12 * 4 * 0.999, abs=4.5 * drawn.bogus.error)


def test_the_spread_is_that_of_the_binomial() -> None:
    found = sample_crews(World(critic_strictness=0), 50_000, 4, seed=4).found
    p = 1 - 0.65**4
    assert float(found.var()) / (12 * p * (1 - p)) == pytest.approx(1, abs=4.5 * math.sqrt(2 / 50_000))


def test_found_and_bogus_of_a_crew_are_independent() -> None:
    drawn = sample_crews(World(), 50_000, 4, seed=5)
    assert abs(float(np.corrcoef(drawn.found, drawn.bogus)[0, 1])) < 4.5 / math.sqrt(50_000)


def test_a_seed_gives_the_same_crews_and_another_seed_others() -> None:
    first, again, other = (sample_crews(World(failure_rate=0.1), 5000, 4, seed=s) for s in (7, 7, 8))
    assert (first.found == again.found).all() and (first.cost == again.cost).all()
    assert (first.found != other.found).any()


@pytest.mark.parametrize("count", [0, -1, True, 2.5])
def test_an_impossible_count_is_refused(count: object) -> None:
    with pytest.raises(InvalidInput, match="count"):
        sample_crews(World(), count)  # type: ignore[arg-type]


def test_a_crew_with_more_claims_than_can_be_counted_is_refused() -> None:
    with pytest.raises(InvalidInput, match="65535"):
        sample_crews(World(n_facts=70_000), 1, 1)


def test_without_numpy_the_error_names_the_extra() -> None:
    code = (
        "import sys; sys.modules['numpy'] = None\n"
        "from research_crew import MissingExtra, World\n"
        "from research_crew.measure.sample import sample_crews\n"
        "try:\n    sample_crews(World(), 10)\n"
        "except MissingExtra as error:\n    print(error)"
    )
    src = str(Path(__file__).parents[2] / "src")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": src})
    assert "numpy" in done.stdout and "research-crew[sim]" in done.stdout
