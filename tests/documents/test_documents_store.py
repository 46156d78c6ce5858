"""The file of an index: what is opened, made anew or refused, and many who use it at once."""

import asyncio
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from research_crew.core.errors import InvalidInput, UserError
from research_crew.documents import store, words
from research_crew.documents.index import DocumentIndex


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "index.sqlite"


def filled(file: Path) -> None:
    index = DocumentIndex(file)
    index.add_texts([("1", "", "The heron eats frogs.")])
    index.close()


def test_what_was_added_is_there_the_next_time(file: Path) -> None:
    filled(file)
    index = DocumentIndex(file)
    assert index.search("heron")[0].path == "1"
    index.close()


def test_only_the_owner_can_read_it(tmp_path: Path) -> None:
    file = tmp_path / "new" / "index.sqlite"
    index = DocumentIndex(file)
    index.add_texts([("1", "", "secret")])
    for some in (file, *file.parent.iterdir(), file.parent):
        assert some.stat().st_mode & 0o077 == 0, some
    index.close()
    file.chmod(0o644)
    DocumentIndex(file).close()
    assert file.stat().st_mode & 0o077 == 0


def test_a_file_that_is_no_database_is_put_aside_and_nothing_is_lost(file: Path) -> None:
    file.write_bytes(b"my thesis, named by mistake" * 100)
    index = DocumentIndex(file)
    assert len(index) == 0
    index.add_texts([("1", "", "heron")])
    index.close()
    assert file.with_name("index.sqlite.damaged").read_bytes().startswith(b"my thesis")


def test_a_database_of_another_program_is_refused_and_untouched(file: Path) -> None:
    with sqlite3.connect(file) as db:
        db.execute("create table accounts (name text)")
    db.close()
    before = file.read_bytes()
    with pytest.raises(InvalidInput, match="another program's database"):
        DocumentIndex(file)
    assert file.read_bytes() == before


def test_an_index_of_a_newer_version_is_refused_and_untouched(file: Path) -> None:
    filled(file)
    with sqlite3.connect(file) as db:
        db.execute("pragma user_version = 99")
    db.close()
    with pytest.raises(InvalidInput, match="a newer research-crew made it"):
        DocumentIndex(file)
    with sqlite3.connect(file) as db:
        assert db.execute("select count(*) from passage").fetchone() == (1,)
    db.close()


def test_an_index_of_an_older_version_is_made_anew(file: Path) -> None:
    filled(file)
    with sqlite3.connect(file) as db:
        db.execute("pragma user_version = 1")
    db.close()
    index = DocumentIndex(file)
    assert len(index) == 0
    index.close()


