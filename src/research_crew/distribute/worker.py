"""A worker: takes questions of any batch from the durable engine (DBOS on Postgres) and answers them.

The engine's promise is only that a question is begun again until it has ended. That nothing is bought twice, and that
two workers never drive one run, is the journal's and the lease's doing, in the same database. What was measured of the
engine decides how it is used here:

- every worker has its own executor id; two that shared one would run each other's work a second time;
- nothing in the engine takes over from a dead worker, so each says that it lives, and whoever lives resumes what belongs
  to an executor that does not;
- the application version is set by hand: left alone it changes with any edit, and old work would wait for ever;
- values are stored as JSON, never pickled;
- a question is one workflow without steps of the engine's own: steps numbered in the order of completion mix up answers.
"""

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import TYPE_CHECKING

from research_crew.core.budget import Budget
from research_crew.core.errors import MissingExtra, UserError
from research_crew.core.money import from_nano, to_nano
from research_crew.core.secret import Secret
from research_crew.core.stop import Stop
from research_crew.crew import Crew, Solo
from research_crew.distribute.batch import LEAST
from research_crew.distribute.desk import Desk, Place, refused
from research_crew.distribute.results import Row
from research_crew.rates import TakeTurn, parse_rates
from research_crew.settings import Settings
from research_crew.stores.opening import open_store
from research_crew.stores.shared_batch import SharedBatch
from research_crew.stores.store import Store

if TYPE_CHECKING:
    from dbos import DBOSConfig

QUEUE = "research-crew"
WORKFLOW = "question"
APP_VERSION = "1"
"""Of the shape of a workflow's input. Raised by hand, when an older worker could not do newer work."""
BEAT = 1.0
SILENCE = 5.0
"""Seconds without a beat after which a worker counts as dead."""
_POLL = 0.2


@dataclass(frozen=True, slots=True)
class Posted:
    """What the engine carries for one question: names, never keys or text."""

    batch: str
    key: str
    question: str

    def to_json(self) -> dict[str, str]:
        """The workflow's argument."""
        return {"batch": self.batch, "key": self.key, "question": self.question}


def engine_config(url: str, executor: str) -> "DBOSConfig":
    """The engine's settings. Raises `MissingExtra`."""
    try:
        import dbos
    except ModuleNotFoundError:
        raise MissingExtra("dbos", "workers") from None
    return dbos.DBOSConfig(
        name="research-crew", system_database_url=url, executor_id=executor, application_version=APP_VERSION,
        serializer=dbos.DBOSPortableJSONSerializer(), log_level="CRITICAL", enable_otlp=False,
    )  # fmt: skip


