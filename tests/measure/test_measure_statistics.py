"""Paired differences and what may be said of them."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_crew import InvalidInput
from research_crew.measure.statistics import LEAST, Difference, decide, paired, quantile, student


def gap(low: float, high: float) -> Difference:
    return Difference((low + high) / 2, low, high, 60, 60, 100)


@pytest.mark.parametrize(
    ("gaps", "winner"),
    [
        ({"solo=": gap(0.3, 1), "union=": gap(0.26, 2)}, "crew"),
        ({"solo=": gap(0.3, 1), "union=": gap(0.2, 2)}, "cannot tell"),
        ({"solo=": gap(0.25, 1)}, "cannot tell"),
        ({"solo=": gap(-2, -0.26), "union=": gap(3, 4)}, "one agent"),
        ({"solo=": gap(-2, -0.2), "union=": gap(-1, 1)}, "cannot tell"),
        ({}, "cannot tell"),
    ],
)
def test_the_crew_must_beat_both_and_one_agent_either(gaps: dict[str, Difference], winner: str) -> None:
    assert decide(gaps).winner == winner


def test_too_few_questions_give_no_interval_and_no_winner() -> None:
    difference = paired([9.0] * (LEAST - 1), [0.0] * (LEAST - 1))
    assert (difference.low, difference.mean) == (None, 9)
    verdict = decide({"solo=": difference})
    assert verdict.winner == "cannot tell"
    assert "too few questions for an interval" in verdict.sentence


def test_the_mean_is_of_pairs_and_lies_in_its_interval() -> None:
    rng = Random(1)
    base = [rng.gauss(0, 10) for _ in range(50)]
    difference = paired([b + 1 + rng.gauss(0, 0.1) for b in base], base)
    assert difference.low is not None and difference.high is not None
    assert difference.low < difference.mean < difference.high
    # Hard and easy questions cancel out: unpaired, the interval would be about 4 wide.
    assert difference.high - difference.low < 0.1


def test_95_percent_of_the_intervals_hold_the_truth_even_with_few_questions() -> None:
    rng = Random(2)
    held = 0
    for i in range(400):
        values = [rng.gauss(0.5, 1) for _ in range(LEAST)]
        d = paired(values, [0.0] * LEAST, resamples=400, seed=i)
        held += d.low is not None and d.high is not None and d.low <= 0.5 <= d.high
    assert held / 400 > 0.91


def test_questions_of_one_topic_count_as_one() -> None:
    rng = Random(3)
    topics = [t for t in range(20) for _ in range(10)]
    effect = {t: rng.gauss(0, 1) for t in range(20)}
    values = [effect[t] for t in topics]
    apart, together = paired(values, [0.0] * 200), paired(values, [0.0] * 200, topics)
    assert apart.low is not None and apart.high is not None and together.low is not None and together.high is not None
    assert (together.groups, apart.groups) == (20, 200)
    assert together.high - together.low > 2.5 * (apart.high - apart.low)
    assert together.needed is not None and apart.needed is not None
    assert together.needed > 8 * apart.needed


def test_the_number_of_questions_needed_brings_the_interval_to_the_margin() -> None:
    rng = Random(4)
    values = [rng.gauss(0, 2) for _ in range(100)]
    needed = paired(values, [0.0] * 100, margin=0.5).needed
    assert needed is not None
    more = [rng.gauss(0, 2) for _ in range(needed)]
    d = paired(more, [0.0] * needed, margin=0.5)
    assert d.low is not None and d.high is not None
    assert (d.high - d.low) / 2 == pytest.approx(0.5, rel=0.3)
    assert paired(values, [0.0] * 100, margin=0).needed is None


def test_the_sentence_says_how_many_questions_it_would_take() -> None:
    values = [1.0, -1.0] * 10
    verdict = decide({"solo=": paired(values, [0.0] * 20, margin=0.1)}, 0.1)
    assert verdict.winner == "cannot tell"
    assert "About 405 questions would narrow the intervals to the margin." in verdict.sentence


def test_the_same_values_give_the_same_interval() -> None:
    a, b = [float(i % 7) for i in range(40)], [float(i % 5) for i in range(40)]
    assert paired(a, b, seed=9) == paired(a, b, seed=9)


@pytest.mark.parametrize(("crew", "other", "topics"), [([1.0], [], None), ([], [], None), ([1.0], [1.0], ["a", "b"])])
def test_rows_that_do_not_pair_up_are_refused(crew: list[float], other: list[float], topics: list[str] | None) -> None:
    with pytest.raises(InvalidInput, match="one value per question"):
        paired(crew, other, topics)


@pytest.mark.parametrize("margin", [-1.0, float("nan"), float("inf"), True])
def test_an_impossible_margin_is_refused(margin: float) -> None:
    with pytest.raises(InvalidInput, match="--margin"):
        decide({}, margin)


@pytest.mark.parametrize(("freedom", "point"), [(7, 2.365), (19, 2.093), (59, 2.001), (999, 1.962)])
def test_students_t(freedom: int, point: float) -> None:
    assert student(freedom) == pytest.approx(point, abs=0.0006)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30), st.floats(0, 1))
def test_a_quantile_lies_among_the_values(values: list[float], p: float) -> None:
    ordered = sorted(values)
    assert ordered[0] - 1e-6 <= quantile(ordered, p) <= ordered[-1] + 1e-6
