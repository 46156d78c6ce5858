"""A stranger's function as the agent: plain Python, under the same budget, ledger and books as every other agent.

    python examples/own_agent.py
"""

from research_crew import AgentFailure, Context, Task, TaskGraph, run

GRAPH = TaskGraph(
    [
        Task("fetch:tides", "fetcher", cost=3),
        Task("fetch:winds", "fetcher", cost=3),
        Task("fetch:waves", "fetcher", cost=3),
        Task("report", "writer", cost=2, depends_on=("fetch:tides", "fetch:winds", "fetch:waves"), needs=2),
    ]
)


def agent(task: Task, context: Context) -> str:
    """The second attempt at the winds succeeds, the waves never do: the report is written from what there is."""
    if task.id == "fetch:waves" or (task.id == "fetch:winds" and context.attempt == 1):
        raise AgentFailure(f"no answer for {task.id}")
    if task.role == "fetcher":
        return f"{task.id.split(':')[1]} are known"
    known = ", ".join(context[name] for name in context.results)
    return f"{known}; missing: {', '.join(context.missing)}"


def main() -> None:
    """Run the graph and say what came of it."""
    result = run(GRAPH, agent, budget=50)
    print(result["report"].output)
    for task in result.results:
        print(f"{task.state:<8} {task.id:<12} cost {task.cost} in {task.attempts} attempt(s) {task.reason}")
    print(f"spent {result.spent} of {result.bill.limit}; status {result.status}")


if __name__ == "__main__":
    main()
