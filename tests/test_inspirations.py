"""Every command and snippet that the two inspirations publish and that this version covers, under our names
(docs/inspirations.md), by the shape of what comes out."""

import json
import re
import stat
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
from brains import honest, role_of
from crew_on_loopback import birds_in, crew_of, price_of
from server_beside import serving

from research_crew import (
    AgentFailure,
    Crew,
    CrewResult,
    ScriptedAgent,
    Settings,
    Task,
    TaskGraph,
    World,
    research_crew,
    run,
    score,
)
from research_crew.agents.model.team import Caps
from research_crew.core.secret import Secret
from research_crew.interfaces.cli.app import COMMANDS
from research_crew.models.fake_server import FakeServer
from research_crew.options import Options

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
            assert (". planner" in out) == (kind == "all")

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


QUESTION = "What does the grey heron eat, and where does the common crane winter?"
THEIRS = (
    "AdvancedResearch(...)", "run(task)", "img", "step(task)", "batched_run(tasks)", "get_output_methods()", "chat_response",
    "chat_interface", "create_gradio_interface()", "launch_chat_interface()", "api()", "id", "generate_id()", "name",
    "description", "conversation.history", "director_agent_name", "director_model_name", "worker_model_name",
    "WORKER_MODEL_NAME", "director_max_tokens=8000", "worker_max_tokens", "WORKER_MAX_TOKENS=8000", "max_loops=1",
    "director_max_loops=1", "output_type", "export_on=True", "create_json_file", "EXA_API_KEY", "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY", "EXA_SEARCH_NUM_RESULTS=2", "EXA_SEARCH_MAX_CHARACTERS=100", "exa_search(query)",
    "execute_worker_search_agents(queries)", "run_agent(i, query)", "create_director_agent", "summarization_agent",
)  # fmt: skip


@pytest.fixture
def served() -> Iterator[FakeServer]:
    with serving(honest, prices=price_of) as server:
        yield server


class TestAdvancedResearchWithModels:
    """Its examples over a provider on loopback, with director and workers of different models."""

    def crew(self, server: FakeServer, folder: Path, **options: Any) -> Crew:
        return crew_of(server, birds_in(folder / "birds"), **options)

    def test_basic_usage(self, served: FakeServer, tmp_path: Path) -> None:
        result = self.crew(served, tmp_path, name="AI Research Team").run(QUESTION, budget="1.00")
        assert "frogs" in str(result)
        assert (result.name, len(result.id)) == ("AI Research Team", 12)

    def test_export(self, served: FakeServer, tmp_path: Path) -> None:
        out = tmp_path / "out"
        result = self.crew(served, tmp_path, export_dir=out).run(QUESTION)
        failed = self.crew(served, tmp_path, export_dir=out).run("Who invented the zeppelin?")
        assert failed.report is None or failed.report.markdown
        records = {file.stem: json.loads(file.read_text()) for file in out.glob("*.json")}
        assert set(records) == {result.id, failed.id}
        assert records[result.id]["conversation"]
        assert all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in out.iterdir())

    def test_advanced_configuration_and_several_loops(self, served: FakeServer, tmp_path: Path) -> None:
        result = self.crew(
            served, tmp_path, lead="openai:big", worker="openai:other", output_tokens="planner=1000,researcher=1200", loops=3,
            output="all", export_dir=tmp_path / "out",
        ).run(QUESTION)  # fmt: skip
        assert str(result).startswith("### 1. user")
        assert {a.model for a in served.asked} == {"big", "other"}
        assert {a.max_tokens for a in served.asked if role_of(a) == "planner"} == {1000}
        assert {a.max_tokens for a in served.asked if role_of(a) == "researcher"} == {1200}

    @pytest.mark.parametrize("models", [("openai:big", "openai:small"), ("anthropic:big", "anthropic:small"), ("google:big", "google:small"), ("openai:big", "swarms:small")])
    def test_custom_models(self, served: FakeServer, tmp_path: Path, models: tuple[str, str]) -> None:
        lead, worker = models
        vendors = sorted({lead.partition(":")[0], worker.partition(":")[0]})
        result = self.crew(
            served, tmp_path, lead=lead, worker=worker, price=f"{lead}=5/30,{worker}=0.75/4.5",
            base_urls=",".join(f"{v}={served.base(v)}" for v in vendors), keys={v: Secret("k") for v in vendors},
        ).run(QUESTION)  # fmt: skip
        assert {e.provider for e in result.ledger if e.kind == "model"} == set(vendors)
        assert result.total_cost == served.billed
        assert "frogs" in str(result)

    @pytest.mark.parametrize("kind", ["final", "all", "json", "markdown"])
    def test_output_formats(self, served: FakeServer, tmp_path: Path, kind: str) -> None:
        text = str(self.crew(served, tmp_path, output=kind).run(QUESTION))
        assert "frogs" in text
        begins = {"all": "### 1. user", "json": "{"}.get(kind, "# Answer")
        assert text.startswith(begins)

    def test_batch(self, served: FakeServer, tmp_path: Path) -> None:
        results = self.crew(served, tmp_path).batch([QUESTION, "How tall is a grey heron?"], "0.50")
        assert [r.status for r in results] == ["complete", "complete"]
        assert all(r.total_cost <= r.bill.limit == Decimal("0.50") for r in results)

    def test_sessions(self, served: FakeServer, tmp_path: Path) -> None:
        crew = self.crew(served, tmp_path)
        first = crew.step("What does the grey heron eat?", budget="1.00")
        second = crew.step("What does the grey heron eat?", first, ["Where does the common crane winter?"])
        assert (first.number, second.number) == (1, 2)
        assert "frogs" in str(second)
        history = crew.run(QUESTION).conversation
        assert [m.role for m in history][:2] == ["user", "planner"]
        assert history[-1].role == "report"


