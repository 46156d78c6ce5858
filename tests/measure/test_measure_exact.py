"""The closed forms reproduce every published reference value, and the runs agree with them."""

import math

import pytest

from research_crew import InvalidInput, World
from research_crew.measure.exact import break_even, efficiency_peak, exact_crew, exact_solo
from research_crew.measure.moments import moments
from research_crew.measure.runs import crew_rows, solo_rows

REFERENCE = [
    (4, 0.0, 9.858, 7.200, 0.588, 18, 0.548),
    (4, 0.3, 9.119, 5.256, 0.645, 18, 0.507),
    (4, 0.5, 8.626, 3.960, 0.696, 18, 0.479),
    (4, 0.7, 8.133, 2.664, 0.764, 18, 0.452),
    (4, 1.0, 7.393, 0.720, 0.917, 18, 0.411),
    (1, 0.5, 3.675, 0.990, 0.796, 9, 0.408),
    (2, 0.5, 6.064, 1.980, 0.764, 12, 0.505),
    (3, 0.5, 7.616, 2.970, 0.730, 15, 0.508),
    (8, 0.5, 10.165, 7.920, 0.573, 30, 0.339),
    (16, 0.5, 10.489, 15.840, 0.406, 54, 0.194),
]


@pytest.mark.parametrize(("n", "s", "found", "bogus", "prec", "cost", "per_cost"), REFERENCE)
def test_the_reference_table_to_the_printed_digit(
    n: int, s: float, found: float, bogus: float, prec: float, cost: float, per_cost: float
) -> None:
    exact = exact_crew(World(critic_strictness=s), n)
    assert exact.prec is not None
    values = (exact.found, exact.bogus, exact.prec, exact.cost, exact.found_per_cost)
    assert [round(v, 3) for v in values] == [found, bogus, prec, cost, per_cost]


def test_one_agent_alone() -> None:
    exact = exact_solo(World())
    assert exact.prec is not None
    assert [round(v, 3) for v in (exact.found, exact.bogus, exact.prec, exact.cost, exact.found_per_cost)] == [
        4.2, 1.8, 0.707, 4.0, 1.05,
    ]  # fmt: skip


def test_what_is_solved_for() -> None:
    assert round(break_even(World()) or 0, 3) == 0.536
    assert round(break_even(World(), by="ratio") or 0, 3) == 0.549
    assert efficiency_peak(World())[0] == 3
    assert efficiency_peak(World(critic_strictness=0.3))[0] == 3


def test_failures_under_both_rules() -> None:
    world = World(failure_rate=0.2, critic_strictness=0.3)
    strict, loose, solo = exact_crew(world, 4, "all"), exact_crew(world, 4, "any"), exact_solo(world)
    assert [round(e.fails, 3) for e in (strict, loose, solo)] == [0.819, 0.547, 0.040]
    assert [round(e.found, 3) for e in (strict, loose)] == [6.852, 7.912]


@pytest.mark.parametrize("needs", ["all", "any", 2])
@pytest.mark.parametrize("failure_rate", [0.0, 0.2, 0.5])
@pytest.mark.parametrize("n", [1, 4])
def test_runs_agree_with_exact_within_4_5_standard_errors(n: int, failure_rate: float, needs: str | int) -> None:
    if needs == 2 and n == 1:
        needs = 1
    world = World(failure_rate=failure_rate)
    drawn, exact = moments(crew_rows(world, range(300), n, needs)), exact_crew(world, n, needs)
    for column in ("found", "bogus", "prec", "cost", "fails"):
        mean, expected = getattr(drawn, column), getattr(exact, column)
        assert abs(mean.value - expected) <= 4.5 * mean.error + 1e-9, column


def test_solo_runs_agree_with_exact() -> None:
    world = World(failure_rate=0.3)
    drawn, exact = moments(solo_rows(world, range(500))), exact_solo(world)
    for column in ("found", "bogus", "prec", "cost", "fails"):
        mean = getattr(drawn, column)
        assert abs(mean.value - getattr(exact, column)) <= 4.5 * mean.error + 1e-9, column


def test_the_spread_of_runs_is_that_of_the_binomial() -> None:
    rows = crew_rows(World(critic_strictness=0), range(600), 4)
    p = 1 - 0.65**4
    spread = sum((r.found - 12 * p) ** 2 for r in rows) / len(rows)
    assert abs(spread / (12 * p * (1 - p)) - 1) < 4.5 * math.sqrt(2 / len(rows))


@pytest.mark.parametrize("needs", [5, -1, "some", True])
def test_an_impossible_rule_is_refused(needs: object) -> None:
    with pytest.raises(InvalidInput):
        exact_crew(World(), 4, needs)  # type: ignore[arg-type]


def test_a_world_without_recall_finds_nothing_and_has_no_precision_without_inventions() -> None:
    exact = exact_crew(World(recall=0, hallucination_rate=0), 4)
    assert (exact.found, exact.bogus, exact.prec) == (0, 0, None)
