"""Tasks and graphs: what is refused, waves, critical path, what is ready."""

import random
from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_crew.core.crews import research_crew, solo_crew
from research_crew.core.errors import (
    CycleError,
    DuplicateTask,
    GraphError,
    InvalidInput,
    SelfDependency,
    UnknownDependency,
)
from research_crew.core.graph import CriticalPath, Task, TaskGraph

# -- the declared crew ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1, 2, 4, 16, 300])
def test_the_crew_has_four_waves_and_a_critical_path_of_nine_at_every_width(width: int) -> None:
    crew = research_crew("q", n_researchers=width)
    research = sorted(f"research:{i}" for i in range(width))
    assert crew.waves() == [["plan"], research, ["critique"], ["edit"]]
    assert crew.critical_path() == CriticalPath(Decimal(9), ("plan", "research:0", "critique", "edit"))
    assert sum(task.price for task in crew) == 6 + 3 * width
    assert [task.role for task in crew] == ["planner", *["researcher"] * width, "critic", "editor"]


def test_the_rule_for_the_critic_can_be_any() -> None:
    assert research_crew("q", 4, needs="any")["critique"].needed == 1
    assert research_crew("q", 4, needs=2)["critique"].needed == 2
    assert research_crew("q", 4)["critique"].needed == 4
    assert solo_crew("q").critical_path() == CriticalPath(Decimal(4), ("solo",))


@pytest.mark.parametrize("question", ["", "   ", "\n", None, 3])
def test_an_empty_question_is_refused(question: object) -> None:
    with pytest.raises(InvalidInput, match="question"):
        research_crew(question)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="question"):
        solo_crew(question)  # type: ignore[arg-type]


@pytest.mark.parametrize("width", [0, -1, True, 1.5, "4", None])
def test_a_crew_without_researchers_is_refused(width: object) -> None:
    with pytest.raises(InvalidInput, match="number of researchers"):
        research_crew("q", width)  # type: ignore[arg-type]


@pytest.mark.parametrize("needs", [5, -1, "most", True, 1.5])
def test_a_rule_that_no_crew_can_meet_is_refused(needs: object) -> None:
    with pytest.raises(InvalidInput, match="needs of critique"):
        research_crew("q", 4, needs=needs)  # type: ignore[arg-type]


# -- refusals, each with the names ------------------------------------------------------------------------------------


def test_two_tasks_of_one_name() -> None:
    with pytest.raises(DuplicateTask, match="'twin'") as refused:
        TaskGraph([Task("twin", "a"), Task("other", "a"), Task("twin", "b")])
    assert refused.value.task == "twin" and isinstance(refused.value, GraphError) and refused.value.exit_code == 2


def test_a_dependency_that_is_not_there() -> None:
    with pytest.raises(UnknownDependency, match=r"'b'.*'nobody'") as refused:
        TaskGraph([Task("a", "r"), Task("b", "r", depends_on=("a", "nobody"))])
    assert (refused.value.task, refused.value.dependency) == ("b", "nobody")


def test_a_task_that_waits_for_itself() -> None:
    with pytest.raises(SelfDependency, match="'a'") as refused:
        TaskGraph([Task("a", "r", depends_on=("a",))])
    assert refused.value.task == "a"


def test_a_cycle_is_named_from_its_first_task_on_and_only_its_tasks() -> None:
    tasks = [
        Task("start", "r"),
        Task("c", "r", depends_on=("b", "start")),
        Task("b", "r", depends_on=("a",)),
        Task("a", "r", depends_on=("c",)),
        Task("after", "r", depends_on=("c",)),
    ]
    with pytest.raises(CycleError) as refused:
        TaskGraph(tasks)
    assert set(refused.value.tasks) == {"a", "b", "c"}
    by_id = {task.id: task for task in tasks}
    round_ = (*refused.value.tasks, refused.value.tasks[0])
    assert all(first in by_id[second].depends_on for first, second in pairwise(round_)), "each waits for the one before"
    assert " -> ".join(round_) in str(refused.value)
    for _ in range(20):
        random.Random(1).shuffle(tasks)
        with pytest.raises(CycleError) as again:
            TaskGraph(tasks)
        assert again.value.tasks == refused.value.tasks


@pytest.mark.parametrize(
    "make",
    [
        lambda: Task("", "r"),
        lambda: Task(3, "r"),  # type: ignore[arg-type]
        lambda: Task("a", "r", depends_on="plan"),  # type: ignore[arg-type]
        lambda: Task("a", "r", depends_on=5),  # type: ignore[arg-type]
        lambda: Task("a", "r", depends_on=None),  # type: ignore[arg-type]
        lambda: Task("a", "r", depends_on=(1,)),  # type: ignore[arg-type]
        lambda: Task("a", "r", depends_on=([],)),  # type: ignore[arg-type]
        lambda: Task("a", "r", cost=1, reserve=1),
        lambda: Task("a", "r", cost=-1),
        lambda: Task("a", "r", cost=Decimal("NaN")),
        lambda: Task("a", "r", reserve="much"),
        lambda: Task("a", "r", depends_on=("b",), needs=2),
        lambda: Task("a", "r", depends_on=("b", "b"), needs=2),
        lambda: Task("a", "r", needs="some"),  # type: ignore[arg-type]
        lambda: TaskGraph(["a"]),  # type: ignore[list-item]
    ],
)
def test_a_task_that_makes_no_sense_is_refused_with_a_message(make: object) -> None:
    with pytest.raises(InvalidInput) as refused:
        make()  # type: ignore[operator]
    assert refused.value.way_out in str(refused.value)


