"""Agents that meter: fixed costs, ceilings, calls left behind, limits with something in hand."""

import asyncio
from decimal import Decimal

import pytest
from core_doubles import answer, call, row
from test_core_runner import SECONDS, within

from research_crew.core.budget import Budget
from research_crew.core.context import Context, Scope, Tools
from research_crew.core.errors import AgentFailure, Diverged, OverBudget
from research_crew.core.graph import Task, TaskGraph
from research_crew.core.journal import MemoryJournal
from research_crew.core.meter import Receipt
from research_crew.core.outcome import RunResult
from research_crew.core.runner import Runner


def one(**fields: object) -> TaskGraph:
    return TaskGraph([Task("t", "r", **fields)])  # type: ignore[arg-type]


def entries(result: RunResult) -> list[tuple[str, str, str, str]]:
    return [(e.step, e.kind, e.basis, f"{e.amount:f}") for e in result.ledger]


# -- a fixed cost and calls of its own --------------------------------------------------------------------------------


def test_an_agent_with_a_fixed_cost_that_meters_pays_what_it_metered_and_no_more_than_its_cost() -> None:
    async def agent(task: Task, ctx: Context) -> object:
        first = await ctx.meter.buy(call("one", 2), answer("a", 1))
        assert ctx.left == 2
        with pytest.raises(OverBudget) as refused:
            await ctx.meter.buy(call("two", 3), answer())
        assert row(refused.value.needed, refused.value.left) == (3, 2)
        return [first, await ctx.meter.buy(call("three", 2), answer("c", "0.5"))]

    result = within(one(cost=3), agent)
    assert result["t"].output == ["a", "c"] and result["t"].cost == result.spent == Decimal("1.5")
    assert entries(result) == [("one", "model", "measured", "1"), ("three", "model", "measured", "0.5")]


def test_an_agent_whose_first_call_does_not_fit_into_its_fixed_cost_is_charged_nothing() -> None:
    async def agent(task: Task, ctx: Context) -> object:
        return await ctx.meter.buy(call("one", 4), answer())

    result = within(one(cost=3), agent)
    task = result["t"]
    assert row(task.state, task.cost, task.needed, task.left, result.spent) == ("over-budget", 0, 4, 3, 0)


def test_a_bill_above_a_fixed_cost_is_an_overrun_of_the_run() -> None:
    async def agent(task: Task, ctx: Context) -> object:
        return await ctx.meter.buy(call("one", 3), answer("a", 5))

    result = within(one(cost=3), agent, 100)
    assert result.spent == 5 and result.bill.overrun == 2


def test_each_attempt_with_a_fixed_cost_has_that_cost_to_spend() -> None:
    async def agent(task: Task, ctx: Context) -> object:
        await ctx.meter.buy(call("one", 3), answer("a", 3))
        if ctx.attempt == 1:
            raise AgentFailure("again")
        return "done"

    result = within(one(cost=3), agent)
    assert row(result["t"].state, result["t"].cost, result["t"].attempts) == ("ok", 6, 2)


def test_limits_on_calls_bind_agents_with_a_fixed_cost_as_well() -> None:
    async def agent(task: Task, ctx: Context) -> object:
        return [await ctx.meter.buy(call(str(n), 1), answer(n, 1)) for n in range(3)]

    result = within(one(cost=10), agent, Budget(1000, calls=2))
    assert row(result["t"].state, result.spent, result.bill.tries) == ("over-budget", 2, 2)
    assert "calls" in result["t"].reason
    assert within(one(cost=10), agent, Budget(1000, calls=3))["t"].state == "ok"


def test_calls_that_the_journal_answers_are_not_replaced_by_the_fixed_cost() -> None:
    async def agent(task: Task, ctx: Context) -> object:
        return await ctx.meter.buy(call("one", 2), answer("a", 1))

    journal = MemoryJournal()
    first = within(one(cost=3), agent, journal=journal)
    again = within(one(cost=3), agent, journal=journal)
    assert first["t"].output == again["t"].output == "a"
    assert row(first.spent, again.spent, len(again.ledger)) == (1, 0, 0)


