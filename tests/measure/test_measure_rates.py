"""Wilson's interval holds the true share about as often as it says."""

from random import Random

import pytest

from research_crew.measure.rates import Rate


@pytest.mark.parametrize(("p", "n"), [(0.05, 40), (0.5, 30), (0.9, 60)])
def test_the_interval_holds_the_truth_about_nineteen_times_in_twenty(p: float, n: int) -> None:
    rng = Random(3)
    held = 0
    for _ in range(2000):
        low, high = Rate(sum(rng.random() < p for _ in range(n)), n).interval
        held += low <= p <= high
    assert 0.92 <= held / 2000 <= 0.985


def test_no_trials_say_nothing() -> None:
    assert Rate(0, 0).interval == (0.0, 1.0)
    assert Rate(3, 4).plus(Rate(1, 6)) == Rate(4, 10)
