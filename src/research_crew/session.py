"""One process's part in a stored run: what it was begun with, what it writes down, and how it ends.

A run is begun, resumed or replayed. Resumed and replayed, it is repeated from the record up to where that ends: the
agents run again and are answered from the journal, in the order of the first time. What they are given must therefore
be the same: everything of that kind stands in the setup of the run.
"""

import asyncio
import contextlib
import inspect
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from decimal import Decimal
from typing import Any

from research_crew.agents.roles import Plan
from research_crew.core.budget import Budget
from research_crew.core.errors import LostLease, OverBudget, StoreError
from research_crew.core.events import Event, OnEvent
from research_crew.core.money import to_decimal, to_nano
from research_crew.core.order import Mark, Order
from research_crew.core.runner import Stop
from research_crew.core.secret import without_passwords
from research_crew.evidence.source import Source
from research_crew.fitting import Confirm, Proposal
from research_crew.record import plan_of
from research_crew.result import CrewResult
from research_crew.settings import Settings
from research_crew.stores.records import NewRun, Past, to_text
from research_crew.stores.store import Store

_TOLD_ONCE = ("task-started", "task-ended", "attempt-failed", "call-started", "call-ended", "degraded", "plan")


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything that has to be the same when a run is repeated. Frozen in its record, as JSON values."""

    question: str
    settings: Settings
    limit: Budget
    began: datetime
    today: str
    secret: bytes
    """Marks the fences around text from outside."""
    alone: bool = False
    name: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of the crew beside its settings."""
    folder: str | None = None
    """The documents folder, in full."""
    library: Mapping[str, Any] | None = None
    """What the run knew of its documents: `bundled`, `warnings`, and `run` when they are the sources of another run."""
    rungs: Mapping[str, str] = field(default_factory=dict)
    """How each model was known to be asked for JSON."""
    versions: Mapping[str, str] = field(default_factory=dict)
    restored: tuple[tuple[str, ...], ...] = ()
    """Claims that a person took back, each time the report was written anew."""

    def to_json(self) -> dict[str, Any]:
        """JSON values. No key is among them: keys are no settings."""
        limit = self.limit
        return {
            "question": self.question, "settings": shown(self.settings),
            "limit": [str(limit.limit), limit.currency, limit.calls, limit.tokens], "began": self.began.isoformat(),
            "today": self.today, "secret": self.secret.hex(), "alone": self.alone, "name": self.name,
            "options": dict(self.options), "folder": self.folder, "library": self.library and dict(self.library),
            "rungs": dict(self.rungs), "versions": dict(self.versions), "restored": [list(ids) for ids in self.restored],
        }  # fmt: skip

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Setup":
        """The inverse; settings that this version does not know are left out."""
        known = {f.name for f in fields(Settings)}
        given = {name: value for name, value in data["settings"].items() if name in known}
        if given.get("budget") is not None:
            given["budget"] = Decimal(given["budget"])
        limit, currency, calls, tokens = data["limit"]
        return cls(
            data["question"], Settings(**given), Budget(limit, currency, calls, tokens),
            datetime.fromisoformat(data["began"]), data["today"], bytes.fromhex(data["secret"]), data["alone"],
            data["name"], data["options"], data["folder"], data["library"], data["rungs"], data["versions"],
            tuple(tuple(ids) for ids in data["restored"]),
        )  # fmt: skip


def shown(settings: Settings) -> dict[str, Any]:
    """Settings as JSON values, without the passwords of addresses."""
    return {k: str(v) if isinstance(v, Decimal) else without_passwords(v) for k, v in asdict(settings).items()}


