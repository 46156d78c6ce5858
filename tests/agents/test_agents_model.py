"""A crew with language models against a provider on loopback: cited reports, true bills, named fallbacks."""

import asyncio
import json
import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from brains import honest, role_of

from research_crew import Crew, CrewResult, Price, Solo, UnknownPrice
from research_crew.core.secret import Secret
from research_crew.models.fake_faults import Fault, fault
from research_crew.models.fake_server import FakeServer
from research_crew.models.fake_shapes import Asked, Said

QUESTION = "What does the grey heron eat, and where does the common crane winter?"
LEAD, WORKER = Price(input=Decimal(5), output=Decimal(30)), Price(input=Decimal("0.75"), output=Decimal("4.5"))
PRICES = "openai:big=5/30,openai:small=0.75/4.5"
KEYS = {"openai": Secret("test-key")}


@pytest.fixture
def birds(tmp_path: Path) -> Path:
    folder = tmp_path / "birds"
    folder.mkdir()
    (folder / "herons.md").write_text(
        "# Herons\n\nThe grey heron eats fish, frogs and small mammals. A grey heron stands up to one metre tall.\n"
        "Herons nest in colonies called heronries.\n"
    )
    (folder / "cranes.txt").write_text(
        "The common crane eats roots, seeds and insects. The common crane winters in Spain and in North Africa."
    )
    return folder


def price_of(model: str) -> Price:
    return LEAD if model == "big" else WORKER


def ask(
    birds: Path, script: Callable[[Asked], Any] = honest, faults: Callable[[Asked], Fault | None] = lambda _: None,
    maker: type[Crew] = Crew, budget: str = "1.00", question: str = QUESTION, **options: Any,
) -> tuple[CrewResult, FakeServer]:  # fmt: skip
    async def go() -> tuple[CrewResult, FakeServer]:
        async with FakeServer(script, faults, price_of) as server:
            crew = maker(
                docs=str(birds), lead="openai:big", worker="openai:small", price=PRICES, keys=KEYS,
                base_urls=f"openai={server.base('openai')}", **options,
            )  # fmt: skip
            return await crew.arun(question, budget), server

    return asyncio.run(go())


def test_a_crew_with_models_gives_a_cited_report(birds: Path) -> None:
    result, server = ask(birds)
    assert (result.status, result.agents, result.bill.currency) == ("complete", "model", "USD")
    assert "The grey heron eats fish, frogs and small mammals. [" in str(result)
    assert "winters in Spain" in str(result)
    assert result.report is not None
    assert result.report.references
    assert {role_of(a) for a in server.asked} == {"planner", "researcher", "critic", "writer", "citer"}
    assert result.degraded == ()


def test_the_bill_is_the_providers_own_to_the_last_unit(birds: Path) -> None:
    result, server = ask(birds)
    assert result.total_cost == server.billed
    assert sum(1 for e in result.ledger if e.kind == "model") == len(server.log)
    assert result.bill.by_role["writer"] == sum(
        (s.amount for s, a in zip(server.log, server.asked, strict=True) if role_of(a) == "writer"), Decimal(0)
    )
    assert sum(result.bill.by_model.values()) == result.total_cost


def test_lead_and_worker_are_billed_apart(birds: Path) -> None:
    result, server = ask(birds)
    for model in ("big", "small"):
        billed = sum((s.amount for s in server.log if s.model == model), Decimal(0))
        assert result.bill.by_model[f"openai:{model}"] == billed > 0


def test_one_agent_alone_uses_one_model_and_two_tasks(birds: Path) -> None:
    result, server = ask(birds, maker=Solo, solo="openai:small")
    assert [t.id for t in result.tasks] == ["investigate", "write"]
    assert {s.model for s in server.log} == {"small"}
    assert result.total_cost == server.billed
    assert result.report is not None


