import random

import pytest

from research_crew.evidence.unseen import NotEstimable, Unseen, chao2, chapman, expected_new, pooled_new


def test_the_estimate_is_the_published_formula() -> None:
    samples = ["abcd", "abce", "abfg", "abh"]
    result = chao2([list(s) for s in samples])
    assert isinstance(result, Unseen)
    # a and b by 4, c by 2, d e f g h by 1: S 8, Q1 5, Q2 1, K 4
    assert (result.found, result.once, result.twice, result.replicates) == (8, 5, 1, 4)
    assert result.total == pytest.approx(8 + 3 / 4 * 5 * 4 / (2 * 2))
    assert result.low is not None and result.high is not None
    assert 8 < result.low < result.total < result.high


def test_it_is_right_on_average_for_equal_chances_and_its_interval_holds() -> None:
    rng = random.Random(7)
    covered, totals, promised, came = 0, 0.0, 0.0, 0
    for _ in range(1500):
        samples = [{str(f) for f in range(30) if rng.random() < 0.35} for _ in range(4)]
        result = chao2(samples)
        assert isinstance(result, Unseen) and result.low is not None and result.high is not None
        covered += result.low <= 30 <= result.high
        totals += result.total
        promised += expected_new(result)
        unseen = {str(f) for f in range(30)} - set().union(*samples)
        came += sum(rng.random() < 0.35 for _ in unseen)
    assert totals / 1500 == pytest.approx(30, abs=0.5)
    assert 0.88 <= covered / 1500 <= 0.97
    assert promised == pytest.approx(came, rel=0.1)


@pytest.mark.parametrize(
    ("samples", "reason"),
    [
        ([["a", "b", "c", "d", "e"]] * 2, "at least 3"),
        ([["a"], ["a"], ["b"]], "2 distinct fact"),
        ([], "at least 3"),
    ],
)
def test_where_it_does_not_hold_there_is_a_reason_instead(samples: list[list[str]], reason: str) -> None:
    result = chao2(samples)
    assert isinstance(result, NotEstimable) and reason in result.reason


def test_divided_briefs_are_no_replicates() -> None:
    result = chao2([["a", "b", "c", "d", "e"]] * 5, replicated=False)
    assert isinstance(result, NotEstimable) and "divided briefs" in result.reason


def test_three_replicates_say_at_least_four_do_not() -> None:
    facts = ["a", "b", "c", "d", "e"]
    three, four = chao2([facts] * 3), chao2([facts] * 4)
    assert isinstance(three, Unseen) and isinstance(four, Unseen)
    assert three.at_least and not four.at_least


def test_without_singletons_there_is_no_interval_and_nothing_to_expect() -> None:
    result = chao2([["a", "b", "c", "d", "e"]] * 4)
    assert isinstance(result, Unseen)
    assert (result.total, result.low, result.high, result.completeness) == (5, None, None, 1)
    assert expected_new(result, 3) == 0


def test_a_fact_reported_twice_by_one_researcher_counts_once() -> None:
    assert chao2([["a", "a", "b", "c", "d", "e"]] * 4) == chao2([["a", "b", "c", "d", "e"]] * 4)


def test_two_arms() -> None:
    result = chapman("abcdefgh", "efghij")
    assert isinstance(result, Unseen) and result.at_least
    assert result.total == pytest.approx(9 * 7 / 5 - 1)
    assert result.low is not None and result.high is not None and result.low <= result.total <= result.high
    assert isinstance(chapman("abc", "defg"), NotEstimable)
    assert isinstance(chapman("ab", "ab"), NotEstimable)


def test_more_researchers_bring_less_and_less() -> None:
    result = chao2([list(s) for s in ("abcd", "abce", "abfg", "abh")])
    assert isinstance(result, Unseen)
    gains = [expected_new(result, t) for t in range(4)]
    assert gains[0] == 0 < gains[1] and gains[2] - gains[1] < gains[1] and gains[3] < result.missing
    # one more: f0 * Q1 / (K f0 + Q1)
    assert gains[1] == pytest.approx(result.missing * 5 / (4 * result.missing + 5))


def test_the_marginal_value_is_pooled_over_questions() -> None:
    result = chao2([list(s) for s in ("abcd", "abce", "abfg", "abh")])
    assert isinstance(result, Unseen)
    assert pooled_new([result, NotEstimable("x")]) == expected_new(result)
    assert pooled_new([NotEstimable("x")]) is None
