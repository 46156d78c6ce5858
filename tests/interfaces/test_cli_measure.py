"""sweep, sample, explore, advise and the equal-money comparison as a person types them."""

import json
import re
from pathlib import Path

import pytest

from research_crew import World
from research_crew.interfaces.cli.app import main
from research_crew.measure.exact import exact_crew


def out_of(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def world_file(folder: Path) -> Path:
    file = folder / "mine.json"
    dials = {"recall": 0.6, "critic_strictness": 0.9}
    file.write_text(
        json.dumps({"schema": "research-crew/world/1", "dials": dials, "intervals": {"recall": [0.5, 0.7]}})
    )
    return file


def test_the_equal_money_comparison_has_four_arms_and_a_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = out_of(capsys, "--compare", "--equal-money", "--seeds", "60", "--margin", "0.1")
    lines = out.splitlines()
    assert code == 0
    assert [line.split()[0] for line in lines[2:6]] == ["crew", "solo", "solo=", "union="]
    assert "solo= could not spend 11.1% of the crew's bill." in lines
    assert re.search(r"verdict at equal money \(found - bogus, margin 0\.1\): cannot tell; .* About \d+ questions", out)


def test_a_margin_without_a_verdict_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = out_of(capsys, "--compare", "--margin", "0.1")
    assert code == 2 and "--equal-money" in err


def test_sweeps_run_on_a_world_of_ones_own(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = str(world_file(tmp_path))
    code, out, _ = out_of(capsys, "sweep", "researchers", "--values", "2,3", "--seeds", "5", "--world", file, "--json")
    record = json.loads(out)
    assert code == 0 and record["sweep"]["values"] == [2, 3]
    world = World(recall=0.6, critic_strictness=0.9)
    assert [c["arms"][0]["exact"]["found"] for c in record["comparisons"]] == [
        pytest.approx(exact_crew(world, n).found) for n in (2, 3)
    ]
    _, out, _ = out_of(capsys, "--compare", "--seeds", "3", "--world", file, "--recall", "0.2", "--json")
    assert (json.loads(out)["world"]["recall"], json.loads(out)["world"]["critic_strictness"]) == (0.2, 0.9)


def test_a_sweep_as_csv_and_svg(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = out_of(capsys, "sweep", "recall", "--seeds", "3", "--csv")
    assert out.splitlines()[0].startswith("recall,needs,arm,found,") and len(out.splitlines()) == 13
    _, out, _ = out_of(capsys, "sweep", "recall", "--seeds", "3", "--svg")
    assert out.startswith("<svg ") and out.count('class="t"') == 4


@pytest.mark.parametrize("words", [("sweep", "recall", "--values", "a,b"), ("sweep", "recall", "--world", "nowhere.json")])
def test_bad_values_and_worlds_are_named(capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    code, _, err = out_of(capsys, *words)
    assert code == 2 and words[-1] in err and "Traceback" not in err


def test_sampled_crews_lie_near_the_exact_values(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("numpy", reason="numpy is missing (extra sim)")
    code, out, _ = out_of(capsys, "sample", "--crews", "50000", "--failure-rate", "0.2", "--json")
    record = json.loads(out)
    assert code == 0 and [arm["name"] for arm in record["arms"]] == ["crew", "solo", "solo=", "union="]
    for arm in record["arms"]:
        for column in ("found", "bogus", "cost", "fails"):
            low, high = arm["interval"][column]
            assert abs(arm[column] - arm["exact"][column]) < 2.5 * (high - low) + 1e-9, (arm["name"], column)


def test_explore_writes_one_file_with_the_dials_it_was_given(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "w.html"
    code, out, _ = out_of(capsys, "explore", "--to", str(file), "--recall", "0.62", "-n", "7")
    page = file.read_text(encoding="utf-8")
    assert code == 0 and str(file) in out
    assert '"recall": 0.62' in page and '"n": 7' in page
    code, _, err = out_of(capsys, "explore", "--to", str(tmp_path / "no" / "where.html"))
    assert code == 2 and "where.html" in err


def test_advice_names_the_best_and_its_uncertainty(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, _ = out_of(capsys, "advise", "--worth", "3")
    assert code == 0
    assert "at 3 per fact: one agent, 2 passes." in out
    assert "a crew is the better buy when a fact is worth more than 3.35." in out
    _, out, _ = out_of(capsys, "advise", "--worth", "3", "--world", str(world_file(tmp_path)))
    assert "with the intervals of this world: from" in out and "of the worlds within the intervals" in out
