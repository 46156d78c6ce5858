"""Endless repetition is seen while it streams; lists, tables and refrains are none."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_crew.models.repetition import Repetition, repeated_unit, without_repetition


@given(st.text("abcdefghij ", min_size=1, max_size=200), st.text("xyz .", max_size=300), st.integers(1, 40))
def test_a_unit_that_comes_over_and_over_is_found_in_a_stream(unit: str, before: str, size: int) -> None:
    if not unit.strip():
        return
    watch, text, fed = Repetition(), before + unit * (1_600 // len(unit) + 8), 0
    for start in range(0, len(text), size):
        watch.feed(text[start : start + size])
        fed += size
        if watch.found:
            break
    assert watch.found
    assert (unit * 3).find(watch.found) >= 0 or watch.found.replace(unit, "") == ""
    assert fed < len(before) + max(1_000, 6 * len(unit)) + 200


@pytest.mark.parametrize(
    "text",
    [
        "| a | b |\n|---|---|\n" + "".join(f"| {n} | {n * 7} |\n" for n in range(200)),
        "-" * 300,
        "\n\n".join(f"The {n}th finding is that costs rose by {n} percent." for n in range(100)),
        "no no no no no, said he, and went away. " + "It was late. " * 3,
        "",
    ],
)
def test_tables_rules_and_refrains_are_left_alone(text: str) -> None:
    watch = Repetition()
    for start in range(0, len(text), 7):
        watch.feed(text[start : start + 7])
    assert watch.found == ""
    assert without_repetition(text) == text


def test_cut_out_of_a_text_it_is_said_once() -> None:
    assert without_repetition("Red. " + "and so on, " * 100).count("and so on") in (1, 2)
    assert without_repetition("a" * 3_000) == "a"


def test_the_cost_is_linear() -> None:
    began = time.process_time()
    watch = Repetition()
    for number in range(20_000):
        watch.feed(f"word{number} ")
    assert time.process_time() - began < 2.0
    assert repeated_unit("x" * 10) == ""
