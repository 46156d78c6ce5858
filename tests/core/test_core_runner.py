"""The runner: what starts when, what is skipped, what is paid, in which states tasks end."""

import asyncio
from collections.abc import Iterable
from decimal import Decimal
from functools import partial

import pytest
from core_doubles import Clock, answer, call, row

from research_crew.core.budget import Budget
from research_crew.core.context import Context
from research_crew.core.crews import research_crew
from research_crew.core.errors import AgentFailure, CycleError, DuplicateTask, InvalidInput, OverBudget
from research_crew.core.events import Event
from research_crew.core.graph import Task, TaskGraph
from research_crew.core.outcome import Partial, RunResult, TaskResult
from research_crew.core.runner import Runner, arun, run

SECONDS = 20.0
"""How long a scene may take before it counts as hung."""


async def name(task: Task, ctx: Context) -> str:
    return f"result of {task.id}"


def within(graph: TaskGraph, agent: object, budget: Budget | int = 1000, **options: object) -> RunResult:
    """Run to the end; a run that hangs fails instead of keeping the suite."""

    async def main() -> RunResult:
        return await asyncio.wait_for(arun(graph, agent, budget, **options), SECONDS)  # type: ignore[arg-type]

    return asyncio.run(main())


def failing(*names: str, error: type[Exception] = AgentFailure, times: int = 99) -> object:
    """An agent that fails on these tasks, the first so many times."""
    seen: dict[str, int] = {}

    async def agent(task: Task, ctx: Context) -> str:
        seen[task.id] = seen.get(task.id, 0) + 1
        if task.id in names and seen[task.id] <= times:
            raise error(f"{task.id} broke")
        return f"result of {task.id}"

    return agent


# -- the public call --------------------------------------------------------------------------------------------------


def plain(task: Task, ctx: Context) -> str:
    return f"result of {task.id}"


class PlainCallable:
    """An object that is called."""

    def __call__(self, task: Task, ctx: Context) -> str:
        return f"result of {task.id}"


class AsyncCallable:
    """An object whose call is a coroutine."""

    async def __call__(self, task: Task, ctx: Context) -> str:
        return f"result of {task.id}"

    async def method(self, task: Task, ctx: Context) -> str:
        return f"result of {task.id}"


def with_prefix(prefix: str, task: Task, ctx: Context) -> str:
    return f"{prefix} of {task.id}"


async def async_with_prefix(prefix: str, task: Task, ctx: Context) -> str:
    return f"{prefix} of {task.id}"


def gives_a_coroutine(task: Task, ctx: Context) -> object:
    return name(task, ctx)


@pytest.mark.parametrize("inline", [False, True])
@pytest.mark.parametrize(
    "agent",
    [
        plain, name, lambda task, ctx: f"result of {task.id}", PlainCallable(), AsyncCallable(), AsyncCallable().method,
        partial(with_prefix, "result"), partial(async_with_prefix, "result"), gives_a_coroutine,
        partial(AsyncCallable()), lambda task, ctx: name(task, ctx),
    ],
    ids=["plain", "async", "lambda", "object", "async object", "method", "partial", "async partial", "coroutine",
         "partial of an object", "lambda of a coroutine"],
)  # fmt: skip
def test_anyone_s_function_runs_the_crew_as_published(agent: object, inline: bool) -> None:
    result = run(research_crew("q", n_researchers=4), agent, budget=50_000, inline=inline)  # type: ignore[arg-type]
    assert [r.id for r in result.results] == ["plan", *(f"research:{i}" for i in range(4)), "critique", "edit"]
    assert {r.state for r in result.results} == {"ok"}
    assert result["edit"].output == "result of edit"
    assert result.spent == 18 and result.exit_code == 0 and result.status == "complete"
    assert [r.cost for r in result.results] == [2, 3, 3, 3, 3, 2, 2]
    assert len(result.ledger) == 7 and result.bill.by_role["researcher"] == 12
    assert result.bill.currency == "credits" and result.bill.limit == 50_000


