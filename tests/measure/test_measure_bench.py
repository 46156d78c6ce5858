"""A comparison on a set of one's own: four arms at equal money, resumed, counted; with a model tokens and a control."""

import asyncio
import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from brains import honest

from research_crew import InvalidInput, Price, compare
from research_crew.core.secret import Secret
from research_crew.interfaces.cli.app import main
from research_crew.measure.answers import Answered, Said, Spent
from research_crew.measure.answers_file import read_answers
from research_crew.measure.arms import agents_for, merge
from research_crew.measure.bench import acompare
from research_crew.measure.compared import Compared
from research_crew.measure.datasets import load_dataset
from research_crew.models.fake_server import FakeServer
from research_crew.settings import Settings

BIRDS = {
    "b1": ("Grey heron", "The grey heron eats fish and frogs. A grey heron stands one metre tall."),
    "b2": ("Common crane", "The common crane winters in Spain. The common crane eats seeds."),
    "b3": ("Mute swan", "The mute swan eats water plants. Mute swans nest on islands."),
}
QUESTIONS = [
    ("What does the grey heron eat?", ["fish", "frogs"], "b1"),
    ("Where does the common crane winter?", ["Spain"], "b2"),
    ("What does the mute swan eat?", ["water plants"], "b3"),
    ("What does the common crane eat?", ["seeds"], "b2"),
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data" / "birds"
    folder.mkdir(parents=True)
    rows = [{"doc_id": doc, "title": title, "text": text} for doc, (title, text) in BIRDS.items()]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    asked = [
        {"id": f"q{n}", "question": q, "answers": gold, "gold_doc_ids": [doc]}
        for n, (q, gold, doc) in enumerate(QUESTIONS * 2)
    ]
    (folder / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in asked))
    return tmp_path / "data"


def test_four_arms_are_counted_at_equal_money(data: Path) -> None:
    compared = compare(bench="birds", data=data, agents="extractive")
    assert list(compared.answers) == ["crew", "solo", "solo=", "union="]
    assert compared.questions == 8
    for crew, again in zip(compared.answers["crew"], compared.answers["solo="], strict=True):
        assert again.spent.cost <= crew.spent.cost
        assert crew.found == crew.facts and crew.reached == 1.0
    verdict = compared.verdict
    assert verdict is not None and set(verdict.against) == {"solo=", "union="}
    assert compared.render().splitlines()[0].strip() == "found  bogus  prec  cost  fails  found/cost"
    record = compared.to_json()
    assert record["schema"] == "research-crew/comparison/1" and record["verdict"] == verdict.winner
    assert len(record["arms"][0]["interval"]["found"]) == 2  # type: ignore[index]


def test_what_neither_found_is_estimated_from_what_both_found() -> None:
    def answers(arm: str, found: dict[str, tuple[int, ...]]) -> list[Answered]:
        return [Answered(q, arm, len(g), 0, 0, 9, Spent(1.0), gold=g) for q, g in found.items()]

    crew = answers("crew", {"q1": (0, 1, 2, 3), "q2": (0, 1)})
    solo = answers("solo", {"q1": (2, 3, 4), "q2": (1,)})
    said = "\n".join(Compared("b", {"crew": crew, "solo": solo}).sentences)
    # (6 + 1)(4 + 1)/(3 + 1) - 1 = 7.75
    assert "together found 7 distinct true facts; by what both found there are at least 8" in said
    few = Compared("b", {"crew": crew[1:], "solo": solo[1:]})
    assert any("not estimable; 2 distinct fact(s)" in s for s in few.sentences)