@pytest.mark.parametrize("kind", ["rate-limit", "error", "unavailable"])
def test_a_retryable_failure_is_tried_again_and_both_are_in_the_ledger(birds: Path, kind: str) -> None:
    hit: list[int] = []

    def once(asked: Asked) -> Fault | None:
        if role_of(asked) == "writer" and not hit:
            hit.append(asked.n)
            return fault(kind, retry_after=0)
        return None

    result, server = ask(birds, faults=once)
    tries = [e for e in result.ledger if e.task == "write"]
    assert [e.outcome for e in tries] == ["error", "ok"]
    assert result.status == "complete"
    assert server.log[hit[0] - 1].status >= 429


def test_an_answer_that_cannot_be_read_is_repaired_once_and_billed(birds: Path) -> None:
    hit: list[int] = []

    def garble(asked: Asked) -> Said:
        if role_of(asked) == "planner" and not hit:
            hit.append(1)
            return Said("I would rather talk about the weather today.")
        return honest(asked)

    result, server = ask(birds, garble)
    plan = [e for e in result.ledger if e.task == "plan"]
    assert [(e.outcome, e.step) for e in plan] == [("rejected", "plan"), ("ok", "plan/repair")]
    assert result.total_cost == server.billed
    assert result.status == "complete"


def test_a_lead_that_never_plans_falls_back_to_the_question_itself(birds: Path) -> None:
    result, _ = ask(birds, lambda a: Said("No.") if role_of(a) == "planner" else honest(a))
    assert result.plan is not None
    assert result.plan.fallback
    assert result.report is not None
    assert [t.id for t in result.tasks if t.role == "researcher"] == ["research:0"]


def test_a_lead_that_plans_50_sub_tasks_gets_at_most_the_researchers_allowed(birds: Path) -> None:
    def many(asked: Asked) -> Said:
        if role_of(asked) != "planner":
            return honest(asked)
        tasks = [{"objective": f"Part {n}?", "search_queries": [f"heron part {n}"]} for n in range(50)]
        return Said(json.dumps({"complexity": "complex", "strategy": "all", "subtasks": tasks}))

    result, _ = ask(birds, many, researchers=3)
    assert sum(t.role == "researcher" for t in result.tasks) == 3
    assert any("sub-tasks; 3 are researched" in w for w in result.warnings)


def test_a_quote_that_is_not_in_its_source_is_lost_at_the_gate_and_said(birds: Path) -> None:
    def liar(asked: Asked) -> Said:
        if role_of(asked) != "researcher":
            return honest(asked)
        answer = json.loads(honest(asked).text)
        answer["claims"].append({"text": "Herons eat 900 cows.", "quote": "Herons eat 900 cows.", "source": 1})
        answer["claims"].append({"text": "Cranes are red.", "quote": "Cranes are red.", "source": 77})
        return Said(json.dumps(answer))

    result, _ = ask(birds, liar)
    lost = [d for d in result.dropped if d.state == "unsupported"]
    assert {d.reason.partition(":")[0] for d in lost} == {"quote-not-found", "unknown-source"}
    assert "900 cows" not in str(result)
    assert any("did not pass the checks" in w for w in result.warnings)


def test_a_writer_that_cites_99_has_it_removed_and_reported(birds: Path) -> None:
    def inventive(asked: Asked) -> Said:
        said = honest(asked)
        return Said(said.text.replace("# Answer", "# Answer\n\nHerons rule the world. [c99]")) if role_of(asked) == "writer" else said

    result, _ = ask(birds, inventive)
    assert "c99" not in str(result)
    assert any("c99" in w for w in result.warnings)
    assert result.run.books.unbacked == ["Herons rule the world."]


def test_a_citer_that_fails_leaves_the_writers_citations(birds: Path) -> None:
    result, _ = ask(birds, lambda a: Said("what?") if role_of(a) == "citer" else honest(a))
    assert result.report is not None
    assert result.report.checked is False
    assert any("not checked again" in w for w in result.warnings)
    assert result.report.references


def test_a_writer_that_fails_leaves_the_template_with_every_claim(birds: Path) -> None:
    result, _ = ask(birds, faults=lambda a: fault("bad-request") if role_of(a) == "writer" else None)
    assert result.report is not None
    assert result.report.by == "template"
    assert result.status == "incomplete"
    assert any(what.startswith("template writer") for what in result.degraded)
    assert result.run.books.claims.counts()["kept"] == len(result.report.claims) > 0