@pytest.mark.parametrize(
    ("options", "what"),
    [({"attempts": 0}, "attempts"), ({"concurrency": 0}, "concurrency"), ({"deadline": 0}, "deadline"),
     ({"deadline": float("nan")}, "deadline"), ({"budget": 0}, "budget"), ({"budget": "much"}, "budget")],
)  # fmt: skip
def test_options_out_of_range_are_refused(options: dict[str, object], what: str) -> None:
    with pytest.raises(InvalidInput, match=what):
        run(research_crew("q"), name, **options)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="agent"):
        run(research_crew("q"), "not callable")  # type: ignore[arg-type]


def test_an_empty_graph_is_complete_and_free() -> None:
    result = within(TaskGraph([]), name)
    assert row(result.results, result.spent, result.status) == ((), 0, "complete")


# -- readiness --------------------------------------------------------------------------------------------------------


def test_a_task_starts_as_soon_as_its_own_dependencies_have_ended_not_its_wave() -> None:
    """a1 ends only after b2 has started, which stands a wave below it: a barrier would hang here."""
    graph = TaskGraph(
        [Task("a1", "r"), Task("b1", "r"), Task("a2", "r", depends_on=("a1",)), Task("b2", "r", depends_on=("b1",))]
    )
    started: list[str] = []
    below = asyncio.Event()

    async def agent(task: Task, ctx: Context) -> None:
        started.append(task.id)
        if task.id == "b2":
            below.set()
        if task.id == "a1":
            await below.wait()

    assert within(graph, agent).states() == {"ok": 4}
    assert started == ["a1", "b1", "b2", "a2"]


def test_no_more_than_so_many_run_at_once_and_ready_tasks_start_in_declared_order() -> None:
    names = [f"t{n}" for n in (5, 3, 9, 1, 7, 0)]
    graph = TaskGraph([Task(n, "r") for n in names])
    running, most, order = 0, 0, []

    async def agent(task: Task, ctx: Context) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        order.append(task.id)
        for _ in range(3):
            await asyncio.sleep(0)
        running -= 1

    within(graph, agent, concurrency=2)
    assert most == 2 and order == names
    within(graph, agent)
    assert most == len(names)


def test_an_agent_is_handed_the_results_it_depends_on_and_no_others() -> None:
    graph = TaskGraph([Task("a", "r"), Task("b", "r"), Task("x", "r"), Task("c", "r", depends_on=("b", "a"), needs=1)])
    handed: dict[str, object] = {}

    async def agent(task: Task, ctx: Context) -> object:
        if task.id == "b":
            raise AgentFailure("no")
        if task.id == "c":
            handed.update(results=dict(ctx.results), missing=ctx.missing, text=ctx["a"])
            with pytest.raises(KeyError):
                ctx["b"]
            with pytest.raises(KeyError):
                ctx["x"]
        return 17 if task.id == "a" else None

    assert within(graph, agent)["c"].state == "ok"
    assert handed == {"results": {"a": 17}, "missing": ("b",), "text": "17"}


# -- states -----------------------------------------------------------------------------------------------------------


def test_all_researchers_failed_the_editor_is_never_called_and_its_output_is_empty() -> None:
    called: list[str] = []

    async def agent(task: Task, ctx: Context) -> str:
        called.append(task.id)
        if task.role == "researcher":
            raise AgentFailure("nothing found")
        return "text"

    result = within(research_crew("q", 2, needs="any"), agent)
    assert called == ["plan", "research:0", "research:0", "research:1", "research:1"]
    assert [row(r.id, r.state, r.output, r.cost) for r in result.results] == [
        ("plan", "ok", "text", 2),
        ("research:0", "failed", None, 6),
        ("research:1", "failed", None, 6),
        ("critique", "skipped", None, 0),
        ("edit", "skipped", None, 0),
    ]
    assert result["research:0"].reason == "nothing found" and result["research:0"].attempts == 2
    assert result["critique"].reason == "depends on research:0, research:1"
    assert result["edit"].reason == "depends on critique"
    assert row(result.status, result.exit_code, result.spent) == ("incomplete", 4, 14)


