"""An estimate before the run, its promise after it, and a judge that sees neither authors nor bills."""

import asyncio
import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pytest
from brains import honest

from research_crew import Crew, InvalidInput, Price, World
from research_crew.core.secret import Secret
from research_crew.interfaces.cli.app import main
from research_crew.measure.estimate import estimate, estimate_scripted, predicted
from research_crew.measure.judge import DIMENSIONS, Judged, judge
from research_crew.measure.promises import Paid, Promise, score
from research_crew.measure.run_files import bills_of, read_runs
from research_crew.measure.runs import crew_rows
from research_crew.models.fake_server import FakeServer
from research_crew.models.fake_shapes import Asked, Said
from research_crew.settings import Settings

KEYS = {"openai": Secret("key")}


@pytest.fixture
def birds(tmp_path: Path) -> Path:
    folder = tmp_path / "birds"
    folder.mkdir()
    (folder / "heron.txt").write_text("The grey heron eats fish and frogs. A grey heron stands one metre tall.")
    return folder


def test_a_prediction_holds_nine_times_in_ten() -> None:
    rng = Random(5)
    held = 0
    for _ in range(1500):
        *past, following = [rng.lognormvariate(1, 0.5) for _ in range(9)]
        low, high = predicted(past)
        held += low <= following <= high
    assert 0.87 <= held / 1500 <= 0.93


def test_the_scripted_range_holds_its_bills() -> None:
    world = World(failure_rate=0.3)
    told = estimate_scripted(world, 4)
    inside = [told.low <= row.cost <= told.high for row in crew_rows(world, range(400))]
    assert 0.88 <= sum(inside) / 400 <= 0.99


def test_a_promise_is_kept_and_scored_against_its_bill(birds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["What does the grey heron eat?", "--docs", str(birds), "--agents", "extractive"]
    assert main(["estimate", *words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["low"] < told["expected"] < told["high"] <= told["limit"] == 200
    assert main(["ask", *words, "--json", "--quiet"]) == 0
    bill = float(json.loads(capsys.readouterr().out)["bill"]["spent"])
    assert main(["estimate", "--score", "--json"]) == 0
    scored = json.loads(capsys.readouterr().out)
    assert scored["scored"][0]["bill"]["cost"] == bill
    assert scored["cost"]["hits"] == int(told["low"] <= bill <= told["high"]) and scored["open"] == 0


def test_five_bills_of_the_same_makers_make_the_range(birds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--docs", str(birds), "--agents", "extractive"]
    for n in range(5):
        assert main(["ask", f"What does the grey heron number {n} eat?", *words, "--quiet"]) == 0
    capsys.readouterr()
    assert main(["estimate", "What does the grey heron eat?", *words]) == 0
    assert "From 5 bills of the same makers." in capsys.readouterr().out


def test_a_bill_meets_the_last_promise_before_it_once() -> None:
    def promise(low: float) -> Promise:
        return Promise("q", "k", low, low + 1, "USD", 0, 9, "t")

    paid = Paid("q", "k", 2.5, "USD", 1, {}, "t")
    scored = score([promise(1), promise(2), paid, paid, promise(9)])
    assert [(p.low, b.cost) for p, b in scored.pairs] == [(2, 2.5)]
    assert (scored.cost.hits, scored.time.hits, scored.open) == (1, 1, 1)


def test_another_lead_stands_beside_with_its_own_price(birds: Path) -> None:
    settings = Settings(docs=str(birds), lead="openai:big", worker="openai:small", price="openai:big=10/40,openai:small=1/4")
    dear = asyncio.run(estimate("Why?", settings, KEYS))
    cheap = asyncio.run(estimate("Why?", Settings(docs=str(birds), lead="openai:small", price="openai:small=1/4"), KEYS))
    assert [s.name for s in dear.stages] == ["planner", "researcher", "critic", "writer", "citer"]
    assert dear.stages[0].model == "openai:big" and dear.stages[1].model == "openai:small"
    assert dear.stages[0].each == pytest.approx((900 * 10 + 400 * 40) / 1e6)
    assert cheap.expected < dear.expected < dear.limit == 1.0


def exported(birds: Path, folder: Path, *questions: str) -> list[Path]:
    folder.mkdir(exist_ok=True)
    files = []
    for place, question in enumerate(questions):
        result = Crew(docs=str(birds), agents="extractive").run(question)
        files.append(folder / f"{place}-{result.id}.json")
        files[-1].write_text(result.json())
    return files


def test_exported_runs_are_bills_of_the_same_kind_as_those_of_the_command(birds: Path, tmp_path: Path) -> None:
    files = exported(birds, tmp_path / "runs", "What does the grey heron eat?")
    (bill,) = bills_of(read_runs(files))
    assert bill.kind == "extractive, 5 researchers, 2 rounds, 1 loops" and bill.stages["writer"] == (1, 1.0)


def judged(files: list[Path], script: Callable[[Asked], Any]) -> Judged:
    async def go() -> Judged:
        async with FakeServer(script, lambda _: None, lambda _: Price(input=Decimal(1), output=Decimal(4))) as server:
            settings = Settings(lead="openai:judge", price="1/4", base_urls=f"openai={server.base('openai')}")
            return await judge(read_runs(files), settings, KEYS)

    return asyncio.run(go())


def first_is_better(asked: Asked) -> Said:
    """A judge that prefers whatever it reads first."""
    assert "extractive" not in asked.prompt and "credits" not in asked.prompt  # blind
    good, bad = dict.fromkeys(DIMENSIONS, 1.0), dict.fromkeys(DIMENSIONS, 0.0)
    return Said(json.dumps({"first": good, "second": bad} if "Second report" in asked.prompt else good))


def test_a_judge_that_prefers_the_first_is_seen_through(birds: Path, tmp_path: Path) -> None:
    files = exported(birds, tmp_path / "runs", "What does the grey heron eat?", "What does the grey heron eat?")
    pair = judged(files, first_is_better)
    assert [m.completeness for m in pair.marks] == [0.5, 0.5]
    assert pair.swayed == 5 and pair.cost > 0 and "the order alone decided" in pair.render()
    assert judged(files[:1], first_is_better).marks[0].factual_accuracy == 1.0


def test_a_judge_needs_a_model_and_one_question(birds: Path, tmp_path: Path) -> None:
    files = exported(birds, tmp_path / "runs", "What does the grey heron eat?", "How tall is the grey heron?")
    with pytest.raises(InvalidInput, match="two of the same question"):
        judged(files, honest)
    with pytest.raises(InvalidInput, match="--model"):
        asyncio.run(judge(read_runs(files[:1]), Settings(agents="extractive"), {}))
