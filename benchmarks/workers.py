"""Many questions on several workers: killed at random, one account, and how the rate grows with the workers.

    python benchmarks/workers.py [--questions 200] [--workers 3] [--kills 10] [--every 4] [--speed 60] [--at-once-runs 500]

A real Postgres server, worker processes, and the fake provider (loopback, 500 ms a model call) whose own log is what
everything is held against. Part one kills workers with SIGKILL, one every few seconds, each replaced at once. Part two
answers the same questions with one worker and with two. Part three drives many runs in one process.
"""

import argparse
import asyncio
import contextlib
import json
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parent.parent / "tests"), str(Path(__file__).resolve().parent.parent / "tests" / "agents")]

from brains import honest  # noqa: E402

from postgres_server import new_database  # noqa: E402
from research_crew.core.money import USD, Price  # noqa: E402
from research_crew.models.fake_server import FakeServer  # noqa: E402

PRICE = Price(USD, Decimal(2), Decimal(10), cached_read=Decimal("0.5"))
LATENCY = 0.5
CLI = [sys.executable, "-m", "research_crew"]
Process = asyncio.subprocess.Process


def write_inputs(folder: Path, count: int) -> tuple[Path, Path]:
    """A folder of documents and a file of questions about them."""
    docs, file = folder / "docs", folder / "questions.jsonl"
    docs.mkdir()
    for n in range(count):
        text = f"# Bird {n}\n\nThe bird{n} eats fish of kind {n}. Colony {n} of the bird{n} had {n + 20} nests in 2023.\n"
        (docs / f"bird{n}.md").write_text(text)
    lines = [json.dumps({"id": f"b{n}", "question": f"What does the bird{n} eat?"}) for n in range(count)]
    file.write_text("\n".join(lines) + "\n")
    return docs, file


def environment(folder: Path, server: FakeServer) -> dict[str, str]:
    """What the processes see: a key for the fake, a home of their own."""
    import os

    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return kept | {
        "HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache"), "XDG_DATA_HOME": str(folder / "data"),
        "SWARMS_API_KEY": "key-of-the-benchmark", "RESEARCH_CREW_BASE_URLS": f"swarms={server.base('swarms')}",
    }  # fmt: skip


async def start(words: list[str], env: dict[str, str], quiet: bool = True) -> Process:
    out = asyncio.subprocess.DEVNULL if quiet else None
    return await asyncio.create_subprocess_exec(*CLI, *words, env=env, stdout=out, stderr=out)


async def batch(
    folder: Path, file: Path, docs: Path, env: dict[str, str], url: str | None, total: str, at_once: int = 8
) -> tuple[float, list[dict[str, Any]]]:
    """One batch to its end; seconds and rows."""
    target = folder / f"results-{time.monotonic_ns()}.jsonl"
    words = ["batch", str(file), "--docs", str(docs), "--to", str(target), "--budget-each", "0.5", "--budget-total", total, "--quiet"]
    words += ["--database", url, "--batch-name", target.stem] if url else ["--at-once", str(at_once)]
    began = time.monotonic()
    process = await start(words, env)
    await process.wait()
    return time.monotonic() - began, [json.loads(line) for line in target.read_text().splitlines()]


async def end(running: list[Process], killer: "asyncio.Task[None] | None" = None) -> None:
    """Stop the workers in order; what went wrong with the killer is raised."""
    if killer is not None and not killer.done():
        killer.cancel()
    for worker in running:
        if worker.returncode is None:
            worker.send_signal(signal.SIGTERM)
    await asyncio.gather(*(worker.wait() for worker in running))
    if killer is not None and not killer.cancelled():
        with contextlib.suppress(asyncio.CancelledError):
            await killer


def prices(_: str) -> Price:
    return PRICE