@pytest.mark.parametrize(("needs", "broken", "state"), [
    ("all", 0, "ok"), ("all", 1, "skipped"), (3, 1, "ok"), (3, 2, "skipped"), (1, 3, "ok"), (1, 4, "skipped"),
    (0, 4, "ok"), ("any", 3, "ok"),
])  # fmt: skip
def test_a_task_needs_all_or_at_least_k_of_its_dependencies(needs: object, broken: int, state: str) -> None:
    agent = failing(*(f"research:{i}" for i in range(broken)))
    result = within(research_crew("q", 4, needs=needs), agent, attempts=1)  # type: ignore[arg-type]
    assert result["critique"].state == state
    assert result["edit"].state == ("ok" if state == "ok" else "skipped")


def test_a_skipped_task_waits_for_all_its_dependencies_to_end_all_the_same() -> None:
    """Whether k of n have succeeded is known early; what is missing is not."""
    slow_ended = False

    async def agent(task: Task, ctx: Context) -> None:
        nonlocal slow_ended
        if task.id == "research:0":
            for _ in range(20):
                await asyncio.sleep(0)
            slow_ended = True
            raise AgentFailure("late")
        if task.id == "critique":
            assert slow_ended and ctx.missing == ("research:0",)

    assert within(research_crew("q", 3, needs="any"), agent, attempts=1)["critique"].state == "ok"


def test_a_task_priced_three_that_failed_once_and_then_succeeded_costs_six() -> None:
    result = within(TaskGraph([Task("r", "researcher", 3)]), failing("r", times=1))
    task = result["r"]
    assert row(task.state, task.cost, task.attempts, result.spent) == ("ok", 6, 2, 6)
    assert [row(e.attempt, e.outcome, e.basis, e.amount, e.kind, e.step) for e in result.ledger] == [
        (1, "error", "measured", 3, "task", "attempt"),
        (2, "ok", "measured", 3, "task", "attempt"),
    ]


@pytest.mark.parametrize("attempts", [1, 2, 3])
def test_only_a_failure_that_the_agent_calls_one_is_tried_again(attempts: int) -> None:
    graph = TaskGraph([Task("a", "r", 1), Task("b", "r", 1)])
    result = within(graph, failing("a"), attempts=attempts)
    assert row(result["a"].attempts, result["a"].cost, result["a"].traceback) == (attempts, attempts, "")
    result = within(graph, failing("a", error=ZeroDivisionError), attempts=attempts)
    assert row(result["a"].attempts, result["a"].cost, result["a"].state) == (1, 1, "failed")


def test_any_other_exception_ends_its_task_only_with_its_traceback_and_its_siblings_keep_their_results() -> None:
    result = within(research_crew("q", 3, needs="any"), failing("research:1", error=ZeroDivisionError))
    broken = result["research:1"]
    assert broken.reason == "ZeroDivisionError: research:1 broke"
    assert "core_runner.py" in broken.traceback and "raise error(" in broken.traceback
    assert "ZeroDivisionError: research:1 broke" in broken.traceback and "traceback" not in repr(broken)
    assert [result[f"research:{i}"].output for i in (0, 2)] == ["result of research:0", "result of research:2"]
    assert result["edit"].state == "ok" and result.status == "incomplete"


def test_an_exception_that_cannot_even_print_itself_ends_its_task_only() -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no words")

    async def agent(task: Task, ctx: Context) -> None:
        if task.id == "a":
            raise Mute

    result = within(TaskGraph([Task("a", "r", 1), Task("b", "r", 1)]), agent)
    assert result["a"].reason == "Mute: (its message cannot be printed)" and result["b"].state == "ok"


def test_a_group_of_exceptions_counts_as_what_is_in_it() -> None:
    groups: dict[str, list[Exception]] = {
        "failure": [AgentFailure("one"), AgentFailure("two")],
        "refused": [AgentFailure("one"), OverBudget(Decimal(5), Decimal(1))],
        "mixed": [AgentFailure("one"), ZeroDivisionError("x")],
        "nested": [ExceptionGroup("inner", [AgentFailure("deep")])],
    }

    async def agent(task: Task, ctx: Context) -> None:
        raise ExceptionGroup("concurrent calls", groups[task.id])

    result = within(TaskGraph([Task(n, "r", 1) for n in groups]), agent)
    seen = {r.id: (r.state, r.attempts, r.reason.split("(")[0].strip()) for r in result.results}
    assert seen == {
        "failure": ("failed", 2, "one"),
        "refused": ("over-budget", 1, "needs 5 credits, 1 left; raise --budget to go on"),
        "mixed": ("failed", 1, "ExceptionGroup: concurrent calls"),
        "nested": ("failed", 2, "deep"),
    }
    assert "ZeroDivisionError: x" in result["mixed"].traceback


