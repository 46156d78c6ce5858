"""What the scripted inspiration published of its own generator, over 60 seeds, to stand beside ours; never tuned to.

Its generator draws other numbers, so ours lie some standard errors away (up to 2.7); the tables print how many.
"""

from dataclasses import dataclass

SEEDS = 60


@dataclass(frozen=True, slots=True)
class Figures:
    """One published row; None where nothing was published."""

    found: float | None = None
    bogus: float | None = None
    prec: float | None = None
    cost: float | None = None
    fails: float | None = None


CREW = Figures(9.50, 4.55, 0.69, 18.0)
SOLO = Figures(4.50, 1.65, 0.74, 4.0)
STRICTNESS = {
    0.0: Figures(10.28, 6.33, 0.628), 0.3: Figures(9.50, 4.55, 0.685), 0.5: Figures(8.98, 3.58, 0.724),
    0.7: Figures(8.35, 2.47, 0.778), 1.0: Figures(7.62, 0.70, 0.920),
}  # fmt: skip
RESEARCHERS: dict[float, Figures] = {
    1: Figures(3.95, None, 0.842), 2: Figures(6.35, None, 0.794), 4: Figures(8.98, None, 0.724),
    8: Figures(10.22, None, 0.589), 16: Figures(10.30, None, 0.397),
}  # fmt: skip
BREAK_EVEN = 0.56
PEAK = 2
FAILURE_RATE = 0.2
CREW_FAILS = 0.53
SOLO_FAILS = 0.05
