"""The results file of a batch: one JSON record a line, appended, never changed.

A batch that was stopped reads it back: what is answered is not asked again, what it cost counts. A line that a crash
cut short is taken away first. One batch at a time writes a file; another one is told so.
"""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from io import BufferedRandom
from pathlib import Path
from typing import Self

from research_crew.core.errors import UserError

SCHEMA = "research-crew/batch/1"
DONE = ("complete", "incomplete", "no-evidence")
"""States after which a question is not asked again."""


@dataclass(frozen=True, slots=True)
class Row:
    """How one question ended."""

    key: str
    question: str
    status: str
    """That of the run, or `refused` (its budget could not pay the smallest run) or `failed` (an error)."""
    exit_code: int
    cost: Decimal
    """Of all starts of the question together."""
    currency: str
    found: int = 0
    """Claims in the report, each checked against its source."""
    dropped: Mapping[str, int] | None = None
    """How many claims, sources and tasks did not reach the report."""
    reason: str = ""
    run: Mapping[str, object] | None = None
    """The run record, `research-crew/run/1`."""

    @property
    def done(self) -> bool:
        """Whether the question is answered, well or badly, and is not asked again."""
        return self.status in DONE

    def to_json(self) -> dict[str, object]:
        """One line of the file."""
        return {
            "schema": SCHEMA, "id": self.key, "question": self.question, "status": self.status, "exit_code": self.exit_code,
            "cost": f"{self.cost:f}", "currency": self.currency, "found": self.found, "dropped": dict(self.dropped or {}),
            "reason": self.reason, "run": self.run,
        }  # fmt: skip

    @classmethod
    def from_json(cls, value: Mapping[str, object]) -> Self:
        """The row of a line; raises `ValueError` for anything else."""
        if not isinstance(value, dict) or value.get("schema") != SCHEMA:
            raise ValueError(f"not a {SCHEMA} record")
        try:
            return cls(
                str(value["id"]), str(value["question"]), str(value["status"]), int(value["exit_code"]),
                Decimal(str(value["cost"])), str(value["currency"]), int(value.get("found", 0)), value.get("dropped"),
                str(value.get("reason", "")), value.get("run"),
            )  # fmt: skip
        except (KeyError, TypeError, InvalidOperation) as error:
            raise ValueError(f"a field is missing or wrong: {error}") from None


class ResultsFile:
    """An open results file; use it as a context manager."""

    def __init__(self, path: Path) -> None:
        """Raises `UserError` for a file that cannot be written, is in use, or holds something else."""
        self.path = path
        self.rows: dict[str, Row] = {}
        """The last row of every question, without its run record."""
        self.spent = Decimal(0)
        """What all questions of the file have cost, earlier starts included."""
        self.torn = False
        """Whether a line cut short by a crash was taken away."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise UserError(f"--to {path}: {error.strerror}; name a file that can be written") from None
        self._file: BufferedRandom = os.fdopen(handle, "r+b")
        try:
            self._lock()
            self._load()
        except BaseException:
            self._file.close()
            raise

    def append(self, row: Row) -> None:
        """Write a row down; it is on its way to the disk when this returns. Raises `UserError` when it cannot be."""
        line = json.dumps(row.to_json(), ensure_ascii=False).encode() + b"\n"
        end = self._file.seek(0, os.SEEK_END)
        try:
            self._file.write(line)
            self._file.flush()
        except OSError as error:
            self._file.truncate(end)
            raise UserError(f"{self.path} cannot be written: {error.strerror}; make room and start the batch again") from None
        self._take(row)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _lock(self) -> None:
        try:
            import fcntl
        except ImportError:  # no advisory locks on this platform
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UserError(f"{self.path} is being written by another batch; wait for it, or name another file with --to") from None

    def _load(self) -> None:
        good = 0
        for number, line in enumerate(self._lines(), 1):
            try:
                row = Row.from_json(json.loads(line))
            except ValueError as error:
                raise UserError(f"{self.path}, line {number}: {error}; name another file with --to") from None
            self._take(row)
            good += len(line)
        if self._file.seek(0, os.SEEK_END) > good:
            self._file.truncate(good)
            self.torn = True

    def _lines(self) -> Iterator[bytes]:
        """The whole lines of the file."""
        self._file.seek(0)
        for line in self._file:
            if line.endswith(b"\n"):
                yield line

    def _take(self, row: Row) -> None:
        earlier = self.rows.get(row.key)
        self.spent += row.cost - (earlier.cost if earlier is not None else 0)
        self.rows[row.key] = Row(
            row.key, row.question, row.status, row.exit_code, row.cost, row.currency, row.found, row.dropped, row.reason
        )
