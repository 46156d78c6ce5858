"""Vectors of passages in a file beside the index, by the hash of what was embedded: nothing is embedded twice.

They are kept apart from the index and by content, so that an index that is made anew, or a file that was moved, costs
nothing again. Like the index it is only a copy: a damaged file is made anew. Half precision (IEEE 754 binary16), 768
bytes a vector; what is given back is the same rounded vector at the first time and at every later one.
"""

import hashlib
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

from research_crew.core.errors import InvalidInput, UserError
from research_crew.documents.embedding import DIMENSIONS, MODEL, Embedder

if TYPE_CHECKING:
    from research_crew.documents.embedding import Vector

APPLICATION = 0x52437665
"""SQLite's `application_id` ("RCve")."""
_TOGETHER = 64
"""Vectors written at once: no more are lost when somebody stops an embedding that takes minutes."""
_SCHEMA = f"""
pragma journal_mode = wal;
begin immediate;
pragma application_id = {APPLICATION};
create table if not exists vector (key blob primary key, value blob not null) without rowid;
commit;
"""


class Vectors:
    """The embedder with its memory. Threads may share it; they take turns."""

    def __init__(self, path: Path | None = None, make: Callable[[], Embedder] = Embedder) -> None:
        """Without a path the vectors live as long as this object. The model is loaded when first needed."""
        self._lock = RLock()
        self._make = make
        self._embedder: Embedder | None = None
        self._path = path or "in memory"
        self._db = _open(path)
        self.embedded = 0
        """Texts that the model has seen through this object; the rest was remembered."""

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    def of(self, texts: Sequence[str], on_count: Callable[[int, int], None] | None = None) -> "list[Vector]":
        """The vector of every text, in order; `on_count(done, all)` is told while those that are new are embedded.
        Raises `UserError` when the file cannot be used."""
        keys = [key_of(text) for text in texts]
        with self._lock, self._told():
            known = {key: value for key in dict.fromkeys(keys) if (value := self._held(key)) is not None}
            new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
            known |= dict(self._embed(new, on_count))
        return [_unpacked(known[key]) for key in keys]

    def keep_only(self, texts: Sequence[str]) -> int:
        """Forget every vector that belongs to none of these texts; returns how many."""
        wanted = {key_of(text) for text in texts}
        with self._lock, self._told():
            gone = [(key,) for (key,) in self._db.execute("select key from vector") if key not in wanted]
            self._db.executemany("delete from vector where key = ?", gone)
        return len(gone)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """A full disk, a file that may not be written or was damaged meanwhile: said with the file's name."""
        try:
            yield
        except sqlite3.Error as error:
            raise UserError(f"the vectors {self._path} cannot be used: {error}; delete the file, it is made anew") from None

    def _held(self, key: bytes) -> bytes | None:
        row = self._db.execute("select value from vector where key = ?", (key,)).fetchone()
        return row[0] if row is not None and len(row[0]) == 2 * DIMENSIONS else None

    def _embed(
        self, new: dict[bytes, str], on_count: Callable[[int, int], None] | None
    ) -> Iterator[tuple[bytes, bytes]]:
        if not new:
            return
        if self._embedder is None:
            self._embedder = self._make()
        waiting: list[tuple[bytes, bytes]] = []
        for done, (key, text) in enumerate(new.items(), 1):
            waiting.append((key, self._embedder.one(text).astype("<f2").tobytes()))
            self.embedded += 1
            yield waiting[-1]
            if len(waiting) == _TOGETHER or done == len(new):
                self._db.execute("begin immediate")
                self._db.executemany("insert or replace into vector values (?, ?)", waiting)
                self._db.execute("commit")
                waiting.clear()
                if on_count is not None:
                    on_count(done, len(new))


def key_of(text: str) -> bytes:
    """What a vector is remembered by: the model and the text."""
    return hashlib.sha256(f"{MODEL}\0{text}".encode("utf-8", "surrogatepass")).digest()[:16]


def _unpacked(value: bytes) -> "Vector":
    import numpy as np

    return np.frombuffer(value, dtype="<f2").astype(np.float32)


def _open(path: Path | None) -> sqlite3.Connection:
    if path is None:
        return _connect(":memory:")
    try:
        path.touch(mode=0o600)
        return _connect(str(path))
    except sqlite3.OperationalError as error:
        raise UserError(f"the vectors {path} cannot be opened: {error}") from None
    except sqlite3.DatabaseError:
        path.replace(f"{path}.damaged")
        for suffix in ("-wal", "-shm"):
            with suppress(FileNotFoundError):
                Path(f"{path}{suffix}").unlink()
        path.touch(mode=0o600)
        return _connect(str(path))
    except OSError as error:
        raise UserError(f"the vectors {path} cannot be opened: {error.strerror}") from None


def _connect(path: str) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=60.0, check_same_thread=False, isolation_level=None)
    try:
        application = db.execute("pragma application_id").fetchone()[0]
        if application != APPLICATION and db.execute("select 1 from sqlite_master").fetchone():
            raise InvalidInput("vectors", path, "it is another program's database; name another file")
        db.executescript(_SCHEMA)
    except BaseException:
        db.close()
        raise
    return db
