"""Workers on one database, each a process of its own, against a real Postgres server."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path

import psycopg
import pytest

from postgres_server import new_database
from research_crew.core.errors import UserError
from research_crew.distribute.remote import batch_name
from research_crew.distribute.worker import settings_of
from research_crew.interfaces.cli.app import main

PYTHON = [sys.executable, "-m", "research_crew"]


@pytest.fixture
def birds(tmp_path: Path) -> Path:
    folder = tmp_path / "birds"
    folder.mkdir()
    for n in range(12):
        (folder / f"bird{n}.md").write_text(f"# bird{n}\n\nThe bird{n} eats fish number {n}. The bird{n} lives near rivers.\n")
    return folder


@pytest.fixture
def file(tmp_path: Path) -> Path:
    lines = [json.dumps({"id": f"b{n}", "question": f"What does the bird{n} eat?"}) + "\n" for n in range(12)]
    target = tmp_path / "q.jsonl"
    target.write_text("".join(lines))
    return target


@contextmanager
def workers(url: str, count: int) -> Iterator[list["subprocess.Popen[bytes]"]]:
    """So many processes; those that still live at the end are stopped in order."""
    running = [subprocess.Popen([*PYTHON, "worker", "--database", url, "--at-once", "2", "--quiet"]) for _ in range(count)]
    try:
        yield running
        for worker in running:
            if worker.poll() is None:
                worker.send_signal(signal.SIGTERM)
        assert all(worker.wait(120) in (0, -signal.SIGKILL) for worker in running)
    finally:
        for worker in running:
            worker.kill()
            worker.wait()


def rows(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_a_worker_that_is_killed_loses_nothing_and_every_question_is_answered_once(birds: Path, file: Path, tmp_path: Path) -> None:
    url, target = new_database(), tmp_path / "q.results.jsonl"
    line = [*PYTHON, "batch", str(file), "--docs", str(birds), "--database", url, "--budget-each", "60", "--quiet"]
    with workers(url, 2) as (victim, _):
        feeding = subprocess.Popen([*line, "--budget-total", "300"], stdout=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 240
        while not (target.exists() and target.read_text()) and time.monotonic() < deadline:
            time.sleep(0.05)
        victim.kill()
        out, _ = feeding.communicate(timeout=240)
    assert feeding.returncode == 0, out
    written = rows(target)
    assert sorted(str(row["id"]) for row in written) == sorted(f"b{n}" for n in range(12))
    assert {row["status"] for row in written} == {"complete"}
    with psycopg.connect(url) as db:
        spent, held = db.execute("select spent_nano, held_nano from batches").fetchone() or (None, None)
        # Nothing of the engine is pickled: everybody who can write the database could otherwise run code.
        (kinds,) = db.execute("select array_agg(distinct serialization) from dbos.workflow_status").fetchone() or (None,)
    assert (Decimal(spent or 0) / 10**9, held) == (sum(Decimal(str(row["cost"])) for row in written), 0)
    assert kinds == ["portable_json"]


def test_without_a_worker_a_batch_waits_and_can_be_stopped_and_started_again(
    birds: Path, file: Path, tmp_path: Path
) -> None:
    url, target = new_database(), tmp_path / "q.results.jsonl"
    line = [*PYTHON, "batch", str(file), "--docs", str(birds), "--database", url, "--budget-each", "60"]
    feeding = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert feeding.stderr is not None
    seen = ""
    while "no worker is there yet" not in seen:
        seen = feeding.stderr.readline()
        assert seen, "the batch ended before it said that there is no worker"
    feeding.send_signal(signal.SIGINT)
    out, _ = feeding.communicate(timeout=120)
    assert feeding.returncode == 130
    assert "not asked 12" in out
    with workers(url, 1):
        assert subprocess.run([*line, "--quiet"], stdout=subprocess.DEVNULL, timeout=240, check=False).returncode == 0
    assert len(rows(target)) == 12


def test_what_cannot_be_used_is_refused_in_words(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["worker"]) == 2
    assert "postgresql://" in capsys.readouterr().err
    assert main(["batch", str(file), "--database", "postgresql://127.0.0.1:1/none"]) == 2
    assert "check the address" in capsys.readouterr().err
    with pytest.raises(UserError, match="letters, digits"):
        batch_name("a/b", "q")
    with pytest.raises(UserError, match="upgrade this worker"):
        settings_of({"colour": "red"})


def test_a_password_of_the_database_is_never_shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("RESEARCH_CREW_DATABASE", "postgresql://me:hunter2@127.0.0.1/crew")
    assert main(["config"]) == 0
    out = capsys.readouterr().out
    assert "postgresql://me:***@127.0.0.1/crew" in out
    assert "hunter2" not in out
