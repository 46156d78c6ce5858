"""The ledger against the fake provider's own log, to the last unit, for random fault scripts.

    python benchmarks/fault_scripts.py [--seeds 1000] [--limit 1] [--calls-only swarms]

Each seed is a whole run of a crew through the public interface, over loopback: at most three researchers, two loops, a
researcher whose model never answers, an empty first plan (a repair) and a rate limit on the first draft (a retry), and
of all other requests three of ten fail in one of the fake's ways. Seeds take turns through the four vendors' shapes;
every third run gets a tenth of the limit; every run is stored, its journal included, in a file that is thrown away. What is run and how it is held against the log is `tests/crew_faults.py`; the
sample in the test suite is `tests/test_crew_faults.py`. `--calls-only VENDOR` runs the smaller script of
`tests/models/test_models_fault_scripts.py`, three tasks that ask and nothing around them.
"""

import argparse
import asyncio
import runpy
import sys
import tempfile
import time
from collections import Counter
from decimal import Decimal
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent / "tests"
AT_ONCE = 4


async def whole_runs(seeds: int, limit: str) -> dict[str, Counter[str]]:
    """Run the seeds, a few at once; counts by vendor. An assertion that fails names its seed."""
    from crew_faults import VENDORS, held_against, one_run
    from research_crew.models.library import preload
    from research_crew.search.exa import Exa

    for speaks in ("openai", "anthropic", "google"):
        preload(speaks)  # its second is no part of a time-out
    Exa.interval = 0.0  # the fake has no rate limit
    seen: dict[str, Counter[str]] = {vendor: Counter() for vendor in VENDORS}
    gate = asyncio.Semaphore(AT_ONCE)

    folder = tempfile.TemporaryDirectory()
    store = str(Path(folder.name) / "runs.sqlite")

    async def one(seed: int) -> None:
        vendor = VENDORS[seed % len(VENDORS)]
        most = limit if seed % 3 else str(Decimal(limit) / 10)
        async with gate:
            outcome = await one_run(seed, vendor, most, store=store)
        try:
            seen[vendor] += held_against(outcome, most)
        except AssertionError as error:
            raise AssertionError(f"seed {seed} on {vendor}: {error}") from error
        seen[vendor]["runs"] += 1
        if outcome.result is not None:
            tasks = outcome.result.tasks
            entries = list(outcome.result.ledger)
            seen[vendor]["two_loops"] += any(t.id == "plan:2" for t in tasks)
            seen[vendor]["failing"] += any(t.role == "researcher" and t.state == "failed" for t in tasks)
            seen[vendor]["repaired"] += any(e.step.endswith("/repair") for e in entries)
            seen[vendor]["retried"] += any(e.try_ > 1 for e in entries)
        seen[vendor]["nano_usd"] += int(outcome.billed * 10**9)

    async with asyncio.TaskGroup() as group:
        for seed in range(seeds):
            group.create_task(one(seed))
    folder.cleanup()
    return seen


def calls_only(seeds: int, limit: str, vendor: str) -> None:
    """The smaller script: three tasks side by side, no crew."""
    sys.path.insert(0, str(TESTS / "models"))
    suite = runpy.run_path(str(TESTS / "models" / "test_models_fault_scripts.py"))
    began = time.perf_counter()
    tries, failed, assumed, billed = 0, 0, 0, Decimal(0)
    for seed in range(seeds):
        most = limit if seed % 3 else str(Decimal(limit) / 50)
        desk, server = asyncio.run(suite["one_run"](seed, most, vendor))
        suite["held_against"](desk, server, most)
        tries += len(server.log)
        failed += sum(entry.outcome not in ("ok", "rejected") for entry in desk.entries if entry.corrects is None)
        assumed += sum(entry.basis == "assumed" for entry in desk.entries)
        billed += server.billed
    print(f"{seeds} fault scripts on {vendor}: {tries} tries, {failed} failed, {assumed} with a late bill;")
    print(f"{billed:f} USD billed, the ledgers equal it to the last unit; {time.perf_counter() - began:.0f} s")


def main() -> None:
    """Run the seeds and print what was seen."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--limit", default="1", help="budget of each run in USD")
    parser.add_argument("--calls-only", metavar="VENDOR", help="the smaller script, on one vendor's shape")
    options = parser.parse_args()
    if options.calls_only:
        calls_only(options.seeds, options.limit, options.calls_only)
        return
    sys.path[:0] = [str(TESTS), str(TESTS / "agents")]
    began = time.perf_counter()
    seen = asyncio.run(whole_runs(options.seeds, options.limit))
    titles = (
        "runs", "two_loops", "failing", "repaired", "retried", "tries", "faults", "failed", "late",
        "complete", "incomplete", "no_evidence", "refused",
    )  # fmt: skip
    print(f"| shape | {' | '.join(title.replace('_', ' ') for title in titles)} | USD billed |")
    print(f"|---|{'--:|' * (len(titles) + 1)}")
    for name, counts in (*seen.items(), ("all", sum(seen.values(), Counter()))):
        cells = " | ".join(f"{counts[title]:,}" for title in titles)
        print(f"| {name} | {cells} | {Decimal(counts['nano_usd']) / 10**9:.6f} |")
    print(f"\nEvery ledger equals its log to the last unit, no limit passed; {time.perf_counter() - began:.0f} s.")


if __name__ == "__main__":
    main()
