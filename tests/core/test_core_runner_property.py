"""The runner against a slow reading of the rules, for any graph, any outcomes, any limit."""

import asyncio
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from research_crew.core.context import Context
from research_crew.core.errors import AgentFailure
from research_crew.core.graph import Needs, Task, TaskGraph
from research_crew.core.outcome import Partial
from research_crew.core.runner import arun


@dataclass
class Plan:
    """A graph, what each attempt at each task will come to, and how long it takes (in ticks of the loop)."""

    tasks: list[Task]
    outcomes: dict[str, list[str]]
    ticks: dict[str, int]


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    count = draw(st.integers(1, 9))
    names = [f"t{i}" for i in range(count)]
    tasks = []
    for i, name in enumerate(names):
        before = tuple(sorted(draw(st.sets(st.sampled_from(names[:i]), max_size=4)))) if i else ()
        needs: Needs = draw(st.one_of(st.just("all"), st.integers(0, len(before))))
        tasks.append(Task(name, "r", draw(st.integers(0, 4)), depends_on=before, needs=needs))
    order = draw(st.permutations(tasks))
    kinds = st.sampled_from(["ok", "ok", "ok", "partial", "failure", "error"])
    outcomes = {name: draw(st.lists(kinds, min_size=2, max_size=2)) for name in names}
    return Plan(order, outcomes, {name: draw(st.integers(0, 3)) for name in names})


@dataclass
class Expected:
    state: str
    cost: int
    attempts: int


def one_at_a_time(plan: Plan, limit: int) -> tuple[dict[str, Expected], list[str]]:
    """Of all that is ready always the first declared, to its end; no cleverness."""
    ended: dict[str, Expected] = {}
    called: list[str] = []
    left = limit
    while len(ended) < len(plan.tasks):
        task = next(t for t in plan.tasks if t.id not in ended and all(d in ended for d in t.depends_on))
        good = sum(ended[d].state in ("ok", "partial") for d in task.depends_on)
        if good < (len(task.depends_on) if task.needs == "all" else int(task.needs)):
            ended[task.id] = Expected("skipped", 0, 0)
            continue
        price, spent, attempts, state = int(task.price), 0, 0, ""
        while not state:
            if price > left:
                state = "over-budget"
                break
            left, spent, attempts = left - price, spent + price, attempts + 1
            called.append(task.id)
            outcome = plan.outcomes[task.id][attempts - 1]
            if outcome in ("ok", "partial"):
                state = outcome
            elif outcome == "error" or attempts == 2:
                state = "failed"
        ended[task.id] = Expected(state, spent, attempts)
    return ended, called


def agent_for(plan: Plan, called: list[str], open_: set[str], most: list[int]) -> object:
    by_id = {task.id: task for task in plan.tasks}
    ended: set[str] = set()

    async def agent(task: Task, ctx: Context) -> object:
        called.append(task.id)
        open_.add(task.id)
        most[0] = max(most[0], len(open_))
        assert set(ctx.results) | set(ctx.missing) == set(task.depends_on)
        assert not {d for d in by_id[task.id].depends_on if d in open_}, "it started before a dependency had ended"
        for _ in range(plan.ticks[task.id]):
            await asyncio.sleep(0)
        open_.discard(task.id)
        ended.add(task.id)
        outcome = plan.outcomes[task.id][ctx.attempt - 1]
        if outcome == "failure":
            raise AgentFailure("scripted")
        if outcome == "error":
            raise ZeroDivisionError("scripted")
        return Partial("half", "scripted") if outcome == "partial" else "whole"

    return agent


@settings(max_examples=150, deadline=None)
@given(plans(), st.integers(1, 30))
def test_one_at_a_time_the_runner_does_what_the_rules_say_to_the_last_credit(plan: Plan, limit: int) -> None:
    expected, order = one_at_a_time(plan, limit)
    called: list[str] = []
    agent = agent_for(plan, called, set(), [0])
    result = asyncio.run(arun(TaskGraph(plan.tasks), agent, limit, concurrency=1))  # type: ignore[arg-type]
    assert called == order
    assert {r.id: Expected(r.state, int(r.cost), r.attempts) for r in result.results} == expected
    assert [r.id for r in result.results] == [task.id for task in plan.tasks]
    assert result.spent == sum(e.cost for e in expected.values()) <= limit
    whole = all(e.state == "ok" for e in expected.values())
    nothing = result.spent == 0 and not any(e.state in ("ok", "partial") for e in expected.values())
    refused = nothing and any(e.state == "over-budget" for e in expected.values())
    assert result.status == ("complete" if whole else "refused" if refused else "incomplete")


@settings(max_examples=150, deadline=None)
@given(plans(), st.integers(1, 4), st.integers(1, 30))
def test_side_by_side_the_states_are_the_same_and_money_is_never_overspent(
    plan: Plan, concurrency: int, limit: int
) -> None:
    expected, order = one_at_a_time(plan, 10**6)
    called: list[str] = []
    most = [0]
    graph, agent = TaskGraph(plan.tasks), agent_for(plan, called, set(), most)
    result = asyncio.run(arun(graph, agent, 10**6, concurrency=concurrency))  # type: ignore[arg-type]
    assert {r.id: Expected(r.state, int(r.cost), r.attempts) for r in result.results} == expected
    assert sorted(called) == sorted(order) and most[0] <= concurrency

    tight = asyncio.run(arun(graph, agent_for(plan, [], set(), most), limit, concurrency=concurrency))  # type: ignore[arg-type]
    assert tight.spent <= limit and tight.spent == sum(r.cost for r in tight.results)
    for task in tight.results:
        if task.state == "over-budget":
            assert task.needed is not None and task.left is not None and task.needed > task.left