def test_a_partial_result_counts_for_those_who_depend_on_it() -> None:
    async def agent(task: Task, ctx: Context) -> object:
        if task.id == "research:0":
            return Partial(["half"], "page limit")
        return list(ctx.results.values())

    result = within(research_crew("q", 1), agent)
    assert (result["research:0"].state, result["research:0"].reason) == ("partial", "page limit")
    assert result["critique"].output == [["half"]] and result["edit"].state == "ok"
    assert result.status == "incomplete" and result.states() == {"ok": 3, "partial": 1}


# -- money ------------------------------------------------------------------------------------------------------------


def test_what_cannot_be_paid_ends_over_budget_in_declared_order() -> None:
    result = within(research_crew("q", 4), name, 10)
    assert [(r.id, r.state) for r in result.results] == [
        ("plan", "ok"), ("research:0", "ok"), ("research:1", "ok"), ("research:2", "over-budget"),
        ("research:3", "over-budget"), ("critique", "skipped"), ("edit", "skipped"),
    ]  # fmt: skip
    refused = result["research:2"]
    assert row(refused.needed, refused.left, refused.cost, refused.attempts) == (3, 2, 0, 0)
    assert "needs 3 credits, 2 left" in refused.reason
    assert row(result.spent, result.exit_code) == (8, 4)


def test_a_task_waits_for_money_that_may_come_back_before_it_is_refused() -> None:
    """Two calls of 6 under a limit of 10: the second is sent when the first has settled for 1."""
    graph = TaskGraph([Task("a", "r"), Task("b", "r")])

    async def agent(task: Task, ctx: Context) -> object:
        return await ctx.meter.buy(call(worst=6), answer(task.id, 1))

    result = within(graph, agent, 10)
    assert [r.output for r in result.results] == ["a", "b"] and result.spent == 2


def test_a_run_that_cannot_pay_its_first_task_is_refused() -> None:
    result = within(research_crew("q", 2), name, 1)
    assert row(result.status, result.exit_code, result.spent) == ("refused", 5, 0)
    assert result["plan"].state == "over-budget" and result["edit"].state == "skipped"


def test_a_second_attempt_that_cannot_be_paid_ends_over_budget_with_the_first_one_billed() -> None:
    result = within(TaskGraph([Task("r", "r", 3)]), failing("r"), 5)
    task = result["r"]
    assert row(task.state, task.attempts, task.cost, task.needed, task.left) == ("over-budget", 1, 3, 3, 2)


def test_a_limit_on_calls_counts_attempts() -> None:
    result = within(research_crew("q", 4), name, Budget(1000, calls=3))
    assert result.states() == {"ok": 3, "over-budget": 2, "skipped": 2}
    assert "needs 1 calls, 0 left" in result["research:2"].reason and result.bill.tries == 3


def test_free_tasks_and_tasks_without_a_price_run() -> None:
    result = within(TaskGraph([Task("a", "r", 0), Task("b", "r"), Task("c", "r", reserve=5)]), name, 1)
    assert result.states() == {"ok": 3} and result.spent == 0 and len(result.ledger) == 1


def test_money_set_aside_pays_the_task_that_names_it() -> None:
    graph = TaskGraph([Task("work", "r", 6), Task("write", "r", 5, depends_on=("work",), needs=0, pot="ending")])

    async def main() -> RunResult:
        runner = Runner(graph, name, Budget(10))
        runner.account.set_aside("ending", 5 * 10**9)
        return await runner.run()

    result = asyncio.run(main())
    assert [row(r.state, r.cost) for r in result.results] == [("over-budget", 0), ("ok", 5)]
    assert row(result["work"].needed, result["work"].left) == (6, 5)


