"""20 chains of 10 tasks with Pareto (1.5) durations: wall time against the lower bound, and against waiting in waves.

    python benchmarks/chains.py [--seeds 20] [--seconds 1.0]

The lower bound of a run is its longest chain: no order of starting can be faster. `waves` is what the same durations
take if every task waits for the whole wave before it, without any overhead: the sum of the longest of each wave. Each
seed's durations are scaled so that its longest chain takes about `--seconds`. Marks: within 2 % + 20 ms of the bound
for every seed, and on average at least 1.5 times faster than in waves.
"""

import argparse
import asyncio
import statistics
from random import Random

from research_crew import Context, Task, TaskGraph, arun

CHAINS, LENGTH = 20, 10


def durations(seed: int, seconds: float) -> list[list[float]]:
    """Seconds of each task of each chain, the longest chain taking about `seconds`."""
    rng = Random(seed)
    drawn = [[rng.paretovariate(1.5) for _ in range(LENGTH)] for _ in range(CHAINS)]
    scale = seconds / max(map(sum, drawn))
    return [[duration * scale for duration in chain] for chain in drawn]


async def once(chains: list[list[float]], concurrency: int) -> tuple[float, float]:
    """Wall seconds of the run, and its longest chain as the runner measured it."""
    tasks = [
        Task(f"{c}/{n}", "r", 1, depends_on=(f"{c}/{n - 1}",) if n else (), brief=chains[c][n])
        for n in range(LENGTH)
        for c in range(CHAINS)
    ]

    async def agent(task: Task, ctx: Context) -> None:  # noqa: ARG001
        assert isinstance(task.brief, float)
        await asyncio.sleep(task.brief)

    result = await arun(TaskGraph(tasks), agent, 10_000, concurrency=concurrency)
    assert result.status == "complete"
    return result.wall_s, result.critical_path_s


def main() -> None:
    """Print the table; exit 1 when a mark is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--concurrency", type=int, default=20)
    arguments = parser.parse_args()
    print("seed   bound s    wall s   above the bound   waves s   waves / wall")
    factors, missed = [], 0
    for seed in range(arguments.seeds):
        chains = durations(seed, arguments.seconds)
        bound = max(map(sum, chains))
        waves = sum(max(chain[n] for chain in chains) for n in range(LENGTH))
        wall, _ = asyncio.run(once(chains, arguments.concurrency))
        factors.append(waves / wall)
        late = wall > bound * 1.02 + 0.020
        missed += late
        above = f"{(wall - bound) * 1000:7.1f} ms{'  LATE' if late else ''}"
        print(f"{seed:4}{bound:10.3f}{wall:10.3f}{above:>18}{waves:10.3f}{factors[-1]:15.2f}", flush=True)
    mean = statistics.mean(factors)
    print(f"{missed} of {arguments.seeds} later than the bound + 2 % + 20 ms; {mean:.2f} times faster than in waves")
    raise SystemExit(1 if missed or mean < 1.5 else 0)


if __name__ == "__main__":
    main()
