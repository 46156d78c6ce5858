"""A few of the kills of `benchmarks/kill_resume.py`, which makes hundreds."""

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from decimal import Decimal
from pathlib import Path

import pytest

from kill_world import LIMIT, Ended, live, same_report


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    return asyncio.run(live(tmp_path_factory.mktemp("whole"), 1))


def test_an_undisturbed_run_has_two_loops_retries_and_fan_out(whole: Ended) -> None:
    """Or the kills below would prove little."""
    tasks = [task["id"] for task in whole.record["tasks"]]
    assert {"plan:2", "write:2", "research:2", "cite:2"} <= set(tasks)
    assert any(entry["try"] > 1 for entry in whole.record["ledger"])
    assert whole.record["status"] == "complete" and whole.requests >= 20


@pytest.mark.parametrize("share", [(0.05,), (0.45,), (0.3, 0.5)])
def test_a_run_killed_and_resumed_buys_nothing_twice_and_loses_nothing(
    whole: Ended, tmp_path: Path, share: tuple[float, ...]
) -> None:
    span = float(whole.record["timing"]["wall_s"])
    ended = asyncio.run(live(tmp_path, 1, tuple(part * span for part in share)))
    assert ended.kills == len(share)
    assert ended.bought_again == 0 and ended.lost == 0
    spent = Decimal(ended.record["bill"]["spent"])
    assert ended.billed <= spent <= Decimal(LIMIT), "every request has its entry, and the limit was kept"
    assert ended.record["bill"]["overrun"] == "0"
    assert same_report(ended.record, whole.record) and ended.record["status"] == whole.record["status"]
    numbers = [entry["n"] for entry in ended.record["ledger"]]
    assert numbers == list(range(1, len(numbers) + 1))


def test_two_processes_never_drive_one_run(tmp_path: Path, sample_question: str) -> None:
    """A process that is stopped (SIGSTOP, as by a laptop's lid) holds its run; killed, it gives it up at once."""
    store = tmp_path / "runs.sqlite"
    command = [sys.executable, "-m", "research_crew"]
    slow = subprocess.Popen([*command, sample_question, "--store", str(store), "--quiet"], stdout=subprocess.DEVNULL)
    try:
        run = _first_run(store)
        slow.send_signal(signal.SIGSTOP)
        resume = [*command, "resume", run, "--store", str(store), "--quiet"]
        refused = subprocess.run(resume, capture_output=True, text=True, check=False)
        assert refused.returncode == 2 and "is driven by" in refused.stderr, refused
        slow.kill()
        slow.send_signal(signal.SIGCONT)
        slow.wait()
        went_on = subprocess.run([*resume, "--json"], capture_output=True, text=True, check=False)
        assert went_on.returncode == 0, went_on.stderr
        assert json.loads(went_on.stdout)["status"] == "complete"
    finally:
        slow.kill()
        slow.wait()


def _first_run(store: Path) -> str:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        if store.exists():
            try:
                with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as db:
                    rows = db.execute("SELECT id FROM runs WHERE status = 'running'").fetchall()
            except sqlite3.OperationalError:  # no tables yet
                rows = []
            if rows:
                return str(rows[0][0])
        os.sched_yield()
    raise AssertionError("the run did not begin")


@pytest.fixture
def sample_question() -> str:
    return "What limits the write throughput, how do indexes help, and what does replication cost?"
