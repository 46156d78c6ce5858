"""The parsing process: what it is protected from, what it protects from, and that it leaves nothing behind."""

import os
import signal
import subprocess
import sys
import threading
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from documents_made import docx_of, epub_of, pdf_of, word_of, xlsx_of, zip_of
from research_crew.documents.index import DocumentIndex
from research_crew.documents.outcome import FileTrouble
from research_crew.documents.reading import ParsingProcess


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def trouble(process: ParsingProcess, data: bytes, name: str) -> FileTrouble:
    with pytest.raises(FileTrouble) as caught:
        process.parse(data, name)
    return caught.value


# -- the process ------------------------------------------------------------------------------------------------


def test_one_process_reads_many_files_and_is_gone_at_the_end() -> None:
    with ParsingProcess() as process:
        assert process.pid is None, "none is started before there is something to read"
        assert process.parse(pdf_of("words"), "a.pdf").pages[0].text == "words"
        pid = process.pid
        assert pid is not None
        assert process.parse(b"# Title\n\ntext", "b.md").title == "Title"
        assert trouble(process, b"\0\1\2", "c.txt").state == "wrong-type"
        document, note = process.prepare(b"words " * 1000, "deep/d.txt")
        assert (document.document.title, note) == ("d", "")
        assert process.pid == pid
    assert gone(pid)


def test_only_the_parser_of_the_kind_is_imported() -> None:
    script = (
        "import sys\nfrom research_crew.documents.parsers import parse\nparse('txt', b'words', 'a')\n"
        "print(sorted({'lxml', 'docx', 'selectolax', 'pypdfium2', 'csv'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_file_that_takes_too_long_is_given_up_and_the_next_one_is_read() -> None:
    with ParsingProcess(seconds=60) as process:
        process.parse(b"words", "a.txt")
        first = process.pid
        assert first is not None
        # What a hanging parser looks like from outside: a process that does not answer.
        os.kill(first, signal.SIGSTOP)
        process._seconds = 0.2
        got = trouble(process, b"x" * 3_000_000, "slow.txt")
        assert (got.state, got.reason) == ("timed-out", "not read within 0.2 s")
        assert gone(first)
        process._seconds = 60
        assert process.parse(b"words", "b.txt").pages[0].text == "words"
        assert process.pid != first


def test_a_parser_that_crashes_is_the_outcome_of_its_file() -> None:
    with ParsingProcess() as process:
        process.parse(b"words", "a.txt")
        first = process.pid
        assert first is not None
        os.kill(first, signal.SIGSTOP)
        killer = threading.Timer(0.2, os.kill, (first, signal.SIGKILL))
        killer.start()
        got = trouble(process, b"x" * 1000, "crash.txt")
        killer.join()
        assert (got.state, got.reason) == ("broken", "its parser crashed (status -9)")
        assert process.parse(b"words", "b.txt").pages[0].text == "words"


def test_a_process_that_died_between_two_files_is_replaced() -> None:
    with ParsingProcess() as process:
        process.parse(b"words", "a.txt")
        first = process.pid
        assert first is not None
        os.kill(first, signal.SIGKILL)
        os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
        assert process.parse(b"words", "b.txt").pages[0].text == "words"


def test_too_much_memory_is_too_large() -> None:
    with ParsingProcess(memory=300_000_000) as process:
        got = trouble(process, b"[" + b"[1]," * 4_000_000 + b"1]", "a.json")
        assert (got.state, got.kind) == ("too-large", "json")
        assert process.parse(b"words", "b.txt").pages[0].text == "words"


def test_an_interruption_in_the_middle_leaves_no_half_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    process = ParsingProcess()
    process.parse(b"words", "a.txt")
    first = process.pid

    def stop(*pieces: bytes) -> bytes:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(process, "_exchange", stop)
        with pytest.raises(KeyboardInterrupt):
            process.parse(b"other", "b.txt")
    assert first is not None and gone(first)
    assert process.parse(b"third", "c.txt").pages[0].text == "third"
    process.close()
    process.close()


def test_a_child_without_a_parent_ends(tmp_path: Path) -> None:
    script = (
        "import os, sys\nfrom research_crew.documents.reading import ParsingProcess\nprocess = ParsingProcess()\n"
        "process.parse(b'words', 'a.txt')\nprint(process.pid, flush=True)\nos._exit(0)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    pid = int(done.stdout)
    for _ in range(200):
        if gone(pid) or Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z":
            return
        threading.Event().wait(0.05)
    pytest.fail("the child outlived its parent")


@pytest.mark.parametrize("how", ["stdin", "thread"])
def test_it_works_from_any_main_module(tmp_path: Path, how: str) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf_of("Lynxes hunt."))
    body = (
        "from pathlib import Path\nfrom research_crew.documents.index import DocumentIndex\n"
        f"index = DocumentIndex()\nprint(index.update(Path({str(tmp_path)!r})).outcomes[0].state)\n"
    )
    if how == "thread":
        lines = "".join(f"    {line}\n" for line in body.splitlines())
        body = f"import threading\ndef go():\n{lines}t = threading.Thread(target=go)\nt.start()\nt.join()\n"
    script = "print('main runs')\n" + body
    done = subprocess.run([sys.executable, "-"], input=script, capture_output=True, text=True, timeout=60, check=True)
    assert (done.stdout, done.stderr) == ("main runs\nread\n", "")


def test_modules_in_the_current_folder_are_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("json", "pypdfium2", "signal", "research_crew"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'was-run')!r}, 'w')\n")
    (tmp_path / "a.pdf").write_bytes(pdf_of("Lynxes hunt."))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    report = DocumentIndex().update(tmp_path)
    assert {o.path: o.state for o in report.outcomes}["a.pdf"] == "read"
    assert not (tmp_path / "was-run").exists()


