"""600 scripted crews of 4 through the real graph, runner and ledger, on one core.

    python benchmarks/crews.py [--crews 600] [--runs 5]

The inspiration states 0.16 s for 600 of its crews; the machine differs, so the ratio to a plain loop over the same
draws, measured in the same run, stands beside the seconds.
"""

import argparse
import statistics
import time
from collections.abc import Callable

from research_crew import World
from research_crew.agents.scripted.draws import draw, key
from research_crew.measure.runs import crew_rows


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--crews", type=int, default=600)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    world, seeds = World(critic_strictness=0.3), range(arguments.crews)
    crew_rows(world, range(20))
    real = median(lambda: crew_rows(world, seeds), arguments.runs)
    bare = median(lambda: [draws_alone(seed, 4) for seed in seeds], arguments.runs)
    print(f"{arguments.crews} crews of 4, median of {arguments.runs} runs, CPU seconds of one core")
    print(f"through graph, runner and ledger  {real:.3f} s  ({real / arguments.crews * 1e6:.0f} us a crew)")
    print(f"the same draws in a plain loop    {bare:.3f} s")
    print(f"ratio                             {real / bare:.2f}")


def median(work: Callable[[], object], runs: int) -> float:
    """The median CPU time of some runs."""
    times = []
    for _ in range(runs):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return statistics.median(times)


def draws_alone(seed: int, n: int) -> int:
    """Everything that a crew draws by chance, and nothing else."""
    claims: set[int] = set()
    for i in range(n):
        base = key(seed, f"research:{i}", 1)
        claims.update(j for j in range(12) if draw(base, 1 + j) < 0.35)
        claims.update(12 + i * 12 + j for j in range(12) if draw(base, 13 + j) < 0.15)
    critic = key(seed, "critic", 1)
    return sum(draw(critic, claim) >= (0.075 if claim < 12 else 0.27) for claim in claims)


if __name__ == "__main__":
    main()
