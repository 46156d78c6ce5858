"""Reading a store: lists of runs, and everything of one run, also while it runs."""

import json
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, cast

from research_crew.core.books import Transition
from research_crew.core.errors import NoSuchRun
from research_crew.core.events import Event, EventKind
from research_crew.core.journal import CallKey, Finished
from research_crew.core.ledger import LedgerEntry, Outcome
from research_crew.core.order import Mark
from research_crew.stores.database import Database, Row
from research_crew.stores.records import Call, Past, RunRow, refused_of

_COLUMNS = "id, name, question, agents, status, created, ended, parent, currency, budget, spent, held, owner, lease"


class Reading:
    """Everything that can be read. Each method sees what is committed at that moment."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # -- runs ---------------------------------------------------------------------------------------------------

    def runs(self, limit: int | None = None, status: str = "", word: str = "") -> list[RunRow]:
        """The runs, newest first; `status` and a `word` of the question or the name narrow the list."""
        where, given = [], cast(dict[str, object], {})
        if status:
            where.append("status = :status")
            given["status"] = status
        if word:
            where.append("(lower(question) LIKE :word ESCAPE '!' OR lower(name) LIKE :word ESCAPE '!')")
            given["word"] = "%" + "".join(f"!{c}" if c in "%_!" else c for c in word.lower()) + "%"
        sql = f"SELECT {_COLUMNS} FROM runs"
        sql += f" WHERE {' AND '.join(where)}" if where else ""
        sql += " ORDER BY created DESC, id"
        if limit is not None:
            sql += " LIMIT :limit"
            given["limit"] = limit
        return [_run(row) for row in self._database.read(sql, given)]

    def run(self, name: str) -> RunRow:
        """The run whose id is this, or begins with it. Raises `NoSuchRun` when there is none, or several."""
        exact = self._database.read(f"SELECT {_COLUMNS} FROM runs WHERE id = :run", {"run": name})
        if exact:
            return _run(exact[0])
        given = {"low": name, "high": name + "\uffff"}
        sql = f"SELECT {_COLUMNS} FROM runs WHERE id >= :low AND id < :high ORDER BY id LIMIT 20"
        rows = self._database.read(sql, given) if name else []
        if len(rows) != 1:
            raise NoSuchRun(self._database.name, name, [row[0] for row in rows])
        return _run(rows[0])

    # -- one run ------------------------------------------------------------------------------------------------

    def setup(self, run: str) -> Mapping[str, Any]:
        """What it was begun with."""
        rows = self._database.read("SELECT data FROM setups WHERE run = :run", {"run": run})
        if not rows:
            raise NoSuchRun(self._database.name, run)
        setup: Mapping[str, Any] = json.loads(rows[0][0])
        return setup

    def record(self, run: str) -> dict[str, Any] | None:
        """What it came to, `research-crew/run/1`; None before it has come to anything."""
        rows = self._database.read("SELECT data FROM records WHERE run = :run", {"run": run})
        record: dict[str, Any] | None = json.loads(rows[0][0]) if rows else None
        return record

    def past(self, run: str, fence: int = 0) -> Past:
        """What was bought, refused and done from outside, in order."""
        row = self.run(run)
        ledger = self.ledger(run, row.currency)
        calls: dict[CallKey, Call] = {}
        # The answers themselves are read when they are asked for: they may be long.
        sql = """SELECT task, attempt, step, try, hash, hold, n, outcome, retryable, state,
            CASE WHEN state = 'refused' THEN value END FROM calls WHERE run = :run AND state <> 'open'"""
        for task, attempt, step, try_, digest, hold, n, outcome, again, state, value in self._database.read(sql, {"run": run}):
            key = CallKey(run, task, attempt, step, try_)
            if state == "refused":
                calls[key] = Call(digest, refused_of(value))
            else:
                calls[key] = Call(digest, Finished(None, cast(Outcome, outcome), bool(again), ledger[n - 1], hold))
        marks = self._database.read("SELECT at, kind, value FROM marks WHERE run = :run ORDER BY n", {"run": run})
        (events,) = self._database.read("SELECT coalesce(max(n), 0) FROM events WHERE run = :run", {"run": run})[0]
        return Past(self.setup(run), fence, ledger, calls, tuple(Mark(*mark) for mark in marks), events)

    def value(self, key: CallKey) -> object:
        """The answer to a finished call."""
        sql = """SELECT value FROM calls WHERE run = :run AND task = :task AND attempt = :attempt AND step = :step
            AND try = :try"""
        given = {"run": key.run, "task": key.task, "attempt": key.attempt, "step": key.step, "try": key.try_}
        return json.loads(self._database.read(sql, given)[0][0])

    def ledger(self, run: str, currency: str) -> tuple[LedgerEntry, ...]:
        """Its ledger so far."""
        rows = self._database.read("SELECT entry FROM ledger WHERE run = :run ORDER BY n", {"run": run})
        return tuple(LedgerEntry.from_json(json.loads(text), currency) for (text,) in rows)

    def in_flight(self, run: str) -> list[tuple[CallKey, Decimal]]:
        """Calls on their way, each with what is held for it."""
        sql = "SELECT task, attempt, step, try, hold FROM calls WHERE run = :run AND state = 'open' ORDER BY opened"
        rows = self._database.read(sql, {"run": run})
        return [(CallKey(run, *row[:4]), Decimal(row[4]).scaleb(-9)) for row in rows]

    def events(self, run: str, after: int = 0) -> list[tuple[int, Event]]:
        """What it told, with numbers to ask on from."""
        sql = "SELECT n, kind, at, task, role, data FROM events WHERE run = :run AND n > :after ORDER BY n"
        return [
            (n, Event(cast(EventKind, kind), datetime.fromisoformat(at), task, role, json.loads(data)))
            for n, kind, at, task, role, data in self._database.read(sql, {"run": run, "after": after})
        ]

    def books(self, run: str, book: str = "claims") -> list[tuple[Transition, str]]:
        """The transitions of its `claims` or `sources` so far, and what each claim says."""
        sql = "SELECT id, state, reason, root, text FROM books WHERE run = :run AND book = :book ORDER BY n"
        rows = self._database.read(sql, {"run": run, "book": book})
        return [(Transition(*row[:4]), row[4]) for row in rows]

    def sources(self, run: str) -> dict[int, tuple[dict[str, Any], str]]:
        """Number → (what is known of the source, its text) of everything that was read."""
        sql = """SELECT s.number, s.data, t.data FROM sources s LEFT JOIN texts t ON t.hash = s.hash
            WHERE s.run = :run ORDER BY s.number"""
        rows = self._database.read(sql, {"run": run})
        return {number: (json.loads(data), json.loads(text) if text else "") for number, data, text in rows}


def _run(row: Row) -> RunRow:
    created, ended = datetime.fromisoformat(row[5]), row[6] and datetime.fromisoformat(row[6])
    return RunRow(
        row[0], row[1], row[2], row[3], row[4], created, ended or None, row[7], row[8], row[9], row[10], row[11], row[12],
        row[13],
    )  # fmt: skip
