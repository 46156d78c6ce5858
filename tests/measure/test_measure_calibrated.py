"""World files: written, read back, refused when they are wrong."""

import json
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_crew import InvalidInput, World
from research_crew.agents.scripted.world import Prices
from research_crew.measure.calibrated import SCHEMA, Calibrated, load_world

chance = st.floats(0, 1)


@given(chance, chance, chance, chance, chance, chance, st.integers(1, 500), st.floats(0.001, 1e6), st.integers(0, 99))
def test_a_world_written_and_read_back_is_equal(
    tmp_path_factory: pytest.TempPathFactory, r: float, h: float, f: float, s: float, c: float, k: float, n: int,
    price: float, runs: int,
) -> None:  # fmt: skip
    file = tmp_path_factory.mktemp("worlds") / "w.json"
    world = World(r, h, f, s, c, k, n, Prices(solo=price, further=2))
    known = Calibrated(world, {"recall": (r / 2, (1 + r) / 2)}, runs, "répétés")
    known.save(file)
    assert load_world(file) == known


def test_what_is_left_out_has_its_default(tmp_path: Path) -> None:
    file = tmp_path / "w.json"
    file.write_text(json.dumps({"schema": SCHEMA, "dials": {"recall": 0.5}}))
    assert load_world(file) == Calibrated(World(recall=0.5))


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("{", "no JSON"),
        ("[]", "schema"),
        ('{"schema": "other/1"}', "research-crew/world/1"),
        ('{"schema": "research-crew/world/1", "dials": {"recal": 0.5}}', "recal"),
        ('{"schema": "research-crew/world/1", "dials": {"recall": 1.5}}', "--recall"),
        ('{"schema": "research-crew/world/1", "dials": {"recall": "x"}}', "--recall"),
        ('{"schema": "research-crew/world/1", "dials": {"recall": NaN}}', "--recall"),
        ('{"schema": "research-crew/world/1", "dials": []}', "dials"),
        ('{"schema": "research-crew/world/1", "prices": {"plan": -1}}', "price of plan"),
        ('{"schema": "research-crew/world/1", "intervals": {"recall": [0.5, 0.6]}}', "interval of recall"),
        ('{"schema": "research-crew/world/1", "intervals": {"recall": 3}}', "interval of recall"),
        ('{"schema": "research-crew/world/1", "intervals": {"n_facts": [0, 1]}}', "n_facts"),
        ('{"schema": "research-crew/world/1", "runs": -1}', "runs"),
    ],
)
def test_a_wrong_file_is_refused_by_what_is_wrong(tmp_path: Path, content: str, named: str) -> None:
    file = tmp_path / "w.json"
    file.write_text(content)
    with pytest.raises(InvalidInput, match=named):
        load_world(file)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"gone\.json"):
        load_world(tmp_path / "gone.json")


def test_worlds_drawn_from_the_intervals_lie_around_the_measured_dials() -> None:
    known = Calibrated(World(recall=0.5), {"recall": (0.4, 0.6)})
    rng = Random(1)
    drawn = [known.drawn(rng).recall for _ in range(2000)]
    assert sum(drawn) / 2000 == pytest.approx(0.5, abs=0.006)
    assert sum(0.4 <= r <= 0.6 for r in drawn) / 2000 == pytest.approx(0.95, abs=0.025)
    assert {known.drawn(rng).hallucination_rate for _ in range(5)} == {0.15}
