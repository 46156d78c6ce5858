"""Walks a folder: every file in it once, in a stable order, never out of it through a link."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from research_crew.documents.outcome import FileOutcome, FileTrouble

_SKIPPED_FOLDERS = frozenset(("__pycache__", "node_modules", "__MACOSX"))


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file that may be read."""

    path: str
    """Within the folder, with forward slashes."""
    file: Path
    size: int
    modified_ns: int


def walk(folder: Path) -> Iterator[FoundFile | FileOutcome]:
    """Everything below a folder, each folder's entries sorted by name.

    What may not or cannot be opened comes as an outcome: hidden and temporary files, links that lead out of the
    folder or nowhere, folders that the system does not let us list, sockets and the like.
    """
    root = folder.resolve()
    waiting: list[Iterator[os.DirEntry[str] | FileOutcome]] = [_entries(root, "")]
    places: list[str] = [""]
    while waiting:
        entry = next(waiting[-1], None)
        if entry is None:
            waiting.pop()
            places.pop()
        elif isinstance(entry, FileOutcome):
            yield entry
        else:
            path = places[-1] + printable(entry.name)
            found = _look(root, entry, path)
            if found is not None:
                yield found
            else:
                waiting.append(_entries(Path(entry.path), path + "/"))
                places.append(path + "/")


def read_bytes(found: FoundFile, most: int) -> bytes:
    """The bytes of a file, at most `most`; raises `FileTrouble` when it is larger, `OSError` when it cannot be read.

    Opened without following a link and looked at again, since the folder may change under us; never waits (a pipe
    put in the file's place would make it wait for ever).
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    with os.fdopen(os.open(found.file, flags), "rb") as file:
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode):
            raise FileTrouble("wrong-type", "not a regular file")
        data = file.read(most + 1) if facts.st_size <= most else b""
        if facts.st_size > most or len(data) > most:
            raise FileTrouble("too-large", f"{facts.st_size:,} bytes; at most {most:,} are read")
        return data


def printable(name: str) -> str:
    """A file name that can be stored and printed: bytes that are no UTF-8 become `\\xff`, controls likewise."""
    text = os.fsencode(name).decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() or c == " " else c.encode("unicode_escape").decode() for c in text)


def _entries(place: Path, path: str) -> Iterator[os.DirEntry[str] | FileOutcome]:
    try:
        with os.scandir(place) as entries:
            yield from sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        yield FileOutcome(path or "./", "unreadable", error.strerror or str(error))


def _look(root: Path, entry: os.DirEntry[str], path: str) -> FoundFile | FileOutcome | None:
    """What one entry is; None for a folder to go into."""
    try:
        is_folder, is_link = entry.is_dir(), entry.is_symlink()
        shown = path + "/" if is_folder else path
        if entry.name.startswith("."):
            return FileOutcome(shown, "skipped", "hidden")
        if entry.name.startswith("~$") or (is_folder and entry.name in _SKIPPED_FOLDERS):
            return FileOutcome(shown, "skipped", "temporary or generated")
        target = Path(entry.path)
        if is_link:
            target = target.resolve(strict=True)
            if not target.is_relative_to(root):
                return FileOutcome(shown, "link-outside", "it leads out of the folder")
            if is_folder:
                return FileOutcome(shown, "skipped", "a link to another place in this folder")
        elif is_folder:
            return None
        facts = target.stat()
    except (OSError, RuntimeError) as error:
        return FileOutcome(path, "unreadable", getattr(error, "strerror", None) or str(error))
    if not stat.S_ISREG(facts.st_mode):
        return FileOutcome(path, "wrong-type", "not a regular file")
    return FoundFile(path, target, facts.st_size, facts.st_mtime_ns)
