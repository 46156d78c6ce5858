"""Feeds a batch to workers on any number of machines, and waits for their rows.

The questions and the one account lie in the database; this process only enqueues what has not ended and copies the rows
into the results file as they come. It may be stopped and started again, here or elsewhere: the workers go on.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence

from research_crew.core.errors import MissingExtra, UserError
from research_crew.core.money import to_nano
from research_crew.core.stop import Stop
from research_crew.distribute.batch import Limits
from research_crew.distribute.items import Item
from research_crew.distribute.results import ResultsFile, Row
from research_crew.distribute.worker import APP_VERSION, QUEUE, WORKFLOW, Posted
from research_crew.stores.shared_batch import SharedBatch

_POLL = 0.3


class RemoteBatch:
    """One start of a batch that workers answer."""

    def __init__(
        self, url: str, name: str, limits: Limits, settings: Mapping[str, object], results: ResultsFile, *, stop: Stop,
        on_row: Callable[[Row], None] | None = None, say: Callable[[str], None] = lambda _: None,
    ) -> None:  # fmt: skip
        """`name` is the batch's in the database; `settings` go to the workers and hold no key."""
        self._url, self._name, self._limits, self._settings, self._results = url, name, limits, settings, results
        self._stop, self._on_row, self._say = stop, on_row, say
        self.spent = 0
        """Nano-units, by the account of the database."""

    async def run(self, items: Sequence[Item]) -> tuple[Row, ...]:
        """The rows of the questions that have ended, in their order."""
        try:
            import dbos
        except ModuleNotFoundError:
            raise MissingExtra("dbos", "workers") from None
        shared = await SharedBatch.connect(self._url)
        try:
            await asyncio.to_thread(dbos.DBOS.migrate, self._url)
            client = dbos.DBOSClient(system_database_url=self._url, serializer=dbos.DBOSPortableJSONSerializer())
            try:
                limits = self._limits
                await shared.create(
                    self._name, self._settings, limits.currency, to_nano(limits.each), to_nano(limits.total),
                    [(i.key, i.line, i.question, None if i.budget is None else to_nano(i.budget)) for i in items],
                )  # fmt: skip
                for key, question, starts in await shared.open(self._name):
                    # The same id for the same start: enqueuing it again changes nothing.
                    await client.enqueue_async(
                        {
                            "queue_name": QUEUE, "workflow_name": WORKFLOW, "app_version": APP_VERSION,
                            "workflow_id": f"{self._name}/{key}/{starts}",
                        },
                        Posted(self._name, key, question).to_json(),
                    )  # fmt: skip
                await self._tell_workers(shared)
                rows = await self._wait(shared)
            finally:
                await asyncio.to_thread(client.destroy)
            _, self.spent, _ = await shared.account(self._name)
        finally:
            await shared.close()
        return tuple(rows[item.key] for item in items if item.key in rows)

    async def _tell_workers(self, shared: SharedBatch) -> None:
        known = await shared.workers()
        stale = [worker for worker, version in known if version != APP_VERSION]
        if stale:
            self._say(f"workers of another version take nothing of this batch: {', '.join(stale)}; restart them")
        if len(stale) == len(known):
            self._say("no worker is there yet; start some: research-crew worker --database ...")

    async def _wait(self, shared: SharedBatch) -> dict[str, Row]:
        """Copy rows as they come until every question has ended, or until what was begun has after a stop."""
        told = False
        copied: dict[str, object] = {}
        while True:
            # Asked before the rows are: what ends in between is seen the next time round.
            still_open = await shared.open(self._name)
            for key, value in (await shared.rows(self._name)).items():
                if copied.get(key) == (mark := (value["status"], value["cost"])):
                    continue
                copied[key] = mark
                known = self._results.rows.get(key)
                row = Row.from_json(value)
                if known is None or (known.status, known.cost) != (row.status, row.cost):
                    self._results.append(row)
                    if self._on_row is not None:
                        self._on_row(row)
            if not still_open:
                break
            if self._stop.reason and not told:
                told = True
                await shared.stop(self._name, self._stop.reason)
            if told and not (await shared.account(self._name))[2]:
                break
            await asyncio.sleep(_POLL)
        return {key: row for key, row in self._results.rows.items() if key in copied or row.done}


def batch_name(given: str | None, stem: str) -> str:
    """The name of a batch in the database. Raises `UserError` for one that cannot stand in a workflow's id."""
    name = given or stem
    if not name or len(name) > 100 or not all(c.isalnum() or c in "-_." for c in name):
        raise UserError(f"--batch-name {name!r} cannot be used; use at most 100 letters, digits, '-', '_' and '.'")
    return name
