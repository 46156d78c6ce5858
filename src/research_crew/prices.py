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
    round_cost: Decimal = Decimal(0)
    """What the model call of a research round is expected to cost, beside its searches and pages."""
    round_worst: Decimal = Decimal(0)
    """The most that the model call of a research round can cost."""
    ending_cost: Decimal = Decimal(0)
    """What critique, draft and citations of a short report cost with a model; their prices above are the most."""
    round_low: Decimal = Decimal(0)
    """What the model call of a research round costs that finds little."""
    metered: bool = False
    """Steps are calls of a model: `plan` … `cite` are the most they can cost. Otherwise they are fixed prices."""
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
        """One search, one page and, with a model, one report."""
        return self.worst_search + self.tariff.page + self.round_worst

    def research_round(self, question: Question) -> Decimal:
        """What one round of one researcher is planned with: searches and pages at their most, a model's call as
        expected. The budget itself is held by reservations, not by this."""
        pages = question.pages_per_round * self.tariff.page
        return question.queries_per_round * self.worst_search + pages + self.round_cost
