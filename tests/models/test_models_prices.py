"""Prices: the published figure, the tables, what is given by hand, and that unknown is an error."""

import subprocess
import sys
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from models_desk import NOW, PRICE

from research_crew.core.errors import InvalidInput, UnknownPrice
from research_crew.core.money import USD, Price, Usage
from research_crew.models import prices
from research_crew.models.metered import worst_cost
from research_crew.models.price_table import CHECKED_AGAINST, TABLE
from research_crew.models.prices import LOCAL_CREDITS, card_of, given_prices, known_models
from research_crew.models.vendors import VENDORS

USED = Usage(input=625, output=799)


def test_the_published_figure_of_the_swarms_factor() -> None:
    card = card_of("swarms", "gpt-5.5", now=NOW)
    assert card.price.cost(USED).quantize(Decimal("0.000001")) == Decimal("0.031159")
    per_million = Usage(input=1_000_000), Usage(output=1_000_000)
    assert [card.price.cost(used) for used in per_million] == [Decimal("5.75"), Decimal("34.50")]
    mini = card_of("swarms", "gpt-5.4-mini", now=NOW)
    assert [mini.price.cost(used) for used in per_million] == [Decimal("0.8625"), Decimal("5.175")]


def test_the_same_model_at_its_maker_has_no_factor() -> None:
    assert card_of("openai", "gpt-5.5", now=NOW).price.cost(USED) == Decimal("0.027095")


@pytest.mark.parametrize(("vendor", "name"), list(TABLE))
def test_the_built_in_rows_are_those_of_the_package(vendor: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    genai_prices = pytest.importorskip("genai_prices", reason="the package comes with the extra `models`")
    if genai_prices.__version__ != CHECKED_AGAINST:
        pytest.skip(f"genai-prices {genai_prices.__version__} is installed; the table follows {CHECKED_AGAINST}")
    ours = card_of(vendor, name, now=NOW)
    monkeypatch.setattr(prices, "TABLE", {})
    theirs = card_of(vendor, name, now=NOW)
    assert (ours.price, ours.window) == (theirs.price, theirs.window)
    assert "built-in" in ours.source
    assert "genai-prices" in theirs.source


def test_a_model_outside_of_the_table_has_the_price_of_the_package() -> None:
    card = card_of("anthropic", "claude-opus-4-5", now=NOW)
    assert card.price.input == Decimal(5)
    assert card.price.cached_read == Decimal("0.5")
    assert card.window == 200_000


def test_every_default_model_has_a_price_and_a_window() -> None:
    for vendor in VENDORS.values():
        for name in {vendor.lead, vendor.worker} - {""}:
            card = card_of(vendor.name, name, now=NOW)
            assert card.price.input and card.price.output, card
            assert card.window, card


def test_the_window_ends_where_a_higher_price_begins() -> None:
    assert card_of("openai", "gpt-5.5", now=NOW).window == 272_000


@pytest.mark.parametrize(
    ("full", "near"),
    [("openai:gpt-5.4-mni", "openai:gpt-5.4-mini"), ("swarms:gpt5.5", "swarms:gpt-5.5"), ("openai:xyz", "")],
)
def test_an_unknown_price_is_an_error_that_names_the_nearest(full: str, near: str) -> None:
    vendor, _, name = full.partition(":")
    with pytest.raises(UnknownPrice) as caught:
        card_of(vendor, name, now=NOW)
    assert full in str(caught.value)
    assert "--price" in str(caught.value)
    assert near in str(caught.value)


def test_prices_by_hand_stand_over_the_tables_and_under_them() -> None:
    given_ones = given_prices(["1/2", "openai:gpt-5.5=3/4/0.25"])
    assert card_of("openai", "gpt-5.5", now=NOW, given=given_ones).price.cached_read == Decimal("0.25")
    assert card_of("openai", "gpt-5.5", now=NOW, given=given_ones).window == 272_000
    assert card_of("openai", "gpt-5.4-mini", now=NOW, given=given_ones).price.input == Decimal("0.75")
    assert card_of("compatible", "mine", now=NOW, given=given_ones).price.output == Decimal(2)
    assert card_of("ollama", "qwen", now=NOW, given=given_prices(["ollama:qwen=1/1"])).price.input == 1


@pytest.mark.parametrize("text", ["", "5", "5/", "a/b", "-1/2", "1/2/3/4", "=1/2", "nan/1", "inf/1"])
def test_a_price_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        given_prices([text])


def test_local_models_are_free_in_money_and_have_their_credits() -> None:
    assert card_of("ollama", "anything", now=NOW).price.cost(USED) == 0
    card = card_of("ollama", "anything", now=NOW, local=LOCAL_CREDITS)
    assert card.price.currency == "credits"
    assert card.price.cost(Usage(input=1_000)) == 1
    assert card.price.cost(Usage(output=1_000)) == 4


@given(st.builds(Usage, *[st.integers(0, 10**6)] * 5), st.integers(0, 10**6))
def test_the_worst_case_is_never_less_than_the_bill(usage: Usage, more: int) -> None:
    prompt = usage.input + usage.cached_read + usage.cached_write
    output = usage.output + usage.reasoning
    for price in (PRICE, Price(USD, Decimal(1), Decimal(3), factor=Decimal("1.15"))):
        assert worst_cost(price, prompt + more, output) + Decimal("1e-9") >= price.cost(usage)


def test_names_of_a_vendors_models() -> None:
    assert "gpt-5.5" in known_models("swarms")
    assert "gpt-5.4-mini" in known_models("openai")
    assert known_models("nobody") == ()


def test_the_default_pair_is_priced_without_importing_the_package() -> None:
    """It takes half a second to import, which a start has no time for."""
    code = (
        "import sys; from datetime import datetime; from research_crew.models.prices import card_of;"
        "print(card_of('swarms', 'gpt-5.5', now=datetime(2026, 11, 30)).price.input);"
        "print([m for m in ('genai_prices', 'pydantic_ai', 'aiohttp', 'pydantic') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["5", "[]"]
