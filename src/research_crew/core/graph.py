"""Tasks and the graph of what waits for what. Pure: nothing here runs, pays or waits.

A graph is checked when it is built, so that whoever holds one may rely on it: ids are unique, every dependency is in
the graph, nothing waits for itself, directly or round a corner. The order in which tasks are declared changes neither
waves nor critical path; it is kept, because tasks that are ready together start in it.
"""

from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Literal, NamedTuple

from research_crew.core.errors import (
    CycleError,
    DuplicateTask,
    InvalidInput,
    SelfDependency,
    UnknownDependency,
)
from research_crew.core.money import Amount, to_decimal

Needs = Literal["all"] | int


@dataclass(frozen=True, slots=True)
class Task:
    """One piece of work for one agent."""

    id: str
    role: str
    cost: Amount | None = None
    """Fixed price of an attempt, charged by the runner. Not together with `reserve`."""
    reserve: Amount | None = None
    """Ceiling of the task's own account, for agents whose calls are metered. Neither: the run's limit alone."""
    depends_on: tuple[str, ...] = ()
    """Ids of the tasks that must have ended first, each once."""
    needs: Needs = "all"
    """How many dependencies must have ended `ok` or `partial`; with too few the task is skipped, never called."""
    brief: object = None
    """What the agent is to do; the runner only passes it on."""
    pot: str | None = None
    """Name of the money set aside for this task, if any."""

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or not self.id:
            raise InvalidInput("task id", self.id, "give every task a name")
        if self.depends_on != ():
            object.__setattr__(self, "depends_on", self._ids(self.depends_on))
        if self.cost is not None:
            if self.reserve is not None:
                raise InvalidInput(
                    f"task {self.id}", "cost and reserve", "a task has a fixed cost or a reserve, not both"
                )
            object.__setattr__(self, "cost", to_decimal(self.cost, f"cost of {self.id}"))
        elif self.reserve is not None:
            object.__setattr__(self, "reserve", to_decimal(self.reserve, f"reserve of {self.id}"))
        if self.needs != "all" and (
            isinstance(self.needs, bool)
            or not isinstance(self.needs, int)
            or not 0 <= self.needs <= len(self.depends_on)
        ):
            raise InvalidInput(
                f"needs of {self.id}", self.needs, f"write 'all' or 0 to {len(self.depends_on)} dependencies"
            )

    def _ids(self, names: object) -> tuple[str, ...]:
        """Dependencies without repetitions; raises `InvalidInput` for anything but a collection of ids."""
        if isinstance(names, (tuple, list)) or (isinstance(names, Iterable) and not isinstance(names, str)):
            listed = tuple(names)
            for name in listed:
                if not isinstance(name, str):
                    raise InvalidInput(f"depends_on of {self.id}", name, "name tasks by their ids, which are strings")
            return listed if len(listed) == 1 else tuple(dict.fromkeys(listed))
        raise InvalidInput(f"depends_on of {self.id}", names, "write a list of task ids")

    @property
    def price(self) -> Decimal:
        """The fixed cost, or the ceiling, or 0: what the critical path adds up."""
        amount = self.cost if self.cost is not None else self.reserve
        return Decimal(0) if amount is None else Decimal(amount)

    @property
    def needed(self) -> int:
        """How many dependencies must succeed, as a number."""
        return len(self.depends_on) if self.needs == "all" else self.needs


class CriticalPath(NamedTuple):
    """The dearest chain of tasks that wait for one another."""

    value: Decimal
    path: tuple[str, ...]


