"""Model, longest answer and effort of each role reach the provider, and the budget knows of them."""

import stat
from pathlib import Path

import pytest
from brains import honest, role_of
from crew_on_loopback import ask, birds_in

from research_crew.models.fake_shapes import Asked, Said
from research_crew.settings import rungs_file


@pytest.fixture
def birds(tmp_path: Path) -> Path:
    return birds_in(tmp_path / "birds")


def test_every_role_may_have_a_model_of_its_own(birds: Path) -> None:
    result, server = ask(birds, critic="openai:other", writer="openai:small", citer="openai:other")
    used = {role_of(a): a.model for a in server.asked}
    assert used == {"planner": "big", "researcher": "small", "critic": "other", "writer": "small", "citer": "other"}
    assert result.total_cost == server.billed
    assert set(result.bill.by_model) == {"docs", "openai:big", "openai:small", "openai:other"}


def test_every_role_has_its_longest_answer(birds: Path) -> None:
    given = "planner=700,researcher=900,critic=800,writer=1100,citer=600"
    result, server = ask(birds, output_tokens=given)
    assert result.status == "complete"
    assert {f"{role_of(a)}={a.max_tokens}" for a in server.asked} == set(given.split(","))


def test_an_effort_is_sent_and_its_reasoning_reserved_and_billed(birds: Path) -> None:
    def thinking(asked: Asked) -> Said:
        said = honest(asked)
        return Said(said.text, reasoning="hm " * 400) if role_of(asked) == "writer" else said

    result, server = ask(birds, thinking, effort="writer=low", output_tokens="writer=1000")
    writer = next(a for a in server.asked if role_of(a) == "writer")
    others = [a for a in server.asked if role_of(a) != "writer"]
    assert writer.body is not None
    assert writer.body["reasoning_effort"] == "low"
    assert writer.max_tokens == 1000 + 2048
    assert not any("reasoning_effort" in (a.body or {}) for a in others)
    assert result.total_cost == server.billed <= result.bill.limit
    assert result.usage().reasoning >= 300


def compatible(birds: Path, script: object = honest) -> tuple[list[str], tuple[str, ...]]:
    """The steps of a run on a model that nothing is known about, and its warnings."""
    import asyncio

    from research_crew import Crew
    from research_crew.models.fake_server import FakeServer

    async def go() -> tuple[list[str], tuple[str, ...]]:
        async with FakeServer(script) as server:  # type: ignore[arg-type]
            crew = Crew(docs=str(birds), lead="compatible:m", price="1/4", base_urls=f"compatible={server.base('openai')}")
            url.append(server.base("openai"))
            result = await crew.arun("What does the grey heron eat?")
            return [e.step for e in result.ledger], result.warnings

    url: list[str] = []
    return asyncio.run(go())


def test_what_the_probe_found_is_remembered_for_the_next_process(birds: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("research_crew.models.ladder.memory_key", lambda model: model.name)  # ports differ here
    first, warned = compatible(birds, with_form)
    assert [s for s in first if "probe" in s] == ["plan/probe-1"]
    assert not any("probed" in w for w in warned)
    file = rungs_file()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    second, _ = compatible(birds, with_form)
    assert [s for s in second if "probe" in s] == []


@pytest.mark.parametrize("broken", ["{", "[]", '{"version": 99}', "\udcff"])
def test_a_memory_that_is_broken_is_said_and_made_anew(birds: Path, broken: str) -> None:
    file = rungs_file()
    file.parent.mkdir(parents=True)
    file.write_bytes(broken.encode("utf-8", "surrogateescape"))
    steps, warned = compatible(birds, with_form)
    assert "plan/probe-1" in steps
    assert any(str(file) in w and "probed anew" in w for w in warned)
    assert '"native"' in file.read_text()


def test_a_memory_that_cannot_be_written_ends_no_run(birds: Path) -> None:
    rungs_file().parent.parent.mkdir(parents=True)
    rungs_file().parent.write_text("a file where the folder should be")
    steps, warned = compatible(birds, with_form)
    assert "plan/probe-1" in steps
    assert any("cannot be" in w for w in warned)


def with_form(asked: Asked) -> Said:
    if "red box" in asked.prompt:
        return Said('{"box_colour": "red", "ball_count": 3}')
    return honest(asked)