# -- a ceiling --------------------------------------------------------------------------------------------------------


def test_a_reserve_is_the_ceiling_of_a_task_over_all_its_attempts() -> None:
    async def agent(task: Task, ctx: Context) -> object:
        await ctx.meter.buy(call("one", 3), answer("a", 3))
        raise AgentFailure("again")

    result = within(one(reserve=5), agent)
    task = result["t"]
    assert row(task.state, task.cost, task.attempts) == ("over-budget", 3, 2)
    assert row(task.needed, task.left) == (3, 2)


def test_a_task_kept_back_by_its_own_ceiling_does_not_keep_others_back() -> None:
    """`narrow` has two calls and room for one at a time; the second waits until `other` is through."""
    other_ended = asyncio.Event()

    async def agent(task: Task, ctx: Context) -> object:
        if task.id == "other":
            await asyncio.sleep(0)
            value = await ctx.meter.buy(call("x", 5), answer("x", 5))
            other_ended.set()
            return value

        async def send() -> Receipt:
            await other_ended.wait()
            return Receipt("slow", amount=Decimal(1))

        return await asyncio.gather(ctx.meter.buy(call("a", 4), send), ctx.meter.buy(call("b", 4), answer("fast", 1)))

    graph = TaskGraph([Task("narrow", "r", reserve=6), Task("other", "r", reserve=6)])
    result = within(graph, agent, 100)
    assert result["narrow"].output == ["slow", "fast"] and result["other"].output == "x"


def test_what_is_in_hand_when_the_money_ends_makes_a_partial_result() -> None:
    async def agent(task: Task, ctx: Context) -> object:
        found: list[object] = []
        for n in range(5):
            found.append(await ctx.meter.buy(call(str(n), 2), answer(n, 2)))
            ctx.offer(list(found))
        return found

    result = within(one(reserve=5), agent)
    task = result["t"]
    assert row(task.state, task.output, task.needed, task.left) == ("partial", [0, 1], 2, 1)
    assert "needs 2 credits, 1 left" in task.reason and result.status == "incomplete"


def test_what_is_in_hand_of_an_attempt_that_failed_makes_no_result() -> None:
    async def agent(task: Task, ctx: Context) -> object:
        ctx.offer("half")
        raise AgentFailure("bad")

    assert (within(one(), agent)["t"].state, within(one(), agent)["t"].output) == ("failed", None)


# -- calls left behind ------------------------------------------------------------------------------------------------


def test_calls_that_a_failed_gather_leaves_behind_do_not_outlive_their_task() -> None:
    """`gather` raises at the first error and lets the others go on; their money is settled before the task ends."""

    async def agent(task: Task, ctx: Context) -> object:
        async def slow() -> Receipt:
            await asyncio.Event().wait()
            raise AssertionError

        return await asyncio.gather(
            ctx.meter.buy(call("slow", 4), slow),
            ctx.meter.buy(call("large", 50), answer()),
        )

    async def main() -> Runner:
        runner = Runner(one(reserve=10), agent, Budget(100))
        result = await asyncio.wait_for(runner.run(), SECONDS)
        assert row(result["t"].state, result["t"].cost, result.spent) == ("over-budget", 4, 4)
        assert entries(result) == [("slow", "model", "assumed", "4")]
        assert len(asyncio.all_tasks()) == 1
        return runner

    runner = asyncio.run(main())
    assert runner.account.held == 0 and runner.account.spent == runner.ledger.nano


