"""What the runner itself costs: crews of tasks that do nothing, in microseconds a task.

    python benchmarks/runner_overhead.py [--crews 600] [--runs 5] [--profile]

An async agent that returns at once, so that all of the time is graph, account, ledger, books and loop. CPU time of one
core, median of some runs; the crews are built beforehand, unless the line says otherwise. The published mark: 600 crews
of 4 researchers in 0.16 s, on another machine. `bare asyncio` does the same waits with nothing but tasks and gather.
"""

import argparse
import asyncio
import cProfile
import pstats
import statistics
import time
from collections.abc import Awaitable, Callable
from decimal import Decimal

from research_crew import Context, Task, TaskGraph, arun, research_crew
from research_crew.core.events import Event
from research_crew.core.meter import Call, Receipt
from research_crew.core.money import Usage

USAGE = Usage(input=100, output=10)


async def nothing(task: Task, ctx: Context) -> str:  # noqa: ARG001
    """Returns at once."""
    return "text"


def plain(task: Task, ctx: Context) -> str:  # noqa: ARG001
    """Returns at once, from a thread."""
    return "text"


async def buys(task: Task, ctx: Context) -> object:  # noqa: ARG001
    """One metered call, answered at once."""

    async def send() -> Receipt:
        return Receipt("text", USAGE, Decimal("0.5"))

    return await ctx.meter.buy(Call("ask", "model", "fake", "m", "h", Decimal(1)), send)


async def one_by_one(graphs: list[TaskGraph], agent: Callable[..., object], **options: object) -> None:
    """One run after the other."""
    for graph in graphs:
        await arun(graph, agent, 1_000_000, **options)


async def side_by_side(graphs: list[TaskGraph], agent: Callable[..., object], **options: object) -> None:
    """All of them at once."""
    await asyncio.gather(*(arun(graph, agent, 1_000_000, **options) for graph in graphs))


async def bare(graphs: list[TaskGraph]) -> None:
    """The waits of a crew with asyncio alone: what no runner can go below."""

    async def work() -> str:
        return "text"

    for graph in graphs:
        for wave in graph.waves():
            await asyncio.gather(*(work() for _ in wave))


def watch(event: Event) -> None:
    """Looks at nothing."""


def main() -> None:
    """Print the table, or a profile of its first line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--crews", type=int, default=600)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--profile", action="store_true")
    arguments = parser.parse_args()
    crews = [research_crew("q", 4) for _ in range(arguments.crews)]
    few = crews[: max(1, arguments.crews // 10)]
    wide = [research_crew("q", 1000)]
    chain = [TaskGraph(Task(f"t{i}", "r", 1, depends_on=(f"t{i - 1}",) if i else ()) for i in range(1000))]
    unpriced = [TaskGraph([Task(t.id, t.role, depends_on=t.depends_on) for t in crew]) for crew in crews]

    async def building() -> None:
        await one_by_one([research_crew("q", 4) for _ in range(arguments.crews)], nothing)

    lines: list[tuple[str, list[TaskGraph], Callable[[], Awaitable[None]]]] = [
        ("crews of 4, one by one", crews, lambda: one_by_one(crews, nothing)),
        ("the same, built as well", crews, building),
        ("all at once", crews, lambda: side_by_side(crews, nothing)),
        ("with a watcher", crews, lambda: one_by_one(crews, nothing, on_event=watch)),
        ("plain, inline", crews, lambda: one_by_one(crews, plain, inline=True)),
        ("plain, in threads", few, lambda: one_by_one(few, plain)),
        ("one metered call a task", unpriced, lambda: one_by_one(unpriced, buys)),
        ("1,000 researchers", wide, lambda: one_by_one(wide, nothing)),
        ("a chain of 1,000", chain, lambda: one_by_one(chain, nothing)),
        ("bare asyncio", crews, lambda: bare(crews)),
    ]
    if arguments.profile:
        with cProfile.Profile() as profile:
            asyncio.run(one_by_one(crews, nothing))
        pstats.Stats(profile).sort_stats("tottime").print_stats(35)
        return
    print("                             runs     tasks     CPU s   us a task   us a run")
    for name, graphs, work in lines:
        times = [asyncio.run(timed(work)) for _ in range(arguments.runs)]
        seconds, tasks = statistics.median(times), sum(map(len, graphs))
        each, run = seconds / tasks * 1e6, seconds / len(graphs) * 1e6
        print(f"{name:24}{len(graphs):9,}{tasks:10,}{seconds:10.3f}{each:12.1f}{run:11.0f}", flush=True)


async def timed(work: Callable[[], Awaitable[None]]) -> float:
    """CPU seconds, with a loop that is warm."""
    began = time.process_time()
    await work()
    return time.process_time() - began


if __name__ == "__main__":
    main()
