"""What storing a run costs: CPU a call for journal, ledger and events together; and the time to list many runs.

    python benchmarks/store_cost.py [--calls 2000] [--runs 10000] [--durable]

A call is a metered one whose answer is there at once: what is measured is the meter, once with nothing written down
and once in a store (order of answers, hold, journal, ledger entry, two events, in two transactions). CPU is user and
system time of the process. Answers of three sizes: a decision, a page of hits, a long page. `--durable` also measures
commits that wait for the disk, 32 calls at once.
"""

import argparse
import asyncio
import gc
import json
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

from research_crew.core.budget import Budget
from research_crew.core.call import Call, Receipt
from research_crew.core.context import Context
from research_crew.core.events import Event
from research_crew.core.graph import Task, TaskGraph
from research_crew.core.money import Usage
from research_crew.core.order import Order
from research_crew.core.runner import Runner
from research_crew.stores.opening import open_store
from research_crew.stores.records import NewRun

AT = datetime(2026, 1, 1, tzinfo=UTC)
SIZES = {"500 B": 500, "20 kB": 20_000, "100 kB": 100_000}


def answer(size: int) -> dict[str, object]:
    """Hits of about so many bytes of text."""
    text = "The grey heron eats fish, frogs and small mammals. "
    return {"hits": [{"title": f"Page {n}", "text": text * max(1, size // 10 // len(text))} for n in range(10)]}


async def calls(count: int, size: int, at_once: int, folder: Path | None, durable: bool = False) -> tuple[float, float]:
    """CPU and wall seconds of so many calls, in a store or not."""
    value = answer(size)

    async def send() -> Receipt:
        if at_once > 1:
            await asyncio.sleep(0)
        return Receipt(value, Usage(searches=1), Decimal("0.001"))

    async def agent(_: Task, ctx: Context) -> str:
        async def some(first: int) -> None:
            for n in range(first, count, at_once):
                await ctx.meter.buy(Call(f"search-{n}", "search", "exa", "", "hash", Decimal("0.002")), send)

        await asyncio.gather(*(some(first) for first in range(at_once)))
        return "done"

    graph, budget = TaskGraph([Task("t", "researcher")]), Budget(1_000_000, "USD")
    if folder is None:
        runner = Runner(graph, agent, budget, on_event=lambda _: None)
        return await timed(runner)
    with open_store(folder / "runs.sqlite", durable=durable) as store:
        past = await store.create(NewRun("run", "q", "model", "USD", 10**15, AT))
        journal = store.journal("run", past)

        def keep(event: Event) -> None:
            journal.tell(event)

        runner = Runner(
            graph, agent, budget, on_event=keep, journal=journal, order=Order(), fence=past.fence, run_id="run", began=AT
        )
        journal.watch(runner.books)
        return await timed(runner)


async def timed(runner: Runner) -> tuple[float, float]:
    """CPU and wall seconds of a run."""
    gc.collect()
    cpu, wall = time.process_time(), time.perf_counter()
    result = await runner.run()
    assert result.status == "complete", result.results
    return time.process_time() - cpu, time.perf_counter() - wall


def best(count: int, size: int, at_once: int, stored: bool, durable: bool = False) -> tuple[float, float]:
    """The best of three."""
    found = []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            found.append(asyncio.run(calls(count, size, at_once, Path(folder) if stored else None, durable)))
    return min(found)


def many_runs(count: int) -> None:
    """Make a store of so many runs and list it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "runs.sqlite"
        with open_store(file) as store:
            record = {"schema": "research-crew/run/1", "text": "x" * 20_000}

            async def fill() -> None:
                for n in range(count):
                    run = NewRun(f"{n:012x}", f"Question {n} about herons?", "model", "USD", 10**9, AT + timedelta(seconds=n))
                    past = await store.create(replace(run, setup={"settings": "y" * 2_000}))
                    await store.finish(run.id, past.fence, "complete", AT, record)

            asyncio.run(fill())
        size = file.stat().st_size / 2**20
        times = []
        for _ in range(5):
            began, cpu = time.perf_counter(), time.process_time()
            with open_store(file, read_only=True) as store:
                rows = store.read.runs()
            times.append((time.process_time() - cpu, time.perf_counter() - began))
        assert len(rows) == count
        print(f"\n{count} runs, {size:.0f} MB: opened and all listed in {min(times)[0]:.3f} s of CPU ({min(times)[1]:.3f} of wall)")
        for words in (["--help"], ["runs"], ["runs", "--all"], ["runs", "heron", "--last", "50"]):
            where = [] if words == ["--help"] else ["--store", str(file)]
            spent = min(child_cpu([sys.executable, "-m", "research_crew", *words, *where]) for _ in range(3))
            print(f"  research-crew {' '.join(words):<22} {spent:.2f} s of CPU, the start of Python included")


def child_cpu(command: list[str]) -> float:
    """CPU seconds of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--durable", action="store_true")
    options = parser.parse_args()
    print("| answer | at once | CPU a call, nothing stored, ms | stored, ms | so storing costs, ms |\n|---|--:|--:|--:|--:|")
    for name, size in SIZES.items():
        for at_once in (1, 32):
            bare, _ = best(options.calls, size, at_once, stored=False)
            kept, _ = best(options.calls, size, at_once, stored=True)
            each = [1000 * cpu / options.calls for cpu in (bare, kept)]
            print(f"| {name} ({len(json.dumps(answer(size)))} B) | {at_once} | {each[0]:.3f} | {each[1]:.3f} | {each[1] - each[0]:.3f} |")
    if options.durable:
        for at_once in (1, 32):
            cpu, wall = best(options.calls // 4, 20_000, at_once, stored=True, durable=True)
            count = options.calls // 4
            print(f"\ndurable, {at_once} at once: {1000 * cpu / count:.2f} ms of CPU and {1000 * wall / count:.2f} ms of wall a call")
    many_runs(options.runs)


if __name__ == "__main__":
    main()
