"""What a search costs, from each engine's own price page, read in November 2026. In USD.

It is what is reserved before a search; where the reply names its own cost (Exa's `costDollars`), that is what is
charged. An engine that is not listed costs nothing here: a keyless one, local documents, one's own server.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

DATE = "2026-11"


@dataclass(frozen=True, slots=True)
class SearchPrice:
    """The list price of one search."""

    each: Decimal
    included: int | None = None
    """Results that the price covers; None for any number."""
    further: Decimal = Decimal(0)
    """For each result beyond."""
    keyless: Decimal | None = None
    """Without a key, where that is allowed."""
    source: str = ""


PRICES: Mapping[str, SearchPrice] = {
    "exa": SearchPrice(Decimal("0.007"), 10, Decimal("0.001"), source="exa.ai/docs/reference/pricing"),
    "tavily": SearchPrice(Decimal("0.008"), source="docs.tavily.com/documentation/api-credits"),
    "brave": SearchPrice(Decimal("0.005"), source="api-dashboard.search.brave.com/app/plans"),
    "openalex": SearchPrice(
        Decimal("0.001"), keyless=Decimal(0), source="developers.openalex.org/api-reference/authentication"
    ),
}


def price_of(engine: str, results: int = 10, *, keyed: bool = True) -> Decimal:
    """The price of one search that asks for so many results."""
    price = PRICES.get(engine)
    if price is None:
        return Decimal(0)
    if not keyed and price.keyless is not None:
        return price.keyless
    beyond = max(0, results - price.included) if price.included is not None else 0
    return price.each + beyond * price.further
