"""A plan is shown with its price range before research is bought; what is agreed to is what is researched."""

from dataclasses import replace
from pathlib import Path

import pytest
from brains import honest, role_of
from crew_on_loopback import ask, birds_in

from research_crew import Brief, Crew, InvalidInput, Plan, Proposal, Solo
from research_crew.models.fake_faults import fault

QUESTION = "What does the grey heron eat, and where does the common crane winter?"


@pytest.fixture
def birds(tmp_path: Path) -> Path:
    return birds_in(tmp_path / "birds")


def test_the_cost_lies_in_the_range_that_was_shown(birds: Path) -> None:
    shown: list[Proposal] = []

    def yes(proposal: Proposal) -> Plan:
        shown.append(proposal)
        return proposal.plan

    free = Crew(docs=str(birds), confirm=yes).run(QUESTION)
    paid, _ = ask(birds, confirm=yes)
    for result, proposal in zip((free, paid), shown, strict=True):
        assert result.status == "complete"
        assert proposal.spent < proposal.low < proposal.high <= proposal.limit
        if proposal.currency == "credits":
            assert proposal.low <= result.total_cost
        assert result.total_cost <= proposal.high
        assert proposal.currency == result.bill.currency
        assert proposal.researchers == sum(t.role == "researcher" for t in result.tasks)


async def edited(proposal: Proposal) -> Plan:
    """Keeps the last brief, adds one. Async hooks are as good."""
    added = Brief("How tall is a grey heron?", ("grey heron tall",))
    return replace(proposal.plan, subtasks=(proposal.plan.subtasks[-1], added))


def test_the_edited_plan_is_what_is_researched(birds: Path) -> None:
    result = Crew(docs=str(birds), confirm=edited).run(QUESTION)
    assert result.plan is not None
    assert [b.objective for b in result.plan.subtasks][1] == "How tall is a grey heron?"
    assert "one metre tall" in str(result)
    assert [t.id for t in result.tasks if t.role == "researcher"] == ["research:0", "research:1"]
    assert "winters in Spain" in str(result)


def test_a_refusal_buys_nothing_more(birds: Path) -> None:
    result, server = ask(birds, confirm=lambda proposal: None)
    assert [role_of(a) for a in server.asked] == ["planner"]
    assert (result.status, result.report) == ("cancelled", None)
    assert result.total_cost == server.billed > 0
    assert result.plan is not None
    assert [t.id for t in result.tasks] == ["plan"]


def test_a_hook_that_raises_is_no_consent(birds: Path) -> None:
    def broken(proposal: Proposal) -> Plan:
        raise ZeroDivisionError("the hook is broken")

    result, server = ask(birds, confirm=broken)
    assert [role_of(a) for a in server.asked] == ["planner"]
    assert result.status == "cancelled"
    assert "the hook is broken" in result.tasks[0].reason


def test_where_no_plan_could_be_made_nothing_is_researched_unasked(birds: Path) -> None:
    asked: list[Proposal] = []

    def note(proposal: Proposal) -> Plan:
        asked.append(proposal)
        return proposal.plan

    result, server = ask(birds, confirm=note, faults=lambda a: fault("bad-request") if role_of(a) == "planner" else None)
    assert len(asked) == 1, "the fallback plan is shown like any other"
    assert result.report is not None
    empty, server = ask(birds, confirm=lambda p: replace(p.plan, subtasks=()))
    assert {role_of(a) for a in server.asked} == {"planner"}
    assert empty.status == "cancelled"


def test_every_loops_plan_is_shown(birds: Path) -> None:
    shown: list[Plan] = []

    def note(proposal: Proposal) -> Plan:
        shown.append(proposal.plan)
        return proposal.plan

    def wanting(asked: object) -> object:
        said = honest(asked)  # type: ignore[arg-type]
        more = role_of(asked) == "writer" and "whose findings stay" not in asked.prompt  # type: ignore[arg-type, attr-defined]
        text = said.text.replace('false, "gaps": []', 'true, "gaps": ["How tall is a grey heron?"]') if more else said.text
        return type(said)(text)

    ask(birds, wanting, confirm=note, loops=2)
    assert len(shown) == 2


def test_one_agent_alone_has_no_plan_to_confirm() -> None:
    with pytest.raises(InvalidInput, match="makes no plan"):
        Solo(confirm=lambda proposal: proposal.plan)