def test_one_researcher_that_fails_loses_nobody_elses_findings(birds: Path) -> None:
    def unlucky(asked: Asked) -> Fault | None:
        return fault("bad-request") if role_of(asked) == "researcher" and "crane" in asked.prompt.split("<<<")[0] else None

    result, _ = ask(birds, faults=unlucky)
    assert "frogs" in str(result)
    (lost,) = [t for t in result.tasks if t.state == "failed"]
    assert lost.role == "researcher"
    assert "answered 400" in lost.reason
    assert (result.status, result.exit_code) == ("incomplete", 4)


def test_no_evidence_abstains(birds: Path) -> None:
    empty = json.dumps({"claims": [], "coverage": "insufficient", "follow_up_queries": []})
    result, _ = ask(birds, lambda a: Said(empty) if role_of(a) == "researcher" else honest(a))
    assert (result.status, result.report) == ("no-evidence", None)
    assert "## References" not in str(result)


def test_strictness_cuts_monotonically_whatever_the_model_says(birds: Path) -> None:
    kept = []
    for strictness in (0.0, 0.7, 0.8, 1.0):
        result, _ = ask(birds, strictness=strictness)
        cut = {d.text for d in result.dropped if d.state == "cut-by-critic"}
        kept.append({c.text for c in result.claims} - cut)
    assert kept[0] >= kept[1] >= kept[2] >= kept[3]
    assert len(kept[3]) < len(kept[0])


@pytest.mark.parametrize("budget", ["0.02", "0.05", "0.10", "0.20", "0.60", "1.00"])
def test_no_budget_is_exceeded(birds: Path, budget: str) -> None:
    try:
        result, server = ask(birds, budget=budget)
    except Exception as error:  # noqa: BLE001 - the refusal is one of the two right outcomes
        assert type(error).__name__ == "OverBudget"
        return
    assert server.billed == result.total_cost <= Decimal(budget)
    if Decimal(budget) >= Decimal("0.60"):
        assert result.status == "complete"


def test_an_unknown_price_is_an_error_before_anything_is_sent(birds: Path) -> None:
    async def go() -> None:
        async with FakeServer(honest) as server:
            crew = Crew(docs=str(birds), lead="openai:nonesuch", keys=KEYS, base_urls=f"openai={server.base('openai')}")
            with pytest.raises(UnknownPrice, match="nonesuch"):
                await crew.arun(QUESTION)
            assert server.asked == []

    asyncio.run(go())


def test_a_recording_plays_back_for_nothing_and_fails_loudly_on_another_question(birds: Path, tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    first, _ = ask(birds, record=str(file))
    again = Crew(docs=str(birds), lead=f"recorded:{file}").run(QUESTION)
    assert str(again) == str(first)
    assert again.total_cost == 0
    other = Crew(docs=str(birds), lead=f"recorded:{file}").run("Where do storks nest?")
    assert any("holds no answer" in t.reason for t in other.tasks)


def test_the_report_answers_in_the_language_of_the_question(birds: Path) -> None:
    _, server = ask(birds, question="Was frisst der Vogel namens grey heron, und wo überwintert der common crane?")
    writer = next(a for a in server.asked if role_of(a) == "writer")
    assert "Write in German" in writer.system
    planner = next(a for a in server.asked if role_of(a) == "planner")
    assert re.search(r"Today is \d{4}-\d\d-\d\d", planner.system)


def test_a_key_stands_in_no_record(birds: Path) -> None:
    result, _ = ask(birds)
    assert "test-key" not in result.json()


def test_an_address_that_no_source_gave_is_never_rendered(birds: Path) -> None:
    def linked(asked: Asked) -> Said:
        said = honest(asked)
        if role_of(asked) != "writer":
            return said
        extra = "See [this](https://example.com/a(b)), https://example.org/x and ![beacon](https://evil.example/p.png)."
        return Said(said.text.replace("# Answer", f"# Answer\n\n{extra}"))

    result, _ = ask(birds, linked)
    assert result.report is not None
    assert "example" not in result.report.markdown
    assert "See this" in result.report.markdown
    assert any("3 address(es) or picture(s)" in w for w in result.warnings)

