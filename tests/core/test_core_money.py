"""Amounts, usage, prices."""

from decimal import Decimal, getcontext, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_crew.core.budget import Budget
from research_crew.core.errors import InvalidInput, MixedCurrencies, UnknownPrice
from research_crew.core.money import Price, Usage, from_nano, rounded, show, to_decimal, to_nano


@pytest.mark.parametrize(
    "amount",
    [True, 0.1, None, "", "abc", "NaN", "Infinity", "-Infinity", "-1", -1, Decimal("NaN"), Decimal("sNaN"), "1e999999",
     10**18, pytest.param(10**5000, id="huge"), Decimal("1e30"), [], b"1"],
)  # fmt: skip
def test_what_is_no_amount_is_refused_with_a_way_out(amount: object) -> None:
    with pytest.raises(InvalidInput) as refused:
        to_decimal(amount, "price")  # type: ignore[arg-type]
    assert "price" in str(refused.value) and "write" in str(refused.value)
    assert len(str(refused.value)) < 250


@pytest.mark.parametrize("amount", [0, "0", -3, "0.0000000001", Decimal("4e-10"), True, "x", 1.5])
def test_a_budget_is_more_than_nothing(amount: object) -> None:
    with pytest.raises(InvalidInput, match="budget"):
        Budget(amount)  # type: ignore[arg-type]


@pytest.mark.parametrize("most", [0, -1, 1.5, True, "3"])
def test_limits_on_calls_and_tokens_are_whole_numbers(most: object) -> None:
    with pytest.raises(InvalidInput, match="limit on calls"):
        Budget(1, calls=most)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="limit on tokens"):
        Budget(1, tokens=most)  # type: ignore[arg-type]


def test_a_budget_in_another_currency_is_refused_and_both_are_named() -> None:
    with pytest.raises(MixedCurrencies, match=r"credits and USD"):
        Budget(1).in_currency("USD")
    assert Budget(1, "USD").in_currency("USD") == Budget("1.00", "USD")
    assert Budget.of(50_000) == Budget(Decimal(50_000), "credits")


@given(st.integers(-(10**27) + 1, 10**27 - 1))
def test_nano_units_there_and_back(nano: int) -> None:
    assert to_nano(from_nano(nano)) == nano
    assert "E" not in show(from_nano(nano))


@given(st.decimals(0, 10**18 - 1, allow_nan=False, places=20))
def test_an_amount_is_rounded_once_half_up(amount: Decimal) -> None:
    """Against whole numbers: half a nano-unit or more goes up."""
    with localcontext() as context:
        context.prec = 80
        units, half = divmod(int(amount.scaleb(20)), 10**11)
        assert to_nano(amount) == units + (1 if half * 2 >= 10**11 else 0)
        assert rounded(amount) == Decimal(to_nano(amount)).scaleb(-9)


def test_a_half_is_not_rounded_twice() -> None:
    just_below = Decimal("0.00000000049999999999999999999999999999999999999999")
    assert to_nano(just_below) == 0
    assert to_nano(Decimal("0.0000000005")) == 1


def test_the_precision_of_the_caller_changes_no_bill() -> None:
    price = Price("USD", input=Decimal("5.75"), output=Decimal("34.50"))
    with localcontext() as context:
        context.prec = 3
        assert price.cost(Usage(input=625, output=799)) == Decimal("0.031159250")
        assert to_nano(Decimal("123456789.123456789")) == 123456789123456789
        assert from_nano(123456789123456789) == Decimal("123456789.123456789")
        assert getcontext().prec == 3


def test_the_published_bill() -> None:
    """625 input and 799 output tokens at 5.75 and 34.50 per million are 0.031159 USD, also as 5.00 and 30.00 × 1.15."""
    resold = Price("USD", input=Decimal(5), output=Decimal(30), factor=Decimal("1.15"))
    direct = Price("USD", input=Decimal("5.75"), output=Decimal("34.50"))
    usage = Usage(input=625, output=799)
    assert resold.cost(usage) == direct.cost(usage)
    assert round(direct.cost(usage), 6) == Decimal("0.031159")


def test_each_unit_is_billed_at_its_own_rate_and_cached_tokens_once() -> None:
    price = Price(
        input=Decimal(10), output=Decimal(20), cached_read=Decimal(1), cached_write=Decimal(12),
        reasoning=Decimal(30), search=Decimal("0.005"), page=Decimal("0.002"),
    )  # fmt: skip
    million = 1_000_000
    usage = Usage(million, million, million, million, million, searches=2, pages=3)
    assert price.cost(usage) == Decimal(10 + 1 + 12 + 20 + 30) + Decimal("0.016")
    plain = Price(input=Decimal(10), output=Decimal(20))
    assert plain.cost(Usage(cached_read=million, cached_write=million, reasoning=million)) == Decimal(40)


def test_an_unknown_rate_is_an_error_when_it_is_used_and_only_then() -> None:
    price = Price(input=Decimal(1), name="x:y")
    assert price.cost(Usage(input=1_000_000)) == 1
    with pytest.raises(UnknownPrice, match="x:y"):
        price.cost(Usage(output=1))
    with pytest.raises(UnknownPrice, match="x:y"):
        price.cost(Usage(searches=1))


@given(st.lists(st.integers(0, 1000), min_size=7, max_size=7), st.lists(st.integers(0, 1000), min_size=7, max_size=7))
def test_usages_add_up_unit_by_unit(first: list[int], second: list[int]) -> None:
    total = Usage(*first) + Usage(*second)
    assert total == Usage(*(a + b for a, b in zip(first, second, strict=True)))
    assert total.tokens == sum(first[:5]) + sum(second[:5])
    assert Usage.from_units(total.units()) == total


@pytest.mark.parametrize(
    ("amount", "text"),
    [(Decimal("26"), "26"), (Decimal("1E+2"), "100"), (Decimal("0.10"), "0.1"), (Decimal("1E-9"), "0.000000001"),
     (Decimal("0"), "0"), (Decimal("10.000"), "10"), (Decimal("-0.50"), "-0.5")],
)  # fmt: skip
def test_amounts_are_shown_without_exponent_and_trailing_zeros(amount: Decimal, text: str) -> None:
    assert show(amount) == text
