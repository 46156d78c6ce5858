"""The documentation is true: its snippets run, its numbers are those of the commands, its files are there."""

import re
from pathlib import Path

import pytest

from research_crew import World
from research_crew.interfaces.cli.app import COMMANDS, main
from research_crew.measure.exact import break_even, exact_crew, exact_solo
from research_crew.settings import Settings

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCS = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")])


def snippets() -> list[str]:
    return re.findall(r"```python\n(.*?)```", README, re.S)


@pytest.mark.parametrize("place", range(len(snippets())))
def test_every_python_snippet_of_the_readme_runs(place: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    papers = tmp_path / "papers"
    papers.mkdir()
    (papers / "a.txt").write_text("Write throughput is limited by the disk. The log limits write throughput too.")
    monkeypatch.chdir(tmp_path)
    exec(compile(snippets()[place], f"README snippet {place + 1}", "exec"), {"__name__": "snippet"})


def test_the_first_snippet_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    exec(snippets()[0], {"__name__": "snippet"})
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "complete 18"
    assert "# complete 18" in snippets()[0]
    assert out[1:4] == ["ok plan 2", "ok research:0 3", "ok research:1 3"]


def test_the_numbers_of_the_advice_are_those_of_the_commands() -> None:
    table = README.split("<!-- table: advice -->")[1].split("<!-- end -->")[0]
    crew, solo = exact_crew(World(critic_strictness=0.3), 4), exact_solo(World())
    failing = World(failure_rate=0.2, critic_strictness=0.3)
    expected = [
        f"{solo.found_per_cost:.3f} facts per unit of cost, against {crew.found_per_cost:.3f}",
        f"finds {crew.found / solo.found:.2f} times as much and costs {crew.cost / solo.cost:.2f} times as much",
        f"{crew.found:.2f} of 12 facts instead of {solo.found:.2f}",
        f"({exact_crew(World(), 3).found_per_cost:.3f}; {exact_crew(World(), 2).found_per_cost:.3f} with 2, "
        f"{exact_crew(World(), 4).found_per_cost:.3f} with 4)",
        f"| {break_even(World()):.3f} |",
        f"{exact_crew(failing, 4).fails:.3f} tasks of a crew of 4",
        f"{exact_crew(failing, 4, 'any').fails:.3f} when any will do, {exact_solo(failing).fails:.3f} of one agent's",
    ]
    assert [e for e in expected if e not in table] == []


def test_every_command_that_the_readme_names_is_there() -> None:
    named = set(re.findall(r"`research-crew ([a-z]+)", README))
    assert named <= set(COMMANDS)


def test_every_link_within_the_repository_leads_somewhere() -> None:
    for file in DOCS:
        for target in re.findall(r"\]\(([^)#]+)", file.read_text(encoding="utf-8")):
            if not target.startswith(("http", "mailto")):
                assert (file.parent / target).exists(), f"{file.name}: {target}"


def test_every_setting_is_documented_with_its_default(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config"]) == 0
    out = capsys.readouterr().out
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    for name in Settings.__dataclass_fields__:
        assert re.search(rf"^{name}\s", out, re.M)
        default = Settings.__dataclass_fields__[name].default
        shown = "-" if default is None else str(default)
        assert f"| `{name}` | `{shown}` |" in page, name


def test_every_file_of_the_tree_in_the_architecture_is_there() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    for name in re.findall(r"^  ([a-z_]+(?:/|\.py))", page, re.M):
        assert (ROOT / "src" / "research_crew" / name).exists(), name


def test_lock_files_have_hashes_and_no_address() -> None:
    for name in ("requirements.lock", "requirements-dev.lock"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert "://" not in text
        assert text.count("--hash=sha256:") >= text.count("==") > 10
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    base = project.split("dependencies = [")[1].split("]")[0]
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    for name in re.findall(r'"([a-z0-9-]+)', base):
        assert re.search(rf"^{name}==", lock, re.M), name
    assert len(re.findall(r"^[a-z0-9-]+==", lock, re.M)) <= 35
