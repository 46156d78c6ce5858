"""Which agents and engines answer: by what is named and which keys are found; and a whole run over the network's doors."""

import asyncio
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from brains import honest, role_of

from research_crew import Crew, CrewResult, InvalidInput, MissingExtra, Settings
from research_crew.core.secret import Secret
from research_crew.hiring import choose
from research_crew.models.fake_server import FakeServer
from research_crew.models.names import Kit, make_model

KEY = Secret("k")
PAGES = [
    {
        "url": f"https://www.nature.com/articles/{n}", "title": f"Study {n}", "publishedDate": "2024-02-03T00:00:00Z",
        "text": f"The grey heron of study {n} eats fish, frogs and small mammals. Colony {n} had {n + 20} nests in 2023.",
    }
    for n in range(1, 30)
]  # fmt: skip
QUESTION = "What does the grey heron eat, and how many nests did the colonies have, and where does it winter?"


def found(body: Mapping[str, Any]) -> Mapping[str, Any]:
    start = sum(map(ord, body["query"])) % 20
    return {"results": PAGES[start : start + body.get("numResults", 10)], "costDollars": {"total": 0.007}}


def research(budget: str, question: str = QUESTION) -> tuple[CrewResult, FakeServer]:
    price = {n: make_model(f"swarms:{n}", Kit(keys={"swarms": KEY})).price for n in ("gpt-5.5", "gpt-5.4-mini")}

    async def go() -> tuple[CrewResult, FakeServer]:
        async with FakeServer(honest, prices=price.__getitem__, search=found) as server:
            urls = f"swarms={server.base('swarms')},exa={server.base('exa')}"
            crew = Crew(base_urls=urls, keys={"swarms": KEY, "exa": KEY})
            return await crew.arun(question, budget), server

    return asyncio.run(go())


def test_the_default_crew_at_one_dollar_ends_undegraded_at_real_prices() -> None:
    result, server = research("1.00")
    assert (result.status, result.degraded) == ("complete", ())
    assert {e.provider for e in result.ledger} == {"swarms", "exa"}
    assert {s.model for s in server.log if s.shape == "swarms"} == {"gpt-5.5", "gpt-5.4-mini"}
    searches = sum(1 for e in result.ledger if e.kind == "search")
    assert result.bill.by_kind["search"] == searches * Decimal("0.007")
    assert result.total_cost <= 1
    assert "[" in str(result)
    assert "https://www.nature.com/articles/" in str(result)


def test_at_sixty_cents_it_is_complete_with_at_most_fewer_rounds() -> None:
    result, _ = research("0.60")
    assert result.report is not None
    assert result.report.by == "writer"
    assert result.report.checked
    assert all(what.startswith("fewer rounds") for what in result.degraded)
    assert all(t.state == "ok" for t in result.tasks)
    assert result.total_cost <= Decimal("0.60")


@pytest.mark.parametrize("budget", ["0.01", "0.10", "0.25", "0.40"])
def test_a_small_budget_is_refused_or_kept(budget: str) -> None:
    try:
        result, _ = research(budget)
    except Exception as error:  # noqa: BLE001 - the refusal is one of the two right outcomes
        assert type(error).__name__ == "OverBudget"
        return
    assert result.total_cost <= Decimal(budget)


def test_a_search_that_fails_everywhere_says_why_and_writes_nothing() -> None:
    async def go() -> CrewResult:
        async with FakeServer(honest) as server:
            urls = f"swarms={server.base('swarms')},exa=http://127.0.0.1:9/none"
            crew = Crew(base_urls=urls, keys={"swarms": KEY, "exa": KEY}, tries=1)
            return await crew.arun(QUESTION)

    result = asyncio.run(go())
    assert (result.status, result.exit_code, result.report) == ("no-evidence", 3, None)
    assert any("search exa: " in warning and " failed (" in warning for warning in result.warnings)


@pytest.mark.parametrize(
    ("keys", "settings", "agents", "lead", "search"),
    [
        ((), {}, "extractive", "", ""),
        (("swarms", "exa"), {}, "model", "swarms:gpt-5.5", "exa"),
        (("openai",), {}, "model", "openai:gpt-5.5", "wikipedia,duckduckgo"),
        (("openai",), {"docs": "x"}, "model", "openai:gpt-5.5", ""),
        (("openai",), {"agents": "extractive"}, "extractive", "", ""),
        ((), {"lead": "ollama:qwen3"}, "model", "ollama:qwen3", "wikipedia,duckduckgo"),
        (("exa",), {}, "extractive", "", ""),
    ],
)
def test_the_choice_by_keys(keys: tuple[str, ...], settings: dict[str, Any], agents: str, lead: str, search: str) -> None:
    choice = choose(Settings(**settings), dict.fromkeys(keys, KEY))
    assert (choice.agents, choice.lead, choice.search) == (agents, lead, search)


def test_model_agents_without_a_model_say_what_to_do() -> None:
    with pytest.raises(InvalidInput, match="--lead vendor:name"):
        choose(Settings(agents="model"), {})


def test_words_of_documents_do_not_leave_the_machine_in_a_mixed_run(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("The grey heron of project Nightingale eats fish, frogs and small mammals.")
    asked: list[str] = []

    def listening(body: Mapping[str, Any]) -> Mapping[str, Any]:
        asked.append(body["query"])
        return {"results": []}

    def curious(request: Any) -> Any:
        said = honest(request)
        if role_of(request) == "researcher":
            return type(said)(said.text.replace("what else is known", "grey heron project Nightingale"))
        return said

    async def go(**options: Any) -> CrewResult:
        async with FakeServer(curious, search=listening) as server:
            urls = f"openai={server.base('openai')},exa={server.base('exa')}"
            crew = Crew(
                docs=str(tmp_path), search="exa,docs", lead="openai:m", price="1/4", base_urls=urls,
                keys={"openai": KEY, "exa": KEY}, **options,
            )  # fmt: skip
            return await crew.arun("What does the grey heron eat?")

    result = asyncio.run(go())
    assert asked
    assert not any("Nightingale" in query for query in asked)
    assert any("went to the documents only" in w for w in result.warnings)
    asyncio.run(go(allow_mixed=True))
    assert any("Nightingale" in query for query in asked)


def test_a_missing_extra_is_named_before_anything_is_opened(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("research_crew.hiring.find_spec", lambda name: None)
    (tmp_path / "a.txt").write_text("The grey heron eats fish.")
    with pytest.raises(MissingExtra, match=r"research-crew\[models\]"):
        Crew(docs=str(tmp_path), lead="openai:gpt-5.5", keys={"openai": KEY}).run("What does the heron eat?")
    choice = choose(Settings(), {"openai": KEY})
    assert choice.agents == "extractive"
    assert "research-crew[models]" in choice.notes[0]
