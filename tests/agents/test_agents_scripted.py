"""The scripted world: its truth, its chances, and that order changes nothing."""

import itertools
import math

import pytest

from research_crew import AgentFailure, InvalidInput, ScriptedAgent, World, research_crew, run, score, solo_crew
from research_crew.agents.scripted.agent import Reported, close_books
from research_crew.agents.scripted.draws import draw, key


def researched(result: object) -> dict[str, frozenset[int]]:
    return {t.id: frozenset(t.output.claims) for t in result.results if t.role == "researcher"}  # type: ignore[attr-defined]


def test_a_seed_gives_the_same_crew_every_time() -> None:
    first = run(research_crew("q"), ScriptedAgent(7), budget=10_000)
    again = run(research_crew("q"), ScriptedAgent(7), budget=10_000)
    assert [(t.id, t.state, t.output) for t in first.results] == [(t.id, t.state, t.output) for t in again.results]
    assert first.spent == 18


def test_another_researcher_changes_nobody_elses_draws_nor_the_verdict_on_an_old_claim() -> None:
    four = run(research_crew("q", 4), ScriptedAgent(3), budget=10_000)
    five = run(research_crew("q", 5), ScriptedAgent(3), budget=10_000)
    assert researched(four) == {k: v for k, v in researched(five).items() if k != "research:4"}
    known = frozenset().union(*researched(four).values())
    assert set(four["critique"].output.claims) == set(five["critique"].output.claims) & known  # type: ignore[attr-defined]


def test_inventions_of_different_researchers_never_coincide() -> None:
    world = World(recall=0, hallucination_rate=1, critic_strictness=0)
    result = run(research_crew("q", 6), ScriptedAgent(1, world=world), budget=10_000)
    assert score(ScriptedAgent(1, world=world).answer(result), world.facts).bogus == 12 * 6


def test_a_critic_that_is_strict_also_loses_true_facts() -> None:
    world = World(recall=1, hallucination_rate=0, critic_strictness=0.5)
    lost = 0
    for seed in range(200):
        result = run(research_crew("q", 2), ScriptedAgent(seed, world=world), budget=10_000, inline=True)
        lost += 12 - len(result["edit"].output.claims)  # type: ignore[attr-defined]
    assert abs(lost / (200 * 12) - 0.125) < 4.5 * math.sqrt(0.125 * 0.875 / 2400)


def test_a_critic_of_strictness_0_cuts_nothing() -> None:
    world = World(critic_strictness=0)
    result = run(research_crew("q", 4), ScriptedAgent(5, world=world), budget=10_000)
    said = frozenset().union(*researched(result).values())
    assert set(result["edit"].output.claims) == said  # type: ignore[attr-defined]


def test_a_failure_names_role_and_task_and_is_paid_for_twice() -> None:
    result = run(research_crew("q", 1), ScriptedAgent(1, failure_rate=1), budget=10_000)
    plan = result["plan"]
    assert plan.cost == 4
    assert (plan.state, plan.attempts, plan.reason) == ("failed", 2, "planner failed on plan")
    assert [t.state for t in result.results[1:]] == ["skipped"] * 3


def test_the_books_add_up_and_say_where_every_claim_ended() -> None:
    agent = ScriptedAgent(11)
    result = run(research_crew("q", 4), agent, budget=10_000)
    close_books(result.books, result)
    counts = result.books.claims.counts()
    candidates = sum(len(c) for c in researched(result).values())
    assert len(result.books.claims) == candidates == sum(counts.values())
    assert counts["kept"] == len(agent.answer(result))
    assert counts["duplicate"] > 0
    assert counts["cut-by-critic"] > 0


def test_without_a_final_answer_every_claim_is_stranded() -> None:
    def no_editor(seed: int) -> ScriptedAgent:
        agent = ScriptedAgent(seed)

        class Failing(ScriptedAgent):
            async def __call__(self, task, ctx):  # type: ignore[no-untyped-def]
                if task.role == "editor":
                    raise AgentFailure("editor failed on edit")
                return await super().__call__(task, ctx)

        return Failing(seed, world=agent.world)

    result = run(research_crew("q", 3), no_editor(2), budget=10_000)
    close_books(result.books, result)
    counts = result.books.claims.counts()
    assert counts["kept"] == 0
    assert counts["stranded"] > 0
    assert no_editor(2).answer(result) == frozenset()


def test_one_agent_alone_is_one_task_of_4_without_a_critic() -> None:
    agent = ScriptedAgent(9)
    result = run(solo_crew("q"), agent, budget=10_000)
    assert len(result.results) == 1
    assert result.spent == 4
    assert isinstance(result["solo"].output, Reported)


@pytest.mark.parametrize("dial", ["recall", "hallucination_rate", "failure_rate", "critic_strictness"])
@pytest.mark.parametrize("value", [float("nan"), -0.1, 1.1, float("inf"), True])
def test_a_dial_out_of_range_is_named(dial: str, value: float) -> None:
    with pytest.raises(InvalidInput, match="--" + dial.replace("_", "-")):
        World(**{dial: value})  # type: ignore[arg-type]


def test_draws_are_uniform_and_independent_of_their_neighbours() -> None:
    base = key(1, "x")
    values = [draw(base, i) for i in range(20_000)]
    mean = sum(values) / len(values)
    assert abs(mean - 0.5) < 4.5 * math.sqrt(1 / 12 / len(values))
    pairs = sum((a - 0.5) * (b - 0.5) for a, b in itertools.pairwise(values)) / len(values)
    assert abs(pairs) < 4.5 / 12 / math.sqrt(len(values))
    assert len({key(s, "research:0", a) for s in range(1000) for a in (1, 2)}) == 2000