# -- growing ----------------------------------------------------------------------------------------------------------


def test_a_graph_grows_by_tasks_that_depend_on_existing_ones_and_on_each_other() -> None:
    def grow(task: Task, result: TaskResult) -> Iterable[Task] | None:
        if task.id != "plan":
            return None
        assert result.output == "result of plan"
        return (
            Task("r:0", "r", 3, depends_on=("plan",)),
            Task("join", "r", 2, depends_on=("r:0", "r:1")),
            Task("r:1", "r", 3, depends_on=("plan",)),
        )

    result = within(TaskGraph([Task("plan", "p", 2), Task("last", "r", 1, depends_on=("plan",))]), name, grow=grow)
    assert [(r.id, r.state) for r in result.results] == [
        (n, "ok") for n in ("plan", "last", "r:0", "join", "r:1")
    ]  # fmt: skip
    assert result.spent == 11


def test_a_task_that_was_skipped_may_make_the_graph_grow_too() -> None:
    grown: list[tuple[str, str]] = []

    def grow(task: Task, result: TaskResult) -> list[Task]:
        grown.append((task.id, result.state))
        return [Task("rescue", "r", 1, depends_on=("b",), needs=0)] if task.id == "b" else []

    graph = TaskGraph([Task("a", "r", 1), Task("b", "r", 1, depends_on=("a",))])
    result = within(graph, failing("a"), grow=grow)
    assert grown == [("a", "failed"), ("b", "skipped"), ("rescue", "ok")]
    assert result["rescue"].state == "ok"


@pytest.mark.parametrize(
    ("more", "error"),
    [
        ([Task("b", "r", depends_on=("c",)), Task("c", "r", depends_on=("b",))], CycleError),
        ([Task("plan", "r")], DuplicateTask),
        (None, ZeroDivisionError),
        ("x", InvalidInput),
    ],
)
def test_a_graph_that_grows_wrongly_ends_the_run_after_the_others_have_ended(
    more: list[Task] | None, error: type[Exception]
) -> None:
    ended: list[str] = []

    async def agent(task: Task, ctx: Context) -> None:
        try:
            if task.id == "slow":
                await asyncio.Event().wait()
        finally:
            ended.append(task.id)

    def grow(task: Task, result: TaskResult) -> list[Task]:
        if more is None:
            raise ZeroDivisionError("in grow")
        return more

    async def main() -> Runner:
        runner = Runner(TaskGraph([Task("slow", "r", 3), Task("plan", "r", 2)]), agent, Budget(100), grow=grow)
        with pytest.raises(error):
            await asyncio.wait_for(runner.run(), SECONDS)
        assert len(asyncio.all_tasks()) == 1, "only this one"
        return runner

    runner = asyncio.run(main())
    assert ended == ["plan", "slow"]
    assert runner.account.held == 0 and runner.account.spent == runner.ledger.nano


def test_a_long_chain_grows_task_by_task() -> None:
    def grow(task: Task, result: TaskResult) -> list[Task]:
        n = int(task.id)
        return [Task(str(n + 1), "r", depends_on=(task.id,))] if n < 3000 else []

    result = within(TaskGraph([Task("0", "r")]), name, grow=grow)
    assert len(result.results) == 3001 and result.status == "complete"


def test_a_deep_chain_runs_and_a_broken_one_is_skipped_to_its_end() -> None:
    chain = TaskGraph([Task(f"t{i}", "r", depends_on=(f"t{i - 1}",) if i else ()) for i in range(5000)])
    assert within(chain, name).states() == {"ok": 5000}
    assert within(chain, failing("t0")).states() == {"failed": 1, "skipped": 4999}


# -- what is told, and the record -------------------------------------------------------------------------------------


