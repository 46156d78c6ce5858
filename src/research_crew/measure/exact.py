"""The scripted world without chance: expectations in closed form, no sampling error.

With F facts, N researchers, recall r, hallucination rate h and a critic that loses a true fact with probability l and
catches an invention with probability c:

    found ~ Bin(F, (1 - (1 - r)^N) (1 - l))        bogus ~ Bin(F N, h (1 - c))

independent of each other, so that E[precision] is a double sum over both. With failures, N is the number of
researchers that survive, a mixture, and nothing is found unless plan, enough researchers, critique and edit succeed.
"""

from dataclasses import dataclass

from research_crew.agents.scripted.world import World
from research_crew.core.errors import InvalidInput
from research_crew.measure.binomial import binomial, likely, mean_precision
from research_crew.measure.roots import root

ATTEMPTS = 2
"""Most attempts at a task; each is billed."""


@dataclass(frozen=True, slots=True)
class Expected:
    """Expectations over all runs of one arm."""

    found: float
    bogus: float
    prec: float | None
    """Over runs with something reported; None when there is none."""
    cost: float
    fails: float
    """Expected number of tasks that end failed, skipped or over-budget."""

    @property
    def found_per_cost(self) -> float:
        """The ratio of the expectations."""
        return self.found / self.cost if self.cost else 0.0


class Mixture:
    """Adds up the expectations of answers that come about with different probabilities."""

    __slots__ = ("_precise", "answered", "bogus", "found", "weighted")

    def __init__(self, precise: bool = True) -> None:
        """`precise` False leaves the precision out, which takes most of the time."""
        self.found = self.bogus = self.weighted = self.answered = 0.0
        self._precise = precise

    def add(self, probability: float, facts: int, true: float, slots: int, false: float) -> None:
        """An answer with Bin(facts, true) true claims and Bin(slots, false) inventions."""
        self.found += probability * facts * true
        self.bogus += probability * slots * false
        if not self._precise:
            return
        weighted, answered = mean_precision(facts, true, slots, false)
        self.weighted += probability * weighted
        self.answered += probability * answered

    @property
    def prec(self) -> float | None:
        """Mean precision over answers with something in them."""
        return self.weighted / self.answered if self.answered > 0 else None


def needed_of(needs: str | int, n: int) -> int:
    """How many of n researchers the critic waits to have succeeded."""
    if needs == "all":
        return n
    k = 1 if needs == "any" else needs
    if isinstance(k, bool) or not isinstance(k, int) or not 0 <= k <= n:
        raise InvalidInput("--needs", needs, f"use all, any or 0 to {n}")
    return k


def exact_crew(world: World, n: int = 4, needs: str | int = "all", precise: bool = True) -> Expected:
    """The declared crew of n researchers; `needs` as in `research_crew`. `precise` False: no precision (faster)."""
    if n < 1:
        raise InvalidInput("-n", n, "use at least 1 researcher")
    k, facts, price = needed_of(needs, n), world.n_facts, world.prices
    lost, tries = lost_and_tries(world)
    found = Mixture(precise)
    plan_ok = 1 - lost
    cost = price.plan * tries + plan_ok * n * price.research * tries
    broken = lost * (n + 3) + plan_ok * n * lost  # a plan that failed: everything after it is skipped
    for m, probability in likely(binomial(n, 1 - lost)):
        here = plan_ok * probability
        if m < k:
            broken += here * 2
            continue
        critic_ok = here * (1 - lost)
        cost += here * price.critique * tries + critic_ok * price.edit * tries
        broken += here * lost * 2 + critic_ok * lost
        true = (1 - (1 - world.recall) ** m) * (1 - world.loses)
        found.add(critic_ok * (1 - lost), facts, true, facts * m, world.hallucination_rate * (1 - world.catches))
    return Expected(found.found, found.bogus, found.prec, cost, broken)


def exact_solo(world: World, passes: int = 1, precise: bool = True) -> Expected:
    """One agent alone: one task, no critic; or so many passes of it, which share one list of inventions."""
    lost, tries = lost_and_tries(world)
    found, facts, price = Mixture(precise), world.n_facts, world.prices
    for done, p in likely(binomial(passes, 1 - lost)):
        true, false = 1 - (1 - world.recall) ** done, 1 - (1 - world.hallucination_rate) ** done
        found.add(p, facts, true, facts, false)
    cost = (price.solo + (passes - 1) * price.further) * tries
    return Expected(found.found, found.bogus, found.prec, cost, passes * lost)


def lost_and_tries(world: World) -> tuple[float, float]:
    """The probability that all attempts at a task fail, and how many it is expected to take."""
    return world.failure_rate**ATTEMPTS, sum(world.failure_rate**i for i in range(ATTEMPTS))


def break_even(world: World, n: int = 4, by: str = "mean") -> float | None:
    """The strictness at which crew and one agent are equally precise; None when they never are.

    `by="mean"` compares the expected precision of a run, `by="ratio"` found / (found + bogus) of the expectations.
    """

    def gap(strictness: float) -> float:
        turned = world.but(critic_strictness=strictness)
        crew, solo = exact_crew(turned, n, precise=by == "mean"), exact_solo(world)
        if by == "mean":
            return (crew.prec or 0.0) - (solo.prec or 0.0)
        return _ratio(crew) - _ratio(solo)

    return root(gap, 0.0, 1.0)


def _ratio(expected: Expected) -> float:
    said = expected.found + expected.bogus
    return expected.found / said if said else 0.0


def efficiency_peak(world: World, most: int = 64, needs: str | int = "all") -> tuple[int, float]:
    """The number of researchers with the most facts per cost, and that ratio; of equal ones the smallest crew."""
    ratios = [(n, exact_crew(world, n, needs, precise=False).found_per_cost) for n in range(1, most + 1)]
    return max(ratios, key=lambda pair: (pair[1], -pair[0]))
