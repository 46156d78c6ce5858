"""What the agents without a model cost, in credits: one for each thing done.

A credit has no price in money. It makes the budget, the bill and a comparison at equal cost as real without a model
as with one. One credit buys a plan, a search, a page read, a critique, a draft, or a citation pass.
"""

from dataclasses import dataclass, field
from decimal import Decimal

from research_crew.agents.roles import Question
from research_crew.agents.toolbox import Tariff


@dataclass(frozen=True, slots=True)
class Prices:
    """The tariff of a run, in its currency."""

    plan: Decimal = Decimal(1)
    critique: Decimal = Decimal(1)
    write: Decimal = Decimal(1)
    cite: Decimal = Decimal(1)
    tariff: Tariff = field(default_factory=Tariff)
    date: str = "2026-11-30"

    def of(self, step: str) -> Decimal:
        """The price of one step of the ending: `critique`, `write` or `cite`."""
        amounts = {"critique": self.critique, "write": self.write, "cite": self.cite}
        return amounts[step]

    @property
    def smallest_research(self) -> Decimal:
        """One search and one page."""
        return self.tariff.search + self.tariff.page

    def research_round(self, question: Question) -> Decimal:
        """The most that one round of one researcher costs."""
        return question.queries_per_round * self.tariff.search + question.pages_per_round * self.tariff.page
