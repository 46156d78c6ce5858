"""Walks a folder: every file in it once, in a stable order, never out of it through a link."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from research_crew.documents.outcome import FileOutcome

_SKIPPED_FOLDERS = frozenset(("__pycache__", "node_modules"))


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file that may be read."""

    path: str
    """Within the folder, with forward slashes."""
    file: Path
    size: int
    modified_ns: int


def walk(folder: Path) -> Iterator[FoundFile | FileOutcome]:
    """Every file below a folder, sorted by path; hidden ones are passed over.

    A link that leads out of the folder, and a file that the system does not let us look at, come as outcomes.
    """
    root = folder.resolve()
    for place, folders, names in os.walk(root, followlinks=False):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in _SKIPPED_FOLDERS)
        for name in sorted(names):
            if name.startswith((".", "~$")):
                continue
            file = Path(place, name)
            path = file.relative_to(root).as_posix()
            try:
                target = file.resolve(strict=True)
                if not target.is_relative_to(root):
                    yield FileOutcome(path, "link-outside", "it leads out of the folder")
                    continue
                facts = target.stat()
            except (OSError, RuntimeError) as error:
                yield FileOutcome(path, "unreadable", getattr(error, "strerror", None) or str(error))
                continue
            if target.is_file():
                yield FoundFile(path, target, facts.st_size, facts.st_mtime_ns)
