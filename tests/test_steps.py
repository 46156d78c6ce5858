"""A question round by round: each round's plan, report, decision and gaps, on one ledger with one numbering."""

import asyncio
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from research_crew import Crew, InvalidInput, OverBudget, Solo, Step, Stop
from research_crew.core.secret import Secret
from research_crew.models.fake_server import FakeServer
from research_crew.models.fake_shapes import Asked, Said

HERONS = "The grey heron eats fish, frogs and small mammals. A grey heron stands up to one metre tall."
ZEPPELIN = "Count Zeppelin built the first rigid airship in 1900. The airship flew over Lake Constance."
QUESTION = "What does the grey heron eat?"
GAP = "Who built the first rigid airship?"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "herons.txt").write_text(HERONS)
    (tmp_path / "airships.txt").write_text(ZEPPELIN)
    return tmp_path


@pytest.mark.parametrize("maker", [Crew, Solo])
def test_a_second_round_goes_on_where_the_first_ended(folder: Path, maker: type[Crew]) -> None:
    crew = maker(docs=str(folder))
    first = crew.step(QUESTION, budget=60)
    assert isinstance(first, Step)
    assert "frogs" in str(first)
    assert "airship" not in str(first)
    assert first.decision == "finish"
    assert (first.plan is None) == (maker is Solo)
    assert not any(t.role == "citer" for t in first.tasks)
    second = crew.step(QUESTION, previous_report=first, gaps=[GAP])
    assert second.number == 2
    assert "Zeppelin built" in str(second)
    assert "frogs" in str(second), "the report keeps what the first round established"
    if second.plan is not None:
        assert [b.objective for b in second.plan.subtasks] == [GAP]
    assert second.ledger[: len(first.ledger)] == first.ledger
    assert second.bill.spent == sum((e.amount for e in second.ledger), Decimal(0)) > first.bill.spent
    assert second.bill.limit == first.bill.limit == 60
    numbers = {s.number: s.path for s in second.sources}
    assert all(numbers[s.number] == s.path for s in first.sources)
    assert first.usage + second.usage == second.bill.usage
    assert json.loads(json.dumps(second.to_json()))["decision"] == "finish"


def test_the_text_of_the_report_is_as_good_as_the_step(folder: Path) -> None:
    crew = Crew(docs=str(folder))
    first = crew.step(QUESTION)
    assert first.report is not None
    for previous in (first.report, first.report.markdown, str(first)):
        fresh = Crew(docs=str(folder))
        fresh.step(QUESTION)
        again = fresh.step(QUESTION, previous, [GAP])
        assert (again.number, "Zeppelin" in str(again), "frogs" in str(again)) == (2, True, True)


def test_a_report_from_elsewhere_begins_a_ledger_of_its_own(folder: Path) -> None:
    step = Crew(docs=str(folder)).step(QUESTION, previous_report="Herons are birds.", gaps=[GAP])
    assert step.number == 1
    assert step.plan is not None
    assert step.plan.subtasks[0].objective == GAP
    assert "Zeppelin" in str(step)


def test_a_step_that_goes_on_has_the_budget_of_the_first(folder: Path) -> None:
    crew = Crew(docs=str(folder))
    little = Crew(docs=str(folder)).step(QUESTION).cost + 2
    first = crew.step(QUESTION, budget=little)
    with pytest.raises(InvalidInput, match="budget of the first"):
        crew.step(QUESTION, first, [GAP], budget=50)
    with pytest.raises(InvalidInput, match="say what is missing"):
        crew.step(QUESTION, first)
    with pytest.raises(OverBudget):
        crew.step(QUESTION, first, [GAP])
    assert crew.step(QUESTION, budget=little).bill.spent <= little


def test_after_a_stop_nothing_goes_on(folder: Path) -> None:
    crew, stop = Crew(docs=str(folder)), Stop()

    def watch(event: Any) -> None:
        if event.kind == "task-ended" and event.role == "researcher":
            stop.request("interrupted")

    first = crew.step(QUESTION, on_event=watch, stop=stop)
    assert first.report is not None
    assert first.report.by == "template"
    with pytest.raises(InvalidInput, match="was stopped"):
        crew.step(QUESTION, first, [GAP])


def test_with_models_gaps_are_the_writers_and_the_bill_is_the_providers(folder: Path) -> None:
    from brains import honest, role_of

    def wanting(asked: Asked) -> Said:
        if "Plan for them only" in asked.prompt:
            brief = {"objective": GAP, "search_queries": ["first rigid airship"]}
            return Said(json.dumps({"complexity": "simple", "strategy": "The gap.", "subtasks": [brief]}))
        said = honest(asked)
        if role_of(asked) == "writer" and "airship" not in asked.prompt:
            return Said(said.text.replace('false, "gaps": []', f'true, "gaps": ["{GAP}"]'))
        return said

    async def go() -> tuple[Step, Step, FakeServer, list[Asked]]:
        async with FakeServer(wanting) as server:
            url = f"openai={server.base('openai')}"
            crew = Crew(docs=str(folder), lead="openai:m", price="1/4", base_urls=url, keys={"openai": Secret("k")})
            first = await crew.astep(QUESTION, budget="0.50")
            return first, await crew.astep(QUESTION, first), server, server.asked

    first, second, server, asked = asyncio.run(go())
    assert (first.decision, first.gaps) == ("continue", (GAP,))
    assert second.decision == "finish"
    assert sum(1 for e in second.ledger if e.kind == "model") == len(server.log)
    planner = [a for a in asked if role_of(a) == "planner"][1]
    assert f"Plan for them only:\n- {GAP}" in planner.prompt
    writer = [a for a in asked if role_of(a) == "writer"][1]
    previous = writer.prompt.partition("whose findings stay:")[2].partition("Claims:")[0]
    assert "frogs" in previous
    assert "[c1]" not in previous, "labels of the last draft mean other claims now"
    assert "frogs" in str(second)
    assert "Zeppelin" in str(second)
