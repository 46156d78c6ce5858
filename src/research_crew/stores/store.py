"""A store of runs: begins them, lets one process at a time drive them, ends them, and reads them."""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import Any, Self

from research_crew.core.errors import LostLease, NoSuchRun, RunBusy
from research_crew.core.journal import CallKey
from research_crew.core.order import Mark
from research_crew.stores.claiming import Taken, settle_crashed, take
from research_crew.stores.database import Database, Transaction
from research_crew.stores.journal import Statement, StoredJournal
from research_crew.stores.owner import LEASE, this_process
from research_crew.stores.reading import Reading
from research_crew.stores.records import MOST_NANO, NewRun, Past, plain, to_text
from research_crew.stores.schema import TABLES_OF_A_RUN
from research_crew.stores.writer import AtOnce, Writer

_NEW = """INSERT INTO runs (id, name, question, agents, status, created, parent, currency, budget, spent, held, fence, owner, lease)
    VALUES (:id, :name, :question, :agents, 'running', :created, :parent, :currency, :budget, 0, 0, 1, :owner, :lease)"""
_RENEW = "UPDATE runs SET lease = :lease WHERE id = :run AND fence = :fence RETURNING fence"
_END = """UPDATE runs SET status = :status, ended = :ended, owner = '', lease = 0 WHERE id = :run AND fence = :fence
    RETURNING fence"""
_RECORD = """INSERT INTO records (run, data) VALUES (:run, :data)
    ON CONFLICT (run) DO UPDATE SET data = excluded.data"""
_SETUP = "UPDATE setups SET data = :data WHERE run = :run"
_MARK = """INSERT INTO marks (run, n, at, kind, value)
    SELECT :run, coalesce(max(n), 0) + 1, :at, :kind, :value FROM marks WHERE run = :run"""
_ORPHANS = "DELETE FROM texts WHERE hash = :hash AND NOT EXISTS (SELECT 1 FROM sources WHERE hash = :hash)"


class Store:
    """Over any `Database`. Writing is asynchronous and in order; reading sees what is committed."""

    def __init__(
        self, database: Database, writer: Writer | None = None, *, owner: str = "", lease: float = LEASE,
        is_dead: Callable[[str], bool] | None = None,
    ) -> None:  # fmt: skip
        """`owner` names who drives runs here: this process. `is_dead` says of another owner that it is gone."""
        self.database, self._writer = database, writer or AtOnce(database)
        self._owner, self.lease, self._is_dead = owner or this_process(), lease, is_dead
        self.read = Reading(database)

    @property
    def name(self) -> str:
        """As a person knows it."""
        return self.database.name

    # -- the life of a run --------------------------------------------------------------------------------------

    async def create(self, run: NewRun) -> Past:
        """Begin a run, driven by this process."""

        def work(tx: Transaction) -> None:
            tx.run(_NEW, {
                "id": run.id, "name": plain(run.name), "question": plain(run.question), "agents": run.agents,
                "created": run.created.isoformat(), "parent": run.parent, "currency": run.currency,
                "budget": min(run.budget, MOST_NANO), "owner": self._owner, "lease": tx.time() + self.lease,
            })  # fmt: skip
            tx.run("INSERT INTO setups (run, data) VALUES (:run, :data)", {"run": run.id, "data": to_text(dict(run.setup))})

        await self._writer.do(work)
        return Past(run.setup, 1)

    async def claim(self, run: str) -> Past:
        """Drive a run that another process began; what it left on its way is charged, `assumed`.

        Raises `NoSuchRun`, and `RunBusy` while another process drives it.
        """

        def work(tx: Transaction) -> Taken:
            taken = take(tx, run, self._owner, self.lease, self._is_dead)
            if taken.fence is not None:
                settle_crashed(tx, run, taken.fence)
            return taken

        taken = await self._writer.do(work)
        if taken.missing:
            raise NoSuchRun(self.name, run)
        if taken.fence is None:
            raise RunBusy(self.name, run, taken.owner, taken.seconds)
        return self.read.past(run, taken.fence)

    def journal(self, run: str, past: Past, *, rebuy: bool = False) -> StoredJournal:
        """The journal of a run that this process drives."""

        def value_of(key: CallKey) -> object:
            return self.read.value(key)

        return StoredJournal(self.name, run, past, self._writer, rebuy=rebuy, value_of=value_of)

    async def renew(self, run: str, fence: int) -> None:
        """Go on driving a run; raises `LostLease` when another process does by now."""

        def work(tx: Transaction) -> bool:
            return bool(tx.run(_RENEW, {"run": run, "fence": fence, "lease": tx.time() + self.lease}))

        if not await self._writer.do(work):
            raise LostLease(self.name, run)

    async def mark(self, run: str, fence: int, mark: Mark) -> None:
        """Write down what came from outside: a `limit` that a person raised. A stop is written down by `finish`."""

        def work(tx: Transaction) -> bool:
            own = tx.run("SELECT 1 FROM runs WHERE id = :run AND fence = :fence", {"run": run, "fence": fence})
            if own:
                tx.run(_MARK, {"run": run, "at": mark.at, "kind": mark.kind, "value": mark.value})
                if mark.kind == "limit":
                    limit = {"run": run, "budget": min(int(float(mark.value) * 10**9), MOST_NANO)}
                    tx.run("UPDATE runs SET budget = :budget WHERE id = :run", limit)
            return bool(own)

        if not await self._writer.do(work):
            raise LostLease(self.name, run)

    async def change_setup(self, run: str, setup: Mapping[str, Any]) -> None:
        """Write down what a run is resumed with from now on."""
        await self._writer.do(lambda tx: tx.run(_SETUP, {"run": run, "data": to_text(dict(setup))}))

    async def finish(
        self, run: str, fence: int, status: str, ended: datetime, record: Mapping[str, Any] | None = None,
        stop: Mark | None = None, along: Sequence[Statement] = (),
    ) -> None:  # fmt: skip
        """The run has come to something, and nobody drives it any more. Raises `LostLease`."""

        def work(tx: Transaction) -> bool:
            if not tx.run(_END, {"run": run, "fence": fence, "status": status, "ended": ended.isoformat()}):
                return False
            for sql, rows in along:
                tx.many(sql, rows)
            if record is not None:
                tx.run(_RECORD, {"run": run, "data": to_text(dict(record))})
            if stop is not None:
                tx.run(_MARK, {"run": run, "at": stop.at, "kind": stop.kind, "value": stop.value})
            return True

        if not await self._writer.do(work):
            raise LostLease(self.name, run)

    async def remove(self, run: str) -> None:
        """Delete a run and the texts that no other run has read. Raises `NoSuchRun`, `RunBusy`."""

        def work(tx: Transaction) -> Taken:
            taken = take(tx, run, self._owner, self.lease, self._is_dead)
            if taken.fence is None:
                return taken
            hashes = tx.run("SELECT DISTINCT hash FROM sources WHERE run = :run AND hash IS NOT NULL", {"run": run})
            for table in TABLES_OF_A_RUN:
                tx.run(f"DELETE FROM {table} WHERE run = :run", {"run": run})
            tx.many(_ORPHANS, [{"hash": digest} for (digest,) in hashes])
            tx.run("DELETE FROM runs WHERE id = :run", {"run": run})
            return taken

        taken = await self._writer.do(work)
        if taken.missing:
            raise NoSuchRun(self.name, run)
        if taken.fence is None:
            raise RunBusy(self.name, run, taken.owner, taken.seconds)

    def close(self) -> None:
        """Close the database."""
        with contextlib.suppress(Exception):
            self._writer.close()
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
