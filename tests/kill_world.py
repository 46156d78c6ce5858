"""Runs that are killed at random moments and resumed, held against the provider's own log.

A crew of at most three researchers with two loops asks the fake provider over HTTP; a part of the requests fails the
first time and is tried again. The process that runs it is killed with SIGKILL, once or twice, at moments drawn by a
seed; then the run is resumed. `benchmarks/kill_resume.py` does so at hundreds of moments, `tests/stores` at a few.
"""

import asyncio
import hashlib
import json
import re
import signal
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

from crew_faults import PRICE, found, mind
from research_crew.core.journal import CallKey, Finished
from research_crew.models.fake_faults import Fault, fault
from research_crew.models.fake_server import FakeServer
from research_crew.models.fake_shapes import Asked, Said
from research_crew.stores.opening import open_store

MODEL = "swarms:gpt-5.4-mini"
LIMIT = "1.00"
CHILD = Path(__file__).with_name("kill_child.py")


def digest(asked: Asked) -> str:
    """What a request asks, whoever asks it and in which run: without the marks of fences."""
    text = re.sub(r"[0-9a-f]{16}", "", f"{asked.shape}\0{asked.system}\0{asked.turns}\0{asked.prompt}")
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass
class Provider:
    """The fake provider of one run: answers by what is asked, fails a quarter of the requests once, keeps a log."""

    seed: int
    asked: list[str] = field(default_factory=list)
    """Digests of all requests, in the order of arrival."""
    _times: Counter[str] = field(default_factory=Counter)

    def faults(self, asked: Asked) -> Fault | None:
        what = digest(asked)
        self.asked.append(what)
        self._times[what] += 1
        rng = Random(f"{self.seed}/{what}")
        delay = rng.uniform(0.005, 0.06)
        if self._times[what] == 1 and rng.random() < 0.25:
            kind = rng.choice(["unavailable", "rate-limit", "error"])
            return fault(kind, retry_after=0, delay=delay)
        return Fault("slow-answer", delay=delay)

    def server(self) -> FakeServer:
        return FakeServer(self.say, faults=self.faults, prices=lambda _: PRICE, search=self.search)

    def say(self, asked: Asked) -> Said:
        return mind(asked)

    def search(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        return found(body)


@dataclass(frozen=True)
class Ended:
    """A run that came to its end, killed or not."""

    record: dict[str, Any]
    kills: int
    """How often it was killed while it ran."""
    bought_again: int
    lost: int
    """Ledger entries that were there when it was killed and are not, unchanged, in the end."""
    requests: int
    billed: Decimal
    finished_before: int
    """Calls that were finished when it was killed."""


@dataclass(frozen=True)
class Killed:
    """What the store held, and how much the provider had been asked, when a process was killed."""

    entries: list[dict[str, object]]
    finished: frozenset[CallKey]
    on_their_way: frozenset[CallKey]
    arrived: int


async def live(folder: Path, seed: int, delays: tuple[float, ...] = ()) -> Ended:
    """Run to the end, killed so many seconds after the first request of each process."""
    provider, store, out = Provider(seed), folder / "runs.sqlite", folder / "record.json"
    run, kills = f"run{seed}", list[Killed]()
    async with provider.server() as server:
        base = f"http://127.0.0.1:{server.port}"
        for delay in (*delays, None):
            arrived = len(provider.asked)
            child = await asyncio.create_subprocess_exec(
                sys.executable, str(CHILD), str(store), base, run, LIMIT, str(out), stderr=asyncio.subprocess.PIPE
            )
            if delay is not None:
                while len(provider.asked) == arrived and child.returncode is None:
                    await asyncio.sleep(0.002)
                await asyncio.sleep(delay)
                if child.returncode is None:
                    child.send_signal(signal.SIGKILL)
            _, said = await child.communicate()
            assert child.returncode in (0, -signal.SIGKILL), said.decode()
            if child.returncode == 0:
                break
            kills.append(_killed(store, run, len(provider.asked)))
        record = json.loads(out.read_text())
        again = _bought_again(store, run, kills, provider, server)
        lost = sum(entry not in record["ledger"] for killed in kills for entry in killed.entries)
        before = sum(len(killed.finished) for killed in kills)
        return Ended(record, len(kills), again, lost, len(provider.asked), server.billed, before)


def _killed(store: Path, run: str, arrived: int) -> Killed:
    with open_store(store, read_only=True) as opened:
        calls = opened.read.past(run).calls
        entries = [entry.to_json() for entry in opened.read.ledger(run, "USD")]
        good = (k for k, c in calls.items() if isinstance(c.result, Finished) and c.result.outcome == "ok")
        return Killed(entries, frozenset(good), frozenset(k for k, _ in opened.read.in_flight(run)), arrived)


def _bought_again(store: Path, run: str, kills: list[Killed], provider: Provider, server: FakeServer) -> int:
    """Requests that arrived after a kill though their call was finished before it.

    Two researchers may ask the same. So for every text asked, what arrived after the kill is held against the tries of
    calls that ask it and were made after the kill; what is more was bought again.
    """
    with open_store(store, read_only=True) as opened:
        calls = opened.read.past(run).calls
        asks: dict[tuple[str, int, str], str] = {}
        for key, call in calls.items():
            if isinstance(call.result, Finished) and call.result.outcome == "ok":
                asks[key[1:4]] = _request_of(key, opened.read.value(key), call.result, provider, server)
    again = 0
    for killed in kills:
        arrived = Counter(provider.asked[killed.arrived :])
        made: Counter[str] = Counter()
        for key, call in calls.items():
            if isinstance(call.result, Finished) and call.result.entry is not None and key[1:4] in asks:
                made[asks[key[1:4]]] += call.result.entry.n > len(killed.entries) and key not in killed.on_their_way
        again += sum(max(0, arrived[what] - made[what]) for what in {asks[key[1:4]] for key in killed.finished})
    return again


def _request_of(key: CallKey, value: object, result: Finished, provider: Provider, server: FakeServer) -> str:
    assert result.entry is not None
    if result.entry.kind == "model":
        return provider.asked[int(str(result.entry.request_id).removeprefix("req-")) - 1]
    assert isinstance(value, dict), key
    text = value["query"]["text"]
    return next(digest(asked) for asked in server.asked if asked.shape == "exa" and asked.prompt == text)


def same_report(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two reports are the same but for the numbers of sources, which follow the order of arrival."""
    return _plain(one) == _plain(other)


def _plain(record: Mapping[str, Any]) -> list[str]:
    keys = {source["number"]: source["key"] for source in record["sources"]}
    text = record["report"]["markdown"]
    return sorted(re.sub(r"\[(\d+)\]", lambda m: f"[{keys[int(m[1])]}]", text).splitlines())
