"""The walk through a folder: everything once, in order, and never out of it."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from research_crew.documents.folder import FoundFile, printable, read_bytes, walk
from research_crew.documents.outcome import FileOutcome, FileTrouble


def seen(folder: Path) -> list[str]:
    return [f"{f.path}: {f.state}" if isinstance(f, FileOutcome) else f.path for f in walk(folder)]


def test_files_come_sorted_with_forward_slashes_and_the_rest_is_listed(tmp_path: Path) -> None:
    for name in ("b.txt", "a/z.txt", "a/b/c.txt", "a.txt", ".hidden", "~$draft.docx", ".git/config", "node_modules/x.js"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x")
    assert seen(tmp_path) == [
        ".git/: skipped", ".hidden: skipped", "a/b/c.txt", "a/z.txt", "a.txt", "b.txt", "node_modules/: skipped",
        "~$draft.docx: skipped",
    ]  # fmt: skip
    assert seen(tmp_path) == seen(Path(os.path.relpath(tmp_path)))


def test_links_lead_nowhere_outside(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    (inside / "deep").mkdir(parents=True)
    outside.mkdir()
    (outside / "secret.txt").write_text("secret")
    (inside / "deep" / "own.txt").write_text("own")
    (inside / "file-out.txt").symlink_to(outside / "secret.txt")
    (inside / "folder-out").symlink_to(outside)
    (inside / "up.txt").symlink_to(Path("..") / "out" / "secret.txt")
    (inside / "nowhere.txt").symlink_to(inside / "gone")
    (inside / "round.txt").symlink_to(inside / "round.txt")
    (inside / "again").symlink_to(inside / "deep")
    (inside / "same.txt").symlink_to(inside / "deep" / "own.txt")
    assert seen(inside) == [
        "again/: skipped", "deep/own.txt", "file-out.txt: link-outside", "folder-out/: link-outside",
        "nowhere.txt: unreadable", "round.txt: unreadable", "same.txt", "up.txt: link-outside",
    ]  # fmt: skip


def test_a_pipe_is_listed_and_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    assert seen(tmp_path) == ["pipe.txt: wrong-type"]
    # Put in the place of a file after it was seen, it must not be waited for.
    with pytest.raises(FileTrouble, match="not a regular file"):
        read_bytes(FoundFile("pipe.txt", tmp_path / "pipe.txt", 5, 0), 100)


def test_a_link_put_in_the_place_of_a_file_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "a.txt").symlink_to(tmp_path / "secret")
    with pytest.raises(OSError, match=r"a\.txt"):
        read_bytes(FoundFile("a.txt", tmp_path / "a.txt", 6, 0), 100)


def test_a_file_that_grew_is_not_read_beyond_the_cap(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"x" * 101)
    with pytest.raises(FileTrouble) as caught:
        read_bytes(FoundFile("a.txt", tmp_path / "a.txt", 5, 0), 100)
    assert caught.value.state == "too-large"


def test_a_folder_that_cannot_be_listed_is_an_outcome(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "closed").mkdir()
    (tmp_path / "open.txt").write_text("x")
    scandir = os.scandir

    def refuse(place: Path) -> object:
        if Path(place).name == "closed":
            raise PermissionError(13, "Permission denied")
        return scandir(place)

    monkeypatch.setattr(os, "scandir", refuse)
    outcomes = [f for f in walk(tmp_path) if isinstance(f, FileOutcome)]
    assert outcomes == [FileOutcome("closed/", "unreadable", "Permission denied")]


def test_a_deep_folder_is_walked(tmp_path: Path) -> None:
    place = tmp_path.joinpath(*["d"] * 150)
    place.mkdir(parents=True)
    (place / "a.txt").write_text("x")
    assert seen(tmp_path) == ["d/" * 150 + "a.txt"]


def test_names_that_are_no_text_can_be_stored_and_printed(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"bad\xff.txt")).write_text("x")
    (tmp_path / "line\nend\x1b.txt").write_text("x")
    paths = [f.path for f in walk(tmp_path)]
    assert paths == ["bad\\xff.txt", "line\\nend\\x1b.txt"]
    assert printable("Größe 猫 a.txt") == "Größe 猫 a.txt"


def test_an_empty_folder_gives_nothing(tmp_path: Path) -> None:
    found: Iterator[object] = walk(tmp_path)
    assert list(found) == []
