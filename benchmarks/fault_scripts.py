"""The ledger against the fake provider's own log, to the last unit, for random fault scripts.

    python benchmarks/fault_scripts.py [--seeds 1000] [--limit 1]

Each seed is a run of three tasks side by side that ask for values and texts while two of five requests fail in one of
18 ways. The sample of it that the test suite runs is `tests/models/test_models_fault_scripts.py`; the code is the same.
"""

import argparse
import asyncio
import runpy
import sys
import time
from decimal import Decimal
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent / "tests" / "models"


def main() -> None:
    """Run the seeds and print what was seen."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--limit", default="1", help="budget of each run in USD; every third run gets a fiftieth of it")
    parser.add_argument("--vendor", default="swarms")
    options = parser.parse_args()
    sys.path.insert(0, str(TESTS))
    suite = runpy.run_path(str(TESTS / "test_models_fault_scripts.py"))
    began = time.perf_counter()
    tries, failed, assumed, billed = 0, 0, 0, Decimal(0)
    for seed in range(options.seeds):
        limit = options.limit if seed % 3 else str(Decimal(options.limit) / 50)
        desk, server = asyncio.run(suite["one_run"](seed, limit, options.vendor))
        suite["held_against"](desk, server, limit)
        tries += len(server.log)
        failed += sum(entry.outcome not in ("ok", "rejected") for entry in desk.entries if entry.corrects is None)
        assumed += sum(entry.basis == "assumed" for entry in desk.entries)
        billed += server.billed
    print(
        f"{options.seeds} fault scripts on {options.vendor}: {tries} tries, {failed} failed, {assumed} with a late bill;"
    )
    print(
        f"{billed:f} USD billed, the ledgers equal it to the last unit, no limit passed; {time.perf_counter() - began:.0f} s"
    )


if __name__ == "__main__":
    main()
