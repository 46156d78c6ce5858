"""The scripted commands as a person types them: header, rows, decimals, sentences, itemised lines, exit codes."""

import json
import re

import pytest

from research_crew.interfaces.cli.app import main

HEADER = "found  bogus  prec  cost  fails  found/cost"


def out_of(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_comparison_to_the_letter(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = out_of(capsys, "--compare", "--seeds", "60")
    assert code == 0
    assert out.splitlines() == [
        "      found  bogus  prec  cost  fails  found/cost",
        "-------------------------------------------------",
        "crew   8.77   5.00  0.65  18.0   0.00       0.487",
        "solo   4.28   1.87  0.71   4.0   0.00       1.071",
        "",
        "the crew found 2.05x as much and cost 4.50x as much.",
        "per unit of spend, the solo wins.",
        "",
        "exact, no sampling error (60 seeds were drawn above):",
        "crew   9.12   5.26  0.64  18.0   0.00       0.507",
        "solo   4.20   1.80  0.71   4.0   0.00       1.050",
    ]


def test_published_figures_stand_below_with_their_distance(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = out_of(capsys, "--compare", "--published")
    assert re.search(r"crew  found 9\.5 \(1\.\d s\.e\.\), bogus 4\.55 \(2\.\d s\.e\.\), prec 0\.69 \(2\.\d s\.e\.\)", out)
    assert out.splitlines()[0].strip() == HEADER


def test_the_comparison_takes_every_dial(capsys: pytest.CaptureFixture[str]) -> None:
    dials = ("--recall", "0.6", "--hallucination-rate", "0.3", "--failure-rate", "0.2", "--critic-strictness", "0.9")
    _, out, _ = out_of(capsys, "--compare", "--seeds", "5", "-n", "2", "--needs", "any", *dials, "--json")
    world = json.loads(out)["world"]
    assert [world[d] for d in ("recall", "hallucination_rate", "failure_rate", "critic_strictness")] == [0.6, 0.3, 0.2, 0.9]
    assert (json.loads(out)["researchers"], json.loads(out)["needs"]) == (2, "any")


def test_the_comparison_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = out_of(capsys, "--compare", "--seeds", "10", "--json", "--recall", "0.5")
    record = json.loads(out)
    assert (code, record["schema"], record["questions"], record["verdict"]) == (0, "research-crew/comparison/1", 10, None)
    assert [arm["name"] for arm in record["arms"]] == ["crew", "solo"]
    crew = record["arms"][0]
    assert crew["interval"]["found"][0] < crew["found"] < crew["interval"]["found"][1]
    assert crew["found_per_cost"] == pytest.approx(crew["found"] / crew["cost"])
    assert record["world"]["recall"] == 0.5
    assert len(record["sentences"]) == 2


def test_a_single_run_itemises_every_task(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = out_of(capsys, "why", "-n", "4", "--failure-rate", "0.25")
    assert code == 4
    assert out.splitlines() == [
        "simulated (scripted agents, seed 1; no model, no source was asked): found 0 of 12 facts, 0 bogus",
        "budget 10000, spent 17, 4 wave(s)",
        "ok plan planner cost 2",
        "ok research:0 researcher cost 3",
        "FAIL research:1 researcher cost 6 (researcher failed on research:1)",
        "ok research:2 researcher cost 3",
        "ok research:3 researcher cost 3",
        "skip critique critic cost 0 (depends on research:1)",
        "skip edit editor cost 0 (depends on critique)",
        "-> failed=1, ok=4, skipped=2",
    ]
    assert err == "research-crew: incomplete (exit code 4)\n"


def test_any_rule_goes_on_without_the_one_that_failed(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = out_of(capsys, "why", "-n", "4", "--failure-rate", "0.25", "--needs", "any")
    assert out.splitlines()[-1] == "-> failed=1, ok=6"
    assert "spent 21, 4 wave(s)" in out


def test_what_cannot_be_paid_says_what_it_needed(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = out_of(capsys, "why", "--recall", "0.35", "--budget", "12")
    assert code == 4
    assert "over-budget research:3 researcher cost 0 (needed 3, left 1)" in out
    assert "skip edit editor cost 0 (depends on critique)" in out


def test_a_run_without_a_failure_is_complete(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = out_of(capsys, "why", "--recall", "0.35")
    assert (code, err) == (0, "")
    assert re.search(r"found [1-9]\d* of 12 facts, \d+ bogus$", out.splitlines()[0])
    assert out.splitlines()[-1] == "-> ok=7"


def test_the_record_of_a_simulated_run(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = out_of(capsys, "why", "--agents", "scripted", "--json", "--seed", "5")
    record = json.loads(out)
    assert code == 0
    assert (record["schema"], record["agents"], record["status"]) == ("research-crew/run/1", "scripted", "complete")
    assert record["bill"]["spent"] == "18"
    assert len(record["ledger"]) == 7
    books = record["books"]
    states = ("kept", "duplicate", "unsupported", "cut-by-critic", "cut-for-space", "lost-in-writing", "stranded")
    assert books["candidates"] == sum(books[s] for s in states) > 0
    assert record["simulated"]["found"] + record["simulated"]["bogus"] == len(record["answer"]) == books["kept"]


@pytest.mark.parametrize("over", ["strictness", "researchers", "failures", "recall", "hallucination", "price-ratio"])
def test_every_sweep_prints_a_table_csv_and_json(capsys: pytest.CaptureFixture[str], over: str) -> None:
    code, table, _ = out_of(capsys, "sweep", over, "--seeds", "3")
    assert code == 0
    assert "found (exact)" in table.splitlines()[0]
    _, csv, _ = out_of(capsys, "sweep", over, "--seeds", "3", "--csv")
    rows = csv.splitlines()
    assert rows[0].startswith(f"{over},needs,arm,found,bogus,prec,cost,fails,found_per_cost,exact_found")
    _, text, _ = out_of(capsys, "sweep", over, "--seeds", "3", "--json")
    record = json.loads(text)
    assert record["sweep"]["over"] == over
    assert len(rows) == 1 + 2 * len(record["comparisons"])


def test_sweeps_solve_for_break_even_and_peak(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = out_of(capsys, "sweep", "strictness", "--seeds", "2", "--published")
    assert "break-even strictness: 0.536" in out
    assert "0.549 by the ratio of the means" in out
    assert "published break-even strictness: about 0.56." in out
    _, out, _ = out_of(capsys, "sweep", "researchers", "--seeds", "2", "--published")
    assert "efficiency peak: 3 researchers, 0.508 facts per unit of cost." in out
    assert "published efficiency peak: at 2" in out


def test_the_failures_table_has_both_rules_beside_the_published_ones(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = out_of(capsys, "sweep", "failures", "--seeds", "2", "--critic-strictness", "0.3")
    line = {tuple(row.split()[:2]): row for row in out.splitlines()[2:]}
    assert "(0.819)" in line[("0.2", "all")]
    assert "(0.547)" in line[("0.2", "any")]
    assert "published at 20% failures: 0.53 tasks not ok for the crew, 0.05 for one agent." in out


def test_the_graph_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = out_of(capsys, "graph", "-n", "2")
    assert code == 0
    assert out.splitlines() == [
        "wave 1: plan (planner, 2)",
        "wave 2: research:0 (researcher, 3), research:1 (researcher, 3)",
        "wave 3: critique (critic, 2)",
        "wave 4: edit (editor, 2)",
        "critical path 9: plan -> research:0 -> critique -> edit",
    ]


def test_the_price_ratio_changes_what_one_agent_costs_and_is_solved_for(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = out_of(capsys, "sweep", "price-ratio", "--seeds", "5")
    assert "wins per unit of cost when it costs less than 2.054 times one agent." in out
    solo = [line for line in out.splitlines() if line.lstrip().startswith("solo")]
    assert len(solo) == 6
    _, text, _ = out_of(capsys, "sweep", "price-ratio", "--seeds", "5", "--json")
    arms = {c["value"]: c["arms"] for c in json.loads(text)["comparisons"]}
    assert arms[4.5][1]["cost"] == pytest.approx(4.0)
    assert arms[2.0][1]["cost"] == pytest.approx(9.0)
    winners = {v: "crew" in c["sentences"][1] for c in json.loads(text)["comparisons"] for v in [c["value"]]}
    assert winners[1.0] and not winners[4.0]
