"""The comparison at equal money: its table, its sentences, its verdict."""

import json

import pytest

from research_crew import InvalidInput, World
from research_crew.measure.compare import HEADER, compare_scripted


def test_without_arms_at_equal_money_there_is_no_verdict() -> None:
    comparison = compare_scripted(10)
    assert comparison.verdict is None
    assert len(comparison.sentences) == 2
    record = comparison.to_json()
    assert (record["verdict"], record["margin"], record["differences"]) == (None, None, None)


def test_the_table_at_equal_money() -> None:
    lines = compare_scripted(60, equal_money=True).render().splitlines()
    assert lines[0].strip() == HEADER
    assert [line.split()[0] for line in lines[2:6]] == ["crew", "solo", "solo=", "union="]
    assert lines[4] == "solo=   10.70   6.55  0.63  16.0   0.00       0.669"
    assert "solo= could not spend 11.1% of the crew's bill." in lines
    verdict = next(line for line in lines if line.startswith("verdict"))
    assert verdict.startswith("verdict at equal money (found - bogus, margin 0.25): cannot tell; ")
    assert "against solo=" in verdict and "against union=" in verdict
    assert [line.split()[0] for line in lines[-4:]] == ["crew", "solo", "solo=", "union="]


def test_a_strict_critic_makes_the_crew_win_and_costless_inventions_one_agent() -> None:
    strict = compare_scripted(200, World(critic_strictness=1), equal_money=True)
    assert strict.verdict is not None and strict.verdict.winner == "crew"
    honest = compare_scripted(200, World(hallucination_rate=0, critic_strictness=1), equal_money=True)
    assert honest.verdict is not None and honest.verdict.winner == "one agent"
    assert "the crew found" in honest.sentences[0]


def test_the_comparison_at_equal_money_as_json() -> None:
    record = json.loads(json.dumps(compare_scripted(20, equal_money=True, margin=0.5).to_json()))
    assert (record["schema"], record["margin"]) == ("research-crew/comparison/1", 0.5)
    assert record["verdict"] in ("crew", "one agent", "cannot tell")
    arms = {arm["name"]: arm for arm in record["arms"]}
    assert arms["solo="]["budget_used"] == pytest.approx(16 / 18)
    assert arms["crew"]["budget_used"] is None
    assert 0.8 < arms["union="]["budget_used"] < 1.2
    assert record["differences"]["solo="]["questions"] == 20
    low, high = record["differences"]["union="]["interval"]
    assert low < record["differences"]["union="]["mean"] < high


def test_a_negative_margin_is_refused() -> None:
    with pytest.raises(InvalidInput, match="--margin"):
        compare_scripted(8, equal_money=True, margin=-1)
