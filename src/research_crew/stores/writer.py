"""How transactions reach the disk: at once, or several together.

`AtOnce` is for a database whose commit does not wait for the disk (SQLite in WAL mode with `synchronous = NORMAL`
survives the end of the process, not the loss of power). `Together` is for one whose commit does: a thread takes all
that waits, does it in one transaction, and waits for the disk once.
"""

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Protocol, TypeVar

from research_crew.stores.database import Database, Transaction, Work

T = TypeVar("T")
_MOST = 256
"""Transactions that are committed together at most."""


class Writer(Protocol):
    """Does work within a transaction, in the order in which it was asked."""

    async def do(self, work: Work[T]) -> T:
        """Returns when it is committed; raises what the work raises, and then nothing of it was written."""
        ...

    def close(self) -> None:
        """Finish what was asked for."""
        ...


class AtOnce:
    """A transaction for each piece of work, on the loop: it takes tens of microseconds."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def do(self, work: Work[T]) -> T:
        """See `Writer.do`."""
        with self._database.transaction() as tx:
            return work(tx)

    def close(self) -> None:
        """Nothing waits."""


class Together:
    """One thread that commits all that waits in one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._asked: queue.SimpleQueue[tuple[Work[Any], Future[Any]] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="store writer", daemon=True)
        self._thread.start()

    async def do(self, work: Work[T]) -> T:
        """See `Writer.do`."""
        done: Future[T] = Future()
        self._asked.put((work, done))
        return await asyncio.wrap_future(done)

    def close(self) -> None:
        """See `Writer.close`."""
        self._asked.put(None)
        self._thread.join()

    def _work(self) -> None:
        while (first := self._asked.get()) is not None:
            batch, last = [first], False
            while len(batch) < _MOST and not last:
                try:
                    more = self._asked.get_nowait()
                except queue.Empty:
                    break
                if more is None:
                    last = True
                else:
                    batch.append(more)
            self._commit(batch)
            if last:
                return

    def _commit(self, batch: list[tuple[Work[Any], Future[Any]]]) -> None:
        answers: list[Callable[[], None]] = []
        try:
            with self._database.transaction() as tx:
                for work, done in batch:
                    answers.append(self._one(tx, work, done))
        except Exception as error:  # noqa: BLE001 - every one of them is told: nothing was committed
            for _, done in batch:
                with contextlib.suppress(Exception):
                    done.set_exception(error)
            return
        for answer in answers:
            answer()

    def _one(self, tx: Transaction, work: Work[Any], done: "Future[Any]") -> Callable[[], None]:
        try:
            value = self._database.savepoint(tx, work)
        except Exception as error:  # noqa: BLE001 - it is the asker's: the others' work goes on
            return lambda error=error: _tell(done, None, error)  # type: ignore[misc]
        return lambda: _tell(done, value, None)


def _tell(done: "Future[Any]", value: object, error: Exception | None) -> None:
    if done.cancelled():  # whoever asked has gone
        return
    if error is not None:
        done.set_exception(error)
    else:
        done.set_result(value)
