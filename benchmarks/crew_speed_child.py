"""One measured system of `crew_speed.py`, in a process of its own; prints one line of JSON.

Systems: `bare` and `bare-crew`, asyncio and aiohttp and nothing else; `declared`, the crew of the table of marks (plan,
four researchers with a search and two model calls each, critic, editor) as a graph of `core.runner` with this file's own
agent on the metered tools; `crew`, the product as it comes (two search rounds, critic, writer, citer).
"""

import argparse
import asyncio
import json
import resource
import sys
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

QUESTION = "What does the grey heron eat, and how many nests did the colonies have, and where does it winter, and how tall is it?"
QUERY = "grey heron"
RESEARCHERS = 4


FIRST: list[float] = []
"""Seconds of CPU that the process had used when its first model call was answered: all imports are behind it."""


OPEN: list[Any] = []
"""Sessions to close at the end."""


class Watch:
    """What watches a run: keeps every event."""

    def __init__(self) -> None:
        self.events: list[Any] = []

    def append(self, event: Any) -> None:
        """The next event."""
        if not FIRST and event.kind == "call-ended" and event.data["kind"] == "model":
            FIRST.append(cpu())
        self.events.append(event)


def cpu() -> float:
    """Seconds of CPU that this process has used."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def bare(port: int, prompt: str, rounds: int, ending: int) -> Callable[[], Awaitable[object]]:
    """The calls alone: a plan, `rounds` of researchers' calls, and `ending` calls one after the other."""
    import aiohttp

    session: list[aiohttp.ClientSession] = []
    body = {"model": "m", "messages": [{"role": "user", "content": prompt}], "max_tokens": 200}

    async def ask() -> str:
        url = f"http://127.0.0.1:{port}/openai/v1/chat/completions"
        async with session[0].post(url, json=body) as answer:
            said = str(json.loads(await answer.read())["choices"][0]["message"]["content"])
        if not FIRST:
            FIRST.append(cpu())
        return said

    async def search() -> int:
        wanted = {"query": QUERY, "numResults": 10}
        async with session[0].post(f"http://127.0.0.1:{port}/exa/search", json=wanted) as answer:
            return len(json.loads(await answer.read())["results"])

    async def researcher() -> None:
        await search()
        await ask()
        if rounds > 1:
            await search()
        await ask()

    async def one() -> None:
        if not session:
            session.append(aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)))
            OPEN.append(session[0])
        await ask()
        await asyncio.gather(*(researcher() for _ in range(RESEARCHERS)))
        for _ in range(ending):
            await ask()

    return one


def crew(port: int, vendor: str) -> Callable[[], Awaitable[object]]:
    """The product, with ledger, events and evidence checks on."""
    from research_crew import Crew

    made = Crew(**_options(port, vendor), researchers=RESEARCHERS, keys=_keys(vendor))
    seen = Watch()

    async def one() -> None:
        result = await made.arun(QUESTION, 5, on_event=seen.append)
        calls = sum(e.kind == "model" for e in result.ledger), sum(e.kind == "search" for e in result.ledger)
        if (result.status, calls) != ("complete", (4 * 2 + 4, 8)) or len(result.report.claims) < 4:  # type: ignore[union-attr]
            raise SystemExit(f"not the run that is measured: {result.status}, {calls}, {result.degraded}, {result.warnings}")

    return one


