"""Every command and snippet that the two inspirations publish and that this version covers, under our names
(docs/inspirations.md), by the shape of what comes out."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from research_crew import AgentFailure, Crew, ScriptedAgent, Task, TaskGraph, research_crew, run, score

MODULE = [sys.executable, "-m", "research_crew"]
ROW = r"\s+\d+\.\d\d\s+\d+\.\d\d\s+\d\.\d\d\s+\d+\.\d\s+\d\.\d\d\s+\d\.\d{3}$"


def output(*words: str, code: int = 0) -> str:
    done = subprocess.run([*MODULE, *words], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == code, done.stderr
    return done.stdout


class TestTheScriptedCrew:
    def test_compare(self) -> None:
        lines = output("--compare", "--seeds", "60").splitlines()
        assert lines[0].split() == ["found", "bogus", "prec", "cost", "fails", "found/cost"]
        assert set(lines[1]) == {"-"}
        assert re.match("crew" + ROW, lines[2])
        assert re.match("solo" + ROW, lines[3])
        assert re.match(r"the crew found \d\.\d\dx as much and cost 4\.50x as much\.$", lines[5])
        assert lines[6] in ("per unit of spend, the solo wins.", "per unit of spend, the crew wins.")

    def test_a_single_run_with_failures(self) -> None:
        lines = output("why", "-n", "4", "--failure-rate", "0.25", code=4).splitlines()
        assert re.match(r"budget 10000, spent \d+, 4 wave\(s\)$", lines[1])
        assert len(lines) == 2 + 7 + 1
        assert all(re.match(r"(ok|FAIL|skip|over-budget) \S+ \w+ cost \d+( \(.+\))?$", line) for line in lines[2:9])
        assert re.match(r"-> (\w[\w-]*=\d+)(, \w[\w-]*=\d+)*$", lines[-1])

    @pytest.mark.parametrize("over", ["strictness", "researchers", "failures"])
    def test_sweeps(self, over: str) -> None:
        assert over in output("sweep", over, "--seeds", "5").splitlines()[0]
        assert json.loads(output("sweep", over, "--seeds", "5", "--json"))["sweep"]["over"] == over

    @pytest.mark.parametrize("strictness", ["0", "0.3", "0.5", "0.7", "1"])
    def test_each_row_of_the_published_tables_is_one_command(self, strictness: str) -> None:
        out = output("--compare", "--seeds", "5", "--critic-strictness", strictness, "--published")
        assert "published by the inspiration" in out

    def test_the_graph(self) -> None:
        for n in (1, 2, 4, 16):
            graph = research_crew("q", n_researchers=n)
            value, path = graph.critical_path()
            assert len(graph.waves()) == 4
            assert value == 9
            assert (path[0], path[-1]) == ("plan", "edit")

    def test_a_graph_of_ones_own(self) -> None:
        graph = TaskGraph([Task("a", "x", cost=2), Task("b", "y", cost=3, depends_on=("a",))])
        assert graph.waves() == [["a"], ["b"]]
        assert graph.critical_path().value == 5

    def test_the_crew_with_anyones_function(self) -> None:
        result = run(research_crew("q", n_researchers=4), lambda task, context: task.id, budget=50_000)
        assert result.spent == 18
        assert len(result.results) == 7
        assert [r.output for r in result.results][:2] == ["plan", "research:0"]

    def test_all_researchers_failed(self) -> None:
        called: list[str] = []

        def agent(task: Task, context: object) -> str:
            called.append(task.id)
            if task.role == "researcher":
                raise AgentFailure("no luck")
            return task.id

        result = run(research_crew("q", n_researchers=3), agent, budget=50_000)
        assert "edit" not in called
        assert (result["edit"].state, result["edit"].output) == ("skipped", None)

    def test_the_scripted_agent_and_the_score(self) -> None:
        agent = ScriptedAgent(1, recall=0.35, hallucination_rate=0.15, failure_rate=0.0, critic_strictness=0.5)
        result = run(research_crew("q"), agent, budget=10_000)
        counted = score(agent.answer(result), agent.world.facts)
        assert counted.found + counted.bogus == len(agent.answer(result))


@pytest.fixture
def folder(tmp_path: Path) -> str:
    (tmp_path / "energy.txt").write_text(
        "Pumped storage keeps most of the stored energy of the world. Lithium batteries store energy for hours. "
        "A heat pump moves heat from the air into a house."
    )
    return str(tmp_path)


class TestAdvancedResearch:
    def test_basic_usage(self, folder: str) -> None:
        result = Crew(name="AI Research Team", docs=folder, loops=1).run("What stores energy?")
        assert "Lithium batteries" in str(result)
        assert result.name == "AI Research Team"

    def test_batch(self, folder: str) -> None:
        results = Crew(docs=folder).batch(["What stores energy?", "What does a heat pump move?"])
        assert [r.status for r in results] == ["complete", "complete"]
        assert "heat from the air" in str(results[1])

    @pytest.mark.parametrize("kind", ["final", "all", "markdown", "json"])
    def test_output_formats(self, folder: str, kind: str) -> None:
        out = output("What stores energy?", "--docs", folder, "--output", kind, "--quiet")
        if kind == "json":
            assert json.loads(out)["conversation"][0]["role"] == "user"
        else:
            assert "Lithium batteries" in out
            assert ("planner (plan)" in out) == (kind == "all")

    def test_export(self, folder: str, tmp_path: Path) -> None:
        output("What stores energy?", "--docs", folder, "--export", str(tmp_path / "out"), "--quiet")
        (file,) = (tmp_path / "out").glob("*.json")
        record = json.loads(file.read_text())
        assert record["id"] == file.stem
        assert record["conversation"]

    def test_several_loops_are_for_gaps_only(self, folder: str) -> None:
        result = Crew(docs=folder, loops=2).run("What stores energy? And who invented the zeppelin airship?")
        plans = [t for t in result.tasks if t.role == "planner"]
        assert [t.id for t in plans] == ["plan", "plan:2"]
        assert "zeppelin" in plans[1].output.text  # type: ignore[attr-defined]
        assert "store energy" not in plans[1].output.text  # type: ignore[attr-defined]
        assert result.report is not None


def test_the_table_names_every_default_of_ours(root: Path) -> None:
    page = (root / "docs" / "inspirations.md").read_text()
    assert "`results_per_search=10`" in page
    assert "`loops=1`" in page
