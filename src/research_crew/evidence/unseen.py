"""How much was never found: estimators of the unseen, and when they must not be used.

K replicated researchers (same brief, independent) each report a set of verified, de-duplicated facts. With S facts found
at all, Q1 by exactly one and Q2 by exactly two of them, the bias-corrected Chao2 estimator (Chao 1987; Colwell, EstimateS,
appendix B) is the lower bound

    S + ((K - 1) / K) Q1 (Q1 - 1) / (2 (Q2 + 1))

with a log-normal 95 % interval. Two arms give Chapman's estimator (Chapman 1951), always "at least". Unverified or
repeated facts look like undiscovered truth: estimate after verification only.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt

LEAST_REPLICATES = 3
SURE_REPLICATES = 4
LEAST_FACTS = 5
_Z = 1.96


@dataclass(frozen=True, slots=True)
class NotEstimable:
    """There is no number, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Unseen:
    """An estimate of how many facts there are."""

    found: int
    total: float
    """Found and unseen together, as estimated."""
    low: float | None
    """95 % interval; None where there is none (no fact was found by one alone)."""
    high: float | None
    replicates: int
    once: int
    """Facts found by exactly one."""
    twice: int
    """Facts found by exactly two."""
    at_least: bool
    """Whether it has to be read as "at least"."""

    @property
    def missing(self) -> float:
        """How many were not found, as estimated."""
        return self.total - self.found

    @property
    def completeness(self) -> float:
        """The share that was found."""
        return self.found / self.total if self.total else 1.0


def chao2(samples: Sequence[Iterable[Hashable]], *, replicated: bool = True) -> Unseen | NotEstimable:
    """The estimate from K researchers' facts; `replicated` False for divided briefs, which are no replicates."""
    if not replicated:
        return NotEstimable("researchers with divided briefs are no replicates: use a random overlap of their briefs")
    k = len(samples)
    if k < LEAST_REPLICATES:
        return NotEstimable(f"{k} replicate(s); at least {LEAST_REPLICATES} are needed")
    counts = Counter(fact for sample in samples for fact in set(sample))
    found = len(counts)
    if found < LEAST_FACTS:
        return NotEstimable(f"{found} distinct fact(s); at least {LEAST_FACTS} are needed")
    once = sum(n == 1 for n in counts.values())
    twice = sum(n == 2 for n in counts.values())
    share = (k - 1) / k
    unseen = share * once * (once - 1) / (2 * (twice + 1))
    at_least = k < SURE_REPLICATES
    if once == 0:
        return Unseen(found, float(found), None, None, k, once, twice, at_least)
    low, high = _interval(found, unseen, _variance(share, once, twice, found + unseen))
    return Unseen(found, found + unseen, low, high, k, once, twice, at_least)


def _variance(share: float, once: int, twice: int, total: float) -> float:
    """Variance of the bias-corrected Chao2 (EstimateS, equations 8 and 9)."""
    first = share * once * (once - 1)
    second = share**2 * once * (2 * once - 1) ** 2
    if twice:
        third = share**2 * once**2 * twice * (once - 1) ** 2 / (4 * (twice + 1) ** 4)
        return first / (2 * (twice + 1)) + second / (4 * (twice + 1) ** 2) + third
    return max(0.0, first / 2 + second / 4 - share**2 * once**4 / (4 * total))


def _interval(found: int, unseen: float, variance: float) -> tuple[float, float]:
    """Log-normal around the unseen part (Chao 1987): never below what was found."""
    if unseen <= 0:
        return float(found), float(found)
    spread = exp(_Z * sqrt(log(1 + variance / unseen**2)))
    return found + unseen / spread, found + unseen * spread


def chapman(first: Iterable[Hashable], second: Iterable[Hashable]) -> Unseen | NotEstimable:
    """Two arms (crew and one agent) as capture and recapture; always "at least"."""
    a, b = set(first), set(second)
    both, found = len(a & b), len(a | b)
    if found < LEAST_FACTS:
        return NotEstimable(f"{found} distinct fact(s); at least {LEAST_FACTS} are needed")
    if both == 0:
        return NotEstimable("no fact was found by both arms, so nothing says how many there are")
    n, m = len(a), len(b)
    total = (n + 1) * (m + 1) / (both + 1) - 1
    variance = (n + 1) * (m + 1) * (n - both) * (m - both) / ((both + 1) ** 2 * (both + 2))
    low, high = _interval(found, max(0.0, total - found), variance)
    return Unseen(found, max(total, found), low, high, 2, found - both, both, True)


def expected_new(estimate: Unseen, more: int = 1) -> float:
    """How many new facts the next `more` researchers are expected to bring: right on average, not per question.

    f0 (1 - (1 - Q1 / (K f0 + Q1))^t), Shen, Chao and Lin 2003.
    """
    if estimate.missing <= 0 or more <= 0:
        return 0.0
    rate = estimate.once / (estimate.replicates * estimate.missing + estimate.once)
    return estimate.missing * (1 - (1 - rate) ** more)


def pooled_new(estimates: Iterable[Unseen | NotEstimable], more: int = 1) -> float | None:
    """The mean over questions of what the next researchers bring; None when no question has an estimate."""
    values = [expected_new(e, more) for e in estimates if isinstance(e, Unseen)]
    return sum(values) / len(values) if values else None
