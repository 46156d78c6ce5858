"""Advice: crew or one agent, how many, how strict, for the prices of a world."""

import json

import pytest

from research_crew import InvalidInput, World
from research_crew.agents.scripted.world import Prices
from research_crew.measure.advise import advise
from research_crew.measure.calibrated import Calibrated
from research_crew.measure.exact import exact_crew, exact_solo


@pytest.mark.parametrize("worth", [0.5, 2.0, 3.0, 4.0, 6.0, 20.0, 200.0])
@pytest.mark.parametrize("harm", [0.0, 1.0, 3.0])
def test_no_other_crew_or_agent_is_better_than_the_advice(worth: float, harm: float) -> None:
    world = World(failure_rate=0.1)
    best = advise(world, worth=worth, harm=harm, most=8, needs="any").best

    def net(found: float, bogus: float, cost: float) -> float:
        return worth * (found - harm * bogus) - cost

    others = [exact_solo(world, p) for p in range(1, 9)]
    for n in range(1, 9):
        others += [exact_crew(world.but(critic_strictness=s / 10), n, "any", precise=False) for s in range(11)]
    most = max(0.0, *(net(e.found, e.bogus, e.cost) for e in others))
    mine = 0.0 if best is None else net(best.expected.found, best.expected.bogus, best.expected.cost)
    assert mine == pytest.approx(most)


def test_the_advice_for_the_published_prices() -> None:
    advice = advise(World(), worth=2)
    assert advice.best is not None and advice.best.name == "one agent"
    assert "a crew is the better buy when a fact is worth more than 3.35." in advice.sentences
    assert advise(World(), worth=1).sentences[0] == "at 1 per fact: nothing: no answer is worth its price."


def test_a_dear_agent_alone_makes_the_crew_the_better_buy_from_the_start() -> None:
    advice = advise(World(prices=Prices(solo=40, further=30)))
    assert advice.steps[0].choice.researchers > 0


def test_without_inventions_the_critic_only_does_harm_and_one_agent_is_enough() -> None:
    advice = advise(World(hallucination_rate=0))
    assert advice.crew_at is None
    assert advice.sentences == ("one agent is the better buy at every worth of a fact.",)


def test_every_choice_is_as_precise_as_was_asked() -> None:
    advice = advise(World(), precision=0.8)
    assert advice.steps
    assert all(s.choice.expected.prec is not None and s.choice.expected.prec >= 0.8 for s in advice.steps)
    nothing = advise(World(recall=0.01, hallucination_rate=0.9), precision=0.99)
    assert nothing.sentences == ("nothing reaches a precision of 0.99 in this world.",)


def test_a_precision_between_is_bought_with_just_enough_strictness_when_facts_count_most() -> None:
    advice = advise(World(), precision=0.75, harm=0, most=4)
    last = advice.steps[-1].choice
    assert 0 < last.strictness < 1
    assert last.expected.prec == pytest.approx(0.75, abs=1e-6)


def test_uncertain_dials_make_the_advice_uncertain() -> None:
    known = Calibrated(World(), {"recall": (0.2, 0.5), "hallucination_rate": (0.05, 0.25)})
    advice = advise(known, worth=3.35)
    assert advice.sure is not None and 0.2 < advice.sure < 0.9
    assert advice.crew_from is not None and advice.crew_from[0] < 3.35 < advice.crew_from[1]
    assert any("(95 %)" in s for s in advice.sentences)
    narrow = advise(Calibrated(World(), {"recall": (0.349, 0.351)}), worth=2)
    assert narrow.sure == 1


def test_the_advice_as_table_and_json() -> None:
    advice = advise(World(), worth=5)
    rows = advice.render().splitlines()
    assert rows[0].split() == ["a", "fact", "is", "worth", "best", "found", "bogus", "prec", "cost", "found/cost"]
    record = json.loads(json.dumps(advice.to_json()))
    assert record["schema"] == "research-crew/advice/1"
    assert record["steps"][0]["passes"] == 1
    assert record["crew_at"] == pytest.approx(3.35, abs=0.01)


@pytest.mark.parametrize(
    ("option", "named"),
    [({"worth": -1}, "--worth"), ({"worth": float("nan")}, "--worth"), ({"harm": float("inf")}, "--harm"),
     ({"precision": 2}, "--precision"), ({"most": 0}, "-n"), ({"most": 1000}, "-n")],
)  # fmt: skip
def test_impossible_questions_are_refused(option: dict[str, float], named: str) -> None:
    with pytest.raises(InvalidInput, match=named):
        advise(World(), **option)  # type: ignore[arg-type]