def declared(port: int, vendor: str) -> Callable[[], Awaitable[object]]:
    """The crew of the table of marks, on the same doors: 11 model calls, 4 searches."""
    from research_crew import research_crew
    from research_crew.agents.toolbox import Tariff, Toolbox
    from research_crew.backends import open_backends
    from research_crew.core.books import Books
    from research_crew.core.budget import Budget
    from research_crew.core.graph import Task, TaskGraph
    from research_crew.core.runner import Runner
    from research_crew.evidence.claim import Claim
    from research_crew.settings import load

    settings = load(_options(port, vendor)).settings
    graph = TaskGraph([Task(t.id, t.role, depends_on=t.depends_on) for t in research_crew(QUESTION, RESEARCHERS)])
    seen = Watch()

    async def agent(task: Task, ctx: Any) -> object:
        if task.role != "researcher":
            return await ctx.ask(f"{task.id}: {QUESTION} {'. '.join(map(str, ctx.results.values()))}", step="ask")
        hits = await ctx.search(QUERY, step="search")
        page = hits.pages[0]
        text = (await ctx.read(page.number, step="read")).text
        await ctx.ask(f"{task.id}: what to look for in {text}", step="look")
        await ctx.ask(f"{task.id}: report on {text}", step="report")
        quote = text.partition(".")[0] + "."
        return [claim.text for claim in ctx.register([Claim(quote, quote, page.number)])]

    def now() -> datetime:
        return datetime.now(UTC)

    async def one() -> None:
        backends = await open_backends(settings, _keys(vendor), QUESTION, now=now)
        try:
            assert backends.hired is not None
            budget = Budget("5", "USD")
            box: list[Toolbox] = []
            runner = Runner(graph, agent, budget, tools=lambda scope: box[0](scope), on_event=seen.append)
            box.append(Toolbox(backends.reach, runner.books, Tariff(None), now))
            box[0].make_ask = backends.hired.team.bind
            result = await runner.run()
        finally:
            await backends.close()
        assert isinstance(result.books, Books)
        if (result.status, result.bill.tries, result.books.claims.counts()["kept"]) != ("complete", 15, RESEARCHERS):
            raise SystemExit(f"not the run that is measured: {[(r.id, r.state, r.reason) for r in result.results]}")

    return one


def _options(port: int, vendor: str) -> dict[str, Any]:
    root = f"http://127.0.0.1:{port}"
    base = f"{root}/swarms" if vendor == "swarms" else f"{root}/openai/v1"
    lead, worker = f"{vendor}:gpt-5.5", f"{vendor}:gpt-5.4-mini"
    return {"lead": lead, "worker": worker, "search": "exa", "base_urls": f"{vendor}={base},exa={root}/exa"}


def _keys(vendor: str) -> dict[str, Any]:
    from research_crew.core.secret import Secret

    return {vendor: Secret("key-of-the-benchmark"), "exa": Secret("key-of-the-benchmark")}


async def measure(one: Callable[[], Awaitable[object]], runs: int, at_once: int) -> dict[str, float]:
    """Warm up with one run when there are several; then so many at once, each place taking the next when it is free."""
    if runs > 1:
        await one()
    left = iter(range(runs))
    first, wall = cpu(), time.perf_counter()

    async def place() -> None:
        for _ in left:
            await one()

    await asyncio.gather(*(place() for _ in range(min(at_once, runs))))
    ended, wall, used = time.monotonic(), time.perf_counter() - wall, cpu() - first
    for session in OPEN:
        await session.close()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "ended": ended, "cpu_ms": 1000 * used / runs, "runs_s": runs / wall, "rss": peak, "start_cpu": FIRST[0],
    }  # fmt: skip


def main() -> None:
    """Measure one system, print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("system", choices=["bare", "bare-crew", "declared", "crew"])
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--vendor", default="openai")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--at-once", type=int, default=1)
    parser.add_argument("--profile", metavar="FILE", help="write a profile of the measured runs")
    options = parser.parse_args()
    prompt = "What limits the write throughput of a log-structured store? " * 20
    if options.system.startswith("bare"):
        crewlike = options.system == "bare-crew"
        one = bare(options.port, prompt, 2 if crewlike else 1, 3 if crewlike else 2)
    else:
        if options.at_once > 1:
            from research_crew.search.exa import Exa

            Exa.interval = 0.0  # the stub has no rate limit
        one = (declared if options.system == "declared" else crew)(options.port, options.vendor)
    if options.profile:
        import cProfile

        profile = cProfile.Profile(time.process_time)
        profile.enable()
    figures = asyncio.run(measure(one, options.runs, options.at_once))
    if options.profile:
        profile.disable()
        profile.dump_stats(options.profile)
    json.dump(figures, sys.stdout)


if __name__ == "__main__":
    main()
