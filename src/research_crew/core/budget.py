"""What a run may spend: money, calls and tokens."""

from dataclasses import dataclass

from research_crew.core.errors import InvalidInput, MixedCurrencies
from research_crew.core.money import CREDITS, Amount, to_decimal, to_nano


@dataclass(frozen=True, slots=True)
class Budget:
    """What a run may spend. Raises `InvalidInput` for a limit that is not more than 0."""

    limit: Amount
    currency: str = CREDITS
    calls: int | None = None
    """Most tries of paid calls, or None for no limit."""
    tokens: int | None = None
    """Most tokens, prompts and answers together, or None for no limit."""

    def __post_init__(self) -> None:
        value = to_decimal(self.limit, "budget")
        if to_nano(value) == 0:
            raise InvalidInput("budget", self.limit, "give an amount of more than 0 (the smallest is 0.000000001)")
        object.__setattr__(self, "limit", value)
        for what, most in (("limit on calls", self.calls), ("limit on tokens", self.tokens)):
            if most is not None and (isinstance(most, bool) or not isinstance(most, int) or most < 1):
                raise InvalidInput(what, most, "give a whole number of at least 1")

    @classmethod
    def of(cls, value: "Budget | Amount", currency: str = CREDITS) -> "Budget":
        """A budget from what a person wrote; a whole number is credits, or the run's own currency."""
        if isinstance(value, Budget):
            return value
        return cls(value, currency)

    def in_currency(self, currency: str) -> "Budget":
        """Itself, when the currency is the run's; raises `MixedCurrencies` otherwise."""
        if self.currency != currency:
            raise MixedCurrencies(self.currency, currency)
        return self
