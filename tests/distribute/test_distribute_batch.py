"""Many questions under one total: nothing asked twice, nothing lost, the total kept."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from decimal import Decimal
from pathlib import Path

import pytest
from brains import honest

from research_crew.core.errors import InvalidInput, UserError
from research_crew.core.money import USD, Price
from research_crew.distribute.items import parse_items
from research_crew.distribute.results import ResultsFile, Row
from research_crew.interfaces.cli.app import main
from research_crew.models.fake_server import FakeServer

PRICE = Price(USD, Decimal(2), Decimal(10))


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def birds(tmp_path: Path) -> Path:
    folder = tmp_path / "birds"
    folder.mkdir()
    for name, food in (("heron", "fish"), ("owl", "mice"), ("wren", "spiders"), ("swift", "insects")):
        (folder / f"{name}.md").write_text(f"# {name}\n\nThe {name} eats {food}. The {name} lives near rivers and lakes.\n")
    return folder


def questions(tmp_path: Path, *names: str) -> Path:
    file = tmp_path / "q.jsonl"
    file.write_text("".join(json.dumps({"id": n, "question": f"What does the {n} eat?"}) + "\n" for n in names))
    return file


def rows(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_a_batch_writes_one_record_a_line_and_a_table_that_adds_up(
    birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = questions(tmp_path, "heron", "owl", "wren")
    assert main(["batch", str(file), "--docs", str(birds), "--budget-each", "60"]) == 0
    out, err = capsys.readouterr()
    written = rows(tmp_path / "q.results.jsonl")
    assert sorted(str(row["id"]) for row in written) == ["heron", "owl", "wren"]
    cost = sum(Decimal(str(row["cost"])) for row in written)
    assert f"for {cost} of at most 180 credits" in out
    assert "3 questions: complete 3" in out
    assert out.index("heron") < out.index("owl") < out.index("wren")
    for row in written:
        run = row["run"]
        assert isinstance(run, dict)
        assert run["schema"] == "research-crew/run/1"
        assert run["bill"]["spent"] == row["cost"]
        assert row["found"] == len(run["report"]["claims"])
    assert "3/3 complete" in err


def test_a_second_start_asks_only_what_is_new(birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = questions(tmp_path, "heron", "owl")
    line = ["batch", str(file), "--docs", str(birds)]
    assert main(line) == 0
    before = (tmp_path / "q.results.jsonl").read_text()
    questions(tmp_path, "owl", "swift", "heron")
    capsys.readouterr()
    assert main(line) == 0
    after = (tmp_path / "q.results.jsonl").read_text()
    assert after.startswith(before)
    assert [row["id"] for row in rows(tmp_path / "q.results.jsonl")][2:] == ["swift"]
    assert "2 of 3 questions are answered already" in capsys.readouterr().err


def test_the_total_is_never_passed_and_the_last_gets_what_is_left(birds: Path, tmp_path: Path) -> None:
    file = questions(tmp_path, "heron", "owl", "wren", "swift", "heron by night")
    target = tmp_path / "r.jsonl"
    line = ["batch", str(file), "--docs", str(birds), "--to", str(target)]
    assert main([*line, "--budget-each", "20", "--budget-total", "30", "--at-once", "4"]) == 4
    written = rows(target)
    assert len(written) == 5
    assert sum(Decimal(str(row["cost"])) for row in written) <= 30
    last = next(row for row in written if row["id"] == "heron by night")
    assert last["status"] == "refused"
    # Started again with more, the refused one is asked, and what was spent counts.
    assert main([*line, "--budget-each", "20", "--budget-total", "30.5"]) == 4
    assert [row["status"] for row in rows(target) if row["id"] == "heron by night"] == ["refused", "refused"]
    assert main([*line, "--budget-each", "60", "--budget-total", "300"]) == 0
    assert [row["id"] for row in rows(target)][6:] == ["heron by night"]
    assert rows(target)[-1]["status"] == "complete"


def test_a_line_cut_short_by_a_crash_is_asked_again(birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = questions(tmp_path, "heron", "owl")
    target = tmp_path / "q.results.jsonl"
    assert main(["batch", str(file), "--docs", str(birds), "--at-once", "1"]) == 0
    whole = target.read_bytes()
    target.write_bytes(whole[:-100])
    capsys.readouterr()
    assert main(["batch", str(file), "--docs", str(birds)]) == 0
    assert "cut short" in capsys.readouterr().err
    assert [row["id"] for row in rows(target)] == ["heron", "owl"]


def test_two_batches_cannot_write_one_file(tmp_path: Path) -> None:
    with ResultsFile(tmp_path / "r.jsonl"), pytest.raises(UserError, match="being written by another batch"):
        ResultsFile(tmp_path / "r.jsonl")
    (tmp_path / "other.jsonl").write_text('{"a": 1}\n')
    with pytest.raises(UserError, match=r"line 1: not a research-crew/batch/1 record"):
        ResultsFile(tmp_path / "other.jsonl")


def test_results_are_private_and_a_cost_is_that_of_all_starts(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    with ResultsFile(file) as results:
        results.append(Row("a", "?", "cancelled", 130, Decimal("1.5"), "USD"))
        assert results.spent == Decimal("1.5")
        results.append(Row("a", "?", "complete", 0, Decimal(2), "USD", 3))
    assert file.stat().st_mode & 0o777 == 0o600
    with ResultsFile(file) as results:
        assert results.spent == 2
        assert results.rows["a"].status == "complete"


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["{"], "line 1"),
        (['"a"', "[]"], "line 2"),
        (['{"question": " "}'], "ask something"),
        (['{"question": "a", "budge": 1}'], "known fields are question, id, budget"),
        (['{"question": "a", "budget": -1}'], "0 or more"),
        (['{"question": "a", "budget": 0}'], "more than 0"),
        (['{"question": "a", "budget": "x"}'], "line 1, budget"),
        (['{"question": "a", "id": []}'], "use a text or a number"),
        (['"a"', '{"question": "a"}'], "line 1 has the same id"),
        ([""], "holds no question"),
        (["[" * 100_000], "JSON value"),
    ],
)
def test_a_bad_line_is_named(lines: list[str], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        parse_items(lines, "q.jsonl")


def test_bad_use_is_refused_before_anything_is_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["batch", str(tmp_path / "none.jsonl")]) == 2
    assert "cannot be read" in capsys.readouterr().err
    file = questions(tmp_path, "heron")
    assert main(["batch", str(file), "--to", str(file)]) == 2
    assert main(["batch", str(file), "--at-once", "0"]) == 2
    assert main(["batch", str(file), "--budget-total", "-1"]) == 2
    assert not (tmp_path / "q.results.jsonl").exists() or not (tmp_path / "q.results.jsonl").read_text()


def test_a_signal_stops_a_batch_and_the_next_start_goes_on(tmp_path: Path, birds: Path) -> None:
    names = [f"bird number {n}" for n in range(400)]
    file = questions(tmp_path, *names)
    target = tmp_path / "q.results.jsonl"
    line = [sys.executable, "-m", "research_crew", "batch", str(file), "--docs", str(birds), "--at-once", "2", "--quiet"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 30
        while (not target.exists() or target.stat().st_size == 0) and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    first = rows(target)
    assert 0 < len(first) < 400
    assert f"not asked {400 - len(first)}" in out
    questions(tmp_path, *names[:20])
    assert main(["batch", str(file), "--docs", str(birds), "--quiet"]) in (0, 4)
    answered = [row["id"] for row in rows(target) if row["status"] != "cancelled"]
    assert len(answered) == len(set(answered))


def test_a_batch_that_is_killed_buys_nothing_twice(tmp_path: Path, birds: Path) -> None:
    """Killed in the middle of runs against a provider of 50 ms, then started again until it is through."""
    file = questions(tmp_path, *(f"bird number {n}" for n in range(6)))
    target = tmp_path / "q.results.jsonl"
    prices = {"gpt-5.5": PRICE, "gpt-5.4-mini": PRICE}

    async def go() -> None:
        async with FakeServer(honest, prices=prices.__getitem__, latency=0.05) as server:
            urls = f"swarms={server.base('swarms')}"
            line = [sys.executable, "-m", "research_crew", "batch", str(file), "--docs", str(birds), "--quiet"]
            line += ["--at-once", "3", "--base-urls", urls, "--store", str(tmp_path / "runs.sqlite"), "--budget-each", "0.5"]
            environment = os.environ | {"SWARMS_API_KEY": "key-of-the-tests"}
            starts, code = 0, -9
            while code == -9:
                starts += 1
                assert starts < 40
                process = await asyncio.create_subprocess_exec(*line, env=environment, stdout=asyncio.subprocess.DEVNULL)
                served = len(server.asked)
                ended = asyncio.create_task(process.wait())
                while not ended.done() and len(server.asked) < served + 12:
                    await asyncio.sleep(0.01)
                if not ended.done():
                    process.kill()
                code = await ended
            assert starts > 1
            written = rows(target)
            assert sorted(str(row["id"]) for row in written) == [f"bird number {n}" for n in range(6)]
            entries = [e for row in written for e in row["run"]["ledger"] if e["kind"] == "model"]  # type: ignore[index]
            finished = [(row["id"], e["task"], e["step"]) for row in written for e in row["run"]["ledger"] if e["outcome"] == "ok"]  # type: ignore[index]
            assert len(finished) == len(set(finished))
            # Every request that the provider saw has its entry: those in flight at a kill are charged, and no more.
            assert len(server.asked) <= len(entries)
            assert server.billed <= sum(Decimal(str(row["cost"])) for row in written)

    asyncio.run(go())
