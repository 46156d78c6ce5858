"""Graphs of 10,000 to 100,000 tasks: what building, ordering and the critical path cost.

    python benchmarks/graph_scale.py [--runs 3] [--sizes 10000,30000,100000]

Three shapes: one chain (as deep as it gets), layers of 1,000 with ten dependencies a task (many edges), and a fan
(everything waits for one task, one waits for everything). Marks: 100,000 tasks build and order in under a second, and
the cost is linear in tasks + edges: the last column, nanoseconds for each, grows only as caches are outgrown.
"""

import argparse
import gc
import statistics
import time
from collections.abc import Callable
from typing import TypeVar

from research_crew import Task, TaskGraph

T = TypeVar("T")


def chain(size: int) -> list[Task]:
    """Every task waits for the one before."""
    return [Task(f"t{i}", "r", 1, depends_on=(f"t{i - 1}",) if i else ()) for i in range(size)]


def layers(size: int) -> list[Task]:
    """Layers of 1,000; every task waits for ten of the layer above."""
    return [
        Task(f"t{i}", "r", 1, depends_on=tuple(f"t{i - 1000 + j}" for j in range(10)) if i >= 1000 else ())
        for i in range(size)
    ]


def fan(size: int) -> list[Task]:
    """One, then everybody, then one."""
    middle = [Task(f"t{i}", "r", 1, depends_on=("first",)) for i in range(size - 2)]
    return [Task("first", "r", 1), *middle, Task("last", "r", 1, depends_on=tuple(t.id for t in middle))]


SHAPES: dict[str, Callable[[int], list[Task]]] = {"chain": chain, "layers": layers, "fan": fan}


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """CPU seconds of one call, without a garbage collection falling into it, and what it returned."""
    gc.collect()
    gc.disable()
    began = time.process_time()
    made = work()
    lasted = time.process_time() - began
    gc.enable()
    return lasted, made


def once(make: Callable[[int], list[Task]], size: int) -> tuple[tuple[float, ...], int]:
    """CPU seconds of making the tasks, building, waves and critical path; and the edges."""
    made, tasks = timed(lambda: make(size))
    built, graph = timed(lambda: TaskGraph(tasks))
    ordered, _ = timed(graph.waves)
    path, _ = timed(graph.critical_path)
    return (made, built, ordered, path), sum(len(task.depends_on) for task in tasks)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3, help="median of so many")
    parser.add_argument("--sizes", default="10000,30000,100000")
    arguments = parser.parse_args()
    print("shape     tasks     edges   tasks s   build s   waves s    path s   build+waves s   ns per task+edge")
    for name, make in SHAPES.items():
        for size in map(int, arguments.sizes.split(",")):
            rows, (edges, *_) = zip(*(once(make, size) for _ in range(arguments.runs)), strict=True)
            made, built, ordered, path = (statistics.median(column) for column in zip(*rows, strict=True))
            each = (built + ordered) / (size + edges) * 1e9
            print(
                f"{name:8}{size:8,}{edges:10,}{made:10.3f}{built:10.3f}{ordered:10.3f}{path:10.3f}"
                f"{built + ordered:16.3f}{each:19.0f}"
            )


if __name__ == "__main__":
    main()
