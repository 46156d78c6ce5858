"""Attempts at a fixed cost, and a person's answers, are journalled like calls."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from research_crew import AgentFailure, Context, Crew, Task, TaskGraph
from research_crew.again import replay
from research_crew.core.budget import Budget
from research_crew.core.order import Order
from research_crew.core.outcome import RunResult
from research_crew.core.runner import Runner
from research_crew.fitting import Proposal
from research_crew.stores.opening import open_store
from research_crew.stores.records import NewRun

AT = datetime(2026, 1, 1, tzinfo=UTC)
Agent = Callable[[Task, Context], object]


class Died(BaseException):
    """The process ends here, as far as the store can see."""


def graph() -> TaskGraph:
    return TaskGraph([Task("a", "worker", 3), Task("b", "worker", 2, depends_on=("a",)), Task("c", "worker", 1, depends_on=("b",))])


def run(file: Path, agent: Agent, *, first: bool = False, limit: int = 20) -> RunResult:
    """One process's part in a run of anyone's own graph and function."""

    async def go() -> RunResult:
        with open_store(file) as store:
            if first:
                past = await store.create(NewRun("mine", "q", "own", "credits", limit * 10**9, AT))
            else:
                past = await store.claim("mine")
            journal = store.journal("mine", past)
            runner = Runner(
                graph(), agent, Budget(limit), inline=True, journal=journal, order=Order(past.ledger, past.marks), began=AT,
                run_id="mine", fence=past.fence,
            )  # fmt: skip
            journal.watch(runner.books)
            return await runner.run()

    return asyncio.run(go())


def interrupted(file: Path, agent: Agent, at: str, limit: int = 20) -> None:
    def dying(task: Task, ctx: Context) -> object:
        if task.id == at:
            raise Died
        return agent(task, ctx)

    with pytest.raises(Died):
        run(file, dying, first=True, limit=limit)
    _pretend_dead(file)


def _pretend_dead(file: Path) -> None:
    """Give up the lease without a word, as a process does that is killed."""
    with open_store(file) as store, store.database.transaction() as tx:
        tx.run("UPDATE runs SET owner = '', lease = 0")


def test_a_finished_attempt_is_neither_charged_nor_called_again(tmp_path: Path) -> None:
    called: list[str] = []

    def agent(task: Task, ctx: Context) -> object:
        called.append(task.id)
        return {"said": f"{task.id} after {ctx.results}"}

    file = tmp_path / "runs.sqlite"
    interrupted(file, agent, "c")
    result = run(file, agent)
    assert called == ["a", "b", "c"], "each once, in all processes together"
    assert result.status == "complete"
    assert result["c"].output == {"said": "c after {'b': {'said': \"b after {'a': {'said': 'a after {}'}}\"}}"}
    assert [(e.task, e.nano // 10**9, e.basis) for e in result.ledger] == [
        ("a", 3, "measured"), ("b", 2, "measured"), ("c", 1, "assumed"), ("c", 1, "measured"),
    ]  # fmt: skip


def test_an_attempt_whose_result_is_no_json_or_that_booked_something_runs_again_and_is_charged_once(tmp_path: Path) -> None:
    called: list[str] = []

    def agent(task: Task, ctx: Context) -> object:
        called.append(task.id)
        if task.id == "a":
            return Decimal(1)
        ctx.book(f"what {task.id} found")
        return "text"

    file = tmp_path / "runs.sqlite"
    interrupted(file, agent, "c")
    result = run(file, agent)
    assert called == ["a", "b", "a", "b", "c"]
    assert [e.task for e in result.ledger] == ["a", "b", "c", "c"]
    assert len(result.books.claims) == 2
    assert result["a"].output == Decimal(1)


def test_a_failed_attempt_stays_failed_and_the_next_one_is_made(tmp_path: Path) -> None:
    tried: list[tuple[str, int]] = []

    def agent(task: Task, ctx: Context) -> object:
        tried.append((task.id, ctx.attempt))
        if (task.id, ctx.attempt) == ("b", 1):
            raise AgentFailure("no luck")
        return "done"

    file = tmp_path / "runs.sqlite"
    interrupted(file, agent, "c")
    result = run(file, agent)
    assert tried == [("a", 1), ("b", 1), ("b", 2), ("c", 1)]
    assert [(e.task, e.attempt, e.outcome) for e in result.ledger][:3] == [("a", 1, "ok"), ("b", 1, "error"), ("b", 2, "ok")]
    assert result["b"].attempts == 2


def test_an_attempt_cut_short_is_repeated_only_if_the_budget_allows(tmp_path: Path) -> None:
    file = tmp_path / "runs.sqlite"
    interrupted(file, lambda task, _: task.id, "c", limit=6)
    result = run(file, lambda task, _: task.id, limit=6)
    assert result["c"].state == "over-budget" and result["c"].needed == Decimal(1)
    assert result.spent == Decimal(6), "what was on its way is charged; nothing is overspent"


def test_a_person_is_not_asked_again_for_a_plan_that_was_agreed_to(tmp_path: Path) -> None:
    asked: list[Proposal] = []

    def confirm(proposal: Proposal) -> object:
        asked.append(proposal)
        return proposal.plan

    def refuse(proposal: Proposal) -> None:
        asked.append(proposal)

    file = tmp_path / "runs.sqlite"
    agreed = Crew(store=str(file), confirm=confirm).run("What limits the write throughput?")  # type: ignore[arg-type]
    refused = Crew(store=str(file), confirm=refuse).run("What limits the write throughput?")
    assert agreed.report is not None and refused.report is None and len(asked) == 2
    with open_store(file) as store:
        for result in (agreed, refused):
            assert asyncio.run(replay(store, result.id)).json() == result.json()
    assert len(asked) == 2
