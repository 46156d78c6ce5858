"""What became of every file of a folder: read, or why not."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

FileState = Literal[
    "read", "empty", "no-text", "broken", "encrypted", "wrong-type", "too-large", "unreadable", "link-outside",
    "timed-out", "skipped",
]  # fmt: skip
"""`no-text`: pictures only. `broken`: damaged, or it crashed its parser. `wrong-type`: a kind that is not read, or
content that is not what the name says. `unreadable`: the file system refused. `skipped`: passed over on purpose
(hidden, or a temporary copy), never opened."""
_NO_MATTER = "encoding detected as"
"""The only note on a file that tells a person nothing they need to know."""


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """One file, by its path within the folder (forward slashes). A folder that is not entered ends with a slash."""

    path: str
    state: FileState
    reason: str = ""
    kind: str = ""
    """`txt`, `md`, `html`, `pdf`, `docx` …; empty when it was not recognised."""
    pages: int = 0
    characters: int = 0
    size: int = 0
    """Bytes."""
    modified_ns: int = 0
    hash: str = ""
    """SHA-256 of the bytes; empty for a file whose bytes were not looked at."""

    @property
    def whole(self) -> bool:
        """Whether the file was read as what its name says, with nothing left out and nothing hidden in it."""
        notes = [note for note in self.reason.split("; ") if note and not note.startswith(_NO_MATTER)]
        return self.state == "read" and not notes

    def to_json(self) -> dict[str, Any]:
        """JSON types only."""
        return asdict(self)


class FileTrouble(Exception):
    """Raised by a parser for a file that gives no text; no error of the program, but the file's outcome."""

    def __init__(self, state: FileState, reason: str, kind: str = "") -> None:
        self.state, self.reason, self.kind = state, reason, kind
        super().__init__(f"{state}: {reason}")
