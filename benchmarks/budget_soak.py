"""64 workers over 1,000,000 simulated calls: never over, what a reservation costs, how much of a limit is usable.

    python benchmarks/budget_soak.py [--calls 1000000] [--workers 64] [--seed 1]

Each call reserves a worst case, hands the loop on while it is "in flight", and settles for a part of it; one in fifty
is never sent. After every grant and every end the promise is looked at: spent + held + set aside at most the limit,
apart from what was billed above reservations. The microseconds are those of reserve + settle alone: the same loop without an account is subtracted.

roomy    one account that never binds
tight    limits of 40 times the largest hold, one after the other: the workers compete and wait all the time until
         the limit refuses them; `usable` is the smallest share of a limit that was spent
tasks    as tight, with an account and a ceiling for every worker
pots     as tight, with a tenth of the limit set aside, spent by the first worker
billed   as tight, and one call in a hundred is billed half above its reservation
"""

import argparse
import asyncio
import time
from dataclasses import dataclass, field
from random import Random

from research_crew.core.account import Account
from research_crew.core.errors import OverBudget

LARGEST = 1_000_000


@dataclass
class Count:
    """What happened in one scenario."""

    calls: int = 0
    over: int = 0
    waited: int = 0
    usable: list[float] = field(default_factory=list)


def draws(seed: int, above: float, count: int = 1 << 16) -> list[tuple[int, int]]:
    """Worst cases and what the calls cost; -1 for one that is never sent. `above`: how often a bill is too high."""
    rng, found = Random(seed), []
    for _ in range(count):
        worst = rng.randint(LARGEST // 10, LARGEST)
        luck = rng.random()
        cost = -1 if luck < 0.02 else worst * 3 // 2 if luck < 0.02 + above else int(worst * rng.betavariate(2, 3))
        found.append((worst, cost))
    return found


async def work(
    account: Account, pot: str | None, calls: list[tuple[int, int]], start: int, most: int, count: Count
) -> None:
    """One worker: calls until it is refused or has made `most`."""
    root, n = account.line[0], start
    limit = root.limit or 0
    for _ in range(most):
        worst, cost = calls[n & 0xFFFF]
        n += 1
        try:
            hold = account.reserve_now(worst, pot=pot)
            if hold is None:
                count.waited += 1
                hold = await account.reserve(worst, pot=pot)
        except OverBudget:
            return
        count.over += root.spent + root.held + root.aside > limit + root.overrun
        count.calls += 1
        await asyncio.sleep(0)
        if cost < 0:
            hold.release()
        else:
            hold.settle(cost)
        count.over += root.spent > limit + root.overrun


async def without(calls: list[tuple[int, int]], start: int, most: int) -> None:
    """The same loop without an account."""
    n = start
    for _ in range(most):
        _worst, cost = calls[n & 0xFFFF]
        n += 1
        await asyncio.sleep(0)
        if cost < 0:
            pass


async def contest(
    workers: int, calls: list[tuple[int, int]], limit: int, most: int, kind: str, count: Count, at: int
) -> None:
    """All workers on one limit, to its end."""
    run = Account("run", limit)
    accounts = [run] * workers
    if kind == "tasks":
        accounts = [run.child(str(n), limit // 8) for n in range(workers)]
    if kind == "pots":
        run.set_aside("ending", limit // 10)
    await asyncio.gather(
        *(
            work(accounts[n], "ending" if kind == "pots" and n == 0 else None, calls, at + n * 997, most, count)
            for n in range(workers)
        )
    )
    assert run.held == 0 and len(run.queue) == 0
    count.usable.append(run.spent / limit)


async def scenario(kind: str, workers: int, total: int, calls: list[tuple[int, int]]) -> tuple[Count, float]:
    """Counts and CPU seconds."""
    count, began = Count(), time.process_time()
    if kind == "roomy":
        await contest(workers, calls, LARGEST * total, -(-total // workers), kind, count, 0)
    else:
        while count.calls < total:
            await contest(workers, calls, 40 * LARGEST, total, kind, count, count.calls)
    return count, time.process_time() - began


async def empty(workers: int, total: int, calls: list[tuple[int, int]]) -> float:
    """CPU seconds of the loop alone."""
    began = time.process_time()
    await asyncio.gather(*(without(calls, n * 997, -(-total // workers)) for n in range(workers)))
    return time.process_time() - began


def main() -> None:
    """Print the table; exit 1 when a limit was passed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=1_000_000)
    parser.add_argument("--workers", type=int, default=64)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", default="roomy,tight,tasks,pots,billed")
    arguments = parser.parse_args()
    calls = draws(arguments.seed, 0.0)
    alone = asyncio.run(empty(arguments.workers, arguments.calls, calls))
    print(f"{arguments.workers} workers; the loop alone takes {alone / arguments.calls * 1e6:.2f} us a call")
    print("            calls   times over     waited   limits   usable (least)   us per reserve + settle")
    failed = 0
    for kind in arguments.kinds.split(","):
        chosen = draws(arguments.seed, 0.01) if kind == "billed" else calls
        count, seconds = asyncio.run(scenario(kind, arguments.workers, arguments.calls, chosen))
        each = (seconds - alone * count.calls / arguments.calls) / count.calls * 1e6
        usable = "" if kind == "roomy" else f"{min(count.usable):.3f}"
        print(
            f"{kind:6}{count.calls:11,}{count.over:13,}{count.waited:11,}{len(count.usable):9,}{usable:>17}{each:26.2f}"
        )
        failed += count.over
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
