"""A batch that workers on several machines share, in Postgres: its questions, its one account, the turns of providers.

The account is a row: what may be spent, what is spent, what is held. A question's hold and its state change in one
transaction under that row's lock, so that no two workers ever hold the same money, and a worker that takes over a
question finds the hold of the one that died. Statements take parameters only.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Self

from research_crew.core.errors import MissingExtra, UserError

if TYPE_CHECKING:
    from psycopg import AsyncConnection, AsyncCursor

MIGRATIONS: tuple[str, ...] = (
    """
    create table batches (
        id text primary key, settings text not null, currency text not null, each_nano bigint not null,
        total_nano bigint not null, spent_nano bigint not null default 0, held_nano bigint not null default 0,
        stopped text not null default '', created timestamptz not null default now());
    create table batch_questions (
        batch text not null references batches (id) on delete cascade, key text not null, line integer not null,
        question text not null, budget_nano bigint, state text not null default 'waiting',
        starts integer not null default 1,
        held_nano bigint not null default 0, cost_nano bigint not null default 0, row text,
        primary key (batch, key));
    create table turns (provider text primary key, next_at double precision not null);
    create table workers (id text primary key, version text not null, beat double precision not null);
    """,
)
"""Append-only: a later version adds a statement, none is ever changed."""
_LOCK = 7_215_001


class SharedBatch:
    """One connection to the shared tables. Statements of one worker follow each other."""

    def __init__(self, connection: "AsyncConnection[tuple[Any, ...]]") -> None:
        self._connection, self._turn = connection, asyncio.Lock()

    @classmethod
    async def connect(cls, url: str) -> Self:
        """Open and migrate. Raises `UserError` for a database that does not answer, `MissingExtra`."""
        try:
            import psycopg
        except ModuleNotFoundError:
            raise MissingExtra("psycopg", "workers") from None
        try:
            connection = await psycopg.AsyncConnection.connect(url, autocommit=True)
        except psycopg.Error as error:
            raise UserError(f"--database: {str(error).strip().splitlines()[0]}; check the address and that it is running") from None
        batch = cls(connection)
        try:
            await batch._migrate()
        except BaseException:
            await connection.close()
            raise
        return batch

    async def close(self) -> None:
        """Close the connection."""
        await self._connection.close()

    @asynccontextmanager
    async def _transaction(self) -> "AsyncIterator[AsyncCursor[tuple[Any, ...]]]":
        async with self._turn, self._connection.transaction(), self._connection.cursor() as cursor:
            yield cursor

    async def _migrate(self) -> None:
        async with self._transaction() as db:
            await db.execute("select pg_advisory_xact_lock(%s)", (_LOCK,))
            await db.execute("create table if not exists batch_schema (version integer not null)")
            await db.execute("select coalesce(max(version), 0) from batch_schema")
            version = (await _one(db))[0]
            if version > len(MIGRATIONS):
                raise UserError(f"--database: written by a newer version (schema {version}); upgrade research-crew")
            for number, statements in enumerate(MIGRATIONS[version:], version + 1):
                for statement in statements.split(";"):
                    if statement.strip():
                        await db.execute(statement.encode())
                await db.execute("insert into batch_schema values (%s)", (number,))

    # -- what the one that feeds it does ------------------------------------------------------------------------

    async def create(
        self, batch: str, settings: Mapping[str, object], currency: str, each: int, total: int,
        questions: Sequence[tuple[str, int, str, int | None]],
    ) -> None:  # fmt: skip
        """Make a batch, or raise the limits of the one there is; add the questions (key, line, text, own limit) it lacks.

        What was refused for want of money waits again.
        """
        async with self._transaction() as db:
            await db.execute(
                "insert into batches (id, settings, currency, each_nano, total_nano) values (%s, %s, %s, %s, %s) "
                "on conflict (id) do update set settings = excluded.settings, each_nano = excluded.each_nano, "
                "total_nano = excluded.total_nano, stopped = ''",
                (batch, json.dumps(settings), currency, each, total),
            )
            await db.executemany(
                "insert into batch_questions (batch, key, line, question, budget_nano) values (%s, %s, %s, %s, %s) "
                "on conflict (batch, key) do update set line = excluded.line, budget_nano = excluded.budget_nano",
                [(batch, *question) for question in questions],
            )
            await db.execute(
                "update batch_questions set state = 'waiting', starts = starts + 1 where batch = %s and state = 'again'", (batch,)
            )

    async def rows(self, batch: str) -> dict[str, dict[str, Any]]:
        """What has been answered, by key."""
        async with self._transaction() as db:
            await db.execute("select key, row from batch_questions where batch = %s and row is not null", (batch,))
            return {key: json.loads(row) for key, row in await db.fetchall()}

    async def open(self, batch: str) -> list[tuple[str, str, int]]:
        """Key, text and number of starts of the questions that have not ended, in order."""
        async with self._transaction() as db:
            await db.execute(
                "select key, question, starts from batch_questions where batch = %s and state in ('waiting', 'running') "
                "order by line",
                (batch,),
            )
            return list(await db.fetchall())

    async def account(self, batch: str) -> tuple[int, int, int]:
        """Limit, spent and held, in nano-units."""
        async with self._transaction() as db:
            await db.execute("select total_nano, spent_nano, held_nano from batches where id = %s", (batch,))
            limit, spent, held = await _one(db)
            return int(limit), int(spent), int(held)

    async def stop(self, batch: str, reason: str) -> None:
        """Nothing more of a batch is begun."""
        async with self._transaction() as db:
            await db.execute("update batches set stopped = %s where id = %s", (reason, batch))

    async def stopped(self, batch: str) -> str:
        """Why nothing more of a batch is begun; empty while it goes on."""
        async with self._transaction() as db:
            await db.execute("select stopped from batches where id = %s", (batch,))
            return str((await _one(db))[0])

    # -- what a worker does -------------------------------------------------------------------------------------

    async def cost(self, batch: str, key: str) -> int:
        """What a question has cost so far, in nano-units."""
        async with self._transaction() as db:
            await db.execute("select cost_nano from batch_questions where batch = %s and key = %s", (batch, key))
            return int((await _one(db))[0])

    async def settings(self, batch: str) -> tuple[dict[str, Any], str]:
        """The settings and the currency of a batch."""
        async with self._transaction() as db:
            await db.execute("select settings, currency from batches where id = %s", (batch,))
            text, currency = await _one(db)
            return json.loads(text), str(currency)

    async def hold(self, batch: str, key: str, exactly: int | None = None) -> int | None:
        """Hold the money of a question: the nano-units it may spend, -1 when the batch has none left for it, None when
        others hold what may come back. A question that was begun before keeps what was held for it; `exactly` is what a
        run that goes on can do with nothing less than."""
        async with self._transaction() as db:
            await db.execute(
                "select total_nano, spent_nano, held_nano, each_nano from batches where id = %s for update", (batch,)
            )
            limit, spent, held, each = await _one(db)
            await db.execute(
                "select held_nano, coalesce(budget_nano, %s), state from batch_questions where batch = %s and key = %s",
                (each, batch, key),
            )
            mine, wanted, state = await _one(db)
            if state in ("done", "again"):
                return -1
            if state == "running":
                return int(mine)
            most = limit - spent
            if most <= 0 or (exactly or 0) > most:
                return -1 if exactly != 0 else 0
            granted = min(wanted, most) if exactly is None else exactly
            if granted > most - held:
                return None
            await db.execute("update batches set held_nano = held_nano + %s where id = %s", (granted, batch))
            await db.execute(
                "update batch_questions set state = 'running', held_nano = %s where batch = %s and key = %s", (granted, batch, key)
            )
            return int(granted)

    async def settle(self, batch: str, key: str, cost: int, row: Mapping[str, object], done: bool) -> bool:
        """Write the row of a question down, and charge what it has cost in all its starts together; False when another
        worker did so before.

        `done` False: it was refused or stopped, and is asked again when the batch is started again.
        """
        async with self._transaction() as db:
            await db.execute("select 1 from batches where id = %s for update", (batch,))
            await db.execute(
                "select held_nano, state, cost_nano from batch_questions where batch = %s and key = %s", (batch, key)
            )
            held, state, before = await _one(db)
            if state in ("done", "again"):
                return False
            await db.execute(
                "update batches set held_nano = held_nano - %s, spent_nano = spent_nano + %s where id = %s", (held, cost - before, batch)
            )
            await db.execute(
                "update batch_questions set state = %s, held_nano = 0, cost_nano = %s, row = %s "
                "where batch = %s and key = %s",
                ("done" if done else "again", cost, json.dumps(row), batch, key),
            )
            return True

    async def turn(self, provider: str, interval: float) -> float:
        """Take the next turn of a provider, over all workers; seconds until it comes."""
        async with self._transaction() as db:
            await db.execute(
                "insert into turns as t (provider, next_at) values (%s, extract(epoch from clock_timestamp()) + %s) "
                "on conflict (provider) do update set "
                "next_at = greatest(t.next_at, extract(epoch from clock_timestamp())) + %s "
                "returning next_at - %s - extract(epoch from clock_timestamp())",
                (provider, interval, interval, interval),
            )
            return max(0.0, float((await _one(db))[0]))

    async def beat(self, worker: str, version: str, silence: float) -> list[str]:
        """Say that a worker lives; the ids of all that have said so within so many seconds."""
        async with self._transaction() as db:
            await db.execute(
                "insert into workers values (%s, %s, extract(epoch from clock_timestamp())) "
                "on conflict (id) do update set beat = excluded.beat",
                (worker, version),
            )
            await db.execute(
                "delete from workers where beat < extract(epoch from clock_timestamp()) - %s", (silence,)
            )
            await db.execute("select id from workers")
            return [living for (living,) in await db.fetchall()]

    async def workers(self) -> list[tuple[str, str]]:
        """Id and version of every worker that is known to live."""
        async with self._transaction() as db:
            await db.execute("select id, version from workers order by id")
            return [(worker, version) for worker, version in await db.fetchall()]

    async def leave(self, worker: str) -> None:
        """A worker ends in order."""
        async with self._transaction() as db:
            await db.execute("delete from workers where id = %s", (worker,))


async def _one(db: "AsyncCursor[tuple[Any, ...]]") -> tuple[Any, ...]:
    row = await db.fetchone()
    if row is None:
        raise UserError("--database: this batch is not in it (any more); start the batch again")
    return row
