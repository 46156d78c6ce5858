"""Paired differences between two arms, and what may be said of them: crew, one agent, or cannot tell.

The difference is taken question by question, so that hard and easy questions cancel out. Its interval is a bootstrap over
questions, or over topics where questions come in topics (whole topics are drawn, since questions of one are alike). The
plain percentile interval is too narrow for few questions; its ends are moved outwards as far as Student's t is wider than
the normal distribution (T. Hesterberg, What Teachers Should Know About the Bootstrap, The American Statistician 69, 2015).
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, erfc, sqrt
from random import Random
from typing import Literal

from research_crew.core.errors import InvalidInput

Winner = Literal["crew", "one agent", "cannot tell"]

MARGIN = 0.25
"""Facts by which an arm must be better, unless named otherwise."""
RESAMPLES = 2000
LEAST = 8
"""Fewer questions (or topics) than this give no interval."""
Z = 1.959963984540054
"""97.5 % of a normal distribution lie below this many standard deviations."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean of the crew's value less the other arm's, over questions."""

    mean: float
    low: float | None
    """95 % interval; None with fewer than `LEAST` questions or topics."""
    high: float | None
    questions: int
    groups: int
    """Topics, or questions where there are no topics."""
    needed: int | None
    """How many questions would narrow the interval to the margin on either side; None for a margin of 0."""

    def to_json(self) -> dict[str, object]:
        """Plain values."""
        interval = None if self.low is None else [self.low, self.high]
        return {"mean": self.mean, "interval": interval, "questions": self.questions, "needed": self.needed}


@dataclass(frozen=True, slots=True)
class Verdict:
    """Which arm won at equal money, by found less bogus."""

    winner: Winner
    margin: float
    against: Mapping[str, Difference]
    """The crew's difference from each baseline that may spend as much."""

    @property
    def sentence(self) -> str:
        """The verdict in words, with the differences it rests on."""
        parts = [f"{_interval(d)} against {name}" for name, d in self.against.items()]
        text = f"verdict at equal money (found - bogus, margin {self.margin:g}): {self.winner}; {', '.join(parts)}."
        needed = [d.needed for d in self.against.values() if d.needed is not None]
        if self.winner == "cannot tell" and needed and max(needed) > min(d.questions for d in self.against.values()):
            text += f" About {max(needed)} questions would narrow the intervals to the margin."
        return text

    def to_json(self) -> dict[str, object]:
        """Plain values."""
        return {name: difference.to_json() for name, difference in self.against.items()}


def paired(
    crew: Sequence[float], other: Sequence[float], topics: Sequence[Hashable] | None = None, *, margin: float = MARGIN,
    resamples: int = RESAMPLES, seed: int = 0,
) -> Difference:  # fmt: skip
    """The mean paired difference with its 95 % interval. Raises `InvalidInput` when the rows do not pair up."""
    n = len(crew)
    if n != len(other) or n == 0 or (topics is not None and len(topics) != n):
        raise InvalidInput("paired values", f"{n} and {len(other)}", "give one value per question in every arm")
    gaps = [a - b for a, b in zip(crew, other, strict=True)]
    groups: dict[Hashable, tuple[float, int]] = {}
    for place, gap in enumerate(gaps):
        name = place if topics is None else topics[place]
        total, size = groups.get(name, (0.0, 0))
        groups[name] = (total + gap, size + 1)
    sums = list(groups.values())
    middle = sum(gaps) / n
    needed = _needed(sums, middle, n, margin)
    if len(sums) < LEAST:
        return Difference(middle, None, None, n, len(sums), needed)
    means = _resampled(sums, topics is None, resamples, Random(seed))
    tail = erfc(sqrt(len(sums) / (len(sums) - 1)) * student(len(sums) - 1) / sqrt(2)) / 2
    low, high = quantile(means, tail), quantile(means, 1 - tail)
    return Difference(middle, low, high, n, len(sums), needed)


def decide(against: Mapping[str, Difference], margin: float = MARGIN) -> Verdict:
    """`crew` only if every interval lies above the margin, `one agent` if any lies below it on the other side."""
    if isinstance(margin, bool) or not 0 <= margin < float("inf"):
        raise InvalidInput("--margin", margin, "use a number of facts, 0 or more")
    winner: Winner = "cannot tell"
    if against and all(d.low is not None and d.low > margin for d in against.values()):
        winner = "crew"
    elif any(d.high is not None and d.high < -margin for d in against.values()):
        winner = "one agent"
    return Verdict(winner, margin, dict(against))


def _resampled(sums: Sequence[tuple[float, int]], alike: bool, resamples: int, rng: Random) -> list[float]:
    """Sorted means of as many questions (or whole topics), drawn with replacement."""
    count = len(sums)
    if alike:
        values = [total for total, _ in sums]
        return sorted(sum(rng.choices(values, k=count)) / count for _ in range(resamples))
    means = []
    for _ in range(resamples):
        drawn = rng.choices(sums, k=count)
        means.append(sum(total for total, _ in drawn) / sum(size for _, size in drawn))
    return sorted(means)


def _needed(sums: Sequence[tuple[float, int]], middle: float, n: int, margin: float) -> int | None:
    """Questions at which the half width of the interval is the margin, by the spread seen here."""
    count = len(sums)
    if margin <= 0 or count < 2:
        return None
    spread = sum((total - size * middle) ** 2 for total, size in sums) * count / (count - 1) / n**2
    return ceil(spread * n * (Z / margin) ** 2)


def quantile(ordered: Sequence[float], p: float) -> float:
    """A quantile of sorted values, between neighbours by straight line."""
    place = p * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def student(freedom: int) -> float:
    """The 97.5 % point of Student's t for 3 or more degrees of freedom (Abramowitz and Stegun, 26.7.5)."""
    x, v = Z, freedom
    return (
        x + (x**3 + x) / (4 * v) + (5 * x**5 + 16 * x**3 + 3 * x) / (96 * v**2)
        + (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / (384 * v**3)
        + (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / (92160 * v**4)
    )  # fmt: skip


def _interval(d: Difference) -> str:
    if d.low is None or d.high is None:
        return f"{d.mean:+.2f} (too few questions for an interval)"
    return f"{d.mean:+.2f} [{d.low:+.2f}, {d.high:+.2f}]"
