"""One real call each: every model that a run would use is probed, every engine asked once, the database opened.

Each check may spend at most a cent, through the same meter as any run, so that its bill is a ledger like any other.
"""

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal

from research_crew.core.budget import Budget
from research_crew.core.context import Context
from research_crew.core.errors import CallFailed, OverBudget, UserError
from research_crew.core.graph import Task, TaskGraph
from research_crew.core.meter import Retry
from research_crew.core.money import USD, show
from research_crew.core.outcome import RunResult
from research_crew.core.runner import arun
from research_crew.core.secret import without_passwords
from research_crew.doctor.check import Check
from research_crew.doctor.here import Parts
from research_crew.models.failures import is_too_long
from research_crew.models.metered import Asker
from research_crew.models.protocol import ChatModel
from research_crew.search.metered import search
from research_crew.search.protocol import Query, SearchEngine
from research_crew.settings import KEYS

CENT = Decimal("0.01")
"""The most that one check may spend, in USD."""
_QUERY = "grey heron"


async def checks_live(parts: Parts, now: Callable[[], datetime], timeout: float = 30.0) -> tuple[list[Check], RunResult | None]:
    """Try what can be tried; returns the checks and the run that bought them, None when there was nothing to buy."""
    asker = Asker(now, rungs=parts.rungs, timeout=timeout)
    things: dict[str, ChatModel | SearchEngine] = {f"model {name}": model for name, model in parts.models.items()}
    things |= {f"search {name}": engine for name, engine in parts.engines.items()}
    checks: list[Check] = []
    run: RunResult | None = None
    if things:

        async def agent(task: Task, ctx: Context) -> Check:
            name = task.id.partition(" ")[2]
            if name in parts.models and task.role == "model":
                return await _model(task.id, parts.models[name], asker, ctx)
            return await _engine(task.id, parts.engines[name], ctx)

        tasks = [Task(about, about.partition(" ")[0], reserve=CENT) for about in things]
        budget = Budget(CENT * len(tasks), USD)
        run = await arun(TaskGraph(tasks), agent, budget, attempts=1, retry=Retry(1), now=now)
        for result in run.results:
            made = result.output if isinstance(result.output, Check) else Check(result.id, "bad", result.reason)
            checks.append(Check(made.about, made.state, f"{made.says} ({show(result.cost)} USD)", made.way_out))
    if parts.loaded.settings.database is not None:
        checks.append(await _database(parts.loaded.settings.database))
    return checks, run


async def _model(about: str, model: ChatModel, asker: Asker, ctx: Context) -> Check:
    try:
        rung = await asker.probe(ctx.meter, model, "probe")
    except OverBudget as refusal:
        return Check(about, "note", f"not tried: its call could cost more than a cent ({refusal})")
    except (CallFailed, UserError) as failure:
        return Check(about, "bad", str(failure), _way_out(failure, model.provider))
    says = f"it answered; JSON by {rung}"
    if rung == "plain":
        return Check(about, "note", says, "it gives no JSON when asked to: use a larger model for lead and researchers")
    return Check(about, "ok", says)


async def _engine(about: str, engine: SearchEngine, ctx: Context) -> Check:
    try:
        hits = await search(ctx.meter, engine, Query(_QUERY, 1), "search")
    except OverBudget as refusal:
        return Check(about, "note", f"not tried: a search could cost more than a cent ({refusal})")
    name = about.partition(" ")[2]
    if hits.status in ("ok", "empty"):
        return Check(about, "ok", f"it answered with {len(hits.results)} result(s)")
    variable = KEYS.get(name, "")
    way_out = f"set {variable} anew" if hits.failure == "wrong-key" and variable else _ENGINE.get(hits.failure or "", "try again later")
    return Check(about, "bad", f"{hits.status}: {hits.detail}", way_out)


_ENGINE = {
    "wrong-key": "check its key", "no-credit": "its account has no credit left: top it up, or choose another with --search",
    "unreachable": "check the network and its address (--base-urls)", "rejected": "check its address (--base-urls)",
}  # fmt: skip


def _way_out(failure: Exception, vendor: str) -> str:
    """What to do about a call that failed."""
    if not isinstance(failure, CallFailed):
        return ""
    variable = KEYS.get(vendor, "its key")
    by_status = {
        401: f"the key is refused: set {variable} anew", 403: f"the key may not use this model: set {variable} anew, or choose another model",
        402: "the account has no credit left: top it up, or choose another vendor",
        404: f"there is no such model, or not at this address: research-crew models {vendor}",
        429: "the vendor asks to wait, or the account has no credit left: try again later, or look at its bill",
    }  # fmt: skip
    if failure.status in by_status:
        return by_status[failure.status]
    if is_too_long(failure):
        return "its window is too small for any run: choose another model"
    if failure.status is None:
        return "check the network and the address (--base-urls); a local server has to be started first"
    return "try again later, or choose another model"


async def _database(url: str) -> Check:
    import psycopg

    shown = without_passwords(url)
    try:
        connection = await psycopg.AsyncConnection.connect(url, connect_timeout=5)
        async with connection:
            row = await (await connection.execute("SELECT version()")).fetchone()
    except psycopg.Error as error:
        says = " ".join(str(error).split())
        return Check("database", "bad", f"{shown}: {without_passwords(says)}", "check that it runs, its address and its user")
    return Check("database", "ok", f"{shown}: {str(row[0]).partition(' on ')[0] if row else 'it answers'}")