def test_no_key_of_the_person_reaches_a_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXAMPLE_API_KEY", "secret")
    with ParsingProcess() as process:
        process.parse(b"words", "a.txt")
        assert b"secret" not in Path(f"/proc/{process.pid}/environ").read_bytes()


# -- hostile files ----------------------------------------------------------------------------------------------


def bomb(name: str, size: int) -> bytes:
    """A zip whose one member is `size` zeros."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive, archive.open(name, "w", force_zip64=True) as member:
        for _ in range(size // 1_000_000):
            member.write(bytes(1_000_000))
    return out.getvalue()


ENTITIES = (
    '<!DOCTYPE w:document [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">'
    '<!ENTITY secret SYSTEM "file:///etc/passwd">]>'
    '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r>'
    "<w:t>Seen. &c;&secret;</w:t></w:r></w:p></w:body></w:document>"
)


def lying_zip() -> bytes:
    """A member that says it is small and is not."""
    data = bytearray(zip_of({"word/document.xml": b"<" + b"a" * 1_000_000}))
    real = (1_000_001).to_bytes(4, "little")
    while (at := data.find(real)) >= 0:
        data[at : at + 4] = (10).to_bytes(4, "little")
    return bytes(data)


@pytest.fixture(scope="module")
def process() -> object:
    with ParsingProcess(seconds=30) as one:
        yield one


@pytest.mark.parametrize(
    ("name", "data", "states"),
    [
        ("bomb.docx", bomb("word/document.xml", 400_000_000), ("too-large",)),
        ("bomb.xlsx", bomb("xl/workbook.xml", 30_000_000), ("too-large",)),
        ("lying.docx", lying_zip(), ("broken",)),
        ("members.docx", zip_of({f"{n}": "" for n in range(25_000)} | {"word/document.xml": "<a/>"}), ("too-large",)),
        ("deep.docx", word_of("<w:p>" * 5_000 + "</w:p>" * 5_000), ("broken", "empty")),
        ("deep.json", b'{"a":' * 200_000, ("broken",)),
        ("cut.docx", docx_of("words")[:-100], ("broken",)),
        ("cut.epub", epub_of("<p>x</p>")[:-30], ("broken",)),
        ("part.xlsx", xlsx_of({"s": "<row><c><v>1</v></c></row><row><c>"}), ("broken",)),
        ("rubbish.pdf", b"%PDF-1.7\n" + b"1 0 obj << /Type /Catalog /Pages 1 0 R >> endobj\n" * 50, ("broken", "no-text")),
        ("loop.pdf", pdf_of("x").replace(b"/Kids [5 0 R]", b"/Kids [2 0 R]"), ("broken", "no-text")),
        ("many.pdf", pdf_of("x").replace(b"/Count 1", b"/Count 999999999"), ("broken", "no-text", "read")),
        ("locked.zip.docx", zip_of({"word/document.xml": "x"}).replace(b"\x14\0\0\0", b"\x14\0\1\0"), ("encrypted", "broken")),
    ],
)  # fmt: skip
def test_hostile_files_have_an_outcome_each(process: ParsingProcess, name: str, data: bytes, states: tuple[str, ...]) -> None:
    try:
        process.parse(data, name)
        state = "read"
    except FileTrouble as got:
        state = got.state
        assert got.reason
    assert state in states


def test_entities_are_not_expanded_and_no_other_file_is_read(process: ParsingProcess) -> None:
    text = process.parse(zip_of({"word/document.xml": ENTITIES}), "a.docx").pages[0].text
    assert text == "Seen."


@pytest.mark.parametrize(
    "piece",
    [" ", "# a" + " " * 150 + "b\n", "\n \n", ". ", "A. ", "1. ", 'x." ', "x.[1][1]", "a\n", "_a ", "[a", "<!--", "。", "\t|",
     "# ", "- \n", "a\u0300", "\u200b", "Dr. ", "a|"],
)  # fmt: skip
def test_no_text_takes_long_to_cut(piece: str) -> None:
    data = (piece * (100_000 // len(piece.encode())) + " end").encode()
    with ParsingProcess(seconds=20) as process:
        for ending in ("txt", "md"):
            prepared, _ = process.prepare(data, f"a.{ending}")
            assert prepared.passages


def test_a_folder_of_hostile_files_is_indexed_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "bomb.docx").write_bytes(bomb("word/document.xml", 400_000_000))
    (tmp_path / "entities.docx").write_bytes(zip_of({"word/document.xml": ENTITIES}))
    (tmp_path / "good.txt").write_text("The heron eats frogs.")
    (tmp_path / "huge.json").write_bytes(b"[" + b"[1]," * 4_000_000 + b"1]")
    index = DocumentIndex()
    with ParsingProcess(memory=300_000_000) as process:
        report = index.update(tmp_path, parsing=process)
    assert [(o.path, o.state) for o in report.outcomes] == [
        ("bomb.docx", "too-large"), ("entities.docx", "read"), ("good.txt", "read"), ("huge.json", "too-large"),
    ]  # fmt: skip
    assert index.search("heron")[0].path == "good.txt"
