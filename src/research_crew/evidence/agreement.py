"""When a claim's number is the source's number: equal, converted to another unit, or fairly rounded."""

from research_crew.evidence.quantities import Quantity
from research_crew.evidence.units import Unit

_LOOSE = 0.05
"""Most that a number marked as vague, or converted, may be away from the one it stands for."""
_TIGHT = 0.007
"""Most that a plain number may be away by rounding."""


def agree(claimed: Quantity, stated: Quantity) -> bool:
    """Whether a claim may say `claimed` where the source says `stated`."""
    factor = _conversion(claimed.unit, stated.unit)
    if factor is None:
        return False
    return any(
        abs(a - b * factor) <= 1e-9 * max(abs(a), abs(b)) or _rounded(a, b * factor, claimed, stated, factor != 1.0)
        for a in claimed.values
        for b in stated.values
    )


def _conversion(claimed: Unit | None, stated: Unit | None) -> float | None:
    """How many of the claim's units one of the source's is; None if the two measure different things.

    A number without a unit may stand for one with a unit, except for shares: 5 is not 5 %.
    """
    if claimed is None or stated is None:
        other = claimed or stated
        return None if other is not None and other.dimension in ("ratio", "points") else 1.0
    if claimed == stated:
        return 1.0
    if claimed.dimension != stated.dimension or not (claimed.factor and stated.factor):
        return None
    return stated.factor / claimed.factor


def _rounded(claimed: float, stated: float, q: Quantity, s: Quantity, converted: bool) -> bool:
    """Whether rounding `stated` to the places that were written gives `claimed`.

    A bare whole number that may be a year is never rounded. A vague statement in the source ("two thirds") covers a
    claim near it as a vague claim covers an exact statement.
    """
    if stated == 0 or claimed == 0 or q.year_like:
        return False
    away = abs(claimed - stated) / abs(stated)
    vague = q.about or converted or (s.about and s.spelled)
    if away > (_LOOSE if vague else _TIGHT):
        return False
    if vague and away <= 0.02:
        return True
    step = q.step
    while claimed % (step * 10) == 0 and step * 10 <= claimed:
        step *= 10
    fractional = stated != int(stated) or step >= 100
    return fractional and abs(claimed - stated) <= step / 2 * (1 + 1e-9)