class Session:
    """Used for one run, on one event loop."""

    def __init__(
        self, store: Store, run: str, setup: Setup, past: Past, *, replay: bool = False, rebuy: bool = False
    ) -> None:
        """`replay`: nothing is written and nothing may be bought. `rebuy`: what diverges is bought anew."""
        self.store, self.run, self.setup, self.replay = store, run, setup, replay
        self.order = Order(past.ledger, past.marks, replay=replay, forgiving=rebuy)
        self.journal = store.journal(run, past, rebuy=rebuy)
        self.fence = past.fence
        self._told: set[tuple[object, ...]] = set()
        self._again = past.events > 0
        if self._again and not replay:
            self._told = {_signature(event) for _, event in store.read.events(run)}
        self._beat: asyncio.Task[None] | None = None
        self._stop: Stop | None = None
        self._left = False
        self._answers = [json.loads(mark.value) for mark in past.marks if mark.kind == "plan"]

    @classmethod
    async def begin(cls, store: Store, run: str, setup: Setup, agents: str, parent: str | None = None) -> "Session":
        """Write the run down, driven by this process."""
        new = NewRun(
            run, setup.question, agents, setup.limit.currency, to_nano(to_decimal(setup.limit.limit)), setup.began,
            setup.name, parent, setup.to_json(),
        )  # fmt: skip
        return cls(store, run, setup, await store.create(new))

    def of_runner(self) -> dict[str, Any]:
        """The arguments of a runner that make it one of a stored run."""
        return {"journal": self.journal, "order": self.order, "began": self.setup.began, "fence": self.fence}

    # -- while it runs ------------------------------------------------------------------------------------------

    def watched(self, then: OnEvent | None) -> OnEvent:
        """An `on_event` that keeps what is told, once, and passes it on."""

        def tell(event: Event) -> None:
            if not self.replay:
                self._keep(event)
            if then is not None:
                then(event)

        return tell

    def _keep(self, event: Event) -> None:
        if event.kind in ("text", "waiting"):  # of the moment
            return
        if self.order.repeating and self._again:
            signature = _signature(event)
            if event.kind not in _TOLD_ONCE or signature in self._told:
                return
            self._told.add(signature)
        self.journal.tell(event)

    def on_text(self, source: Source, text: str) -> None:
        """Something was read, or could not be."""
        if not self.replay:
            self.journal.read(source.number, source.hash, text, source.to_json())

    def confirming(self, ask: Confirm | None) -> Confirm | None:
        """`ask`, with its answers written down; what was answered before the run was repeated is not asked again."""
        if not self.setup.options.get("confirm"):
            return None

        async def confirm(proposal: Proposal) -> Plan | None:
            if self._answers:
                return plan_of(self._answers.pop(0))
            answer = proposal.plan if ask is None else ask(proposal)
            agreed = await answer if inspect.isawaitable(answer) else answer
            if not self.replay:
                value = to_text(None if agreed is None else asdict(agreed))
                await self.store.mark(self.run, self.fence, Mark(self.order.delivered, "plan", value))
            return agreed

        return confirm

    def drive(self, stop: Stop | None) -> None:
        """Renew the lease from now on; when another process takes the run over, this one stops."""
        self._stop = stop
        if not self.replay:
            self._beat = asyncio.get_running_loop().create_task(self._renew())

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(self.store.lease / 3)
            try:
                await self.store.renew(self.run, self.fence)
            except LostLease as lost:
                if self._stop is not None:
                    self._stop.request(str(lost))
                return
            except StoreError:  # the next call will say so, if it lasts
                continue

    # -- its end ------------------------------------------------------------------------------------------------

    async def finish(self, result: CrewResult, stopped: Mark | None, ended: datetime) -> CrewResult:
        """Write down what the run came to."""
        await self._rest()
        if self.replay:
            return result
        status = result.status
        await self.store.finish(
            self.run, self.fence, status, ended, result.to_json(), stopped, self.journal.along()
        )
        return result

    async def leave(self, error: BaseException, ended: datetime) -> None:
        """It came to nothing: whoever resumes it begins where it ended."""
        await self._rest()
        if self.replay or self._left or isinstance(error, LostLease):
            return
        self._left = True
        status = "failed" if isinstance(error, Exception) else "cancelled"
        if isinstance(error, OverBudget):  # the smallest run could not be paid: nothing was bought
            status = "refused"
        with contextlib.suppress(StoreError):  # what went wrong first is what is raised
            await self.store.finish(self.run, self.fence, status, ended, along=self.journal.along())

    async def _rest(self) -> None:
        if self._beat is not None:
            self._beat.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._beat


def _signature(event: Event) -> tuple[object, ...]:
    data = event.data
    return (event.kind, event.task, *(data.get(name) for name in ("step", "try", "attempt", "what")))
