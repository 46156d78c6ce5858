"""The offline page computes the same numbers as the closed forms, in a real browser and in a bare JavaScript engine."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from research_crew import InvalidInput, World
from research_crew.agents.scripted.world import Prices
from research_crew.measure.exact import Expected, break_even, exact_crew, exact_solo
from research_crew.measure.exact_equal import exact_solo_equal, exact_union_equal
from research_crew.measure.explore import explore_html, write_explore
from research_crew.measure.sweep import VALUES, sweep

COLUMNS = ("found", "bogus", "prec", "cost", "fails", "found_per_cost")
BROWSER = next((b for b in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if b), None)
NODE = shutil.which("node")
needs_browser = pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")
needs_node = pytest.mark.skipif(NODE is None, reason="no node on this machine")


class Figures(HTMLParser):
    """The figures of a table by row and column, as the page computed them."""

    def __init__(self, table: str) -> None:
        super().__init__()
        self.rows: dict[str, dict[str, float | None]] = {}
        self._table, self._inside, self._row = table, False, ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "table":
            self._inside = given.get("id") == self._table
        elif self._inside and tag == "tr" and "data-row" in given:
            self._row = given["data-row"] or ""
            self.rows[self._row] = {}
        elif self._inside and tag == "td" and "data-column" in given:
            value = given["data-value"]
            self.rows[self._row][given["data-column"] or ""] = float(value) if value else None


def figures(dom: str, table: str) -> dict[str, dict[str, float | None]]:
    parser = Figures(table)
    parser.feed(dom)
    return parser.rows


def opened(page: str, dials: str, folder: Path) -> str:
    """The document after its scripts ran in the browser."""
    assert BROWSER is not None
    file = folder / "world.html"
    file.write_text(page, encoding="utf-8")
    command = [
        BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}", "--dump-dom",
        f"{file.as_uri()}#{dials}",
    ]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout


def same(row: dict[str, float | None], exact: Expected) -> None:
    for column in COLUMNS:
        expected = getattr(exact, column)
        assert row[column] == (None if expected is None else pytest.approx(expected, rel=1e-9, abs=1e-12)), column


def worlds() -> Iterator[tuple[str, World, int, str, bool]]:
    yield "", World(), 4, "all", True
    yield "failure_rate=0.25&needs=any&n=3", World(failure_rate=0.25), 3, "any", True
    dear = World(0.6, 0.3, 0.1, 0.8, 0.7, 0.4, 20, Prices(plan=1.5, solo=6, further=2.5))
    dials = "recall=0.6&hallucination_rate=0.3&failure_rate=0.1&critic_strictness=0.8&catch=0.7&collateral=0.4&n_facts=20"
    yield f"{dials}&plan=1.5&solo=6&further=2.5&n=5&repeats=false", dear, 5, "all", False
    yield "recall=0&hallucination_rate=0", World(recall=0, hallucination_rate=0), 4, "all", True


@needs_browser
@pytest.mark.parametrize(("dials", "world", "n", "needs", "repeats"), list(worlds()))
def test_the_browser_shows_the_exact_figures(
    tmp_path: Path, dials: str, world: World, n: int, needs: str, repeats: bool
) -> None:
    rows = figures(opened(explore_html(), dials, tmp_path), "arms")
    assert list(rows) == ["crew", "solo", "solo=", "union="]
    same(rows["crew"], exact_crew(world, n, needs))
    same(rows["solo"], exact_solo(world))
    same(rows["solo="], exact_solo_equal(world, n, needs, repeats))
    same(rows["union="], exact_union_equal(world, n, needs))


@needs_browser
@pytest.mark.parametrize("over", list(VALUES))
def test_every_sweep_of_the_browser_has_the_exact_figures(tmp_path: Path, over: str) -> None:
    dom = opened(explore_html(), f"over={over}", tmp_path)
    rows = figures(dom, "sweep")
    points = sweep(over, seeds=1).points
    assert len(rows) == 2 * len(points)
    for p in points:
        same(rows[f"{p.value:g} {p.rule} crew"], p.crew.exact)
        same(rows[f"{p.value:g} {p.rule} solo"], p.solo.exact)
    assert dom.count("<svg") == 4 and "NaN" not in dom


@needs_browser
def test_moving_a_slider_changes_the_table_and_the_sentences(tmp_path: Path) -> None:
    move = (
        "<script>const slider = document.querySelector('input[name=critic_strictness]');"
        "slider.value = '1'; slider.dispatchEvent(new Event('input'));</script></body>"
    )
    dom = opened(explore_html().replace("</body>", move), "", tmp_path)
    same(figures(dom, "arms")["crew"], exact_crew(World(critic_strictness=1), 4))
    assert "the crew found 1.76x as much and cost 4.50x as much." in dom
    assert "(found - bogus, margin 0.25): crew; 2.74 against solo=, 4.54 against union=." in dom
    assert f"break-even strictness: {break_even(World()):.3f}." in dom
    assert "efficiency peak: 3 researchers" in dom


@needs_node
def test_the_script_alone_agrees_over_a_grid() -> None:
    script = explore_html(World(failure_rate=0.2)).split("<script>")[1].split("</script>")[0]
    grid = [(n, f, needs) for n in (1, 2, 9) for f in (0.0, 0.2, 0.5) for needs in ("all", "any")]
    ask = (
        f"\nconst out = [];for (const [n, f, needs] of {json.dumps(grid)})"
        "{const w = {...SETUP.state.world, failure_rate: f};"
        "out.push([exactCrew(w, n, needs), exactSoloEqual(w, n, needs, true), exactUnionEqual(w, n, needs)]);}"
        "\nconsole.log(JSON.stringify(out));"
    )
    assert NODE is not None
    done = subprocess.run([NODE, "-"], input=script + ask, capture_output=True, text=True, check=True, timeout=60)
    for (n, f, needs), arms in zip(grid, json.loads(done.stdout), strict=True):
        world = World(failure_rate=f)
        for arm, exact in zip(arms, (exact_crew(world, n, needs), exact_solo_equal(world, n, needs), exact_union_equal(world, n, needs)), strict=True):
            same(arm, exact)


def test_the_page_is_one_file_that_loads_and_sends_nothing() -> None:
    page = explore_html()
    assert not re.search(r"""(?:src|href)=|url\(|@import|fetch\(|XMLHttpRequest|https?://(?!www\.w3\.org/2000/svg)""", page)
    assert "default-src 'none'" in page
    assert len(page) < 40_000


def test_the_page_starts_with_the_world_it_was_made_for(tmp_path: Path) -> None:
    write_explore(tmp_path / "w.html", World(recall=0.61), 7, "any")
    text = (tmp_path / "w.html").read_text(encoding="utf-8")
    state = json.loads(re.findall(r"const SETUP = (.*);\n", text)[0])["state"]
    assert (state["world"]["recall"], state["n"], state["needs"]) == (0.61, 7, "any")


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=re.escape(str(tmp_path))):
        write_explore(tmp_path)
