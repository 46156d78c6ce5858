"""Means and standard errors of rows of runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from research_crew.measure.runs import Row

COLUMNS = ("found", "bogus", "prec", "cost", "fails")


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean with its standard error; `n` is how many values it is over."""

    value: float
    error: float
    n: int

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval by the normal approximation."""
        return (self.value - 1.96 * self.error, self.value + 1.96 * self.error)


@dataclass(frozen=True, slots=True)
class Moments:
    """The means of one arm over its runs."""

    found: Mean
    bogus: Mean
    prec: Mean
    """Over the runs that reported something; a value of 0 over 0 runs when none did."""
    cost: Mean
    fails: Mean
    found_per_cost: Mean
    """The ratio of the means; its error by the delta method."""


def mean(values: Sequence[float]) -> Mean:
    """Mean and standard error of the mean; an empty list has mean 0 over 0 values."""
    n = len(values)
    if n == 0:
        return Mean(0.0, 0.0, 0)
    middle = sum(values) / n
    spread = sum((v - middle) ** 2 for v in values) / (n - 1) if n > 1 else 0.0
    return Mean(middle, sqrt(spread / n), n)


def moments(rows: Sequence[Row]) -> Moments:
    """The means of every column over the rows."""
    found, cost = mean([r.found for r in rows]), mean([r.cost for r in rows])
    ratio = found.value / cost.value if cost.value else 0.0
    residuals = [(r.found - ratio * r.cost) / cost.value for r in rows] if cost.value else []
    return Moments(
        found, mean([r.bogus for r in rows]), mean([r.prec for r in rows if r.prec is not None]), cost,
        mean([r.fails for r in rows]), Mean(ratio, mean(residuals).error, len(rows)),
    )  # fmt: skip
