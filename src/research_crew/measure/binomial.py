"""Binomial probabilities, stable for any number of trials, and the mean precision of two independent counts."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

_NEGLIGIBLE = 1e-18
"""Outcomes rarer than this change no digit of a double that adds them up."""


@lru_cache(512)
def binomial(n: int, p: float) -> tuple[float, ...]:
    """The probabilities of 0 to n successes.

    By the ratio of neighbours from the likeliest outcome outwards, then scaled to 1: no factorial, so nothing overflows.
    """
    if p <= 0:
        return (1.0, *([0.0] * n))
    if p >= 1:
        return (*([0.0] * n), 1.0)
    odds = p / (1 - p)
    mode = min(n, int((n + 1) * p))
    weights = [0.0] * (n + 1)
    weights[mode] = 1.0
    for k in range(mode, n):
        weights[k + 1] = weights[k] * odds * (n - k) / (k + 1)
    for k in range(mode, 0, -1):
        weights[k - 1] = weights[k] * k / (odds * (n - k + 1))
    total = sum(sorted(weights))
    return tuple(weight / total for weight in weights)


def likely(probabilities: Sequence[float]) -> Iterator[tuple[int, float]]:
    """The outcomes that are not negligible, with their probabilities."""
    return ((k, p) for k, p in enumerate(probabilities) if p > _NEGLIGIBLE)


@lru_cache(512)
def mean_precision(facts: int, true: float, inventions: int, false: float) -> tuple[float, float]:
    """(sum of P x precision over answers with something in them, probability of such an answer)."""
    found, bogus = binomial(facts, true), binomial(inventions, false)
    bogus_likely = tuple(likely(bogus))
    total = sum(pf * sum(pb * f / (f + b) for b, pb in bogus_likely) for f, pf in likely(found) if f)
    return total, 1 - found[0] * bogus[0]
