"""What the steps of a run cost, in its currency.

Without any real price a run is counted in credits, one for each thing done: a plan, a search, a page read, a critique,
a draft, a citation pass. A credit has no price in money; it makes the budget, the bill and a comparison at equal cost
as real without a model as with one. As soon as one back end has a real price the run is in USD, and local work is 0.
"""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Self

from research_crew.agents.roles import Question
from research_crew.agents.toolbox import Tariff
from research_crew.core.money import CREDITS, USD


@dataclass(frozen=True, slots=True)
class Prices:
    """The tariff of a run, in its currency."""

    currency: str = CREDITS
    plan: Decimal = Decimal(1)
    critique: Decimal = Decimal(1)
    write: Decimal = Decimal(1)
    cite: Decimal = Decimal(1)
    tariff: Tariff = field(default_factory=Tariff)
    worst_search: Decimal = Decimal(1)
    """The most that one search costs."""
    date: str = "2026-11-30"

    @classmethod
    def in_money(cls, worst_search: Decimal) -> Self:
        """Extractive agents over a priced engine: only its searches cost."""
        nothing = Decimal(0)
        return cls(USD, nothing, nothing, nothing, nothing, Tariff(None, nothing), worst_search)

    def of(self, step: str) -> Decimal:
        """The price of one step of the ending: `critique`, `write` or `cite`."""
        amounts = {"critique": self.critique, "write": self.write, "cite": self.cite}
        return amounts[step]

    @property
    def smallest_research(self) -> Decimal:
        """One search and one page."""
        return self.worst_search + self.tariff.page

    def research_round(self, question: Question) -> Decimal:
        """The most that one round of one researcher costs."""
        return question.queries_per_round * self.worst_search + question.pages_per_round * self.tariff.page