class Worker:
    """Answers questions until it is asked to stop; one in a process."""

    def __init__(
        self, url: str, name: str, keys: Mapping[str, Secret], *, at_once: int, stop: Stop,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:  # fmt: skip
        """`name` must be this process's own: its executor id."""
        self._url, self._name, self._keys, self._at_once, self._stop, self._say = url, name, keys, at_once, stop, say
        self._slots = asyncio.Semaphore(at_once)
        self._running: set[Stop] = set()
        self._desks: dict[str, Desk] = {}
        self._shared: SharedBatch
        self._store: Store
        self._over = asyncio.Event()

    async def run(self) -> None:
        """Work until the stop; what is then in flight is stopped, and goes on with another worker."""
        from dbos import DBOS

        config = engine_config(self._url, self._name)
        self._shared = await SharedBatch.connect(self._url)
        self._store = open_store(self._url)
        DBOS(config=config)

        async def question(posted: dict[str, str]) -> dict[str, str]:  # the engine takes no bound methods
            return await self._answer(posted)

        DBOS.workflow(name=WORKFLOW)(question)
        DBOS.launch()  # here, not in a thread: the engine runs workflows on the loop that it was launched on
        try:
            await DBOS.register_queue_async(QUEUE, worker_concurrency=self._at_once, polling_interval_sec=_POLL)
            self._stop.bind(lambda _: self._over.set())
            self._say(f"worker {self._name}: ready, {self._at_once} questions at once")
            await self._live()
        finally:
            self._stop.bind(None)
            for stop in self._running:
                stop.request(self._stop.reason or "stopped")
            await asyncio.to_thread(DBOS.destroy, workflow_completion_timeout_sec=10)
            self._store.close()
            await self._shared.close()

    async def _live(self) -> None:
        """Say that this worker lives, and take over what dead ones left."""
        from dbos import DBOS

        while not self._over.is_set():
            living = await self._shared.beat(self._name, APP_VERSION, SILENCE)
            for left in await DBOS.list_workflows_async(status="PENDING", name=WORKFLOW, load_input=False, load_output=False):
                if left.executor_id not in living:
                    self._say(f"worker {self._name}: takes over {left.workflow_id} from {left.executor_id}")
                    await DBOS.resume_workflow_async(left.workflow_id)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._over.wait(), BEAT)

    async def _answer(self, posted: dict[str, str]) -> dict[str, str]:
        """The workflow: one question, from its hold to its row."""
        batch, key, question = posted["batch"], posted["key"], posted["question"]
        async with self._slots:
            desk, currency = await self._desk(batch)
            place = desk.place(key, question)
            before = from_nano(await self._shared.cost(batch, key))
            granted = await self._held(batch, key, place)
            if granted is None:
                return {"state": "stopped"}
            row: Row | None = refused(key, question, currency, "the total of the batch is spent", before)
            if granted >= 0:
                row = await self._row(desk, place, key, question, Budget(max(from_nano(granted), LEAST), currency), before)
            if row is None or (row.status == "cancelled" and self._stop.reason):
                return {"state": "left to another worker"}
            written = await self._shared.settle(batch, key, to_nano(row.cost), row.to_json(), row.done)
            self._say(f"worker {self._name}: {row.status} {key}")
            return {"state": row.status if written else "written by another worker"}

    async def _held(self, batch: str, key: str, place: Place) -> int | None:
        """The money of a question, waited for; None when the batch was stopped first."""
        needed, exactly = place.needs(0)
        while True:
            if self._stop.reason or await self._shared.stopped(batch):
                return None
            granted = await self._shared.hold(batch, key, needed if exactly else None)
            if granted is not None:
                return granted
            await asyncio.sleep(_POLL)

    async def _row(self, desk: Desk, place: Place, key: str, question: str, budget: Budget, before: Decimal) -> Row | None:
        """The row of a question; None when another worker drives its run."""
        stop = Stop()
        self._running.add(stop)
        try:
            return await desk.answer(place, key, question, budget, stop, before)
        finally:
            self._running.discard(stop)

    async def _desk(self, batch: str) -> tuple[Desk, str]:
        """The desk of a batch, made once: its settings come with the batch, its keys are this machine's."""
        settings, currency = await self._shared.settings(batch)
        if batch not in self._desks:
            alone = bool(settings.pop("alone", False))
            crew = (Solo if alone else Crew)(
                settings=settings_of(settings), keys=self._keys, turn=self._turns(settings.get("rates")), store=self._store
            )
            self._desks[batch] = Desk(crew, self._store, self._keys, batch, keep_finished=True)
        return self._desks[batch], currency

    def _turns(self, rates: object) -> TakeTurn:
        intervals = parse_rates(str(rates) if rates else None)

        async def turn(provider: str) -> None:
            if provider in intervals:
                await asyncio.sleep(await self._shared.turn(provider, intervals[provider]))

        return turn


def settings_of(stored: Mapping[str, object]) -> Settings:
    """Settings as they were stored. Raises `UserError` for a name that this version does not know."""
    known = {spec.name for spec in fields(Settings)}
    unknown = [name for name in stored if name not in known]
    if unknown:
        raise UserError(f"the batch has the setting {unknown[0]!r}, which this version does not know; upgrade this worker")
    values = dict(stored)
    if values.get("budget") is not None:
        values["budget"] = Decimal(str(values["budget"]))
    return Settings(**values)  # type: ignore[arg-type]
