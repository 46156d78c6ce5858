"""The score is set arithmetic."""

from hypothesis import given
from hypothesis import strategies as st

from research_crew import score


def test_counts_distinct_claims_only() -> None:
    result = score(["a", "a", "b", "x"], ["a", "b", "c"])
    assert (result.found, result.bogus, result.precision) == (2, 1, 2 / 3)


def test_an_empty_answer_has_no_precision() -> None:
    assert score([], ["a"]).precision is None


@given(st.lists(st.integers(0, 20)), st.lists(st.integers(0, 20)))
def test_found_and_bogus_are_all_that_was_said(claims: list[int], facts: list[int]) -> None:
    result = score(claims, facts)
    assert result.found + result.bogus == len(set(claims))
    assert result.found <= len(set(facts))
