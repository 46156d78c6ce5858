"""Where a function is zero: bisection, for the figures that are solved for instead of read off a grid."""

from collections.abc import Callable


def root(function: Callable[[float], float], low: float, high: float) -> float | None:
    """The zero between two ends of opposite sign, to 1e-9; None when the signs are equal."""
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
