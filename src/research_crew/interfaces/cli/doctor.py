"""`research-crew doctor`: whether a run could work here, and what to do where it could not."""

import argparse
import asyncio
import json
from typing import TYPE_CHECKING, Any

from research_crew.core.money import show
from research_crew.core.runner import utc_now
from research_crew.interfaces.cli import ask
from research_crew.settings import Loaded, load

if TYPE_CHECKING:
    from research_crew.core.outcome import RunResult
    from research_crew.doctor.check import Check

BAD = 2
"""Exit code when something that is configured cannot work."""


def options(parser: argparse.ArgumentParser) -> None:
    """Those of a question, since they choose what is checked."""
    parser.add_argument("--live", action="store_true", help="one real call each, under a cent, with its bill")
    ask.run_options(parser)


def command(arguments: argparse.Namespace) -> int:
    """Print every check; 0 when a run could work, 2 when not."""
    loaded = load(ask.given_settings(arguments))
    checks, run = asyncio.run(_all(loaded, arguments.live))
    bad = [check for check in checks if check.state == "bad"]
    if arguments.json:
        bill: Any = run.bill.to_json() if run is not None else None
        ledger = [entry.to_json() for entry in run.ledger] if run is not None else []
        print(json.dumps({
            "schema": "research-crew/doctor/1", "ready": not bad, "checks": [check.to_json() for check in checks],
            "bill": bill, "ledger": ledger,
        }, ensure_ascii=False, indent=2))  # fmt: skip
        return BAD if bad else 0
    for check in checks:
        print(f"{check.state:<4}  {check.about}: {check.says}")
        if check.way_out:
            print(f"      -> {check.way_out}")
    if run is not None:
        by = ", ".join(f"{name} {show(amount)}" for name, amount in run.bill.by_model.items())
        print(f"\nbill: {show(run.spent)} USD for {run.bill.tries} call(s){f' ({by})' if by else ''}")
    elif arguments.live:
        print("\nbill: 0 USD, nothing here costs anything")
    else:
        print("\nno connection was opened; --live makes one real call each, under a cent, and prints its bill")
    print(f"{len(bad)} thing(s) to put right" if bad else "ready")
    return BAD if bad else 0


async def _all(loaded: Loaded, live: bool) -> "tuple[list[Check], RunResult | None]":
    from research_crew.doctor.here import Parts, checks_here
    from research_crew.doctor.live import checks_live
    from research_crew.models.wire import Wire
    from research_crew.search.request import Http

    wire, http = Wire(), Http()
    try:
        parts = Parts(loaded, utc_now(), http, wire)
        checks = list(checks_here(parts))
        run = None
        if live:
            tried, run = await checks_live(parts, utc_now, min(30.0, loaded.settings.timeout))
            checks += tried
        return checks, run
    finally:
        await wire.aclose()
        await http.close()
