"""A share with its uncertainty, from counts: Wilson's score interval (Wilson 1927), which holds for few trials too."""

from dataclasses import dataclass
from math import sqrt

from research_crew.measure.statistics import Z


@dataclass(frozen=True, slots=True)
class Rate:
    """So many of so many."""

    hits: int
    trials: int

    @property
    def value(self) -> float:
        """The share; 0 of nothing is 0."""
        return self.hits / self.trials if self.trials else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval; all of 0 to 1 without trials."""
        if not self.trials:
            return (0.0, 1.0)
        n, p = self.trials, self.value
        middle, half = p + Z**2 / (2 * n), Z * sqrt(p * (1 - p) / n + Z**2 / (4 * n**2))
        low, high = (middle - half) / (1 + Z**2 / n), (middle + half) / (1 + Z**2 / n)
        return (min(p, max(0.0, low)), max(p, min(1.0, high)))

    def plus(self, other: "Rate") -> "Rate":
        """Both counts together."""
        return Rate(self.hits + other.hits, self.trials + other.trials)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.value:.3f} [{low:.3f}, {high:.3f}] ({self.hits} of {self.trials})"

    def to_json(self) -> dict[str, object]:
        """Plain values."""
        return {"value": self.value, "interval": list(self.interval), "hits": self.hits, "trials": self.trials}
