"""Deadline, Stop and cancellation: no task runs on, nothing stays held, what is in hand is kept."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from decimal import Decimal

import pytest
from core_doubles import answer, call, row
from test_core_runner import SECONDS, within

from research_crew.core.budget import Budget
from research_crew.core.context import Context
from research_crew.core.crews import research_crew
from research_crew.core.errors import AgentFailure
from research_crew.core.events import Event
from research_crew.core.graph import Task, TaskGraph
from research_crew.core.meter import Receipt
from research_crew.core.outcome import RunResult, TaskResult
from research_crew.core.runner import Runner, Stop, run

CREW = research_crew("q", 2)
Agent = Callable[[Task, Context], Awaitable[object]]


async def for_ever() -> None:
    await asyncio.Event().wait()


async def hangs_from_research_on(task: Task, ctx: Context) -> str:
    if task.role == "researcher":
        await for_ever()
    return "text"


def scene(
    agent: Agent, act: Callable[[Runner], Awaitable[None]], graph: TaskGraph = CREW, **options: object
) -> tuple[Runner, RunResult | BaseException]:
    """Run beside something that acts on the run; afterwards nothing may be running or held."""

    async def main() -> tuple[Runner, RunResult | BaseException]:
        runner = Runner(graph, agent, Budget(100), **options)  # type: ignore[arg-type]
        running = asyncio.create_task(runner.run())
        await act(runner)
        async with asyncio.timeout(SECONDS):
            (result,) = await asyncio.gather(running, return_exceptions=True)
        assert asyncio.all_tasks() == {asyncio.current_task()}, "something runs on"
        assert runner.account.held == 0 and len(runner.account.queue) == 0, "something is held"
        assert runner.account.spent == runner.ledger.nano
        return runner, result

    return asyncio.run(main())


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(SECONDS):
        while not true():
            await asyncio.sleep(0)


# -- deadline ---------------------------------------------------------------------------------------------------------


def test_the_deadline_ends_a_run_with_what_it_has() -> None:
    result = within(CREW, hangs_from_research_on, deadline=0.02)
    assert [row(r.id, r.state, r.reason, r.cost) for r in result.results] == [
        ("plan", "ok", "", 2),
        ("research:0", "cancelled", "deadline", 3),
        ("research:1", "cancelled", "deadline", 3),
        ("critique", "cancelled", "deadline", 0),
        ("edit", "cancelled", "deadline", 0),
    ]
    assert [(e.basis, e.outcome) for e in result.ledger][1:] == [("assumed", "cancelled")] * 2
    assert (result.status, result.exit_code) == ("incomplete", 4)


def test_what_is_in_hand_at_the_deadline_makes_a_partial_result() -> None:
    async def agent(task: Task, ctx: Context) -> str:
        if task.role == "researcher":
            ctx.offer(f"half of {task.id}")
            await for_ever()
        return "text"

    result = within(CREW, agent, deadline=0.02)
    assert (result["research:0"].state, result["research:0"].output) == ("partial", "half of research:0")
    assert result["research:0"].reason == "deadline" and result["critique"].state == "cancelled"


def test_a_run_that_ends_before_its_deadline_knows_nothing_of_it() -> None:
    result = within(CREW, answers, deadline=30)
    assert result.status == "complete" and result.states() == {"ok": 5}


async def answers(task: Task, ctx: Context) -> str:
    return "text"


# -- Stop -------------------------------------------------------------------------------------------------------------


def test_a_run_that_was_stopped_before_it_began_starts_nothing() -> None:
    called: list[str] = []

    async def agent(task: Task, ctx: Context) -> None:
        called.append(task.id)

    stop = Stop()
    stop.request("interrupted")
    result = within(CREW, agent, stop=stop)
    assert (result.states(), result.status, result.exit_code) == ({"cancelled": 5}, "cancelled", 130)
    assert called == [] and result.spent == 0 and result["plan"].reason == "interrupted"


def test_stopping_keeps_what_has_ended_and_cancels_the_rest() -> None:
    stop = Stop()

    async def act(runner: Runner) -> None:
        await until(lambda: "plan" in runner.results)
        stop.request("interrupted")
        stop.request("again")

    _, result = scene(hangs_from_research_on, act, stop=stop)
    assert isinstance(result, RunResult)
    assert result.states() == {"cancelled": 4, "ok": 1} and result["plan"].output == "text"
    assert result["edit"].reason == "interrupted" and result.status == "cancelled"


@pytest.mark.parametrize("ticks", range(12))
def test_a_stop_in_any_tick_leaves_every_task_with_a_result(ticks: int) -> None:
    """Also in the tick in which tasks have been made and not begun: those never run their first line."""

    async def agent(task: Task, ctx: Context) -> object:
        await asyncio.sleep(0)
        return await ctx.meter.buy(call("one", 3), answer("a", 1))

    graph = TaskGraph([Task("a", "r"), Task("b", "r", reserve=3), Task("c", "r", depends_on=("a", "b"))])

    async def act(runner: Runner) -> None:
        for _ in range(ticks):
            await asyncio.sleep(0)
        runner.stop("now")

    for options in ({}, {"concurrency": 1}):
        _, result = scene(agent, act, graph, **options)
        assert isinstance(result, RunResult) and len(result.results) == 3
        assert set(result.states()) <= {"ok", "cancelled"}
        assert result.spent == sum(r.cost for r in result.results)


def test_a_request_after_the_end_goes_nowhere() -> None:
    stop = Stop()
    assert run(CREW, answers, stop=stop).status == "complete"
    stop.request("too late")
    assert run(CREW, answers, stop=stop).status == "cancelled", "a request stands until it is obeyed"


def test_a_request_does_not_reach_a_run_that_has_ended_while_its_loop_goes_on() -> None:
    async def main() -> None:
        stop = Stop()
        first = Runner(CREW, answers, Budget(100), stop=stop)
        await first.run()
        stop.request("for the next one")
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert first.meter.stopped == ""

    asyncio.run(main())


def test_another_thread_can_stop_a_run() -> None:
    stop = Stop()
    hanging = threading.Event()

    async def agent(task: Task, ctx: Context) -> None:
        hanging.set()
        await for_ever()

    def press() -> None:
        hanging.wait(SECONDS)
        stop.request("pressed")

    presser = threading.Thread(target=press)
    presser.start()
    result = within(CREW, agent, stop=stop)
    presser.join()
    assert result["plan"].reason == "pressed" and result.status == "cancelled"


def test_the_graph_does_not_grow_once_the_run_is_stopped() -> None:
    stop = Stop()

    def grow(task: Task, result: TaskResult) -> list[Task]:
        stop.request("enough")
        return [Task(f"{task.id}+", "r", depends_on=(task.id,))]

    result = within(TaskGraph([Task("a", "r")]), answers, grow=grow, stop=stop)
    assert {r.id: r.state for r in result.results} == {"a": "ok", "a+": "cancelled"}


def test_a_failed_attempt_is_not_tried_again_after_a_stop() -> None:
    async def agent(task: Task, ctx: Context) -> None:
        try:
            await for_ever()
        except asyncio.CancelledError:
            raise AgentFailure("interrupted in the middle") from None

    async def act(runner: Runner) -> None:
        await until(lambda: runner.account.held > 0)
        runner.stop("now")

    _, result = scene(agent, act, TaskGraph([Task("a", "r", 3)]))
    assert isinstance(result, RunResult)
    assert row(result["a"].state, result["a"].attempts, result.spent) == ("failed", 1, 3)


def test_an_agent_that_goes_on_after_its_cancellation_is_cancelled_again_and_buys_nothing() -> None:
    refused = 0

    async def agent(task: Task, ctx: Context) -> None:
        nonlocal refused
        while refused < 3:
            try:
                await for_ever()
            except asyncio.CancelledError:
                with pytest.raises(asyncio.CancelledError, match="now"):
                    await ctx.meter.buy(call(f"n{refused}"), answer())
                refused += 1

    async def act(runner: Runner) -> None:
        await until(lambda: len(runner._running) == 1)
        await asyncio.sleep(0)
        runner.stop("now")

    _, result = scene(agent, act, TaskGraph([Task("a", "r")]), grace=0.01)
    assert isinstance(result, RunResult) and refused == 3 and result.spent == 0


def test_a_task_that_waits_for_money_when_the_run_stops_costs_nothing() -> None:
    graph = TaskGraph([Task("a", "r", 60), Task("b", "r", 60)])

    async def agent(task: Task, ctx: Context) -> None:
        await for_ever()

    async def act(runner: Runner) -> None:
        await until(lambda: len(runner.account.queue) == 1)
        runner.stop("now")

    _, result = scene(agent, act, graph)
    assert isinstance(result, RunResult)
    assert [row(r.id, r.state, r.cost, r.attempts) for r in result.results] == [
        ("a", "cancelled", 60, 1),
        ("b", "cancelled", 0, 0),
    ]


def test_what_a_cancelled_task_registered_is_stranded() -> None:
    async def agent(task: Task, ctx: Context) -> None:
        ctx.register(["a claim"])
        await for_ever()

    result = within(TaskGraph([Task("a", "r")]), agent, deadline=0.02)
    assert result.books.claims["a/1/1"].state == "stranded"


# -- cancelled from outside -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ticks", range(0, 40, 3))
@pytest.mark.parametrize("times", [1, 3])
def test_cancelling_the_run_leaves_nothing_running_and_nothing_held(ticks: int, times: int) -> None:
    async def agent(task: Task, ctx: Context) -> object:
        await asyncio.sleep(0)

        async def send() -> Receipt:
            for _ in range(5):
                await asyncio.sleep(0)
            return Receipt(task.id, amount=Decimal(1))

        return await asyncio.gather(*(ctx.meter.buy(call(str(n), 40), send) for n in range(3)))

    async def main() -> None:
        runner = Runner(research_crew("q", 2), metered(agent), Budget(100))
        running = asyncio.create_task(runner.run())
        for _ in range(ticks):
            await asyncio.sleep(0)
        for _ in range(times):
            running.cancel()
            await asyncio.sleep(0)
        async with asyncio.timeout(SECONDS):
            (result,) = await asyncio.gather(running, return_exceptions=True)
        assert isinstance(result, asyncio.CancelledError) or not ticks or isinstance(result, RunResult)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert runner.account.held == 0 and len(runner.account.queue) == 0
        assert runner.account.spent == runner.ledger.nano

    asyncio.run(main())


def metered(agent: Agent) -> Agent:
    """The agent for researchers; the others of the crew answer at once."""

    async def chosen(task: Task, ctx: Context) -> object:
        return await agent(task, ctx) if task.role == "researcher" else "text"

    return chosen


def test_cancelling_waits_for_an_agent_that_cleans_up() -> None:
    cleaned: list[str] = []

    async def agent(task: Task, ctx: Context) -> None:
        try:
            await for_ever()
        finally:
            for _ in range(3):
                await asyncio.sleep(0)
            cleaned.append(task.id)

    async def act(runner: Runner) -> None:
        await until(lambda: len(runner._running) == 2)
        await asyncio.sleep(0)
        for task in asyncio.all_tasks():
            if runner_of(task):
                task.cancel()

    _, result = scene(agent, act, TaskGraph([Task("a", "r"), Task("b", "r")]))
    assert isinstance(result, asyncio.CancelledError) and sorted(cleaned) == ["a", "b"]


def test_cancelling_once_more_reaches_an_agent_that_swallowed_the_first_time() -> None:
    swallowed = 0

    async def agent(task: Task, ctx: Context) -> None:
        nonlocal swallowed
        while swallowed < 2:
            try:
                await for_ever()
            except asyncio.CancelledError:
                swallowed += 1

    async def act(runner: Runner) -> None:
        await until(lambda: len(runner._running) == 1)
        await asyncio.sleep(0)
        (running,) = (t for t in asyncio.all_tasks() if t is not asyncio.current_task() and runner_of(t))
        for _ in range(2):
            running.cancel()
            for _ in range(3):
                await asyncio.sleep(0)

    _, result = scene(agent, act, TaskGraph([Task("a", "r")]), grace=1000.0)
    assert isinstance(result, asyncio.CancelledError) and swallowed == 2


def runner_of(task: "asyncio.Task[object]") -> bool:
    """Whether this task is the run itself."""
    return getattr(task.get_coro(), "__qualname__", "") == "Runner.run"


def test_a_loop_that_cancels_everything_at_its_end_does_not_hang() -> None:
    """`asyncio.run` cancels run and tasks in one go when its main function leaves a run behind."""
    runners: list[Runner] = []
    kept: list[asyncio.Task[RunResult]] = []

    async def main(ticks: int) -> None:
        runner = Runner(CREW, hangs_from_research_on, Budget(100))
        runners.append(runner)
        kept.append(asyncio.create_task(runner.run()))
        for _ in range(ticks):
            await asyncio.sleep(0)

    for ticks in range(8):
        asyncio.run(main(ticks))
        assert kept[-1].cancelled() and runners[-1].account.held == 0


def test_a_task_cancelled_by_a_stranger_ends_cancelled_and_the_run_goes_on() -> None:
    async def agent(task: Task, ctx: Context) -> str:
        if task.id == "research:0":
            this = asyncio.current_task()
            assert this is not None
            this.cancel()
            if ctx.register(["a claim"]):
                return "returned before the cancellation arrived"
        return "text"

    result = within(research_crew("q", 2, needs="any"), agent)
    assert result["research:0"].state == "cancelled" and result["edit"].state == "ok"
    assert result["research:0"].cost == 3 and result.status == "incomplete"
    assert result.books.claims["research:0/1/1"].state == "stranded"


def test_events_end_with_the_end_of_every_task_that_was_stopped() -> None:
    events: list[Event] = []
    within(CREW, hangs_from_research_on, deadline=0.02, on_event=events.append)
    ended = [e.task for e in events if e.kind == "task-ended"]
    assert sorted(ended) == sorted(task.id for task in CREW)
    assert events[-1].kind == "run-ended" and events[-1].data["status"] == "incomplete"
