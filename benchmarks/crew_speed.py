"""The figures of the table of marks, against the fake provider with a fixed latency, beside a bare script of the same calls.

    python benchmarks/crew_speed.py [--vendor openai] [--many 200]

The stub answers on loopback in this process; each system is measured in a process of its own (`crew_speed_child.py`):
one question at 500 ms a model call and 200 ms a search, 50 runs at once at the same latencies, 200 at once at 200 ms a
call. `ideal` is the longest chain of calls that need one another, `run` is from the first request of a model to the end,
`start` from the start of the process to that request (best of three). CPU is user + system of the measured process. Ledger, events and evidence checks are on; `crew` also
stores every run and journals every call in SQLite, as it does by default.
"""

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

from research_crew.models.fake_faults import Fault
from research_crew.models.fake_server import FakeServer
from research_crew.models.fake_shapes import Asked, Said

CHILD = Path(__file__).with_name("crew_speed_child.py")
IDEAL = {"bare": 2.7, "declared": 2.7, "bare-crew": 3.4, "crew": 3.4}
"""Seconds of the longest chain at 500 and 200 ms: plan, search, two calls, critic, editor; and for the crew as it comes
plan, two rounds of a search and a call, critic, writer, citer."""
_WORDS = ["heron", "marsh", "reed", "nest", "colony", "winter", "summer", "river", "estuary", "fish", "frog", "vole", "pike", "perch", "eel", "feather", "wing", "flight", "dawn", "dusk", "storm", "ice", "thaw", "ringed", "counted", "observed", "reported", "studied", "measured", "returned", "declined", "doubled", "protected", "northern", "southern", "eastern", "western", "shallow", "coastal", "inland", "wooded", "flooded", "drained", "restored", "ancient", "quiet", "crowded", "remote"]


def _sentence(rng: Random) -> str:
    """About 130 characters like no other sentence, with a year in it."""
    words = " ".join(rng.choice(_WORDS) for _ in range(rng.randint(14, 20)))
    return f"The {words} in {rng.randint(1950, 2025)}."


def _page(n: int) -> dict[str, str]:
    rng = Random(n)
    text = " ".join(_sentence(rng) for _ in range(12))
    return {"url": f"https://www.nature.com/articles/{n}", "title": f"Study {n}", "publishedDate": "2024-02-03T00:00:00Z", "text": text}


PAGES = [_page(n) for n in range(1, 121)]
_SOURCE = re.compile(r"<<<source (\d+) [^>]*>>>\nStudy \d+\n(.+?\.)")
_LABEL = re.compile(r"^\[(c\d+)\] ", re.M)


def found(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Ten pages, others for each query."""
    start = sum(map(ord, body["query"])) % 110
    return {"results": PAGES[start : start + body.get("numResults", 10)]}


def mind(asked: Asked) -> Said:
    """What each role needs to come to its end, and nothing that costs the stub much."""
    system = asked.system
    if system.startswith("You lead"):
        parts = ("what it eats", "its nests", "where it winters", "how tall it is")
        briefs = [{"objective": f"Grey heron: {p}?", "search_queries": [f"grey heron {p}"]} for p in parts]
        return Said(data={"complexity": "complex", "strategy": "By part.", "subtasks": briefs})
    if system.startswith("You are one researcher"):
        claims = [{"text": text, "quote": text, "source": int(n)} for n, text in _SOURCE.findall(asked.prompt)][:5]
        topic = re.search(r"Grey heron: (.+)\?", asked.prompt)
        more = f"grey heron {topic[1] if topic else ''} figures"
        return Said(data={"claims": claims, "coverage": "partial", "follow_up_queries": [more]})
    if system.startswith("You check claims"):
        return Said(data={"claims": [{"claim": label, "doubt": 1} for label in _LABEL.findall(asked.prompt)]})
    if system.startswith("You write"):
        lines = [f"It eats fish. [{label}]" for label in _LABEL.findall(asked.prompt)]
        return Said("\n\n".join(lines) + '\n\n```json\n{"needs_more_research": false, "gaps": []}\n```')
    if system.startswith("You check the citations"):
        return Said(data={"edits": []})
    return Said("Herons eat fish. " * 12)


class Stub:
    """The provider, and when it was first asked."""

    def __init__(self, model: float, search: float) -> None:
        self.server = FakeServer(mind, faults=self._arrived, latency=model, search_latency=search, search=found)
        self.first: float | None = None

    def _arrived(self, asked: Asked) -> Fault | None:
        if self.first is None and asked.shape != "exa":
            self.first = time.monotonic()
        self.server.asked.clear()
        self.server.log.clear()
        return None

    async def measure(self, system: str, *options: str) -> dict[str, float]:
        """The figures of one system, its start among them."""
        self.first = None
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as home:
            # A home of its own for the stored runs; and compiled modules, as an installed package has them.
            places = {f"XDG_{kind}_HOME": home for kind in ("DATA", "CONFIG", "CACHE")}
            environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"} | places
            child = await asyncio.create_subprocess_exec(
                sys.executable, str(CHILD), system, "--port", str(self.server.port), *options,
                stdout=subprocess.PIPE, env=environment, cwd=home,
            )  # fmt: skip
            out, _ = await child.communicate()
        if child.returncode:
            raise SystemExit(f"{system} failed")
        figures: dict[str, float] = json.loads(out)
        first = self.first or began
        figures["start"], figures["run"] = first - began, figures["ended"] - first
        return figures


async def table(vendor: str, many: int, rounds: int, systems: list[str]) -> None:
    """Measure every system, print its line."""
    print(f"| system | start s | its CPU s | run / ideal | peak RSS MB, one | CPU ms a run, 50 at once | runs/s, {many} at once | CPU ms a run |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    slow, fast = Stub(0.5, 0.2), Stub(0.2, 0.2)
    async with slow.server, fast.server:
        for system in systems:
            named = ("--vendor", vendor)
            ones = [await slow.measure(system, *named) for _ in range(3)]
            one = {key: min(each[key] for each in ones) for key in ones[0]}
            fifty = await slow.measure(system, *named, "--runs", "100", "--at-once", "50")
            crowd = await fast.measure(system, *named, "--runs", str(rounds * many), "--at-once", str(many))
            name = system if system.startswith("bare") else f"{system}, {vendor}"
            print(
                f"| {name} | {one['start']:.2f} | {one['start_cpu']:.2f} | {one['run'] / IDEAL[system]:.3f} | {one['rss']:.0f} "
                f"| {fifty['cpu_ms']:.1f} | {crowd['runs_s']:.1f} | {crowd['cpu_ms']:.1f} |",
                flush=True,
            )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vendor", default="openai", choices=["openai", "swarms"])
    parser.add_argument("--many", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=2, help="runs of the crowd, as a multiple of it")
    parser.add_argument("--systems", default="bare,declared,bare-crew,crew")
    options = parser.parse_args()
    asyncio.run(table(options.vendor, options.many, options.rounds, options.systems.split(",")))


if __name__ == "__main__":
    main()
