"""Plain functions in threads: tools, context variables, threads that do not stop, loops that already run."""

import asyncio
import contextvars
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from decimal import Decimal

import pytest
from core_doubles import answer, call, row
from test_core_runner import SECONDS, within

from research_crew.core.budget import Budget
from research_crew.core.calling import run_in_own_loop
from research_crew.core.context import Context
from research_crew.core.crews import research_crew
from research_crew.core.errors import AgentFailure
from research_crew.core.events import Event
from research_crew.core.graph import Task, TaskGraph
from research_crew.core.meter import Receipt
from research_crew.core.runner import Runner, Stop, arun, run

ONE = TaskGraph([Task("t", "r", 3)])
FREE = TaskGraph([Task("t", "r")])
who: contextvars.ContextVar[str] = contextvars.ContextVar("who", default="nobody")


# -- calling ----------------------------------------------------------------------------------------------------------


def test_plain_functions_run_side_by_side_in_threads_and_not_on_the_loop() -> None:
    both = threading.Barrier(2, timeout=SECONDS)

    def agent(task: Task, ctx: Context) -> str:
        both.wait()
        return threading.current_thread().name

    result = run(TaskGraph([Task("a", "r"), Task("b", "r")]), agent)
    assert {r.output for r in result.results} == {"agent a", "agent b"}


def test_inline_functions_run_on_the_loop() -> None:
    def agent(task: Task, ctx: Context) -> bool:
        return asyncio.get_running_loop().is_running()

    assert run(FREE, agent, inline=True)["t"].output is True


@pytest.mark.parametrize("inline", [False, True])
def test_failures_of_plain_functions_are_those_of_any_agent(inline: bool) -> None:
    def agent(task: Task, ctx: Context) -> str:
        if task.id == "a" and ctx.attempt == 1:
            raise AgentFailure("again")
        if task.id == "b":
            return next(iter(()))  # StopIteration, which no future takes
        if task.id == "c":
            raise ZeroDivisionError("by nothing")
        return "text"

    result = within(TaskGraph([Task(n, "r", 1) for n in "abc"]), agent, inline=inline)
    assert row(result["a"].state, result["a"].cost) == ("ok", 2)
    assert result["b"].state == "failed" and "StopIteration" in result["b"].traceback
    assert result["c"].reason == "ZeroDivisionError: by nothing" and "by nothing" in result["c"].traceback


def test_threads_and_tasks_see_the_caller_s_context_variables_and_not_each_other_s() -> None:
    def plain(task: Task, ctx: Context) -> str:
        seen = who.get()
        who.set(task.id)
        return seen

    async def asynchronous(task: Task, ctx: Context) -> str:
        return plain(task, ctx)

    who.set("caller")
    try:
        for agent in (plain, asynchronous):
            result = run(research_crew("q", 2), agent)
            assert {r.output for r in result.results} == {"caller"}, "also tasks that follow one that set it"
    finally:
        who.set("nobody")


# -- tools from threads -----------------------------------------------------------------------------------------------


def test_a_plain_function_buys_through_ctx_wait() -> None:
    def agent(task: Task, ctx: Context) -> object:
        return [ctx.wait(ctx.meter.buy(call(str(n), 2), answer(n, 1))) for n in range(3)]

    result = run(TaskGraph([Task("a", "r"), Task("b", "r", reserve=4)]), agent)
    assert result["a"].output == [0, 1, 2] and result["a"].cost == 3
    assert result["b"].state == "ok" and result.spent == 6


def test_what_a_tool_raises_is_raised_in_the_thread() -> None:
    def agent(task: Task, ctx: Context) -> object:
        return ctx.wait(ctx.meter.buy(call("one", 50), answer()))

    result = run(FREE, agent, 10)
    assert row(result["t"].state, result["t"].needed) == ("over-budget", 50)


def test_waiting_on_the_loop_itself_is_refused_instead_of_hanging() -> None:
    def agent(task: Task, ctx: Context) -> object:
        return ctx.wait(ctx.meter.buy(call(), answer()))

    async def asynchronous(task: Task, ctx: Context) -> object:
        return agent(task, ctx)

    for each, inline in ((agent, True), (asynchronous, False)):
        task = within(FREE, each, inline=inline)["t"]
        assert task.state == "failed" and "ctx.wait" in task.reason and "make it async" in task.reason


def test_the_watcher_is_called_on_the_loop_whoever_tells() -> None:
    threads: set[int] = set()
    texts: list[object] = []

    def watch(event: Event) -> None:
        threads.add(threading.get_ident())
        if event.kind == "text":
            texts.append(event.data["n"])

    def agent(task: Task, ctx: Context) -> None:
        assert threading.get_ident() not in threads
        for n in range(3):
            ctx.emit(Event("text", ctx.now(), task.id, task.role, {"n": n}))

    run(FREE, agent, on_event=watch)
    assert texts == [0, 1, 2] and threads == {threading.get_ident()}


# -- threads that are stopped, or not ---------------------------------------------------------------------------------


def stopped_while(agent: Callable[[Task, Context], object], begun: threading.Event, grace: float) -> Runner:
    """Stop a run once its thread says that it has begun; nothing may be held afterwards."""

    async def main() -> Runner:
        stop = Stop()
        runner = Runner(ONE, agent, Budget(100), stop=stop, grace=grace)
        running = asyncio.create_task(runner.run())
        await asyncio.to_thread(begun.wait, SECONDS)
        stop.request("interrupted")
        async with asyncio.timeout(SECONDS):
            results.append(await running)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert runner.account.held == 0 and runner.account.spent == runner.ledger.nano
        return runner

    results.clear()
    return asyncio.run(main())


results: list[object] = []


