"""Brings an index up to date with a folder, reading only what has changed."""

import hashlib
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from research_crew.documents import rows
from research_crew.documents.folder import FoundFile, read_bytes, walk
from research_crew.documents.outcome import FileOutcome, FileState, FileTrouble
from research_crew.documents.prepared import Prepared
from research_crew.documents.reading import ParsingProcess

OnFile = Callable[[FileOutcome, bool], None]
"""Told of every file in turn, and whether it was read this time. What it raises ends the update, which then changes
nothing."""


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What an update did."""

    outcomes: tuple[FileOutcome, ...]
    """Every file of the folder, in order, also those that were not read again."""
    read: int
    """Files that were parsed this time, whatever came of it."""
    unchanged: int
    """Files that were not, since what they hold is known."""
    removed: int
    """Files that were there the last time."""


def update(
    db: sqlite3.Connection, folder: Path, process: ParsingProcess, most_bytes: int, on_file: OnFile | None
) -> IndexReport:
    """See `DocumentIndex.update`; runs within the caller's transaction."""
    before = rows.known(db)
    outcomes: list[FileOutcome] = []
    read = 0
    for found in walk(folder):
        path = found.path
        held = before.pop(path, None)
        fresh = False
        prepared: Prepared | None = None
        if isinstance(found, FileOutcome):
            outcome = found
        elif held is not None and _same(held.outcome, found):
            outcome = held.outcome
        else:
            outcome, prepared, fresh = _read(found, held, process, most_bytes)
        if held is None or held.outcome != outcome:
            if prepared is None and held is not None and held.outcome.hash and held.outcome.hash == outcome.hash:
                # The same bytes at another time: what is held of them stays.
                db.execute("update document set modified_ns = ? where id = ?", (outcome.modified_ns, held.id))
            else:
                if held is not None:
                    rows.forget(db, held.id)
                rows.insert(db, outcome, prepared)
        read += fresh
        outcomes.append(outcome)
        if on_file is not None:
            on_file(outcome, fresh)
    for gone in before.values():
        rows.forget(db, gone.id)
    unchanged = sum(outcome.hash != "" or outcome.state == "too-large" for outcome in outcomes) - read
    return IndexReport(tuple(outcomes), read, max(unchanged, 0), len(before))


def _same(held: FileOutcome, found: FoundFile) -> bool:
    """Whether a file need not be looked at again. One that the system refused may be readable now: its permissions are
    no part of its size and time."""
    return (held.size, held.modified_ns) == (found.size, found.modified_ns) and held.state != "unreadable"


def _read(
    found: FoundFile, held: rows.Known | None, process: ParsingProcess, most_bytes: int
) -> tuple[FileOutcome, Prepared | None, bool]:
    """A file's outcome, its passages if it has text, and whether it was parsed."""
    outcome = FileOutcome(found.path, "read", size=found.size, modified_ns=found.modified_ns)

    def without(state: FileState, reason: str, kind: str = "") -> FileOutcome:
        return replace(outcome, state=state, reason=reason, kind=kind)

    try:
        data = read_bytes(found, most_bytes)
    except FileTrouble as trouble:
        return without(trouble.state, trouble.reason), None, False
    except OSError as error:
        return without("unreadable", error.strerror or str(error)), None, False
    outcome = replace(outcome, size=len(data), hash=hashlib.sha256(data).hexdigest())
    if held is not None and held.outcome.hash == outcome.hash and held.outcome.state != "timed-out":
        return replace(held.outcome, modified_ns=found.modified_ns), None, False
    if not data:
        return without("empty", "0 bytes"), None, True
    try:
        prepared, note = process.prepare(data, found.path)
    except FileTrouble as trouble:
        return without(trouble.state, trouble.reason, trouble.kind), None, True
    document = prepared.document
    characters = sum(len(page.text) for page in document.pages)
    reason = "; ".join(part for part in (note, *document.notes) if part)
    facts = replace(outcome, reason=reason, kind=document.kind, pages=len(document.pages), characters=characters)
    return facts, prepared, True
