"""The two baselines that may spend as much as the crew, without chance.

`solo=`: the same agent goes on, pass after pass, until what is left of the crew's bill pays no further pass. `union=`: k
agents alone, merged; k is the crew's bill over what one agent is expected to cost, rounded up or down by a coin so that
the expected bill is the crew's. The crew's bill is itself a chance when attempts fail, so both are mixtures over it.
"""

from math import floor

from research_crew.agents.scripted.world import World
from research_crew.measure.binomial import binomial, likely
from research_crew.measure.exact import Expected, Mixture, lost_and_tries, needed_of

_DIGITS = 9
"""Amounts are compared to this many decimals, as the ledger keeps them."""


def crew_bills(world: World, n: int = 4, needs: str | int = "all") -> dict[float, float]:
    """What a crew of n researchers may come to cost, with the probability of each bill."""
    k, price, fails = needed_of(needs, n), world.prices, world.failure_rate
    lost, _ = lost_and_tries(world)
    bills: dict[float, float] = {}

    def book(probability: float, plan: int, research: int, critique: int = 0, edit: int = 0) -> None:
        amount = plan * price.plan + research * price.research + critique * price.critique + edit * price.edit
        bills[round(amount, _DIGITS)] = bills.get(round(amount, _DIGITS), 0.0) + probability

    once, twice = 1 - fails, fails * (1 - fails)
    if lost:
        book(lost, 2, 0)
    # Of those that did not fail for good, as many took two attempts as if each had tossed for it.
    second = fails / (1 + fails)
    for plan, planned in ((1, once), (2, twice)):
        for failed, p in likely(binomial(n, lost)):
            for slow, q in likely(binomial(n - failed, second)):
                here, research = planned * p * q, n + failed + slow
                if n - failed < k:
                    book(here, plan, research)
                    continue
                if lost:
                    book(here * lost, plan, research, 2)
                for critique, criticised in ((1, once), (2, twice)):
                    book(here * criticised * once, plan, research, critique, 1)
                    book(here * criticised * (1 - once), plan, research, critique, 2)
    return {bill: p for bill, p in bills.items() if p > 0}


def exact_solo_equal(world: World, n: int = 4, needs: str | int = "all", repeats: bool = True) -> Expected:
    """One agent that may spend the bill of a crew of n researchers.

    `repeats`: an agent that invents in a slot again says the same thing again, so that its passes share one list of
    inventions; False gives every pass inventions of its own, as if another agent had made it.
    """
    spend = _Spend(world)
    passes: dict[int, float] = {}
    cost = fails = 0.0
    for bill, p in crew_bills(world, n, needs).items():
        ended, paid, broken = spend.passes(bill, first=True)
        for done, q in enumerate(ended):
            passes[done] = passes.get(done, 0.0) + p * q
        cost += p * paid
        fails += p * broken
    found, facts, invents = Mixture(), world.n_facts, world.hallucination_rate
    for done, p in passes.items():
        true = 1 - (1 - world.recall) ** done
        if repeats:
            found.add(p, facts, true, facts, 1 - (1 - invents) ** done)
        else:
            found.add(p, facts, true, facts * done, invents)
    return Expected(found.found, found.bogus, found.prec, cost, fails)


def exact_union_equal(world: World, n: int = 4, needs: str | int = "all") -> Expected:
    """Several agents alone, merged, for the expected bill of a crew of n researchers."""
    lost, tries = lost_and_tries(world)
    each = world.prices.solo * tries
    agents: dict[int, float] = {}
    for bill, p in crew_bills(world, n, needs).items():
        share = bill / each
        low = floor(share)
        agents[low] = agents.get(low, 0.0) + p * (1 - (share - low))
        agents[low + 1] = agents.get(low + 1, 0.0) + p * (share - low)
    found, facts = Mixture(), world.n_facts
    for k, p in agents.items():
        for m, q in likely(binomial(k, 1 - lost)):
            found.add(p * q, facts, 1 - (1 - world.recall) ** m, facts * m, world.hallucination_rate)
    runs = sum(k * p for k, p in agents.items())
    return Expected(found.found, found.bogus, found.prec, runs * each, runs * lost)


class _Spend:
    """How far an amount of money carries one agent: passes that succeeded, what was paid, what failed."""

    def __init__(self, world: World) -> None:
        self._fails, self._price = world.failure_rate, world.prices
        self._known: dict[tuple[float, bool], tuple[tuple[float, ...], float, float]] = {}

    def passes(self, left: float, first: bool = False) -> tuple[tuple[float, ...], float, float]:
        """(probability of 0, 1, … passes that succeed, expected cost, expected tasks not ok) with so much left."""
        price = self._price.solo if first else self._price.further
        start = round(left, _DIGITS)
        amounts = [start]
        if not first:  # from the smallest amount upwards, so that nothing recurses deeply
            while amounts[-1] >= price:
                amounts.append(round(amounts[-1] - price, _DIGITS))
        for amount in reversed(amounts):
            if (amount, first) not in self._known:
                self._known[amount, first] = self._one(amount, price)
        return self._known[start, first]

    def _one(self, left: float, price: float) -> tuple[tuple[float, ...], float, float]:
        if left < price:
            return (1.0,), 0.0, 0.0
        fails = self._fails
        once = self.passes(left - price)
        outcomes = [(1 - fails, 1, price, 0.0, once)]
        if fails:
            if left >= 2 * price - 10.0**-_DIGITS:
                twice = self.passes(left - 2 * price)
                outcomes += [(fails * (1 - fails), 1, 2 * price, 0.0, twice), (fails * fails, 0, 2 * price, 1.0, twice)]
            else:  # the second attempt cannot be paid: the task ends over-budget
                outcomes.append((fails, 0, price, 1.0, once))
        longest = max(done + len(after[0]) for _, done, _, _, after in outcomes)
        ended = [0.0] * longest
        paid = broken = 0.0
        for p, done, cost, failed, (after, later, lost) in outcomes:
            for more, q in enumerate(after):
                ended[done + more] += p * q
            paid += p * (cost + later)
            broken += p * (failed + lost)
        return tuple(ended), paid, broken
