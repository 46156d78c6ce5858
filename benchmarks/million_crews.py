"""Fully drawn crews a second on one core, by numpy, and their distance from the closed forms.

    python benchmarks/million_crews.py [--crews 1000000]

Fully drawn: every recall, invention, verdict and failed attempt of every crew is drawn on its own. The aim is 1,000,000
crews of 4 a second. Needs numpy (the extra `sim`).
"""

import argparse
import time

from research_crew import World
from research_crew.measure.exact import exact_crew
from research_crew.measure.moments import COLUMNS
from research_crew.measure.sample import sample_crews


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--crews", type=int, default=1_000_000)
    arguments = parser.parse_args()
    sample_crews(World(), 10_000)
    print(f"{'n':>3} {'failures':>8} {'needs':>5} {'CPU s':>6} {'crews/s':>11}   distance in standard errors")
    print(" " * 38 + "  ".join(f"{c:>6}" for c in COLUMNS))
    for n, failures, needs in ((4, 0.0, "all"), (4, 0.2, "all"), (4, 0.2, "any"), (1, 0.0, "all"), (16, 0.0, "all"), (16, 0.2, "any")):
        world = World(failure_rate=failures)
        began = time.process_time()
        drawn = sample_crews(world, arguments.crews, n, needs, seed=n)
        took = time.process_time() - began
        means, exact = drawn.moments, exact_crew(world, n, needs)
        cells = []
        for column in COLUMNS:
            mean = getattr(means, column)
            far = (mean.value - getattr(exact, column)) / mean.error if mean.error else 0.0
            cells.append(f"{far:>6.2f}" if mean.error else f"{'exact':>6}")
        print(f"{n:>3} {failures:>8.1f} {needs:>5} {took:>6.2f} {arguments.crews / took:>11,.0f}  " + "  ".join(cells), flush=True)


if __name__ == "__main__":
    main()