def test_the_environment_sets_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RESEARCH_CREW_WORKER", "openai:gpt-5.4-mini")
    monkeypatch.setenv("RESEARCH_CREW_RESULTS_PER_SEARCH", "2")
    monkeypatch.setenv("RESEARCH_CREW_CHARS_PER_RESULT", "100")
    settings = Crew().settings
    assert (settings.worker, settings.results_per_search, settings.chars_per_result) == ("openai:gpt-5.4-mini", 2, 100)


def test_the_defaults_that_the_table_names_are_ours(root: Path) -> None:
    page = (root / "docs" / "inspirations.md").read_text()
    settings, caps = Settings(), Caps()
    assert f"`results_per_search={settings.results_per_search}`" in page
    assert f"`chars_per_result={settings.chars_per_result}`" in page
    assert f"`loops={settings.loops}`" in page
    assert f"planner={caps.plan},researcher={caps.research},writer={caps.write}" in page
    world = World()
    assert (world.recall, world.hallucination_rate, world.failure_rate, world.critic_strictness) == (0.35, 0.15, 0.0, 0.5)


def test_every_name_of_theirs_is_in_the_table(root: Path) -> None:
    page = (root / "docs" / "inspirations.md").read_text().partition("## AdvancedResearch")[2]
    theirs = " ".join(line.split("|")[1] for line in page.splitlines() if line.startswith("|"))
    assert [name for name in THEIRS if name not in theirs] == []


def test_every_name_of_ours_in_the_table_is_there(root: Path) -> None:
    page = (root / "docs" / "inspirations.md").read_text()
    ours = " ".join(line.split("|")[2] for line in page.splitlines() if line.startswith("|"))
    for method in re.findall(r"`Crew\.(\w+)", ours):
        assert callable(getattr(Crew, method)), method
    arguments = set(signature(Crew.__init__).parameters) | set(Options.__annotations__) | {"budget", "needs", "n_researchers"}
    assert [name for name in re.findall(r"`(\w+)=", ours) if name not in arguments] == []
    for command in re.findall(r"`research-crew (\w+)", ours):
        assert command in COMMANDS, command
    for attribute in re.findall(r"`result\.(\w+)", ours):
        assert hasattr(CrewResult, attribute) or attribute in CrewResult.__dataclass_fields__, attribute