def test_a_thread_that_does_not_stop_is_reported_and_its_hold_is_charged_assumed() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def agent(task: Task, ctx: Context) -> str:
        begun.set()
        go_on.wait(SECONDS)
        return "late"

    runner = stopped_while(agent, begun, grace=0.02)
    go_on.set()
    (result,) = results
    assert result.warnings == ("t: its thread still ran 0.02 s after the run was stopped",)  # type: ignore[attr-defined]
    assert result["t"].state == "cancelled"  # type: ignore[index]
    assert [row(e.basis, e.outcome, e.amount) for e in runner.ledger] == [("assumed", "cancelled", 3)]


def test_a_thread_that_waits_for_a_tool_is_told_that_its_run_was_stopped() -> None:
    begun = threading.Event()
    told: list[str] = []

    def agent(task: Task, ctx: Context) -> None:
        async def send() -> Receipt:
            begun.set()
            await asyncio.Event().wait()
            raise AssertionError

        for n in range(2):
            try:
                ctx.wait(ctx.meter.buy(call(str(n), 1), send))
            except asyncio.CancelledError as over:
                told.append(str(over))

    runner = stopped_while(agent, begun, grace=SECONDS)
    assert told == ["the attempt is over"] * 2
    assert results[0].warnings == ()  # type: ignore[attr-defined]
    assert [row(e.step, e.basis, e.amount) for e in runner.ledger] == [("0", "assumed", 1)]


def test_a_thread_that_outlives_its_run_can_neither_buy_nor_tell() -> None:
    begun, go_on, done = threading.Event(), threading.Event(), threading.Event()
    outcomes: list[object] = []

    def agent(task: Task, ctx: Context) -> None:
        begun.set()
        go_on.wait(SECONDS)
        try:
            ctx.wait(ctx.meter.buy(call(), answer()))
        except BaseException as error:  # noqa: BLE001 - the test looks at it
            outcomes.append(type(error))
        ctx.emit(Event("text", ctx.now()))
        done.set()
        raise ZeroDivisionError("nobody hears this")

    runner = stopped_while(agent, begun, grace=0.02)
    go_on.set()
    assert done.wait(SECONDS)
    assert outcomes == [asyncio.CancelledError] and len(runner.ledger) == 1


def test_a_process_ends_although_a_thread_of_an_agent_does_not() -> None:
    """A stranger's function that hangs must not keep the command line from coming to its end."""
    code = """
        import threading
        from research_crew.core.crews import solo_crew
        from research_crew.core.runner import run

        result = run(solo_crew("q"), lambda task, ctx: threading.Event().wait(), deadline=0.05, grace=0.05)
        print(result.states(), len(result.warnings))
    """
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert (ended.stdout.strip(), ended.stderr, ended.returncode) == ("{'cancelled': 1} 1", "", 0)


def test_a_thread_of_a_run_that_is_cancelled_from_outside_is_waited_for() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def agent(task: Task, ctx: Context) -> str:
        begun.set()
        go_on.wait(SECONDS)
        return "late"

    async def main() -> Runner:
        runner = Runner(ONE, agent, Budget(100), grace=0.02)
        running = asyncio.create_task(runner.run())
        await asyncio.to_thread(begun.wait, SECONDS)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        return runner

    runner = asyncio.run(main())
    go_on.set()
    assert runner.account.held == 0 and runner.ledger.spent == Decimal(3)


# -- a loop that already runs -----------------------------------------------------------------------------------------


def test_run_works_inside_a_running_loop_as_in_a_notebook() -> None:
    async def agent(task: Task, ctx: Context) -> tuple[str, bool]:
        return who.get(), asyncio.get_running_loop() is outer[0]

    outer: list[asyncio.AbstractEventLoop] = []

    async def cell() -> object:
        outer.append(asyncio.get_running_loop())
        who.set("notebook")
        return run(research_crew("q", 2), agent, budget=50_000)["edit"].output

    assert asyncio.run(cell()) == ("notebook", False)


def test_errors_come_out_of_a_run_inside_a_running_loop() -> None:
    async def cell() -> None:
        def grow(task: Task, result: object) -> list[Task]:
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            run(ONE, lambda task, ctx: None, grow=grow)

    asyncio.run(cell())


def test_an_interrupted_cell_stops_its_run_and_leaves_nothing_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """The waiting thread gets `KeyboardInterrupt`; the run in the other thread must not go on buying."""
    runners: list[Runner] = []
    interrupts: list[int] = []
    begun = threading.Event()

    async def agent(task: Task, ctx: Context) -> None:
        begun.set()
        await asyncio.Event().wait()

    async def go() -> object:
        runners.append(Runner(ONE, agent, Budget(100)))
        return await runners[0].run()

    def interrupted(self: object, timeout: float | None = None) -> object:
        if threading.current_thread() is threading.main_thread() and not interrupts:
            begun.wait(SECONDS)
            interrupts.append(1)
            raise KeyboardInterrupt
        return original(self, timeout)  # type: ignore[arg-type]

    from concurrent.futures import Future

    original = Future.result
    monkeypatch.setattr(Future, "result", interrupted)

    async def cell() -> None:
        with pytest.raises(KeyboardInterrupt):
            run_in_own_loop(go)

    asyncio.run(cell())
    assert runners[0].account.held == 0 and runners[0].ledger.spent == 3


def test_arun_can_be_gathered() -> None:
    async def agent(task: Task, ctx: Context) -> str:
        await asyncio.sleep(0)
        return task.id

    async def main() -> list[Decimal]:
        runs = await asyncio.gather(*(arun(research_crew("q", n), agent) for n in range(1, 6)))
        return [result.spent for result in runs]

    assert asyncio.run(main()) == [6 + 3 * n for n in range(1, 6)]