def test_an_index_folded_in_another_way_is_made_anew(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(file)
    monkeypatch.setattr(store, "fingerprint", lambda: "other")
    index = DocumentIndex(file)
    assert len(index) == 0
    index.close()
    monkeypatch.setattr(store, "fingerprint", words.fingerprint)


def spoil(file: Path, keep: float) -> None:
    """Overwrite the end of a file, as a failing disk would; `keep` is the share that is left as it was."""
    data = bytearray(file.read_bytes())
    start = int(len(data) * keep) // 4096 * 4096
    data[start:] = b"\xde\xad\xbe\xef" * ((len(data) - start) // 4)
    file.write_bytes(data)


def test_a_damaged_index_is_made_anew(file: Path) -> None:
    filled(file)
    spoil(file, 0.1)
    index = DocumentIndex(file)
    assert len(index) == 0
    index.close()


def test_damage_found_later_is_said_by_a_search_and_mended_by_an_update(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    for n in range(60):
        (folder / f"{n}.txt").write_text(f"The heron of page {n} eats frogs. " * 60)
    index = DocumentIndex(file)
    index.update(folder)
    index.close()
    spoil(file, 0.5)
    index = DocumentIndex(file)
    for _ in range(2):
        with pytest.raises(UserError, match="is damaged"):
            index.search("heron frogs eats page")
    assert index.update(folder).read == 60
    assert len(index.search("heron", 100)) == 60
    index.close()
    assert file.with_name("index.sqlite.damaged").exists()


def test_damage_that_only_a_search_finds_is_gone_in_the_next_run(file: Path) -> None:
    index = DocumentIndex(file)
    index.add_texts((f"{n}", "", f"The heron of page {n} eats frogs. " * 60) for n in range(60))
    index.close()
    spoil(file, 0.5)
    index = DocumentIndex(file)
    with pytest.raises(UserError, match="run again"):
        index.search("heron frogs eats page")
    index.close()
    index = DocumentIndex(file)
    assert index.add_texts([("1", "", "heron")]) == 1
    assert len(index.search("heron")) == 1
    index.close()


def test_a_place_where_none_can_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UserError, match="cannot be"):
        DocumentIndex(tmp_path / "file" / "index.sqlite")
    with pytest.raises(UserError, match="cannot be opened"):
        DocumentIndex(tmp_path)


def test_a_closed_index_says_so(file: Path) -> None:
    for path in (file, Path(":memory:")):
        index = DocumentIndex(path if path == file else ":memory:")
        index.close()
        with pytest.raises(UserError, match="closed"):
            index.search("x")
        with pytest.raises(UserError, match="closed"):
            index.add_texts([])
        index.close()


@pytest.mark.parametrize("place", ["file", "memory"])
def test_many_threads_search_side_by_side_while_one_writes(file: Path, place: str) -> None:
    index = DocumentIndex(file if place == "file" else ":memory:")
    index.add_texts((f"{n}", "", f"heron number {n}") for n in range(200))

    async def ask() -> list[list[str]]:
        def one(_: int) -> list[str]:
            return [hit.path for hit in index.search("heron", 5)]

        def write() -> None:
            for n in range(30):
                index.add_texts([(f"new{n}", "", "cranes")])

        writing = asyncio.create_task(asyncio.to_thread(write))
        found = await asyncio.gather(*(asyncio.to_thread(one, n) for n in range(100)))
        await writing
        return found

    answers = asyncio.run(ask())
    assert {tuple(answer) for answer in answers} == {("0", "1", "2", "3", "4")}
    assert len(index) == 230
    index.close()


def test_searches_do_not_wait_for_a_writer(file: Path, tmp_path: Path) -> None:
    index = DocumentIndex(file)
    index.add_texts([("1", "", "heron")])
    begun, go_on = threading.Event(), threading.Event()

    def slow() -> object:
        yield ("2", "", "heron too")
        begun.set()
        assert go_on.wait(30)
        yield ("3", "", "heron three")

    with ThreadPoolExecutor() as pool:
        writing = pool.submit(index.add_texts, slow())  # type: ignore[arg-type]
        assert begun.wait(30)
        # The writer is in the middle of its transaction: what was there before is found, and nothing half-done.
        assert [hit.path for hit in index.search("heron")] == ["1"]
        go_on.set()
        assert writing.result() == 2
    assert len(index.search("heron")) == 3
    index.close()


def test_two_processes_write_one_after_the_other(file: Path) -> None:
    index = DocumentIndex(file)
    script = (
        "import sys; from research_crew.documents.index import DocumentIndex\n"
        "index = DocumentIndex(sys.argv[1])\n"
        "for n in range(20): index.add_texts([(f'{sys.argv[2]}-{n}', '', 'heron')])\n"
        "index.close()\n"
    )
    others = [subprocess.Popen([sys.executable, "-c", script, str(file), name]) for name in ("a", "b")]
    index.add_texts([(f"c-{n}", "", "heron") for n in range(20)])
    assert [other.wait(60) for other in others] == [0, 0]
    assert len(index) == 60
    index.close()


def test_a_writer_that_waits_in_vain_is_told(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_WAIT", 0.05)
    index = DocumentIndex(file)
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("begin immediate")
    with pytest.raises(UserError, match="being written by another process"):
        index.add_texts([("1", "", "x")])
    other.execute("rollback")
    other.close()
    assert index.add_texts([("1", "", "x")]) == 1
    index.close()