def test_a_dependency_named_twice_counts_once() -> None:
    task = Task("c", "r", depends_on=["a", "b", "a"], needs=2)  # type: ignore[arg-type]
    assert task.depends_on == ("a", "b") and task.needed == 2


# -- shape ------------------------------------------------------------------------------------------------------------


def test_a_graph_of_nothing() -> None:
    empty = TaskGraph([])
    assert (len(empty), empty.waves(), empty.ready()) == (0, [], [])
    assert empty.critical_path() == CriticalPath(Decimal(0), ())


@st.composite
def graphs(draw: st.DrawFn) -> list[Task]:
    """Tasks whose dependencies come before them, under names in no order."""
    count = draw(st.integers(1, 12))
    names = draw(st.permutations([f"t{i:02}" for i in range(count)]))
    tasks = []
    for i, name in enumerate(names):
        before = draw(st.sets(st.sampled_from(names[:i]), max_size=4)) if i else set()
        tasks.append(Task(name, "r", draw(st.integers(0, 5)), depends_on=tuple(before)))
    return tasks


def naive_level(name: str, tasks: dict[str, Task]) -> int:
    return max((naive_level(d, tasks) + 1 for d in tasks[name].depends_on), default=0)


def all_paths(name: str, tasks: dict[str, Task]) -> list[tuple[str, ...]]:
    """Every chain that ends here, from its first task on."""
    before = [path for d in tasks[name].depends_on for path in all_paths(d, tasks)] or [()]
    return [(*path, name) for path in before]


@given(graphs(), st.randoms())
def test_waves_and_critical_path_are_what_a_slow_reading_gives_in_any_order_of_declaration(
    tasks: list[Task], order: random.Random
) -> None:
    by_id = {task.id: task for task in tasks}
    graph = TaskGraph(tasks)
    levels: dict[int, list[str]] = {}
    for name in by_id:
        levels.setdefault(naive_level(name, by_id), []).append(name)
    assert graph.waves() == [sorted(levels[i]) for i in range(len(levels))]

    value, path = graph.critical_path()
    paths = [path for name in by_id for path in all_paths(name, by_id)]
    assert value == max(sum(by_id[name].price for name in path) for path in paths)
    assert value == sum(by_id[name].price for name in path) and path in paths

    shuffled = list(tasks)
    order.shuffle(shuffled)
    other = TaskGraph(shuffled)
    assert (other.waves(), other.critical_path(), other) == (graph.waves(), (value, path), graph)
    assert hash(other) == hash(graph)


@given(graphs(), st.randoms())
def test_what_is_ready_is_what_waits_for_nothing_any_more(tasks: list[Task], order: random.Random) -> None:
    graph = TaskGraph(tasks)
    ended: set[str] = set()
    while ready := graph.ready(ended):
        assert ready == [t for t in tasks if t.id not in ended and set(t.depends_on) <= ended]
        chosen = order.choice(ready)
        assert chosen not in graph.ready(ended, [chosen.id])
        ended.add(chosen.id)
    assert len(ended) == len(tasks)


@given(graphs(), st.integers(0, 12))
def test_a_graph_that_grows_is_the_graph_declared_at_once(tasks: list[Task], cut: int) -> None:
    grown = TaskGraph(tasks[:cut]).grown(tasks[cut:])
    assert grown == TaskGraph(tasks) and grown.waves() == TaskGraph(tasks).waves()
    batch = TaskGraph(tasks[cut:], {task.id for task in tasks[:cut]})
    assert [task.id for task in batch] == [task.id for task in tasks[cut:]]


def test_what_grows_is_checked_like_what_is_declared() -> None:
    graph = TaskGraph([Task("a", "r")])
    for make in (graph.grown, lambda tasks: TaskGraph(tasks, {"a"})):
        with pytest.raises(DuplicateTask, match="'a'"):
            make([Task("a", "r")])
        with pytest.raises(CycleError, match=r"c -> b|b -> c"):
            make([Task("b", "r", depends_on=("c", "a")), Task("c", "r", depends_on=("b",))])
        with pytest.raises(UnknownDependency, match="'z'"):
            make([Task("b", "r", depends_on=("z",))])
    assert len(graph) == 1, "never changed"


def test_a_chain_of_100_000_tasks_needs_no_recursion() -> None:
    chain = [Task(f"t{i}", "r", 1, depends_on=(f"t{i - 1}",) if i else ()) for i in range(100_000)]
    graph = TaskGraph(reversed(chain))
    assert len(graph.waves()) == 100_000
    assert graph.critical_path().value == 100_000
    with pytest.raises(CycleError) as refused:
        TaskGraph([*chain[1:], Task("t0", "r", depends_on=("t99999",))])
    assert len(refused.value.tasks) == 100_000
    assert len(str(refused.value)) < 2_000
