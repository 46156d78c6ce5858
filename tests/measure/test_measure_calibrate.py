"""Dials are measured from answers, run records and canaries; the world round-trips; a critic's error has an interval."""

import asyncio
import json
from pathlib import Path
from random import Random

import pytest

from research_crew import Crew, InvalidInput, World
from research_crew.agents.scripted.agent import ScriptedAgent
from research_crew.core.crews import solo_crew
from research_crew.core.runner import run
from research_crew.evidence.canary import make_canaries
from research_crew.interfaces.cli.app import main
from research_crew.measure.answers import Answered, Spent
from research_crew.measure.calibrate import calibrate
from research_crew.measure.calibrated import load_world
from research_crew.measure.critic_rates import CriticRates, measure_critic, through_critic
from research_crew.measure.rates import Rate
from research_crew.measure.run_files import read_runs, supported_claims
from research_crew.measure.score import score
from research_crew.settings import Settings

TRUTH = World(recall=0.6, hallucination_rate=0.1)


def solo_answers(count: int) -> list[Answered]:
    """Scripted agents alone, as answers of a comparison."""
    answers = []
    for seed in range(count):
        agent = ScriptedAgent(seed, world=TRUTH)
        result = run(solo_crew("q"), agent)
        came = score(agent.answer(result), TRUTH.facts)
        answers.append(Answered(f"q{seed}", "solo", came.found, came.bogus, 0, 12, Spent(float(result.spent))))
    return answers


def test_the_dials_of_a_known_world_are_found_again() -> None:
    world = calibrate(solo_answers(150))
    for dial in ("recall", "hallucination_rate"):
        low, high = world.intervals[dial]
        assert low <= getattr(TRUTH, dial) <= high and high - low < 0.1, dial
    assert world.world.n_facts == 12 and world.world.prices.solo == 4


def test_a_world_written_and_read_back_is_the_same(tmp_path: Path) -> None:
    world = calibrate(solo_answers(30), source="thirty agents")
    world.save(tmp_path / "w.json")
    assert load_world(tmp_path / "w.json") == world


def test_alike_facts_of_one_question_widen_the_interval() -> None:
    clumped = [Answered(f"q{n}", "solo", 10 * (n % 2), 0, 0, 10, Spent(1.0)) for n in range(40)]
    spread = [Answered(f"q{n}", "solo", 5, 0, 0, 10, Spent(1.0)) for n in range(40)]

    def width(some: list[Answered]) -> float:
        low, high = calibrate(some).intervals["recall"]
        return high - low

    assert width(clumped) > 2.5 * width(spread)


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """Exported runs of the embedded agents over pages full of figures and names."""
    papers, folder = tmp_path / "papers", tmp_path / "runs"
    papers.mkdir()
    folder.mkdir()
    for town, year, people in (("Ardale", 1871, 5200), ("Borough", 1902, 81000), ("Culmore", 1755, 930), ("Dunholm", 1640, 12400)):
        (papers / f"{town}.txt").write_text(
            f"{town} was founded in {year} by the merchant Anna {town}son. {town} has {people} inhabitants. "
            f"The bridge of {town} is {people // 100} metres long and was opened in {year + 40}. "
            f"The market of {town} was moved to the northern quarter in {year + 60}. {town} exports wool and salt."
        )
    crew = Crew(docs=str(papers), agents="extractive", strictness=0.0)
    for town in ("Ardale", "Borough", "Culmore", "Dunholm"):
        result = crew.run(f"When was {town} founded, and how many inhabitants does {town} have?")
        (folder / f"{town}.json").write_text(result.json())
    return folder


def test_prices_and_failures_come_from_run_records(records: Path) -> None:
    runs = read_runs([records])
    world = calibrate(records=runs).world
    cost = [sum(float(t["cost"]) for t in r["tasks"] if t["role"] == "researcher") for r in runs]
    researchers = sum(t["role"] == "researcher" for r in runs for t in r["tasks"])
    assert world.prices.plan == 1 and world.failure_rate == 0
    assert world.prices.research == pytest.approx(sum(cost) / researchers)


def test_canaries_never_stand_beside_their_originals_and_are_billed_apart(records: Path) -> None:
    runs = read_runs([records])
    for run_ in runs:
        claims = supported_claims(run_)
        made = make_canaries(claims, 8, Random(1))
        assert len({c.origin for c in made}) == len(made)
        false = {c.claim.text for c in made if not c.true}
        assert not false & {c.text for c in claims}
    settings = Settings(docs=str(records.parent / "papers"), agents="extractive", strictness=1.0)
    rates = asyncio.run(measure_critic(runs, settings, {}, most=8, seed=1))
    assert rates.catch.trials + rates.collateral.trials > 10
    assert rates.cost == len(runs) and rates.currency == "credits"


def test_few_canaries_give_no_rate_and_many_correct_the_precision() -> None:
    few = CriticRates(0.5, Rate(10, 20), Rate(2, 29))
    assert not few.enough and few.corrected_precision(100, 80) is None and "at least 30" in few.sentences[0]
    many = CriticRates(1.0, Rate(90, 100), Rate(10, 100))
    assert many.corrected_precision(100, 58) == pytest.approx(0.6 * 0.9 / 0.58)
    assert many.worth(true=60, false=40, price=5, fact=1) == pytest.approx(36 - 6 - 5)
    blind = CriticRates(0.5, Rate(30, 100), Rate(35, 100))
    assert any("drop the critic: it does not tell" in s for s in blind.sentences)


def test_claims_before_and_after_the_critic_are_counted_from_the_books(records: Path) -> None:
    runs = read_runs([records])
    before, kept = through_critic(runs)
    assert before == kept + sum(c["state"] == "cut-by-critic" for r in runs for c in r["claims"]) > 0
    assert kept >= sum(len(r["report"]["claims"]) for r in runs)


def test_the_command_writes_a_world_that_every_sweep_takes(
    records: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "w.json"
    words = ["calibrate", str(records), "--to", str(target), "--canaries", "--docs", str(records.parent / "papers")]
    assert main([*words, "--agents", "extractive"]) == 0
    out = capsys.readouterr().out
    assert "(default, not measured)" in out and f"written: {target}" in out and "canaries of one kind" in out
    assert main(["advise", "--world", str(target), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["world"]["prices"]["plan"] == 1


def test_nothing_to_measure_from_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InvalidInput, match="no runs"):
        calibrate()
    (tmp_path / "x.json").write_text("{}")
    assert main(["calibrate", str(tmp_path / "x.json"), "--to", str(tmp_path / "w.json")]) == 2
    assert "--export DIR" in capsys.readouterr().err
