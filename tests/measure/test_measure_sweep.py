"""Sweeps: tables, marginal facts, the price of precision, CSV and curves."""

import csv
import io
import xml.etree.ElementTree as ET

import pytest

from research_crew import InvalidInput, World
from research_crew.measure.charts import Line, Panel, chart, ticks
from research_crew.measure.exact import exact_crew
from research_crew.measure.sweep import VALUES, sweep

SVG = "{http://www.w3.org/2000/svg}"


def test_the_next_facts_per_cost_stand_beside_each_crew() -> None:
    swept = sweep("researchers", seeds=2)
    a, b = exact_crew(World(), 2), exact_crew(World(), 3)
    assert swept.marginal[1] == pytest.approx((b.found - a.found) / 3)
    lines = swept.render().splitlines()
    assert lines[0].endswith("next facts/cost")
    assert lines[3].endswith("0.517") or lines[3].endswith("0.518")
    assert len({len(line) for line in lines[:7]}) == 1
    assert swept.to_json()["marginal"] == list(swept.marginal)


def test_the_price_of_the_points_of_precision_is_one_sentence() -> None:
    assert sweep("strictness", seeds=2).solved[1] == (
        "precision moves by +32.9 points and found by -2.46: a point of precision costs 0.075 facts."
    )
    free = sweep("strictness", seeds=2, world=World(collateral=0))
    assert len(free.solved) == 2 and "+0.00" in free.solved[1]


@pytest.mark.parametrize("over", list(VALUES))
def test_every_sweep_is_drawn(over: str) -> None:
    swept = sweep(over, seeds=3, world=World(failure_rate=0.1))
    root = ET.fromstring(swept.to_svg())
    titles = [t.text for t in root.iter(f"{SVG}text") if t.get("class") == "t"]
    second = "tasks not ok" if over == "failures" else "bogus claims"
    assert titles == ["true facts found", second, "precision", "facts per unit of cost"]
    curves = list(root.iter(f"{SVG}path"))
    assert len(curves) == 4 * (3 if over == "failures" else 2)
    dots = list(root.iter(f"{SVG}circle"))
    assert len(dots) >= 3 * len(VALUES[over])
    assert '"nan' not in swept.to_svg()


def test_the_csv_has_a_line_per_value_and_arm() -> None:
    rows = list(csv.DictReader(io.StringIO(sweep("failures", seeds=2).to_csv())))
    assert len(rows) == 6 * 2 * 2
    assert {row["needs"] for row in rows} == {"all", "any"}
    assert float(rows[0]["exact_found"]) == pytest.approx(exact_crew(World()).found, abs=1e-6)


@pytest.mark.parametrize(("over", "values"), [("sideways", None), ("researchers", (2.5,)), ("recall", (1.5,)), ("failures", (float("nan"),))])
def test_an_impossible_sweep_is_refused(over: str, values: tuple[float, ...] | None) -> None:
    with pytest.raises(InvalidInput):
        sweep(over, seeds=1, values=values)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0, 10, [0, 2, 4, 6, 8, 10]), (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]), (1, 16, [5, 10, 15]), (3, 3, [3])],
)
def test_ticks_are_round(low: float, high: float, expected: list[float]) -> None:
    assert ticks(low, high) == expected


def test_a_chart_says_what_it_shows_and_hides_no_markup() -> None:
    text = chart("a < b & c", [Panel("<p>", "x", [Line('"q"', [(0, 0), (1, 0)])])])
    root = ET.fromstring(text)
    assert root.get("role") == "img" and root.get("aria-label") == "a < b & c"
    assert next(t.text for t in root.iter(f"{SVG}text")) == "<p>"


def test_a_higher_value_is_drawn_higher_and_an_interval_goes_both_ways() -> None:
    root = ET.fromstring(chart("t", [Panel("p", "x", [Line("l", [(0, 1), (1, 3)], [(0.5, 2, 0.5)])])]))
    path = next(root.iter(f"{SVG}path")).get("d") or ""
    (_, first), (_, last) = (map(float, point.split(",")) for point in path[1:].split("L"))
    assert last < first
    bar = next(line for line in root.iter(f"{SVG}line") if line.get("class") == "s0")
    middle = float(next(root.iter(f"{SVG}circle")).get("cy") or 0)
    assert float(bar.get("y2") or 0) < middle < float(bar.get("y1") or 0)
