"""A full disk, a read-only, locked, damaged or foreign file, a newer version: a clear error, and nothing lost."""

import asyncio
import sqlite3
from pathlib import Path

import pytest

from crew_faults import KEYS, PRICE, QUESTION, found, mind
from kill_world import MODEL
from research_crew import Crew
from research_crew.again import resume
from research_crew.core.errors import StoreError
from research_crew.core.events import Event
from research_crew.interfaces.cli.app import main
from research_crew.models.fake_server import FakeServer
from research_crew.search.exa import Exa
from research_crew.stores.opening import open_store
from research_crew.stores.sqlite import SqliteDatabase
from research_crew.stores.store import Store

FREE = "What limits the write throughput?"


async def no_wait(seconds: float) -> None:
    return None


def begun(store: Path) -> str:
    """A store with one run in it."""
    return Crew(store=str(store)).run(FREE).id


def told(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What a command says when it fails: one line, no traceback, exit code 2."""
    assert main(list(words)) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1 and "Traceback" not in said.err
    return said.err


def test_a_disk_that_is_full_in_the_middle_of_a_run_loses_nothing_that_was_committed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Exa, "interval", 0.0)
    file = tmp_path / "runs.sqlite"

    async def go() -> None:
        async with FakeServer(mind, prices=lambda _: PRICE, search=found) as server:
            database = SqliteDatabase(file)
            store = Store(database)

            def fill(event: Event) -> None:
                if event.kind == "task-ended" and event.task == "plan":  # SQLite's own way to say that no page is left
                    pages = database._writer.execute("PRAGMA page_count").fetchone()[0]
                    database._writer.execute(f"PRAGMA max_page_count = {pages}")

            crew = Crew(
                lead=MODEL, search="exa", price=f"{MODEL}=2/10/0.5", keys=KEYS, researchers=3, store=store, sleep=no_wait,
                base_urls=f"swarms={server.base('swarms')},exa={server.base('exa')}", new_id=lambda: "full",
            )  # fmt: skip
            with pytest.raises(StoreError, match=r"runs.sqlite cannot be written: the disk is full .*; make room"):
                await crew.arun(QUESTION, "1.00", on_event=fill)
            store.close()
            with open_store(file) as again:  # room was made
                before, known = len(server.asked), again.read.ledger("full", "USD")
                assert known, "the plan is there"
                result = await resume(again, "full", KEYS, sleep=no_wait)
                assert result.status == "complete"
                assert tuple(result.ledger)[: len(known)] == known
                plans = [asked for asked in server.asked[before:] if "You lead a small team" in asked.system]
                assert not plans, "the plan was not bought again"

    asyncio.run(go())


def test_a_read_only_store_can_be_read_and_says_so_when_it_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "runs.sqlite"
    run = begun(file)
    database = SqliteDatabase(file)
    database._writer.execute("PRAGMA query_only = ON")  # what a file without the right to write answers
    with pytest.raises(StoreError, match="cannot be written: it is read-only") as refused:
        asyncio.run(Store(database).remove(run))
    assert "change its permissions" in str(refused.value)
    database.close()
    assert main(["show", run, "--store", str(file), "--quiet"]) == 0
    assert "## Bill" in capsys.readouterr().out


def test_a_store_that_another_process_holds_is_waited_for_and_then_named(tmp_path: Path) -> None:
    file = tmp_path / "runs.sqlite"
    run = begun(file)
    holder = sqlite3.connect(file, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    database = SqliteDatabase(file, wait=0.05)
    store = Store(database)
    assert store.read.run(run).status == "complete", "reading does not wait for it"
    with pytest.raises(StoreError, match="was held by another process for"):
        asyncio.run(store.remove(run))
    holder.execute("ROLLBACK")
    holder.close()
    asyncio.run(store.remove(run))
    store.close()


def test_a_store_of_a_newer_version_is_refused_and_left_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "runs.sqlite"
    run = begun(file)
    with sqlite3.connect(file) as db:
        db.execute("UPDATE store_version SET version = 99")
    db.close()
    assert "version 99" in told(capsys, "show", run, "--store", str(file))
    assert "written by a newer version" in told(capsys, "rm", run, "--yes", "--store", str(file))
    with sqlite3.connect(file) as db:
        assert db.execute("SELECT count(*) FROM runs").fetchone() == (1,)
    db.close()


def test_a_damaged_page_is_named_with_the_way_to_save_the_rest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "runs.sqlite"
    run = begun(file)
    with sqlite3.connect(file) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        size = db.execute("PRAGMA page_size").fetchone()[0]
        (root,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'records'").fetchone()
    db.close()
    whole = bytearray(file.read_bytes())
    whole[(root - 1) * size : root * size] = b"\xa5" * size
    file.write_bytes(bytes(whole))
    said = told(capsys, "show", run, "--store", str(file))
    assert "is damaged" in said and ".recover" in said
    assert main(["runs", "--store", str(file)]) == 0, "what is whole can still be read"
    assert run in capsys.readouterr().out
    assert file.read_bytes() == bytes(whole), "nothing was changed or put aside"


@pytest.mark.parametrize("content", ["text", "other"])
def test_a_file_that_is_something_else_is_refused_and_not_touched(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str
) -> None:
    file = tmp_path / "thing"
    if content == "text":
        file.write_text("a letter, much longer than the header of a database would be, to somebody else entirely\n" * 9)
    else:
        with sqlite3.connect(file) as db:
            db.execute("CREATE TABLE letters (body TEXT)")
        db.close()
    before = file.read_bytes()
    said = told(capsys, FREE, "--store", str(file), "--quiet")
    assert ("is not a SQLite database" if content == "text" else "holds something else") in said
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["show", "nothing"], "has no run 'nothing'"),
        (["resume", "nothing"], "has no run 'nothing'"),
        (["replay", "nothing"], "has no run 'nothing'"),
        (["export", "nothing", "--to", "x.json"], "has no run 'nothing'"),
        (["restore", "nothing", "a/1/1"], "has no run 'nothing'"),
        (["rm", "nothing"], "has no run 'nothing'"),
        (["runs", "--last", "0"], "at least 1"),
    ],
)
def test_a_run_that_is_not_there_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], says: str
) -> None:
    file = tmp_path / "runs.sqlite"
    open_store(file).close()
    assert says in told(capsys, *words, "--store", str(file))


def test_a_store_that_is_not_there_is_named_by_commands_that_only_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "is not there" in told(capsys, "show", "x", "--store", str(tmp_path / "none.sqlite"))
    assert main(["runs"]) == 0
    assert capsys.readouterr().out == "no runs are stored yet\n"
    assert "no runs are stored (store is off)" in told(capsys, "runs", "--store", "off")
