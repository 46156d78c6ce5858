"""One run of a crew from its means to its result: a new one, one that is resumed, or one that is replayed."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

from research_crew.agents.roles import Question
from research_crew.backends import Backends, open_backends
from research_crew.core.budget import Budget
from research_crew.core.errors import StoreError
from research_crew.core.events import OnEvent
from research_crew.core.money import Amount, to_decimal
from research_crew.core.runner import Stop, utc_now
from research_crew.core.secret import Secret
from research_crew.documents.semantic import OnCount
from research_crew.evidence.language import detect_language
from research_crew.evidence.verify import Entailment
from research_crew.evidence.written import language_code
from research_crew.fitting import Confirm
from research_crew.flow import Flow
from research_crew.hiring import Frozen
from research_crew.library import Library, OnFile
from research_crew.rates import TakeTurn
from research_crew.restoring import RestoringFlow
from research_crew.result import CrewResult
from research_crew.session import Session, Setup, shown
from research_crew.settings import Settings, store_file
from research_crew.shared_store import shared_store
from research_crew.stores.store import Store


@dataclass(frozen=True, slots=True)
class Means:
    """What a crew works with; see `Crew` for each."""

    settings: Settings
    keys: Mapping[str, Secret]
    alone: bool = False
    name: str = ""
    library: Library | None = None
    on_file: OnFile | None = None
    on_chosen: Callable[[Sequence[str]], None] | None = None
    now: Callable[[], datetime] = utc_now
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    turn: TakeTurn | None = None
    max_claims: int | None = None
    max_words: int | None = None
    persist: bool = False
    spend: Decimal | None = None
    store: Store | None = None
    confirm: Confirm | None = None
    entailment: Entailment | None = None
    parent: str | None = None
    """The run whose sources are the library."""
    on_count: OnCount | None = None


class OneRun:
    """Made for one run."""

    def __init__(
        self, means: Means, on_event: OnEvent | None = None, stop: Stop | None = None, shown: bool = False,
        started: Callable[[Flow], None] = lambda _: None,
    ) -> None:  # fmt: skip
        """`shown` says that answers are looked at as they arrive, `started` is told of the flow."""
        self._means, self._on_event, self._stop, self._shown, self._started = means, on_event, stop, shown, started

    async def new(self, asked: str, run_id: str, budget: Budget | Amount | None) -> CrewResult:
        """Research a question from the beginning; stored, unless the settings say otherwise."""
        means = self._means
        file = store_file(means.settings)
        if means.store is None and file is None:
            return await self._new(asked, run_id, budget, None)
        if means.store is not None:
            return await self._new(asked, run_id, budget, means.store)
        assert file is not None
        try:
            lent = shared_store(file, durable=means.settings.durable)
        except StoreError as trouble:
            if means.settings.store is not None:
                raise
            # Nobody named the place: a home that cannot be written is no reason not to answer.
            result = await self._new(asked, run_id, budget, None)
            return replace(result, warnings=(*result.warnings, f"this run was not stored: {trouble}"))
        with lent as store:
            return await self._new(asked, run_id, budget, store)

    async def _new(self, asked: str, run_id: str, budget: Budget | Amount | None, store: Store | None) -> CrewResult:
        backends, setup, brief = await self.opened(asked, budget, stored=store is not None)
        try:
            session = None
            if store is not None:
                session = await Session.begin(store, run_id, setup, backends.agents, self._means.parent)
            return await self._perform(run_id, setup, brief, backends, session)
        finally:
            await backends.close()

    async def opened(
        self, asked: str, budget: Budget | Amount | None, *, stored: bool = False
    ) -> tuple[Backends, Setup, Question]:
        """Back ends, setup and question of a run; the back ends are closed again when it cannot begin."""
        s, began = self._means.settings, self._means.now()
        frozen = Frozen(secrets.token_bytes(16), lambda: began) if stored else None
        backends = await self._open(s, asked, frozen)
        try:
            currency = backends.prices.currency
            limit = Budget.of(budget if budget is not None else (s.budget or backends.limit), currency)
            limit = replace(limit.in_currency(currency), calls=limit.calls or s.max_calls, tokens=limit.tokens or s.max_tokens)
            setup = self._setup(asked, limit, began, backends, frozen)
            return backends, setup, self._begin(setup, backends)
        except BaseException:
            await backends.close()
            raise

    async def again(self, session: Session) -> CrewResult:
        """Repeat a stored run from its record, and go on where that ends, unless it is only replayed."""
        setup = session.setup
        chosen: dict[str, Any] = dict(setup.options["chosen"])
        settings = replace(setup.settings, **chosen)
        frozen = Frozen(setup.secret, lambda: setup.began, setup.rungs)
        backends = await self._open(settings, setup.question, frozen)
        try:
            brief = self._begin(setup, backends)
            return await self._perform(session.run, setup, brief, backends, session)
        finally:
            await backends.close()

    async def _open(self, settings: Settings, asked: str, frozen: Frozen | None) -> Backends:
        means = self._means
        backends = await open_backends(
            settings, means.keys, asked, now=means.now, alone=means.alone, library=means.library, on_file=means.on_file,
            on_count=means.on_count, on_event=self._on_event, shown=self._shown, frozen=frozen,
        )  # fmt: skip
        backends.entailment = means.entailment
        return backends

    def _setup(
        self, asked: str, limit: Budget, began: datetime, backends: Backends, frozen: Frozen | None
    ) -> Setup:
        means, choice, library = self._means, backends.choice, backends.library
        assert choice is not None
        chosen = {"agents": choice.agents, "lead": choice.lead, "worker": choice.worker, "search": backends.spec}
        known = None
        if library is not None:
            known = {"bundled": library.bundled, "warnings": library.warnings, "run": means.parent}
        header = backends.hired.header if backends.hired is not None else {}
        docs = means.settings.docs
        return Setup(
            asked, means.settings, limit, began, str(header.get("today") or began.date().isoformat()),
            frozen.secret if frozen is not None else b"", means.alone, means.name,
            {
                "chosen": {name: value for name, value in chosen.items() if value},
                "max_claims": means.max_claims, "max_words": means.max_words, "persist": means.persist,
                "spend": None if means.spend is None else str(means.spend), "confirm": means.confirm is not None,
            },
            None if docs is None else str(Path(docs).expanduser().absolute()), known,
            backends.hired.rungs.snapshot() if backends.hired is not None else {},
        )  # fmt: skip

    def _begin(self, setup: Setup, backends: Backends) -> Question:
        """Fit the models to the budget, say what was chosen, put the question into words."""
        s, options = setup.settings, setup.options
        backends.fit_to(to_decimal(setup.limit.limit))
        if self._means.on_chosen is not None:
            self._means.on_chosen(self._chosen(backends, setup))
        spend = options["spend"]
        return Question(
            setup.question, language_code(s.language) if s.language else detect_language(setup.question), setup.today, s.strictness, s.search_rounds,
            s.queries_per_round, s.results_per_search, s.pages_per_round, max_researchers=s.researchers,
            max_claims=options["max_claims"], max_words=options["max_words"], persist=options["persist"],
            spend=None if spend is None else Decimal(spend),
        )  # fmt: skip

    async def _perform(
        self, run_id: str, setup: Setup, brief: Question, backends: Backends, session: Session | None
    ) -> CrewResult:
        """Run it; without a session nothing is written down."""
        means, s, on_event, stop = self._means, setup.settings, self._on_event, self._stop or Stop()
        if session is not None:
            on_event = session.watched(on_event)
            if session.replay:
                s = replace(s, deadline=None)  # where it was stopped stands in the record
        try:
            flow = (RestoringFlow if setup.restored else Flow)(
                brief, backends, setup.limit, s, alone=setup.alone, run_id=run_id, now=means.now, on_event=on_event,
                stop=stop, turn=means.turn, sleep=means.sleep,
                confirm=means.confirm if session is None else session.confirming(means.confirm), session=session,
            )  # fmt: skip
            self._started(flow)
            if session is not None:
                session.drive(stop)
            with _ending_at_once(stop):
                result = replace(await flow.run(), name=setup.name, settings=shown(setup.settings))
                if session is not None:
                    result = await session.finish(result, flow.stopped, means.now())
            return result
        except BaseException as error:
            if session is not None:
                await session.leave(error, means.now())
            if stop.at_once and isinstance(error, asyncio.CancelledError):
                raise KeyboardInterrupt from None
            raise

    def _chosen(self, backends: Backends, setup: Setup) -> list[str]:
        """What answers, with what, for how much at most."""
        most = setup.settings.researchers
        who = "one agent alone" if setup.alone else f"a crew of at most {most} researchers"
        agents = f"agents: {backends.agents}{', without a model' if backends.hired is None else ''}; {who}"
        return [agents, *backends.chosen, f"at most {setup.limit.limit} {setup.limit.currency}"]


@contextmanager
def _ending_at_once(stop: Stop) -> Iterator[None]:
    """Within the block, `stop.now` cancels what runs in it, by its own loop; a request that comes too late does
    nothing."""
    loop, own = asyncio.get_running_loop(), asyncio.current_task()
    inside = True

    def cancel() -> None:
        if inside and own is not None:
            own.cancel()

    try:
        with stop.ends(partial(loop.call_soon_threadsafe, cancel)):
            yield
    finally:
        inside = False
