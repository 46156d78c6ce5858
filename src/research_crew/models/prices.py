"""What a model costs and how much it takes in: given by argument, or from a dated table, or an error before the run.

The table is the package genai-prices where it is installed, otherwise the few rows of `price_table.py`. A model whose
long prompts cost more is used up to the length where that begins: its window ends there. The Swarms API bills the price
of the model behind it times 1.15.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

from research_crew.core.errors import InvalidInput, UnknownPrice
from research_crew.core.money import CREDITS, USD, Price, to_decimal
from research_crew.models.price_table import CHECKED_AGAINST, DATE, TABLE
from research_crew.models.vendors import VENDORS, Vendor

SWARMS_FACTOR = Decimal("1.15")
NO_PRICE = Price(USD, Decimal(0), Decimal(0), name="local")
"""Local work in a run that is in USD."""
LOCAL_CREDITS = Price(CREDITS, Decimal(1_000), Decimal(4_000), name="local")
"""Local work in a run in credits: 1 and 4 credits for 1,000 tokens of input and output."""


@dataclass(frozen=True, slots=True)
class Card:
    """A model's price and window, and where they come from."""

    vendor: str
    name: str
    price: Price
    window: int | None
    source: str
    """`given`, `local`, `genai-prices 0.2.3` or `built-in table of …`."""


def card_of(
    vendor: str, name: str, *, now: datetime, given: Mapping[str, Price] | None = None, local: Price = NO_PRICE
) -> Card:
    """The card of a model. Raises `UnknownPrice`, which names the nearest known one.

    `given` maps `vendor:name`, or a bare name, to a price that stands over every table; under the empty string stands
    the price of whatever is in no table. `local` is the price of models on one's own machine.
    """
    given = given or {}
    full = f"{vendor}:{name}"
    known = VENDORS.get(vendor)
    found = None if known is None or known.local else _from_tables(known, name, now)
    own = given.get(full) or given.get(name)
    if own is None and found is None:
        own = given.get("")
    if own is not None:
        window = found.window if found is not None else None
        return Card(vendor, name, replace(own, name=full), window, "given")
    if known is not None and known.local:
        return Card(vendor, name, replace(local, name=full), None, "local")
    if found is not None:
        return found
    raise UnknownPrice(full, _way_out(full, known))


def given_prices(texts: Iterable[str]) -> dict[str, Price]:
    """Prices as a person writes them: `5/30`, `5/30/0.5` (the third: tokens read from a cache) per million tokens, or
    `openai:gpt-5.5=5/30` for one model. Raises `InvalidInput`."""
    found: dict[str, Price] = {}
    for text in texts:
        name, equals, rates = text.rpartition("=")
        parts = [part.strip() for part in rates.split("/")]
        if not 2 <= len(parts) <= 3 or (equals and not name.strip()):
            raise InvalidInput("--price", text, "write INPUT/OUTPUT per million tokens, or MODEL=INPUT/OUTPUT")
        amounts = [to_decimal(part, "--price") for part in parts]
        read = amounts[2] if len(amounts) == 3 else None
        found[name.strip()] = Price(USD, amounts[0], amounts[1], read, name=name.strip())
    return found


def worst_input_rate(price: Price) -> Decimal:
    """The most that a token of the prompt can cost; raises `UnknownPrice`."""
    if price.input is None:
        raise UnknownPrice(price.name or "this model")
    return max(rate for rate in (price.input, price.cached_read, price.cached_write) if rate is not None)


def known_models(vendor: str) -> tuple[str, ...]:
    """Names of a vendor's models in the tables, for suggestions."""
    known = VENDORS.get(vendor)
    if known is None:
        return ()
    names = {name for owner, name in TABLE if known.speaks == "swarms" or owner == known.prices}
    if _newer() and known.prices:
        provider = _snapshot().find_provider(None, known.prices, None)
        names |= {model.id for model in provider.models}
    return tuple(sorted(names | {name for name in (known.lead, known.worker) if name}))


def _from_tables(vendor: Vendor, name: str, now: datetime) -> Card | None:
    factor = SWARMS_FACTOR if vendor.speaks == "swarms" else Decimal(1)
    full = f"{vendor.name}:{name}"
    rows = [
        row
        for (owner, model), row in TABLE.items()
        if model == name and (vendor.speaks == "swarms" or vendor.prices == owner)
    ]
    version = _version()
    if rows and version in ("", CHECKED_AGAINST):
        row = rows[0]
        price = Price(USD, row.input, row.output, row.cached_read, row.cached_write, factor=factor, name=full)
        return Card(vendor.name, name, price, row.window, f"built-in table of {DATE}")
    if not version or vendor.name == "compatible":
        return None
    try:
        _, model = _snapshot().find_provider_model(name, None, vendor.prices or None, None)
    except LookupError:
        return None
    rates = _dearest(model, now)
    if rates.input_mtok is None or rates.output_mtok is None:
        return None
    kinds = ("input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok")
    base = [_base(getattr(rates, kind)) for kind in kinds]
    steps = [tier.start for kind in kinds for tier in getattr(getattr(rates, kind), "tiers", ())]
    window = min((size for size in (model.context_window, *steps) if size), default=None)
    price = Price(USD, base[0], base[1], base[2], base[3], factor=factor, name=full)
    return Card(vendor.name, name, price, window, f"genai-prices {version}")


def _dearest(model: Any, now: datetime) -> Any:
    """The rates of a day; where they change with the hour, those of the dearest: a run may last into it."""
    if not isinstance(model.prices, list):
        return model.get_prices(now)
    hours = (model.get_prices(now.replace(hour=hour, minute=minute)) for hour in range(24) for minute in (1, 31))
    return max(hours, key=lambda rates: (_base(rates.output_mtok) or 0, _base(rates.input_mtok) or 0))


def _base(rate: Any) -> Decimal | None:
    return None if rate is None else getattr(rate, "base", rate)


def _way_out(full: str, vendor: Vendor | None) -> str:
    near = suggestion(full)
    hint = f"did you mean {near}? " if near else ""
    return f"{hint}Name a price with --price INPUT/OUTPUT (per million tokens)" if vendor else "name one with --price"


def suggestion(full: str) -> str:
    """The known name nearest to one that is not, or an empty string."""
    vendor, _, name = full.partition(":")
    names = known_models(vendor)
    near = get_close_matches(name.lower(), names, 1, 0.6)
    return f"{vendor}:{near[0]}" if near else ""


@lru_cache(maxsize=1)
def _version() -> str:
    """Version of genai-prices, or an empty string; asking does not import it, which takes half a second."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("genai-prices")
    except PackageNotFoundError:
        return ""


def _newer() -> bool:
    return bool(_version())


@lru_cache(maxsize=1)
def _snapshot() -> Any:
    from genai_prices.data_snapshot import get_snapshot

    return get_snapshot()