async def kills(folder: Path, questions: int, workers: int, most: int, every: float) -> None:
    docs, file = write_inputs(folder, questions)
    url, rng, dead = new_database(), Random(1), 0
    total = str(Decimal("0.05") * questions)
    async with FakeServer(honest, prices=prices, latency=LATENCY) as server:
        env = environment(folder, server)
        words = ["worker", "--database", url, "--at-once", "4", "--quiet"]
        running = [await start(words, env) for _ in range(workers)]

        async def kill() -> None:
            nonlocal dead
            while dead < most:
                await asyncio.sleep(every)
                victim = rng.randrange(len(running))
                assert running[victim].returncode is None, f"worker {victim} ended by itself: {running[victim].returncode}"
                running[victim].kill()
                await running[victim].wait()
                dead += 1
                running[victim] = await start(words, env)

        killer = asyncio.create_task(kill())
        seconds, rows = await batch(folder, file, docs, env, url, total)
        await end(running, killer)
    entries = [entry for row in rows if row["run"] for entry in row["run"]["ledger"]]
    paid = [e for e in entries if e["kind"] == "model"]
    crashed = sum(e["basis"] == "assumed" for e in paid)
    again = Counter((row["id"], e["task"], e["step"]) for row in rows if row["run"] for e in row["run"]["ledger"] if e["outcome"] == "ok")
    twice = sum(n - 1 for n in again.values())
    spent = sum(Decimal(row["cost"]) for row in rows)
    states = Counter(row["status"] for row in rows)
    print(f"{questions} questions, {workers} workers, {dead} killed, {seconds:.0f} s")
    print(f"  rows {len(rows)}, questions answered {len({row['id'] for row in rows})}, states {dict(states)}")
    print(f"  calls served {len(server.asked)}, in the ledgers {len(paid)}, of these in flight at a kill {crashed}")
    print(f"  finished calls bought again {twice + max(0, len(server.asked) - len(paid))}")
    print(f"  spent {spent} of at most {total} USD; the provider billed {server.billed}")


async def speed(folder: Path, questions: int) -> None:
    docs, file = write_inputs(folder, questions)
    rates = []
    for count in (1, 2):
        async with FakeServer(honest, prices=prices, latency=LATENCY) as server:
            env, url = environment(folder, server), new_database()
            running = [await start(["worker", "--database", url, "--at-once", "4", "--quiet"], env) for _ in range(count)]
            warm = folder / f"warm-{count}.jsonl"
            warm.write_text(json.dumps({"id": "warm", "question": "What does the bird0 eat?"}) + "\n")
            await batch(folder, warm, docs, env, url, "1")
            await asyncio.sleep(3)
            seconds, rows = await batch(folder, file, docs, env, url, str(questions))
            await end(running)
        rates.append(len(rows) / seconds)
        print(f"{count} worker(s), 4 questions at once each: {len(rows)} questions in {seconds:.1f} s = {rates[-1]:.2f} a second")
    print(f"  two workers are {rates[1] / rates[0]:.2f} times as fast as one")


async def one_process(folder: Path, at_once: int) -> None:
    docs, file = write_inputs(folder, at_once)
    async with FakeServer(honest, prices=prices, latency=LATENCY) as server:
        env = environment(folder, server)
        sizes = []
        for count in (1, at_once):
            some = folder / f"some-{count}.jsonl"
            some.write_text("".join(file.read_text().splitlines(keepends=True)[:count]))
            target = folder / f"one-{count}.jsonl"
            words = ["batch", str(some), "--docs", str(docs), "--to", str(target), "--budget-each", "0.5", "--at-once", str(count), "--quiet"]
            began = time.monotonic()
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            await asyncio.to_thread(subprocess.run, [*CLI, *words], env=env, stdout=subprocess.DEVNULL, check=False)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            sizes.append(after.ru_maxrss / 1024)
            cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            print(
                f"{count} run(s) at once in one process: {time.monotonic() - began:.1f} s, CPU {cpu:.1f} s, "
                f"peak RSS {sizes[-1]:.0f} MB, calls served {len(server.asked)}"
            )
        print(f"  {(sizes[1] - sizes[0]) / max(1, at_once - 1):.2f} MB a waiting run")


def main() -> None:
    """Print the three parts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--every", type=float, default=4.0, help="seconds between two kills")
    parser.add_argument("--speed", type=int, default=60, help="questions of part two; 0 leaves it out")
    parser.add_argument("--at-once-runs", type=int, default=500, help="runs of part three; 0 leaves it out")
    given = parser.parse_args()
    parts: list[Callable[[Path], Coroutine[Any, Any, None]]] = []
    if given.at_once_runs:  # first: the peak of memory is that of all children so far
        parts.append(lambda folder: one_process(folder, given.at_once_runs))
    if given.questions:
        parts.append(lambda folder: kills(folder, given.questions, given.workers, given.kills, given.every))
    if given.speed:
        parts.append(lambda folder: speed(folder, given.speed))
    for part in parts:
        with tempfile.TemporaryDirectory(prefix="workers-") as name:
            asyncio.run(part(Path(name)))


if __name__ == "__main__":
    main()