def test_events_tell_what_happened_in_order() -> None:
    events: list[Event] = []

    async def agent(task: Task, ctx: Context) -> None:
        if task.id == "plan" and ctx.attempt == 1:
            ctx.emit(Event("text", ctx.now(), task.id, task.role, {"text": "thinking"}))
            raise AgentFailure("again")

    within(research_crew("q", 1), agent, on_event=events.append)
    assert [(e.kind, e.task) for e in events] == [
        ("run-started", ""), ("task-started", "plan"), ("text", "plan"), ("attempt-failed", "plan"),
        ("task-ended", "plan"), ("task-started", "research:0"), ("task-ended", "research:0"),
        ("task-started", "critique"), ("task-ended", "critique"), ("task-started", "edit"), ("task-ended", "edit"),
        ("run-ended", ""),
    ]  # fmt: skip
    assert events[3].data == {"attempt": 1, "reason": "again"}
    assert events[4].data == {"state": "ok", "cost": "4", "reason": ""}
    assert events[-1].data == {"status": "complete", "spent": "11"}


@pytest.mark.parametrize("after", [0, 1, 3, 8])
def test_a_watcher_that_raises_is_named_in_the_warnings_and_loses_no_result(after: int) -> None:
    seen = 0

    def watch(event: Event) -> None:
        nonlocal seen
        seen += 1
        if seen > after:
            raise BrokenPipeError("nobody reads")

    async def agent(task: Task, ctx: Context) -> object:
        return await ctx.meter.buy(call(), answer(task.id, 1))

    result = within(TaskGraph([Task("a", "r"), Task("b", "r")]), agent, on_event=watch)
    assert result.status == "complete" and result.spent == 2 and seen == after + 1
    assert result.warnings == ("on_event raised BrokenPipeError (nobody reads) and was not called again",)


def test_times_come_from_the_clock_that_is_given() -> None:
    graph = research_crew("q", 2)
    first, second = (within(graph, name, now=Clock(), clock=lambda: 1.0) for _ in range(2))
    assert first.results == second.results and list(first.ledger) == list(second.ledger)
    assert first.wall_s == 0 and first.critical_path_s > 0
    for result in first.results:
        assert result.started is not None and result.ended is not None and result.started < result.ended


def test_the_longest_chain_as_it_ran_is_measured() -> None:
    """Every look at this clock takes a second; the chain's length is the sum of its tasks."""
    result = within(research_crew("q", 1), name, now=Clock())
    lasted = [(r.ended - r.started).total_seconds() for r in result.results if r.started and r.ended]
    assert result.critical_path_s == sum(lasted)


def test_random_numbers_depend_on_seed_task_and_attempt_only() -> None:
    def drawn(seed: int, concurrency: int, width: int) -> dict[tuple[str, int], float]:
        numbers: dict[tuple[str, int], float] = {}

        async def agent(task: Task, ctx: Context) -> None:
            numbers[task.id, ctx.attempt] = ctx.rng.random()
            if task.id == "research:1" and ctx.attempt == 1:
                raise AgentFailure("again")

        within(research_crew("q", width), agent, seed=seed, concurrency=concurrency)
        return numbers

    one = drawn(1, 1, 2)
    wide = drawn(1, 8, 5)
    assert {key: wide[key] for key in one} == one and len(set(wide.values())) == len(wide)
    assert not set(drawn(2, 1, 2).values()) & set(one.values())


def test_a_run_without_tools_says_so() -> None:
    async def agent(task: Task, ctx: Context) -> object:
        return await ctx.search("x")

    task = within(TaskGraph([Task("a", "r", 1)]), agent)["a"]
    assert task.state == "failed" and "ctx.search" in task.reason and "tools=" in task.reason


# -- books ------------------------------------------------------------------------------------------------------------


def test_what_a_failed_attempt_or_task_registered_is_stranded_and_nothing_is_lost() -> None:
    async def agent(task: Task, ctx: Context) -> None:
        ctx.register([f"{task.id} says {ctx.attempt}"])
        if task.id == "a" and ctx.attempt == 1:
            raise AgentFailure("again")
        if task.id == "b":
            raise ZeroDivisionError

    books = within(TaskGraph([Task("a", "r", 1), Task("b", "r", 1)]), agent).books
    assert {line.id: (line.state, line.reason) for line in books.claims} == {
        "a/1/1": ("stranded", "attempt 1 failed"),
        "a/2/1": ("kept", ""),
        "b/1/1": ("stranded", "b failed"),
    }
    assert sum(books.claims.counts().values()) == len(books.claims) == 3
