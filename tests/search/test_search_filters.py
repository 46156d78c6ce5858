"""Limits of searches: read from one line, carried by every query."""

from datetime import date

import pytest

from research_crew.core.errors import InvalidInput
from research_crew.search.filters import Filters, filters_of
from research_crew.search.protocol import Query


def test_one_line_says_all_of_them() -> None:
    found = filters_of("since=2024-01-01, until=2024-12-31,language=DE,domain=WHO.int,domain=www.rki.de,not=quora.com")
    days = (date(2024, 1, 1), date(2024, 12, 31))
    assert found == Filters("de", *days, ("who.int", "rki.de"), ("quora.com",))
    assert found.query("measles", 7) == Query("measles", 7, "de", *days, ("who.int", "rki.de"), ("quora.com",))
    assert filters_of(None) == filters_of(" , ") == Filters()


@pytest.mark.parametrize(
    ("text", "way_out"),
    [
        ("since=yesterday", "2024-01-31"), ("until=2024-02-30", "2024-01-31"), ("language=German", "such as en"),
        ("domain=https://who.int/x", "such as who.int"), ("not=", "such as who.int"), ("after=2024-01-01", "known are since"),
        ("2024-01-01", "known are since"), ("since=2025-01-01,until=2024-01-01", "after until"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused_with_a_way_out(text: str, way_out: str) -> None:
    with pytest.raises(InvalidInput, match=way_out):
        filters_of(text)
