"""The scripted world drawn by the real runner against its closed forms, for every row of the reference tables.

    python benchmarks/agreement.py [--seeds 2000]

Prints the distance of each mean from its expectation in standard errors; the largest should be near what chance alone
gives for so many cells (about 3.3 for 300).
"""

import argparse

from research_crew import World
from research_crew.measure.exact import Expected, exact_crew, exact_solo
from research_crew.measure.exact_equal import exact_solo_equal, exact_union_equal
from research_crew.measure.moments import COLUMNS, Moments, moments
from research_crew.measure.runs import crew_rows, solo_equal_rows, solo_rows, union_equal_rows

REFERENCE = [(4, 0.0), (4, 0.3), (4, 0.5), (4, 0.7), (4, 1.0), (1, 0.5), (2, 0.5), (3, 0.5), (8, 0.5), (16, 0.5)]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    arguments = parser.parse_args()
    seeds = range(arguments.first, arguments.first + arguments.seeds)
    print(f"{'arm':<6} {'n':>3} {'s':>4} {'failures':>8} {'needs':>5}   " + "  ".join(f"{c:>7}" for c in COLUMNS))
    every: list[float] = []
    for n, strictness in REFERENCE:
        world = World(critic_strictness=strictness)
        every += line("crew", n, world, "all", moments(crew_rows(world, seeds, n)), exact_crew(world, n))
    for rate in (0.1, 0.2, 0.3, 0.4, 0.5):
        world = World(failure_rate=rate)
        for needs in ("all", "any"):
            every += line("crew", 4, world, needs, moments(crew_rows(world, seeds, 4, needs)), exact_crew(world, 4, needs))
    for rate in (0.0, 0.2, 0.5):
        world = World(failure_rate=rate)
        bills = [row.cost for row in crew_rows(world, seeds)]
        again = moments(solo_equal_rows(world, seeds, bills))
        every += line("solo=", 4, world, "all", again, exact_solo_equal(world))
        every += line("union=", 4, world, "all", moments(union_equal_rows(world, seeds, bills)), exact_union_equal(world))
        every += line("solo", 1, world, "-", moments(solo_rows(world, seeds)), exact_solo(world))
    print(f"largest of {len(every)}: {max(every):.2f} standard errors; above 2: {sum(z > 2 for z in every) / len(every):.1%}")


def line(arm: str, n: int, world: World, needs: str, drawn: Moments, exact: Expected) -> list[float]:
    """Print one row and return its distances."""
    distances = []
    cells = []
    for column in COLUMNS:
        mean, expected = getattr(drawn, column), getattr(exact, column)
        if mean.error == 0:
            assert abs(mean.value - expected) < 1e-9, (column, mean, expected)
            cells.append(f"{'exact':>7}")
            continue
        distances.append(abs(mean.value - expected) / mean.error)
        cells.append(f"{distances[-1]:>7.2f}")
    dials = f"{n:>3} {world.critic_strictness:>4.1f} {world.failure_rate:>8.1f} {needs:>5}"
    print(f"{arm:<6} {dials}   " + "  ".join(cells), flush=True)
    return distances


if __name__ == "__main__":
    main()
