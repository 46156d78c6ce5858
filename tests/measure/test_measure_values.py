"""Values are matched whatever way they are written; what states no gold value is bogus, or extra where it is true."""

import pytest

from research_crew.measure.datasets import GoldFact, GoldQuestion
from research_crew.measure.matching import Stated, count
from research_crew.measure.plain_values import normal

BORN = GoldFact("2 November 1932", subject="Ann Lee", relation="date of birth", doc_ids=("d1",))
OPEN = GoldQuestion("q", "When was Ann Lee born?", (BORN,), "open", ("d1",))
CLOSED = GoldQuestion("q", "Which towns?", (GoldFact("Burbank"), GoldFact("São Paulo", ("Sampa",))), "closed")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2 November 1932", "November 2nd, 1932"), ("1932-11-02", "Nov 2, 1932"), ("1,200 people", "1200 people"),
        ("1.2 thousand", "1,200"), ("3.5 million", "3500000"), ("twenty-one days", "21 days"), ("12 kilometres", "12km"),
        ("12.5 %", "12.5 percent"), ("the École", "ecole"), ("An apple", "apple"), ("one", "One"),
    ],
)  # fmt: skip
def test_the_same_value_in_two_spellings(one: str, other: str) -> None:
    assert normal(one) == normal(other)


@pytest.mark.parametrize(
    ("one", "other"), [("12.5", "125"), ("3 km", "3 miles"), ("2 November 1932", "11 February 1932"), ("1.2 million", "1.2 billion")]
)
def test_different_values_stay_different(one: str, other: str) -> None:
    assert normal(one) != normal(other)


def test_a_fact_needs_its_subject_and_another_date_contradicts_it() -> None:
    page = "Ann Lee was born on November 2, 1932. She lived in Rome."
    right = Stated("Ann Lee was born on November 2, 1932.", "d1", "Ann Lee", page, True)
    wrong = Stated("Ann Lee was born on November 3, 1932.", "d1", "Ann Lee", page, True)
    aside = Stated("She lived in Rome.", "d1", "Ann Lee", page, True)
    assert (count(OPEN, [right]).found, count(OPEN, [right]).bogus) == (1, 0)
    assert (count(OPEN, [wrong]).found, count(OPEN, [wrong]).bogus) == (0, 1)
    assert (count(OPEN, [aside]).bogus, count(OPEN, [aside]).extra) == (0, 1)
    assert count(OPEN, [Stated("Born on November 2, 1932.", "d9", "Bob Roe", page, True)]).found == 0


def test_a_claim_that_its_source_does_not_support_is_bogus_on_an_open_set() -> None:
    claim = Stated("Ann Lee lived in Paris.", "d1", "Ann Lee", "Ann Lee lived in Rome.", supported=False)
    assert count(OPEN, [claim, claim]).bogus == 1


def test_a_closed_list_counts_every_other_claim_as_bogus_and_knows_aliases() -> None:
    said = [Stated(text, "") for text in ("Burbank", "Sampa", "Rome", "rome")]
    assert (count(CLOSED, said).found, count(CLOSED, said).bogus) == (2, 1)


def test_an_answer_from_memory_cites_nothing_and_what_it_does_not_match_is_bogus() -> None:
    said = [Stated("Ann Lee was born on 2 November 1932.", ""), Stated("Ann Lee lived in Rome.", "")]
    came = count(OPEN, said, cites=False)
    assert (came.found, came.bogus, came.extra) == (1, 1, 0)


def test_a_claim_of_more_than_sixty_words_finds_nothing() -> None:
    assert count(CLOSED, [Stated("word " * 60 + "Burbank", "")]).found == 0
