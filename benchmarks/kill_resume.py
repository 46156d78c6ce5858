"""Runs killed with SIGKILL at random moments and resumed: what is bought again, what is lost, what is overspent.

    python benchmarks/kill_resume.py [--kills 300] [--seed 0] [--at-once 2]

Each run is a crew of at most three researchers with two loops, in a process of its own, against the fake provider over
HTTP; a quarter of the requests fails the first time. A process is killed at a moment drawn between its first request
and a little after the end of an undisturbed run; every fourth run is killed twice. What is run and how it is held
against the provider's own log is `tests/kill_world.py`.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections import Counter
from decimal import Decimal
from pathlib import Path
from random import Random

TESTS = Path(__file__).resolve().parent.parent / "tests"
WORLDS = 12
"""Different scripts of failures and waits; each is run once undisturbed, to compare with."""


async def measure(kills: int, seed: int, at_once: int) -> Counter[str]:
    """Kill so many processes; counts of what came of it."""
    from kill_world import LIMIT, Ended, live, same_report

    seen: Counter[str] = Counter()
    gate = asyncio.Semaphore(at_once)
    whole: dict[int, tuple[Ended, float]] = {}
    for world in range(WORLDS):
        with tempfile.TemporaryDirectory() as folder:
            began = time.monotonic()
            whole[world] = await live(Path(folder), world), time.monotonic() - began
    rng = Random(seed)
    planned = 0
    work: list[tuple[int, tuple[float, ...]]] = []
    while planned < kills:
        times = 2 if len(work) % 4 == 3 and kills - planned > 1 else 1
        world = len(work) % WORLDS
        span = float(whole[world][0].record["timing"]["wall_s"])
        work.append((world, tuple(rng.uniform(0.0, span * 1.05) for _ in range(times))))
        planned += times

    async def one(world: int, delays: tuple[float, ...]) -> None:
        async with gate:
            with tempfile.TemporaryDirectory() as folder:
                ended = await live(Path(folder), world, delays)
        bill = Decimal(ended.record["bill"]["spent"])
        seen["runs"] += 1
        seen["killed while it ran"] += ended.kills
        seen["too late to kill"] += len(delays) - ended.kills
        seen["finished calls at the kill"] += ended.finished_before
        seen["requests"] += ended.requests
        seen["finished calls bought again"] += ended.bought_again
        seen["ledger entries lost"] += ended.lost
        seen["overspent"] += bill > Decimal(LIMIT) or ended.record["bill"]["overrun"] != "0"
        seen["charged less than billed"] += bill < ended.billed
        seen["another report"] += not same_report(ended.record, whole[world][0].record)
        seen["another status"] += ended.record["status"] != whole[world][0].record["status"]
        seen["report equal to the letter"] += ended.record["report"] == whole[world][0].record["report"]

    async with asyncio.TaskGroup() as group:
        for world, delays in work:
            group.create_task(one(world, delays))
    return seen


def main() -> int:
    """Print the counts; exit 1 when a promise was broken."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--at-once", type=int, default=2)
    options = parser.parse_args()
    sys.path[:0] = [str(TESTS), str(TESTS / "agents")]
    began = time.monotonic()
    seen = asyncio.run(measure(options.kills, options.seed, options.at_once))
    for what, count in seen.items():
        print(f"{what:<30} {count}")
    print(f"{'wall, s':<30} {time.monotonic() - began:.0f}")
    broken = ("finished calls bought again", "ledger entries lost", "overspent", "charged less than billed", "another report")
    return int(any(seen[what] for what in broken))


if __name__ == "__main__":
    sys.exit(main())
