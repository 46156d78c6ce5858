"""Amounts, usage and prices.

Amounts are `Decimal` at every border and whole nano-units (1e-9) inside the accounts, so that sums are exact. An
amount is rounded once, half up, when an entry is made.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation, localcontext
from functools import lru_cache

from research_crew.core.errors import InvalidInput, UnknownPrice

NANO = 1_000_000_000
CREDITS = "credits"
USD = "USD"
_QUANTUM = Decimal("1e-9")
_MILLION = Decimal(1_000_000)
_MOST = Decimal(10) ** 18
_EXACT = Context(prec=60, rounding=ROUND_HALF_UP)
"""Own precision: a caller that set another one for its thread changes no bill."""

Amount = Decimal | int | str
"""What a person may write for an amount of money. Floats are refused: 0.1 is not one."""


def to_decimal(amount: Amount, what: str = "amount") -> Decimal:
    """Read an amount; raises `InvalidInput` for anything that is not a number from 0 to below 10^18."""
    if isinstance(amount, bool) or not isinstance(amount, (Decimal, int, str)):
        raise InvalidInput(what, amount, "write a whole number, a Decimal or a string such as '0.60'")
    try:
        value = Decimal(amount)
    except InvalidOperation:
        raise InvalidInput(what, amount, "write a number such as 0.60") from None
    if not value.is_finite() or value < 0:
        raise InvalidInput(what, amount, "write a finite number of 0 or more")
    if value >= _MOST:
        raise InvalidInput(what, amount, "write a number below 10^18")
    return value


@lru_cache(4096)
def to_nano(amount: Decimal | int) -> int:
    """Whole nano-units of an amount, rounded half up."""
    if isinstance(amount, int):
        return amount * NANO
    return int(amount.quantize(_QUANTUM, context=_EXACT).scaleb(9, _EXACT))


@lru_cache(4096)
def from_nano(nano: int) -> Decimal:
    """The amount that so many nano-units are, without trailing zeros (`Decimal('26')`, `Decimal('0.031159')`)."""
    whole, rest = divmod(nano, NANO)
    return Decimal(whole) if rest == 0 else Decimal(nano).scaleb(-9, _EXACT).normalize(_EXACT)


def rounded(amount: Decimal) -> Decimal:
    """An amount rounded once, half up, to 1e-9."""
    return amount.quantize(_QUANTUM, context=_EXACT)


def show(amount: Decimal) -> str:
    """An amount for a person or a JSON string: no exponent, no trailing zeros."""
    text = f"{amount:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


@dataclass(frozen=True, slots=True)
class Usage:
    """What one call used, each rate that is billed apart in a unit of its own."""

    input: int = 0
    """Prompt tokens that were neither read from nor written to a cache."""
    cached_read: int = 0
    cached_write: int = 0
    output: int = 0
    """Answer tokens without the reasoning tokens."""
    reasoning: int = 0
    searches: int = 0
    pages: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input + other.input, self.cached_read + other.cached_read, self.cached_write + other.cached_write,
            self.output + other.output, self.reasoning + other.reasoning, self.searches + other.searches,
            self.pages + other.pages,
        )  # fmt: skip

    @property
    def tokens(self) -> int:
        """All tokens, prompt and answer."""
        return self.input + self.cached_read + self.cached_write + self.output + self.reasoning

    def units(self) -> dict[str, int]:
        """The units that are not zero, by name."""
        return {f.name: n for f in fields(self) if (n := getattr(self, f.name))}

    @classmethod
    def from_units(cls, units: Mapping[str, int]) -> "Usage":
        """The inverse of `units`; unknown names are an error."""
        return cls(**units)


NO_USAGE = Usage()


@dataclass(frozen=True, slots=True)
class Price:
    """What each unit costs. Token rates are per million tokens, `search` and `page` are for one.

    A rate of None is not known: using it raises `UnknownPrice`. Cache and reasoning rates of None fall back to
    the input and the output rate, which is what vendors bill when they name no other. `factor` multiplies the
    whole (a reseller's markup).
    """

    currency: str = USD
    input: Decimal | None = None
    output: Decimal | None = None
    cached_read: Decimal | None = None
    cached_write: Decimal | None = None
    reasoning: Decimal | None = None
    search: Decimal | None = None
    page: Decimal | None = None
    factor: Decimal = Decimal(1)
    name: str = ""

    def cost(self, usage: Usage) -> Decimal:
        """The price of a usage, rounded once; raises `UnknownPrice` when a used unit has no rate."""
        with localcontext(_EXACT):
            per_million = (
                self._rate(usage.input, self.input)
                + self._rate(usage.output, self.output)
                + self._rate(usage.cached_read, self.cached_read, self.input)
                + self._rate(usage.cached_write, self.cached_write, self.input)
                + self._rate(usage.reasoning, self.reasoning, self.output)
            )
            each = self._rate(usage.searches, self.search) + self._rate(usage.pages, self.page)
            return rounded((per_million / _MILLION + each) * self.factor)

    def _rate(self, count: int, rate: Decimal | None, otherwise: Decimal | None = None) -> Decimal:
        if count == 0:
            return Decimal(0)
        known = rate if rate is not None else otherwise
        if known is None:
            raise UnknownPrice(self.name or "this back end")
        return known * count
