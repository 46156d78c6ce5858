"""The journal of one run in a store: what the meter writes before and after every call.

What is written with a call goes into the same transaction: its ledger entry, the hold on the run's budget, and what was
booked, read and told since the last one. The row of the run is changed first, on condition of the fence: a process that
has lost the run writes nothing.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from research_crew.core.books import Books
from research_crew.core.errors import Diverged, LostLease, OverBudget
from research_crew.core.events import Event
from research_crew.core.journal import FIXED, About, CallKey, Finished, Refused
from research_crew.core.ledger import LedgerEntry
from research_crew.core.money import from_nano
from research_crew.stores.database import Transaction
from research_crew.stores.records import Past, about_row, event_row, plain, refused_row, to_text
from research_crew.stores.writer import Writer

_HOLD = """UPDATE runs SET held = held + :hold WHERE id = :run AND fence = :fence AND spent + held + :hold <= budget
    RETURNING fence"""
_OPEN = """INSERT INTO calls (run, task, attempt, step, try, hash, state, hold, retryable, about, opened)
    VALUES (:run, :task, :attempt, :step, :try, :hash, 'open', :hold, 0, :about, :opened)"""
_DONE = """UPDATE calls SET state = 'done', n = :n, outcome = :outcome, retryable = :retryable, value = :value
    WHERE run = :run AND task = :task AND attempt = :attempt AND step = :step AND try = :try AND state = 'open'
    RETURNING hold"""
_PAID = "UPDATE runs SET held = held - :hold, spent = spent + :nano WHERE id = :run AND fence = :fence RETURNING fence"
_ENTRY = "INSERT INTO ledger (run, n, nano, entry) VALUES (:run, :n, :nano, :entry)"
_REFUSED = """INSERT INTO calls (run, task, attempt, step, try, hash, state, hold, n, retryable, value, opened)
    VALUES (:run, :task, :attempt, :step, :try, :hash, 'refused', 0, :n, 0, :value, :opened)
    ON CONFLICT (run, task, attempt, step, try) DO NOTHING"""
_DROP = """DELETE FROM calls WHERE run = :run AND task = :task AND attempt = :attempt AND step = :step AND try = :try
    AND state = 'open' RETURNING hold"""
_LATE = """INSERT INTO late_bills (run, task, attempt, step, try, nano, entry)
    VALUES (:run, :task, :attempt, :step, :try, :nano, :entry)
    ON CONFLICT (run, task, attempt, step, try) DO NOTHING"""
_EVENT = "INSERT INTO events (run, n, kind, at, task, role, data) VALUES (:run, :n, :kind, :at, :task, :role, :data)"
_BOOK = """INSERT INTO books (run, book, n, id, state, reason, root, text)
    VALUES (:run, :book, :n, :id, :state, :reason, :root, :text)"""
_TEXT = "INSERT INTO texts (hash, data) VALUES (:hash, :data) ON CONFLICT (hash) DO NOTHING"
_SOURCE = """INSERT INTO sources (run, number, hash, data) VALUES (:run, :number, :hash, :data)
    ON CONFLICT (run, number) DO UPDATE SET hash = excluded.hash, data = excluded.data"""

T = TypeVar("T")
Statement = tuple[str, Sequence[Mapping[str, object]]]


class StoredJournal:
    """See `core.journal.Journal`. Made for one run by the process that holds its lease."""

    def __init__(
        self, store: str, run: str, past: Past, writer: Writer, *, rebuy: bool = False,
        value_of: Callable[[CallKey], object] = lambda _: None, clock: Callable[[], float] = time.time,
    ) -> None:  # fmt: skip
        """`rebuy`: another request under a known key is bought anew instead of refused. `value_of` reads an answer."""
        self._store, self._run, self._writer, self._rebuy = store, run, writer, rebuy
        self._calls, self._value_of, self._clock = dict(past.calls), value_of, clock
        self._events: list[Event] = []
        self._event_count = past.events
        self._texts: dict[str, str] = {}
        self._sources: list[Mapping[str, object]] = []
        self._books: Books | None = None
        self._booked = {"claims": 0, "sources": 0}
        self._again: list[Statement] = []

    # -- what goes along with the next transaction ----------------------------------------------------------------

    def tell(self, event: Event) -> None:
        """Keep an event."""
        self._events.append(event)

    def read(self, number: int, digest: str | None, text: str, source: Mapping[str, object]) -> None:
        """Keep what was read of a source."""
        if digest is not None:
            self._texts[digest] = text
        self._sources.append({"run": self._run, "number": number, "hash": digest, "data": to_text(dict(source))})

    def watch(self, books: Books) -> None:
        """Keep what is booked here."""
        self._books = books

    def along(self) -> list[Statement]:
        """What is kept, to be written in the next transaction; `again` takes it back when that comes to nothing."""
        kept, self._again = self._again, []
        if self._events:
            first = self._event_count + 1
            kept.append((_EVENT, [event_row(self._run, first + i, e) for i, e in enumerate(self._events)]))
            self._event_count += len(self._events)
            self._events = []
        if self._texts:
            kept.append((_TEXT, [{"hash": digest, "data": to_text(text)} for digest, text in self._texts.items()]))
            self._texts = {}
        if self._sources:
            kept.append((_SOURCE, self._sources))
            self._sources = []
        if self._books is not None:
            for book, log in (("claims", self._books.claims), ("sources", self._books.sources)):
                lines = log.since(self._booked[book])
                if lines:
                    said = self._books.texts if book == "claims" else {}
                    first = self._booked[book] + 1
                    kept.append((_BOOK, [
                        {"run": self._run, "book": book, "n": n, "id": line.id, "state": line.state,
                         "reason": plain(line.reason), "root": line.of, "text": plain(said.get(line.id, ""))}
                        for n, line in enumerate(lines, first)
                    ]))  # fmt: skip
                    self._booked[book] += len(lines)
        return kept

    async def _do(self, work: Callable[[Transaction], T]) -> T:
        """A transaction, and in it what is kept."""
        kept = self.along()

        def whole(tx: Transaction) -> T:
            value = work(tx)
            for sql, rows in kept:
                tx.many(sql, rows)
            return value

        try:
            return await self._writer.do(whole)
        except BaseException:
            self._again = kept + self._again
            raise

    # -- calls ------------------------------------------------------------------------------------------------------

    async def finished(self, key: CallKey, request_hash: str) -> Finished | Refused | None:
        """See `Journal.finished`."""
        call = self._calls.get(key)
        if call is None:
            return None
        result = call.result
        if isinstance(result, Refused):
            return result
        if result.outcome == "cancelled":
            return result
        if call.hash != request_hash:
            if not self._rebuy:
                raise Diverged(str(key))
            return replace(result, outcome="cancelled")
        return replace(result, value=self._value_of(key))

    async def open(self, key: CallKey, request_hash: str, hold: int, fence: int, about: About) -> Finished | None:
        """See `Journal.open`; raises `OverBudget` or `LostLease`, and then nothing may be sent."""

        def work(tx: Transaction) -> None:
            if not tx.run(_HOLD, {"run": self._run, "hold": hold, "fence": fence}):
                raise self._why(tx, hold, fence)
            values = {**_columns(key), "hash": request_hash, "hold": hold, "about": about_row(about), "opened": self._clock()}
            tx.run(_OPEN, values)

        await self._do(work)
        return None

    async def settle(self, key: CallKey, entry: LedgerEntry, result: Finished, fence: int) -> None:
        """See `Journal.settle`; a process that has lost the run leaves the true bill as a late one, and nothing else."""
        value = to_text(result.value)
        row = {"run": self._run, "n": entry.n, "nano": entry.nano, "entry": to_text(entry.to_json())}

        def work(tx: Transaction) -> bool:
            done = {
                **_columns(key), "n": entry.n, "outcome": result.outcome, "retryable": int(result.retryable),
                "value": value,
            }  # fmt: skip
            if not tx.run("SELECT 1 FROM runs WHERE id = :run AND fence = :fence", {"run": self._run, "fence": fence}):
                tx.run(_LATE, {**_columns(key), "nano": entry.nano, "entry": row["entry"]})
                return False
            held = tx.run(_DONE, done)
            paid = {"run": self._run, "hold": held[0][0] if held else 0, "nano": entry.nano, "fence": fence}
            tx.run(_PAID, paid)
            tx.run(_ENTRY, row)
            return True

        if not await self._do(work):
            raise LostLease(self._store, self._run)

    async def refuse(self, key: CallKey, request_hash: str, refused: Refused, fence: int) -> None:
        """See `Journal.refuse`."""

        def work(tx: Transaction) -> None:
            self._own(tx, fence)
            values = {"hash": request_hash, "n": refused.at, "value": refused_row(refused), "opened": self._clock()}
            tx.run(_REFUSED, {**_columns(key), **values})

        await self._do(work)

    async def drop(self, key: CallKey, fence: int) -> None:
        """See `Journal.drop`."""

        def work(tx: Transaction) -> None:
            self._own(tx, fence)
            for (hold,) in tx.run(_DROP, _columns(key)):
                tx.run(_PAID, {"run": self._run, "hold": hold, "nano": 0, "fence": fence})

        await self._do(work)

    def calls_of(self, task: str, attempt: int) -> bool:
        """See `Journal.calls_of`."""
        return any((key.task, key.attempt) == (task, attempt) and key.step != FIXED for key in self._calls)

    # -- who may write ------------------------------------------------------------------------------------------------

    def _own(self, tx: Transaction, fence: int) -> None:
        if not tx.run("UPDATE runs SET fence = fence WHERE id = :run AND fence = :fence RETURNING fence", {"run": self._run, "fence": fence}):
            raise LostLease(self._store, self._run)

    def _why(self, tx: Transaction, hold: int, fence: int) -> Exception:
        rows = tx.run("SELECT fence, budget, spent, held, currency FROM runs WHERE id = :run", {"run": self._run})
        if not rows or rows[0][0] != fence:
            return LostLease(self._store, self._run)
        _, budget, spent, held, currency = rows[0]
        return OverBudget(from_nano(hold), from_nano(max(0, budget - spent - held)), currency)


def _columns(key: CallKey) -> dict[str, object]:
    return {"run": key.run, "task": key.task, "attempt": key.attempt, "step": key.step, "try": key.try_}

