import pytest

from research_crew.evidence.agreement import agree
from research_crew.evidence.dates import find_dates
from research_crew.evidence.figures import cjk_value, figure_values, mixed_value
from research_crew.evidence.quantities import Quantity, find_quantities


def one(text: str) -> Quantity:
    found = find_quantities(text)
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("It cost $3.5 million in all.", 3.5e6, "usd"),
        ("US$2bn were lost", 2e9, "usd"),
        ("about 25 percent of them", 25, "percent"),
        ("25 % of them", 25, "percent"),
        ("12,345 apples were sold", 12345, None),
        ("a run of 5km", 5, "km"),
        ("an area of 40 square miles", 40, "mi2"),
        ("the twenty-five thousand who came", 25000, None),
        ("two hundred and fifty people", 250, None),
        ("half a million people", 500000, None),
        ("two-thirds of the votes", 200 / 3, "percent"),
        ("100K subscribers", 100000, None),
        ("in the 1990s", 1990, None),
        ("Es waren 3,5 Millionen Menschen und mehr nicht", 3.5e6, None),
        ("Der Turm ist 1.234,5 km hoch und das ist viel", 1234.5, "km"),
        ("Er war fünfundzwanzig Jahre alt und sie nicht", 25, "year"),
        ("Il y avait 1 234 567 personnes dans la ville", 1234567, None),
        ("3万5000人が住んでいる。", 35000, None),
        ("売上は1億2000万円だった。", 1.2e8, "jpy"),
        ("二十三年間にわたり続いた。", 23, "year"),
        ("约３５０公里", 350, "km"),
    ],
)
def test_a_number_is_read_with_its_unit(text: str, value: float, unit: str | None) -> None:
    q = one(text)
    assert value == pytest.approx(q.values[0]) and (q.unit.name if q.unit else None) == unit


@pytest.mark.parametrize("text", ["COVID-19 and H1N1", "an F-16", "the G20", "due to it", "one of them", "十分な時間"])
def test_what_is_part_of_a_name_or_a_word_is_no_number(text: str) -> None:
    assert find_quantities(text) == []


def test_ranges_share_what_only_the_end_carries() -> None:
    low, high = find_quantities("It takes 5 to 10 percent of the time.")
    assert low.unit == high.unit and low.unit is not None
    first, second = find_quantities("between $5-10 million")
    assert 5e6 in first.values and second.values == (1e7,)


def test_separators_of_any_locale() -> None:
    assert figure_values("1,234") == ((1234.0, 1.234), 1.0)
    assert figure_values("1,234", "en") == ((1234.0,), 1.0)
    assert figure_values("1.234", "en") == ((1.234,), 0.001)
    assert figure_values("1.234.567,8") == ((1234567.8,), 0.1)
    assert figure_values("12,5") == ((12.5,), 0.1)
    assert figure_values("1'234'567") == ((1234567.0,), 1.0)


def test_east_asian_numerals() -> None:
    assert cjk_value("二十三") == 23 and cjk_value("一九九八") == 1998 and cjk_value("三千万") == 3e7
    assert mixed_value("1億2000万") == (120000000.0, 10000.0)


AGREE = [
    ("5 million people", "4.97 million people"),
    ("about 400 people", "392 people"),
    ("8 km", "5 miles"),
    ("two thirds of them", "67% of them"),
    ("a third of them", "33.3 percent of them"),
    ("$1.5 billion", "1,500 million dollars"),
    ("24 hours", "1 day"),
    ("twelve apples", "a dozen apples"),
    ("3,5 Prozent und nicht mehr", "3.5 percent"),
    ("二十三年", "23年"),
    ("3万人", "30,000 people"),
]
DIFFER = [
    ("5 percent", "5 people"),
    ("5 km", "5 miles"),
    ("5 million", "5 billion"),
    ("1998", "1999"),
    ("45%", "54%"),
    ("12 goals", "13 goals"),
    ("$10", "10 euros"),
    ("250 million cases", "247 million cases"),
    ("5%", "5 percentage points"),
    ("30 days", "30 weeks"),
]


@pytest.mark.parametrize(("claimed", "stated"), AGREE)
def test_numbers_that_mean_the_same_agree(claimed: str, stated: str) -> None:
    assert agree(one(claimed), one(stated))


@pytest.mark.parametrize(("claimed", "stated"), DIFFER)
def test_numbers_that_differ_do_not(claimed: str, stated: str) -> None:
    assert not agree(one(claimed), one(stated))


@pytest.mark.parametrize(
    "text",
    [
        "on 12 March 1950",
        "on March 12, 1950,",
        "on March 12th 1950",
        "1950-03-12",
        "am 12. März 1950",
        "le 12 mars 1950",
        "el 12 de marzo de 1950",
        "il 12 marzo 1950",
        "em 12 de março de 1950",
        "op 12 maart 1950",
        "12 марта 1950",
        "1950年3月12日",
        "1950년 3월 12일",
    ],
)
def test_one_day_in_many_forms(text: str) -> None:
    assert [(d.year, d.month, d.day) for d in find_dates(text)] == [(1950, 3, 12)]


def test_a_date_in_figures_may_be_two_days() -> None:
    assert {(d.month, d.day) for d in find_dates("03/12/1950")} == {(3, 12), (12, 3)}
    assert {(d.month, d.day) for d in find_dates("25/12/1950")} == {(12, 25)}


def test_parts_of_dates() -> None:
    assert [(d.year, d.month, d.day) for d in find_dates("in March 1950 and on 4 July")] == [
        (1950, 3, None),
        (None, 7, 4),
    ]
    assert find_dates("They may march.") == []
