"""The scripted world without chance: expectations in closed form, no sampling error.

With F facts, N researchers, recall r, hallucination rate h and a critic that loses a true fact with probability l and
catches an invention with probability c:

    found ~ Bin(F, (1 - (1 - r)^N) (1 - l))        bogus ~ Bin(F N, h (1 - c))

independent of each other, so that E[precision] is a double sum over both. With failures, N is the number of
researchers that survive, a mixture, and nothing is found unless plan, enough researchers, critique and edit succeed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import comb

from research_crew.agents.scripted.world import World
from research_crew.core.errors import InvalidInput

ATTEMPTS = 2
PLAN, RESEARCH, CRITIQUE, EDIT, SOLO = 2, 3, 2, 2, 4


@dataclass(frozen=True, slots=True)
class Expected:
    """Expectations over all runs of one arm."""

    found: float
    bogus: float
    prec: float | None
    """Over runs with something reported; None when there is none."""
    cost: float
    fails: float
    """Expected number of tasks that end failed or skipped."""

    @property
    def found_per_cost(self) -> float:
        """The ratio of the expectations."""
        return self.found / self.cost if self.cost else 0.0


@cache
def binomial(n: int, p: float) -> tuple[float, ...]:
    """The probabilities of 0 to n successes."""
    if p <= 0:
        return (1.0, *([0.0] * n))
    if p >= 1:
        return (*([0.0] * n), 1.0)
    return tuple(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1))


def _precision(facts: int, true: float, inventions: int, false: float) -> tuple[float, float]:
    """(sum of P x precision over answers with something in them, probability of such an answer)."""
    found = binomial(facts, true)
    bogus = binomial(inventions, false)
    total = sum(
        pf * pb * f / (f + b) for f, pf in enumerate(found) if f and pf for b, pb in enumerate(bogus) if pb
    )
    return total, 1 - found[0] * bogus[0]


def _answer(world: World, n: int, criticised: bool = True) -> tuple[float, float, float, float]:
    """(found, bogus, precision sum, probability of an answer) of n researchers, all of whom delivered."""
    loses, catches = (world.loses, world.catches) if criticised else (0.0, 0.0)
    true = (1 - (1 - world.recall) ** n) * (1 - loses)
    false = world.hallucination_rate * (1 - catches)
    weighted, answered = _precision(world.n_facts, true, world.n_facts * n, false)
    return world.n_facts * true, world.n_facts * n * false, weighted, answered


def needed_of(needs: str | int, n: int) -> int:
    """How many of n researchers the critic waits to have succeeded."""
    if needs == "all":
        return n
    k = 1 if needs == "any" else needs
    if isinstance(k, bool) or not isinstance(k, int) or not 0 <= k <= n:
        raise InvalidInput("--needs", needs, f"use all, any or 0 to {n}")
    return k


def exact_crew(world: World, n: int = 4, needs: str | int = "all", attempts: int = ATTEMPTS) -> Expected:
    """The declared crew of n researchers; `needs` as in `research_crew`, each task tried at most `attempts` times."""
    if n < 1:
        raise InvalidInput("-n", n, "use at least 1 researcher")
    k = needed_of(needs, n)
    fails = world.failure_rate
    lost = fails**attempts
    tries = sum(fails**i for i in range(attempts))
    found = bogus = weighted = answered = cost = broken = 0.0
    survivors = binomial(n, 1 - lost)
    plan_ok = 1 - lost
    broken += lost * (n + 3)  # the plan failed: everything after it is skipped
    cost += PLAN * tries + plan_ok * n * RESEARCH * tries
    for m, probability in enumerate(survivors):
        here = plan_ok * probability
        if not here:
            continue
        broken += here * (n - m)
        if m < k:
            broken += here * 2
            continue
        cost += here * CRITIQUE * tries
        broken += here * lost * 2
        critic_ok = here * (1 - lost)
        cost += critic_ok * EDIT * tries
        broken += critic_ok * lost
        written = critic_ok * (1 - lost)
        f, b, w, a = _answer(world, m)
        found, bogus = found + written * f, bogus + written * b
        weighted, answered = weighted + written * w, answered + written * a
    return Expected(found, bogus, weighted / answered if answered > 0 else None, cost, broken)


def exact_solo(world: World, attempts: int = ATTEMPTS) -> Expected:
    """One agent alone: one task of 4, no critic."""
    fails = world.failure_rate
    lost = fails**attempts
    f, b, w, a = _answer(world, 1, criticised=False)
    ok = 1 - lost
    cost = SOLO * sum(fails**i for i in range(attempts))
    return Expected(ok * f, ok * b, w / a if ok * a > 0 else None, cost, lost)


def break_even(world: World, n: int = 4, by: str = "mean") -> float | None:
    """The strictness at which crew and one agent are equally precise; None when they never are.

    `by="mean"` compares the expected precision of a run, `by="ratio"` found / (found + bogus) of the expectations.
    """

    def gap(strictness: float) -> float:
        crew, solo = exact_crew(world.but(critic_strictness=strictness), n), exact_solo(world)
        if by == "mean":
            return (crew.prec or 0.0) - (solo.prec or 0.0)
        return _ratio(crew) - _ratio(solo)

    return _root(gap, 0.0, 1.0)


def _ratio(expected: Expected) -> float:
    said = expected.found + expected.bogus
    return expected.found / said if said else 0.0


def _root(function: Callable[[float], float], low: float, high: float) -> float | None:
    """Bisection to 1e-9 between two values of opposite sign."""
    at_low, at_high = function(low), function(high)
    if at_low == 0:
        return low
    if at_low * at_high > 0:
        return None
    while high - low > 1e-9:
        middle = (low + high) / 2
        if function(middle) * at_low > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def efficiency_peak(world: World, most: int = 64, needs: str | int = "all") -> tuple[int, float]:
    """The number of researchers with the most facts per cost, and that ratio; of equal ones the smallest crew."""
    ratios = [(n, exact_crew(world, n, needs).found_per_cost) for n in range(1, most + 1)]
    return max(ratios, key=lambda pair: (pair[1], -pair[0]))