class TaskGraph:
    """Tasks that wait for each other, checked, in the order of declaration; never changed."""

    __slots__ = ("_dependents", "_order", "_tasks")

    def __init__(self, tasks: Iterable[Task], known: Container[str] = ()) -> None:
        """Check and keep the tasks; they may also depend on tasks of the ids `known`, which stand elsewhere.

        Raises `DuplicateTask`, `SelfDependency`, `UnknownDependency` or `CycleError`, each naming the tasks.
        """
        index: dict[str, Task] = {}
        for task in tasks:
            if not isinstance(task, Task):
                raise InvalidInput("tasks", task, "a graph is made of Task values")
            if task.id in index or task.id in known:
                raise DuplicateTask(task.id)
            index[task.id] = task
        dependents: dict[str, list[str]] = {name: [] for name in index}
        waiting = dict.fromkeys(index, 0)
        for task in index.values():
            for dependency in task.depends_on:
                if dependency == task.id:
                    raise SelfDependency(task.id)
                if dependency in index:
                    dependents[dependency].append(task.id)
                    waiting[task.id] += 1
                elif dependency not in known:
                    raise UnknownDependency(task.id, dependency)
        self._tasks = index
        self._dependents = dependents
        self._order = self._levels(waiting)

    @property
    def tasks(self) -> Mapping[str, Task]:
        """Tasks by id, in the order of declaration."""
        return MappingProxyType(self._tasks)

    def __len__(self) -> int:
        return len(self._tasks)

    def __iter__(self) -> Iterator[Task]:
        return iter(self._tasks.values())

    def __contains__(self, name: object) -> bool:
        return name in self._tasks

    def __getitem__(self, name: str) -> Task:
        return self._tasks[name]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TaskGraph) and self._tasks == other._tasks

    def __hash__(self) -> int:
        return hash(frozenset(self._tasks))

    def dependents(self, name: str) -> tuple[str, ...]:
        """Ids of the tasks that wait for this one."""
        return tuple(self._dependents[name])

    def waves(self) -> list[list[str]]:
        """Ids by level, each level sorted: a task stands one level below the lowest of its dependencies.

        For reading, and for the lower bound; the runner does not wait for a level to end.
        """
        return [list(level) for level in self._order]

    def critical_path(self) -> CriticalPath:
        """The dearest chain and its price; of equal chains the first by id. An empty graph gives 0 and no path."""
        best: dict[str, tuple[Decimal, str | None]] = {}
        for level in self._order:
            for name in level:
                task = self._tasks[name]
                value, before = Decimal(0), None
                for dependency in sorted(task.depends_on):
                    if dependency in best and (before is None or best[dependency][0] > value):
                        value, before = best[dependency][0], dependency
                best[name] = (value + task.price, before)
        if not best:
            return CriticalPath(Decimal(0), ())
        end: str | None = min(best, key=lambda name: (-best[name][0], name))
        total = best[end][0] if end is not None else Decimal(0)
        path: list[str] = []
        while end is not None:
            path.append(end)
            end = best[end][1]
        return CriticalPath(total, tuple(reversed(path)))

    def ready(self, ended: Collection[str] = (), started: Collection[str] = ()) -> list[Task]:
        """Tasks whose dependencies have all ended and that have neither ended nor started, in declared order."""
        done, busy = frozenset(ended), frozenset(started)
        return [
            task
            for task in self._tasks.values()
            if task.id not in done and task.id not in busy and done.issuperset(task.depends_on)
        ]

    def grown(self, tasks: Iterable[Task]) -> "TaskGraph":
        """This graph and more tasks, which may depend on these and on each other; checked again as a whole."""
        return TaskGraph((*self._tasks.values(), *tasks))

    def _levels(self, waiting: dict[str, int]) -> list[list[str]]:
        """Levels by how many dependencies each task waits for; uses the counts up."""
        level = sorted(name for name, count in waiting.items() if count == 0)
        levels: list[list[str]] = []
        placed = 0
        while level:
            levels.append(level)
            placed += len(level)
            following: list[str] = []
            for name in level:
                for dependent in self._dependents[name]:
                    waiting[dependent] -= 1
                    if waiting[dependent] == 0:
                        following.append(dependent)
            following.sort()
            level = following
        if placed < len(self._tasks):
            raise CycleError(self._cycle(waiting))
        return levels

    def _cycle(self, waiting: Mapping[str, int]) -> list[str]:
        """One cycle: walk from any unplaced task to an unplaced dependency until one comes again."""
        name = min(name for name, count in waiting.items() if count > 0)
        seen: dict[str, int] = {}
        path: list[str] = []
        while name not in seen:
            seen[name] = len(path)
            path.append(name)
            name = min(d for d in self._tasks[name].depends_on if waiting.get(d, 0) > 0)
        cycle = path[seen[name] :]
        first = cycle.index(min(cycle))
        return list(reversed(cycle[first + 1 :] + cycle[: first + 1]))
