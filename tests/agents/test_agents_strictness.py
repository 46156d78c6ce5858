"""Strictness 0 to 1 changes what is cut, monotonically, whatever a model grades."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from brains import honest, role_of
from crew_on_loopback import ask, birds_in
from hypothesis import given, settings
from hypothesis import strategies as st

from research_crew.agents.model.critic import cut
from research_crew.evidence.claim import Claim
from research_crew.models.fake_shapes import Asked, Said

DOUBTS = st.lists(st.integers(0, 10), min_size=1, max_size=30)
SHARE = st.floats(0, 1)


def claims_of(doubts: list[int]) -> tuple[dict[str, Claim], dict[str, tuple[int, str]]]:
    labels = {f"c{n}": Claim(f"Claim {n}.", f"Claim {n}.", 1, id=f"research:0/1/{n}") for n, _ in enumerate(doubts, 1)}
    return labels, {f"c{n}": (doubt, "so so") for n, doubt in enumerate(doubts, 1)}


@settings(deadline=None)
@given(DOUBTS, SHARE, SHARE)
def test_a_stricter_critic_cuts_what_a_milder_one_cuts_and_maybe_more(doubts: list[int], one: float, other: float) -> None:
    labels, graded = claims_of(doubts)
    mild, strict = (cut(labels, graded, strictness) for strictness in sorted((one, other)))
    assert {c.claim for c in mild[1]} <= {c.claim for c in strict[1]}
    assert {c.id for c in strict[0]} <= {c.id for c in mild[0]}
    for kept, cuts in (mild, strict):
        assert sorted([c.id for c in kept] + [c.claim for c in cuts]) == sorted(c.id for c in labels.values())


@settings(deadline=None)
@given(DOUBTS)
def test_at_0_nothing_is_cut_and_at_1_all_that_was_doubted(doubts: list[int]) -> None:
    labels, graded = claims_of(doubts)
    assert cut(labels, graded, 0.0)[1] == []
    assert len(cut(labels, graded, 1.0)[1]) == sum(doubt > 0 for doubt in doubts)
    assert all(c.reason for c in cut(labels, graded, 1.0)[1])


@pytest.mark.parametrize("grades", [[0, 3, 5, 7], [10, 9, 8, 1], [2, 2, 2, 2]])
def test_in_a_whole_run_every_step_cuts_a_superset(tmp_path: Path, grades: list[int]) -> None:
    birds = birds_in(tmp_path / "birds")

    def grading(asked: Asked) -> Said:
        if role_of(asked) != "critic":
            return honest(asked)
        labels = json.loads(honest(asked).text)["claims"]
        return Said(json.dumps({"claims": [{**c, "doubt": grades[n % 4]} for n, c in enumerate(labels)]}))

    cuts = []
    for strictness in (0.0, 0.25, 0.5, 0.75, 1.0):
        result, _ = ask(birds, grading, strictness=strictness)
        cuts.append({d.text for d in result.dropped if d.state == "cut-by-critic"})
        assert all(d.reason for d in result.dropped if d.state == "cut-by-critic")
    assert all(milder <= stricter for milder, stricter in pairwise(cuts))
    assert cuts[0] == set()
    assert cuts[-1]
