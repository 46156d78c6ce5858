"""What a budget can pay for: which steps of the ending, how many researchers and rounds, and between what a plan costs.

Steps are given up in a fixed order, each named: fewer rounds, fewer researchers, no critic, the template writer.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from decimal import Decimal

from research_crew.agents.roles import Plan, Question
from research_crew.core.errors import OverBudget
from research_crew.prices import Prices


@dataclass(frozen=True, slots=True)
class Fit:
    """How much research the rest of a budget pays for."""

    width: int
    """Researchers."""
    rounds: int
    ceiling: Decimal
    """Most that each of them may spend."""
    given_up: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """A plan as a person sees it before any research is bought, with what it will cost."""

    plan: Plan
    low: Decimal
    """When every researcher ends after one search that finds little, and the report is short."""
    high: Decimal
    """The most that it can come to; never above the limit."""
    spent: Decimal
    """What planning has cost already; part of both."""
    limit: Decimal
    currency: str
    researchers: int
    """How many of its briefs are researched at most."""
    rounds: int


Confirm = Callable[[Proposal], Plan | Awaitable[Plan | None] | None]
"""Returns the plan to research, as it is or edited, or None to buy nothing more. Plain or async."""


def affordable_ending(
    limit: Decimal, prices: Prices, alone: bool, cites: bool = True
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Which steps of the ending a limit can pay, given the smallest middle, and what was given up.

    Raises `OverBudget` when it cannot pay the smallest run.
    """
    smallest = prices.smallest_research + (Decimal(0) if alone else prices.plan)
    last = ("cite",) if cites else ()
    for ending in (("write",), ()) if alone else (("critique", "write", *last), ("write", *last), ()):
        if limit >= smallest + sum((prices.of(name) for name in ending), Decimal(0)):
            given_up = [] if alone or "critique" in ending else ["no critic"]
            given_up += [] if "write" in ending else ["template writer"]
            return ending, tuple(given_up)
    raise OverBudget(smallest, limit, prices.currency)


def fit(wanted: int, room: Decimal, prices: Prices, question: Question) -> Fit:
    """How many researchers, rounds and how much for each: fewer rounds before fewer researchers."""
    a_round = prices.research_round(question)
    given_up: list[str] = []
    rounds = question.search_rounds
    while rounds > 1 and wanted * rounds * a_round > room:
        rounds -= 1
    if rounds < question.search_rounds:
        given_up.append(f"fewer rounds: {rounds} of {question.search_rounds}")
    width = wanted
    while width > 1 and width * a_round > room:
        width -= 1
    if width < wanted:
        given_up.append(f"fewer researchers: {width} of {wanted} planned")
    # A metered call reserves far more than it will cost: it may wait for others, but it must fit at all.
    ceiling = room / width if prices.metered else min(rounds * a_round, room / width)
    if prices.metered:
        ceiling = min(room, max(ceiling, prices.smallest_research))
    return Fit(width, rounds, max(Decimal(0), ceiling).quantize(Decimal("1e-9"), "ROUND_DOWN"), tuple(given_up))


def propose(
    plan: Plan, question: Question, prices: Prices, ending: tuple[str, ...], spent: Decimal, limit: Decimal, room: Decimal
) -> Proposal:
    """A plan with the range of what it will cost; `room` is what is left for research beside the ending."""
    wanted = max(1, min(len(plan.subtasks), question.max_researchers))
    paid = fit(wanted, room, prices, question)
    short = prices.ending_cost if prices.metered else sum((prices.of(name) for name in ending), Decimal(0))
    longest = sum((prices.of(name) for name in ending), Decimal(0))
    first = prices.worst_search + prices.tariff.page + prices.round_low
    rounds = prices.research_round(question) - prices.round_cost + max(prices.round_cost, prices.round_worst)
    low = min(spent + paid.width * first + short, limit)
    high = min(spent + paid.width * paid.rounds * rounds + longest, limit)
    return Proposal(plan, low, max(low, high), spent, limit, prices.currency, paid.width, paid.rounds)
