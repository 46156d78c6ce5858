"""The baselines that may spend the crew's bill: by the runner and without chance."""

import pytest

from research_crew import World
from research_crew.agents.scripted.world import Prices
from research_crew.measure.exact import Expected, exact_crew, exact_solo
from research_crew.measure.exact_equal import crew_bills, exact_solo_equal, exact_union_equal
from research_crew.measure.moments import moments
from research_crew.measure.runs import Row, crew_rows, solo_equal_rows, solo_rows, union_equal_rows

DEAR = Prices(plan=1.5, research=5, critique=0.25, edit=1, solo=7, further=2.5)


def agree(rows: list[Row], exact: Expected) -> None:
    drawn = moments(rows)
    for column in ("found", "bogus", "prec", "cost", "fails"):
        mean = getattr(drawn, column)
        assert abs(mean.value - getattr(exact, column)) <= 4.5 * mean.error + 1e-9, column


@pytest.mark.parametrize("prices", [Prices(), DEAR])
@pytest.mark.parametrize("failure_rate", [0.0, 0.3])
@pytest.mark.parametrize("needs", ["all", "any"])
def test_runs_agree_with_exact(needs: str, failure_rate: float, prices: Prices) -> None:
    world, seeds = World(failure_rate=failure_rate, prices=prices), range(250)
    crew = crew_rows(world, seeds, 3, needs)
    bills = [row.cost for row in crew]
    agree(crew, exact_crew(world, 3, needs))
    agree(solo_rows(world, seeds), exact_solo(world))
    agree(solo_equal_rows(world, seeds, bills), exact_solo_equal(world, 3, needs))
    agree(solo_equal_rows(world, seeds, bills, repeats=False), exact_solo_equal(world, 3, needs, repeats=False))
    agree(union_equal_rows(world, seeds, bills), exact_union_equal(world, 3, needs))


@pytest.mark.parametrize("needs", ["all", "any", 2])
@pytest.mark.parametrize("failure_rate", [0.0, 0.2, 0.7])
def test_the_bills_of_a_crew_are_a_distribution_with_the_expected_mean(failure_rate: float, needs: str | int) -> None:
    world = World(failure_rate=failure_rate, prices=DEAR)
    bills = crew_bills(world, 4, needs)
    assert sum(bills.values()) == pytest.approx(1)
    assert sum(bill * p for bill, p in bills.items()) == pytest.approx(exact_crew(world, 4, needs).cost)


def test_one_agent_for_18_makes_five_passes_and_leaves_2() -> None:
    exact = exact_solo_equal(World())
    assert exact.cost == 16
    assert exact.found == pytest.approx(12 * (1 - 0.65**5))
    assert exact.bogus == pytest.approx(12 * (1 - 0.85**5))
    assert exact_solo_equal(World(), repeats=False).bogus == pytest.approx(12 * 5 * 0.15)


def test_a_union_costs_what_the_crew_costs_on_average() -> None:
    for failure_rate in (0.0, 0.4):
        world = World(failure_rate=failure_rate)
        assert exact_union_equal(world).cost == pytest.approx(exact_crew(world).cost)


def test_no_run_of_one_agent_ever_passes_the_bill_it_may_spend() -> None:
    world = World(failure_rate=0.5)
    bills = [4.0, 5.0, 6.0, 7.0, 11.0, 18.0, 36.0] * 30
    rows = solo_equal_rows(world, range(len(bills)), bills)
    assert all(row.cost <= bill for row, bill in zip(rows, bills, strict=True))
    assert any(row.cost == bill for row, bill in zip(rows, bills, strict=True))


def test_passes_of_one_agent_repeat_its_inventions_and_members_of_a_union_do_not() -> None:
    world = World(recall=0, hallucination_rate=1)
    assert {r.bogus for r in solo_equal_rows(world, range(3), [18.0] * 3)} == {12}
    assert {r.bogus for r in solo_equal_rows(world, range(3), [18.0] * 3, repeats=False)} == {60}
    assert {r.bogus for r in union_equal_rows(world, range(20), [18.0] * 20)} == {48, 60}


def test_the_first_pass_is_the_agent_alone() -> None:
    world = World(hallucination_rate=0)
    assert [r.found for r in solo_equal_rows(world, range(9), [4.0] * 9)] == [r.found for r in solo_rows(world, range(9))]


def test_a_bill_too_small_for_one_agent_buys_nothing() -> None:
    assert union_equal_rows(World(), [5], [0.0]) == [Row(0, 0, None, 0.0, 0)]
    # A further pass would fit into 3, but there is no first one to go on from.
    assert solo_equal_rows(World(), [5], [3.0]) == [Row(0, 0, None, 0.0, 0)]
