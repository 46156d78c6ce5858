"""What a person sees while a folder is indexed, and that Ctrl-C there leaves the index as it was."""

import io
import os
import signal
import threading
from pathlib import Path

import pytest

from documents_made import pdf_of
from research_crew.core.stop import Stop
from research_crew.documents.index import DocumentIndex
from research_crew.documents.outcome import FileOutcome
from research_crew.interfaces.cli import research
from research_crew.interfaces.cli.app import main
from research_crew.interfaces.cli.files import COUNTED_FROM, MOST_NAMED, FileReporter
from research_crew.interfaces.cli.progress import Progress
from research_crew.settings import index_file

QUESTION = "What do herons eat?"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def said(outcomes: list[FileOutcome], stream: io.StringIO, quiet: bool = False) -> str:
    reporter = FileReporter(Progress(quiet, stream), Stop())
    for outcome in outcomes:
        reporter(outcome, True)
    return stream.getvalue()


def good(count: int) -> list[FileOutcome]:
    return [FileOutcome(f"{n}.txt", "read") for n in range(count)]


def test_a_file_that_is_not_read_is_named_with_its_reason() -> None:
    files = [*good(2), FileOutcome("a.pdf", "encrypted", "protected by a password"), FileOutcome("b.txt", "empty")]
    assert said(files, io.StringIO()) == "a.pdf: encrypted (protected by a password)\nb.txt: empty\n"


def test_a_small_folder_is_not_counted_and_a_large_one_is() -> None:
    assert said(good(COUNTED_FROM), Terminal()) == ""
    files = [*good(COUNTED_FROM), FileOutcome("a.pdf", "broken")]
    assert said(files, Terminal()).endswith(f"\x1b[2K{COUNTED_FROM + 1} files looked at, 1 not read")


def test_nothing_moves_where_no_terminal_is_and_quiet_is_quiet() -> None:
    files = [*good(COUNTED_FROM * 2), FileOutcome("a.pdf", "broken")]
    assert said(files, io.StringIO()) == "a.pdf: broken\n"
    assert said(files, Terminal(), quiet=True) == ""


def test_many_bad_files_do_not_fill_the_screen() -> None:
    lines = said([FileOutcome(f"{n}.pdf", "broken") for n in range(500)], io.StringIO()).splitlines()
    assert len(lines) == MOST_NAMED + 1
    assert lines[-1] == "more files could not be read; the result lists all of them"


def test_a_file_that_was_read_in_part_is_named_too() -> None:
    files = [FileOutcome("a.csv", "read", "only the first 200,000 rows"), FileOutcome("b.txt", "read", "encoding detected as cp1252")]
    assert said(files, io.StringIO()) == "a.csv: read, with a note (only the first 200,000 rows)\n"


def test_names_and_reasons_cannot_write_to_the_terminal() -> None:
    shown = said([FileOutcome("a\x1b]0;x\x07\n.pdf", "broken", "no\x1b[2Jsuch")], io.StringIO())
    assert shown == "a\N{REPLACEMENT CHARACTER}]0;x\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}.pdf: broken (no\N{REPLACEMENT CHARACTER}[2Jsuch)\n"


def test_the_command_names_bad_files_on_standard_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "good.txt").write_text("Herons eat frogs. " * 5)
    (tmp_path / "zero.txt").touch()
    main([QUESTION, "--docs", str(tmp_path), "--agents", "extractive"])
    assert "zero.txt: empty (0 bytes)\n" in capsys.readouterr().err


def test_one_interruption_while_indexing_ends_it_and_leaves_no_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for n in range(5):
        (tmp_path / f"{n}.pdf").write_bytes(pdf_of(f"Herons eat frogs, says file {n}."))
    asked = threading.Event()
    request = Stop.request

    def heard(self: Stop, reason: str) -> None:
        request(self, reason)
        asked.set()

    class Interrupted(FileReporter):
        """Presses Ctrl-C when it is told of the third file, and goes on once that was heard."""

        def __call__(self, outcome: FileOutcome, fresh: bool) -> None:
            if outcome.path == "2.pdf":
                running.append(len(parsers()))
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
                assert asked.wait(30)
            super().__call__(outcome, fresh)

    running: list[int] = []
    arguments = [QUESTION, "--docs", str(tmp_path), "--agents", "extractive"]
    with monkeypatch.context() as patch:
        patch.setattr(Stop, "request", heard)
        patch.setattr(research, "FileReporter", Interrupted)
        assert main(arguments) == 130
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.endswith("research-crew: stopped\n")
    assert (running, parsers()) == ([1], [])
    file = index_file(str(tmp_path))
    assert file is not None
    index = DocumentIndex(file)
    assert list(index.outcomes()) == []
    index.close()
    main(arguments)
    assert "Herons eat frogs" in capsys.readouterr().out


def parsers() -> list[int]:
    """The parsing processes that this one has started."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            parent = place.joinpath("stat").read_text().rpartition(")")[2].split()[1]
            if int(parent) == os.getpid() and b"documents.child" in place.joinpath("cmdline").read_bytes():
                found.append(int(place.name))
        except OSError:  # it ended while we looked
            continue
    return found
