"""The report is in the language of the question, whatever the sources' or the model's: asked for once more, or said."""

import asyncio
from pathlib import Path

import pytest
from brains import honest, role_of
from crew_on_loopback import ask, birds_in, crew_of, price_of

from research_crew import CrewResult
from research_crew.models.fake_server import FakeServer
from research_crew.models.fake_shapes import Asked, Said

END = '\n\n```json\n{"needs_more_research": false, "gaps": []}\n```'
IN = {
    "zh": ("苍鹭（grey heron）吃什么？", "苍鹭吃鱼、青蛙和小型哺乳动物，这是已经核对过的结论。[c1]", "## 参考资料"),
    "vi": (
        "Loài chim grey heron ăn gì và nó sống ở đâu?",
        "Diệc xám ăn cá, ếch và các loài thú nhỏ, và nó làm tổ trong những khu vực có nhiều cây cao ở gần mép nước. [c1]",
        "## Tài liệu tham khảo",
    ),
    "de": (
        "Was frisst der Vogel, den man grey heron nennt?",
        "Der Graureiher frisst Fische, Frösche und kleine Säugetiere, und er steht dabei lange still am Ufer des Wassers. [c1]",
        "## Quellen",
    ),
}  # fmt: skip
ENGLISH = "The grey heron eats fish, frogs and small mammals, and it stands still for a long time at the edge of the water. [c1]"


def planned(asked: Asked) -> Said | None:
    """Queries in the language of the sources, as a good lead makes them."""
    if role_of(asked) != "planner":
        return None
    brief = '{"objective": "What does the grey heron eat?", "search_queries": ["grey heron eats"]}'
    return Said('{"complexity": "simple", "strategy": "One.", "subtasks": [' + brief + "]}")


def writing(*drafts: str) -> object:
    left = list(drafts)

    def script(asked: Asked) -> Said:
        if role_of(asked) == "writer":
            return Said((left.pop(0) if len(left) > 1 else left[0]) + END)
        return planned(asked) or honest(asked)

    return script


@pytest.fixture
def birds(tmp_path: Path) -> Path:
    return birds_in(tmp_path / "birds")


@pytest.mark.parametrize("language", IN)
def test_a_report_in_another_language_is_written_again_once_and_billed(birds: Path, language: str) -> None:
    question, own, heading = IN[language]
    result, server = ask(birds, writing(ENGLISH, own), question=question)  # type: ignore[arg-type]
    assert result.language == language
    assert own.replace(" [c1]", "").replace("[c1]", "") in str(result)
    assert "stands still" not in str(result)
    assert heading in str(result)
    assert [e.step for e in result.ledger if e.task == "write"] == ["write", "write/language"]
    assert result.total_cost == server.billed
    assert any("and was written again" in w for w in result.warnings)
    assert not any("the report is not in" in w for w in result.warnings)


def test_a_report_in_the_right_language_is_asked_for_once(birds: Path) -> None:
    question, own, _ = IN["de"]
    result, _ = ask(birds, writing(own), question=question)  # type: ignore[arg-type]
    assert [e.step for e in result.ledger if e.task == "write"] == ["write"]
    assert not any("not in German" in w for w in result.warnings)


def test_what_stays_in_the_wrong_language_is_kept_and_said(birds: Path) -> None:
    question, _, _ = IN["vi"]
    result, _ = ask(birds, writing(ENGLISH), question=question)  # type: ignore[arg-type]
    assert "stands still" in str(result)
    assert "the report is not in Vietnamese" in result.warnings
    assert [e.step for e in result.ledger if e.task == "write"] == ["write", "write/language"]


def test_the_language_setting_stands_over_the_questions(birds: Path) -> None:
    _, own, heading = IN["de"]

    async def go(language: str) -> tuple[CrewResult, list[Asked]]:
        async with FakeServer(writing(own), prices=price_of) as server:  # type: ignore[arg-type]
            return await crew_of(server, birds, language=language).arun("What does the grey heron eat?"), server.asked

    for language in ("de", "German"):
        result, asked = asyncio.run(go(language))
        assert result.language == "de"
        assert heading in str(result)
        assert "Write in German" in next(a.system for a in asked if role_of(a) == "writer")
        assert "objectives in German" in next(a.system for a in asked if role_of(a) == "planner")
