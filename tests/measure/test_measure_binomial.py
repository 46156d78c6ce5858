"""Binomial probabilities: right for few trials, and finite for very many."""

from math import comb

import pytest

from research_crew import World
from research_crew.measure.binomial import binomial, mean_precision
from research_crew.measure.exact import exact_crew


@pytest.mark.parametrize(("n", "p"), [(0, 0.3), (1, 0.5), (12, 0.35), (48, 0.0825), (40, 0.999)])
def test_equals_the_textbook_formula(n: int, p: float) -> None:
    assert binomial(n, p) == pytest.approx([comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)], abs=1e-14)


@pytest.mark.parametrize(("p", "certain"), [(0.0, 0), (1.0, 7)])
def test_certain_outcomes(p: float, certain: int) -> None:
    assert binomial(7, p)[certain] == 1


def test_a_hundred_thousand_trials_add_up_with_the_right_mean_and_spread() -> None:
    n, p = 100_000, 0.0825
    chances = binomial(n, p)
    mean = sum(k * q for k, q in enumerate(chances))
    assert sum(chances) == pytest.approx(1, abs=1e-12)
    assert mean == pytest.approx(n * p, rel=1e-12)
    assert sum((k - mean) ** 2 * q for k, q in enumerate(chances)) == pytest.approx(n * p * (1 - p), rel=1e-9)


def test_precision_of_an_answer_without_inventions_is_1() -> None:
    weighted, answered = mean_precision(12, 0.4, 48, 0.0)
    assert weighted == pytest.approx(answered)


@pytest.mark.parametrize("failure_rate", [0.0, 0.2])
def test_a_crew_of_1000_has_exact_values(failure_rate: float) -> None:
    exact = exact_crew(World(failure_rate=failure_rate), 1000, "any")
    assert exact.prec is not None
    assert 0.010 < exact.prec < 0.012
