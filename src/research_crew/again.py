"""Runs of the past: gone on with, or repeated from their record."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from research_crew.core.errors import InvalidInput
from research_crew.core.events import OnEvent
from research_crew.core.money import Amount, from_nano, show, to_decimal
from research_crew.core.order import Mark
from research_crew.core.runner import Stop, utc_now
from research_crew.core.secret import Secret
from research_crew.crew import check_question
from research_crew.fitting import Confirm
from research_crew.library import Library, OnFile
from research_crew.one_run import Means, OneRun
from research_crew.past_library import past_library, sources_library
from research_crew.rates import TakeTurn
from research_crew.result import CrewResult
from research_crew.session import Session, Setup
from research_crew.settings import KEYS, Settings
from research_crew.stores.records import Past, RunRow
from research_crew.stores.store import Store

Sleep = Callable[[float], Awaitable[None]]
RESUMABLE = ("running", "failed", "cancelled")
"""States of a run that can be gone on with; `running` when its process has died."""


async def resume(
    store: Store, run: str, keys: Mapping[str, Secret], *, budget: Amount | None = None, rebuy: bool = False,
    on_event: OnEvent | None = None, stop: Stop | None = None, on_file: OnFile | None = None, sleep: Sleep = asyncio.sleep,
    confirm: Confirm | None = None, turn: TakeTurn | None = None,
) -> CrewResult:  # fmt: skip
    """Go on with a run where it ended, buying nothing twice.

    `budget` raises its limit. `rebuy` buys anew what the run asks otherwise than the first time. `confirm` is asked for
    plans that were not agreed to yet, if the run was begun with one; `turn` keeps the rate limits of providers. Raises `NoSuchRun`,
    `RunBusy` while another process drives it, `InvalidInput` for a run that has come to its end, `Diverged`.
    """
    row = store.read.run(run)
    if row.status not in RESUMABLE:
        way_out = f"it is {row.status}: research-crew show {row.id} prints it; restore and ask --run go on from it"
        raise InvalidInput("resume", row.id, way_out)
    more = _more(row, budget)
    past = await _raised(store, row.id, await store.claim(row.id), more)
    return await _again(store, row.id, past, keys, rebuy=rebuy, on_event=on_event, stop=stop, on_file=on_file, sleep=sleep, confirm=confirm, turn=turn)


async def restore(
    store: Store, run: str, claims: Sequence[str], keys: Mapping[str, Secret], *, budget: Amount | None = None,
    on_event: OnEvent | None = None, stop: Stop | None = None, sleep: Sleep = asyncio.sleep,
) -> CrewResult:  # fmt: skip
    """Take dropped claims back and have the report written anew; nothing else is bought again.

    `budget` raises the limit of the run, where the rest of it does not pay a new draft. Raises `NoSuchRun`, `RunBusy`,
    `InvalidInput` for a run without a report or a claim that is not a dropped one of it.
    """
    row = store.read.run(run)
    record = store.read.record(row.id)
    if record is None or row.status in RESUMABLE:
        raise InvalidInput("restore", row.id, f"it is {row.status}; research-crew resume {row.id} goes on with it first")
    states = {claim["id"]: claim["state"] for claim in record["claims"]}
    written = set(record["report"]["claims"]) if record["report"] else set()
    for name in claims:
        if name not in states:
            raise InvalidInput("claim", name, f"run {row.id} has no such claim; research-crew show {row.id} --json lists them")
        if name in written:
            raise InvalidInput("claim", name, "it is in the report already")
    more = _more(row, budget)
    past = await store.claim(row.id)
    setup = dict(past.setup)
    setup["restored"] = [*setup["restored"], list(dict.fromkeys(claims))]
    await store.change_setup(row.id, setup)
    past = await _raised(store, row.id, replace(past, setup=setup), more)
    return await _again(store, row.id, past, keys, on_event=on_event, stop=stop, sleep=sleep)


async def ask_run(
    store: Store, run: str, question: str, settings: Settings, keys: Mapping[str, Secret], *,
    budget: Amount | None = None, on_event: OnEvent | None = None, stop: Stop | None = None, new_id: str,
    on_chosen: Callable[[Sequence[str]], None] | None = None, alone: bool = False,
) -> CrewResult:  # fmt: skip
    """Answer a further question from what a run has read, as a run of its own.

    Nothing is searched beyond its stored sources, unless `settings.search` names engines: those are searched as well.
    """
    row = store.read.run(run)
    library = await sources_library(store, row.id)
    try:
        engines = [name.strip() for name in (settings.search or "").split(",") if name.strip()]
        searched = ",".join([*(name for name in engines if name != "docs"), "docs"])
        means = Means(
            replace(settings, search=searched, docs=None), keys, alone, "", library, on_chosen=on_chosen, store=store,
            parent=row.id,
        )  # fmt: skip
        return await OneRun(means, on_event, stop).new(check_question(question), new_id, budget)
    finally:
        library.close()


async def replay(store: Store, run: str) -> CrewResult:
    """Rebuild what a run came to from its record: the same report, ledger and books; nothing is sent or written.

    Raises `NoSuchRun`, `InvalidInput` for a run that has not come to an end, `Diverged` when this version of the
    program makes something else of it.
    """
    row = store.read.run(run)
    record = store.read.record(row.id)
    if record is None or row.status in ("running", "failed"):
        raise InvalidInput("replay", row.id, f"it is {row.status}, without a result; resume it first")
    keys = {vendor: Secret("replay") for vendor in KEYS}  # engines ask for one; nothing is sent
    result = await _again(store, row.id, store.read.past(row.id), keys, replay=True)
    return replace(result, run=replace(result.run, wall_s=float(record["timing"]["wall_s"])))


def _more(row: RunRow, budget: Amount | None) -> Decimal | None:
    """A higher limit; raises `InvalidInput` for one that is not."""
    more = None if budget is None else to_decimal(budget, "--budget")
    if more is not None and more <= from_nano(row.budget):
        raise InvalidInput("--budget", show(more), f"its limit is {show(from_nano(row.budget))} already; give more")
    return more


async def _raised(store: Store, run: str, past: Past, more: Decimal | None) -> Past:
    """What is known of a run, with a higher limit from here on."""
    if more is None:
        return past
    mark = Mark(len(past.ledger), "limit", show(more))
    await store.mark(run, past.fence, mark)
    return replace(past, marks=(*past.marks, mark))


async def _again(
    store: Store, run: str, past: Past, keys: Mapping[str, Secret], *, replay: bool = False, rebuy: bool = False,
    on_event: OnEvent | None = None, stop: Stop | None = None, on_file: OnFile | None = None, sleep: Sleep = asyncio.sleep,
    confirm: Confirm | None = None, turn: TakeTurn | None = None,
) -> CrewResult:  # fmt: skip
    setup = Setup.from_json(past.setup)
    session = Session(store, run, setup, past, replay=replay, rebuy=rebuy)
    library: Library | None = None
    try:
        library = await past_library(store, setup, replay, on_file)
        means = Means(setup.settings, keys, setup.alone, setup.name, library, on_file, sleep=sleep, turn=turn, confirm=confirm)
        return await OneRun(means, on_event, stop).again(session)
    except BaseException as error:
        await session.leave(error, utc_now())
        raise
    finally:
        if library is not None:
            library.close()


def replay_now(store: Store, run: str) -> CrewResult:
    """`replay` for plain code."""
    return asyncio.run(replay(store, run))

