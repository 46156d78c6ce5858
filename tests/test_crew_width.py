"""Width by plan: what hangs on one thread buys no lead and no second look at citations; what divides buys both."""

from pathlib import Path

import pytest

from research_crew import Crew, Solo

FILES = {
    "heron.txt": "The grey heron eats fish and frogs. The grey heron nests in trees near water.",
    "crane.txt": "The common crane winters in Spain. The common crane eats seeds and roots.",
}


@pytest.fixture
def birds(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_one_thread_is_researched_without_a_lead(birds: Path) -> None:
    result = Crew(docs=str(birds), agents="extractive").run("What does the grey heron eat?")
    assert [task.id for task in result.tasks] == ["research:0", "critique", "write"]
    assert result.status == "complete" and result.report is not None and result.report.references
    assert result.plan is not None and len(result.plan.subtasks) == 1
    alone = Solo(docs=str(birds), agents="extractive").run("What does the grey heron eat?")
    assert result.total_cost == alone.total_cost + 1  # the critique


def test_two_threads_are_planned_and_divided(birds: Path) -> None:
    result = Crew(docs=str(birds), agents="extractive").run(
        "What does the grey heron eat, and where does the common crane winter?"
    )
    assert [task.role for task in result.tasks] == ["planner", "researcher", "researcher", "critic", "writer", "citer"]


def test_a_budget_without_room_for_a_critic_does_without(birds: Path) -> None:
    result = Crew(docs=str(birds), agents="extractive").run("What does the grey heron eat?", budget=4)
    assert result.total_cost <= 4 and result.report is not None
    assert "no critic" in result.degraded