def test_an_agent_that_buys_in_the_background_and_returns_is_settled_and_buys_nothing_afterwards() -> None:
    left: list[asyncio.Task[object]] = []

    async def agent(task: Task, ctx: Context) -> object:
        async def shopping() -> object:
            await ctx.meter.buy(call("one", 2), answer("a", 1))
            forever = asyncio.Event()

            async def send() -> Receipt:
                await forever.wait()
                raise AssertionError

            return await ctx.meter.buy(call("two", 2), send)

        left.append(asyncio.create_task(shopping()))
        for _ in range(20):
            await asyncio.sleep(0)
        return "early"

    result = within(one(cost=10), agent)
    assert result["t"].output == "early" and left[0].cancelled()
    assert entries(result) == [("one", "model", "measured", "1"), ("two", "model", "assumed", "2")]
    assert result["t"].cost == 3


# -- tools ------------------------------------------------------------------------------------------------------------


def test_tools_are_bound_to_the_attempt_that_uses_them() -> None:
    made: list[tuple[str, int]] = []

    def maker(scope: Scope) -> Tools:
        made.append((scope.task.id, scope.attempt))

        async def search(text: str) -> object:
            return await scope.meter.buy(call(f"search {text}", 2), answer([text], 1))

        def register(claims: object) -> list[str]:
            return [scope.books.register(scope.task.id, scope.attempt, str(c)) for c in claims]  # type: ignore[attr-defined]

        return Tools(search=search, register=register, sources={1: "page"})

    async def agent(task: Task, ctx: Context) -> object:
        if task.id == "quiet":
            return None
        assert ctx.sources == {1: "page"}
        found = await ctx.search("x")
        if ctx.attempt == 1:
            raise AgentFailure("again")
        return found, ctx.register(["claim"])

    result = within(TaskGraph([Task("t", "r"), Task("quiet", "r")]), agent, tools=maker)
    assert result["t"].output == (["x"], ["t/2/1"]) and result["t"].cost == 2
    assert made == [("t", 1), ("t", 2)], "made when they are used"


# -- what concerns the whole run --------------------------------------------------------------------------------------


def test_a_resumed_run_that_diverges_ends_with_that_error_and_leaves_nothing_open() -> None:
    journal = MemoryJournal()

    def asks(request: str) -> object:
        async def agent(task: Task, ctx: Context) -> object:
            if task.id == "slow":
                await asyncio.Event().wait()
            return await ctx.meter.buy(call("one", 2, request=request), answer("a", 1))

        return agent

    within(one(cost=3), asks("first"), journal=journal)

    async def main() -> Runner:
        graph = TaskGraph([Task("slow", "r", 3), Task("t", "r", 3)])
        runner = Runner(graph, asks("second"), Budget(100), journal=journal)  # type: ignore[arg-type]
        with pytest.raises(Diverged, match="t/1/one/1"):
            await asyncio.wait_for(runner.run(), SECONDS)
        assert len(asyncio.all_tasks()) == 1
        return runner

    runner = asyncio.run(main())
    assert runner.account.held == 0 and runner.account.spent == runner.ledger.nano


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit])
@pytest.mark.parametrize("plain", [False, True])
def test_what_is_no_ordinary_exception_ends_the_run_after_the_others(error: type[BaseException], plain: bool) -> None:
    ended: list[str] = []

    async def waits_or_raises(task: Task, ctx: Context) -> None:
        try:
            if task.id == "raises":
                raise error
            await asyncio.Event().wait()
        finally:
            ended.append(task.id)

    def raises(task: Task, ctx: Context) -> None:
        ended.append(task.id)
        raise error

    async def main() -> Runner:
        graph = TaskGraph([Task("raises", "r", 3)] if plain else [Task("waits", "r", 3), Task("raises", "r", 3)])
        runner = Runner(graph, raises if plain else waits_or_raises, Budget(100))
        with pytest.raises(error):
            await runner.run()  # not in a task of its own, which would hand the exception to the loop
        assert len(asyncio.all_tasks()) == 1
        return runner

    runner = asyncio.run(main())
    assert ended == (["raises"] if plain else ["raises", "waits"])
    assert runner.account.held == 0 and runner.account.spent == runner.ledger.nano