def test_a_comparison_goes_on_from_its_file_and_buys_nothing_twice(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    first = compare(bench="birds", data=data, agents="extractive", questions=3, results=file)
    assert len(file.read_text().splitlines()) == 1 + 3 * 4
    text = file.read_text()
    file.write_text(text + text.splitlines()[-1][:50])  # a crash in the middle of a line
    told: list[Answered] = []
    second = compare(
        bench="birds", data=data, agents="extractive", questions=5, results=file, on_answer=lambda a, *_: told.append(a)
    )
    assert {a.question for a in told} == {"q3", "q4"}
    assert [a.to_json() for a in second.answers["union="][:3]] == [a.to_json() for a in first.answers["union="]]
    assert len(read_answers(file)) == 5 * 4


def test_answers_of_other_settings_are_not_mixed(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    compare(bench="birds", data=data, agents="extractive", questions=1, results=file)
    with pytest.raises(InvalidInput, match="other settings"):
        compare(bench="birds", data=data, agents="extractive", questions=1, results=file, search_rounds=1)


def test_one_agent_that_persists_spends_more_and_stays_within_the_bill(data: Path) -> None:
    compared = compare("What does the grey heron eat, and where does the common crane winter?", agents="extractive")
    assert compared.verdict is not None and compared.verdict.winner == "cannot tell"
    assert "no gold" in compared.render()
    crew, again = compared.answers["crew"][0], compared.answers["solo="][0]
    assert again.spent.cost <= crew.spent.cost


def test_the_coin_of_the_union_pays_the_bill_on_average() -> None:
    counts = [agents_for(25, 10, 1, f"q{n}") for n in range(4000)]
    assert set(counts) == {2, 3} and sum(counts) / len(counts) == pytest.approx(2.5, abs=0.03)
    assert agents_for(25, 10, 1, "q7") == agents_for(25, 10, 1, "q7")
    assert agents_for(9, 10, 1, "q") == 0


def test_merged_answers_take_turns_and_repeat_nothing() -> None:
    a = (Said("The heron eats fish.", "b1"), Said("Cranes winter in Spain.", "b2"))
    b = (Said("The heron eats fish.", "b1"), Said("Swans eat plants.", "b3"))
    assert [s.text for s in merge([a, b])] == ["The heron eats fish.", "Cranes winter in Spain.", "Swans eat plants."]


def with_model(data: Path, **options: Any) -> Compared:
    async def go() -> Compared:
        price = Price(input=Decimal(5), output=Decimal(30))
        async with FakeServer(honest, lambda _: None, lambda _: price) as server:
            settings = Settings(
                lead="openai:big", worker="openai:big", price="5/30", base_urls=f"openai={server.base('openai')}"
            )
            found = load_dataset(data / "birds")
            return await acompare(found, settings, {"openai": Secret("key")}, questions=2, **options)

    return asyncio.run(go())


def test_agents_with_a_model_have_a_closed_book_control_and_say_their_tokens(data: Path) -> None:
    compared = with_model(data)
    assert list(compared.answers) == ["crew", "solo", "solo=", "union=", "closed-book"]
    crew, closed = compared.answers["crew"][0], compared.answers["closed-book"][0]
    assert crew.spent.currency == "USD" and 0 < closed.spent.tokens < crew.spent.tokens
    said = "\n".join(compared.sentences)
    assert "times one closed-book reply: crew" in said and "one after another" in said


def test_a_model_that_costs_nothing_is_refused(data: Path) -> None:
    async def go() -> None:
        async with FakeServer(honest) as server:
            settings = Settings(lead="openai:big", price="0/0", base_urls=f"openai={server.base('openai')}")
            await acompare(load_dataset(data / "birds"), settings, {"openai": Secret("key")}, questions=1)

    with pytest.raises(InvalidInput, match="give --price"):
        asyncio.run(go())


def test_the_command_prints_the_table_and_its_json(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["compare", "--bench", "birds", "--data", str(data), "--agents", "extractive", "--questions", "2"]
    assert main([*words, "--results", str(tmp_path / "a.jsonl")]) == 0
    out, err = capsys.readouterr()
    assert [line.split()[0] for line in out.splitlines()[2:6]] == ["crew", "solo", "solo=", "union="]
    assert "8/8 q1 union=:" in err
    assert main([*words, "--results", str(tmp_path / "a.jsonl"), "--json", "--quiet"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["questions"] == 2 and err == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["compare"], "one question, or --bench NAME"),
        (["compare", "--bench", "frogs", "--data", "DATA"], "has birds"),
        (["compare", "--bench", "birds", "--data", "DATA", "--arms", "crew,duo"], "use crew, solo"),
        (["compare", "--bench", "birds", "--data", "DATA", "--arms", "solo="], "needs crew beside it"),
        (["compare", "--bench", "birds", "--data", "DATA", "--arms", "closed-book"], "needs a model"),
        (["compare", "--bench", "birds", "--data", "DATA", "--agents", "scripted"], "--compare --equal-money"),
    ],
)
def test_mistakes_are_named(data: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str) -> None:
    assert main([str(data) if word == "DATA" else word for word in words]) == 2
    assert said in capsys.readouterr().err


def bad_sets() -> Iterator[tuple[str, str]]:
    yield '{"id": "q", "facts": []}', "it has no 'question'"
    yield '{"id": "q", "question": "?", "answers": [], "scoring": "loose"}', "shape of docs/datasets.md"
    yield "{", "no JSON"
    yield "", "holds no question"


@pytest.mark.parametrize(("line", "said"), list(bad_sets()))
def test_a_set_that_cannot_be_read_says_where(tmp_path: Path, line: str, said: str) -> None:
    (tmp_path / "questions.jsonl").write_text(line + "\n")
    with pytest.raises(InvalidInput, match=said):
        load_dataset(tmp_path)
