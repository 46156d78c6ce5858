"""The public names: they are there, they are documented, and importing the package is cheap."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import research_crew

SRC = Path(__file__).parents[1] / "src"


@pytest.mark.parametrize("name", research_crew.__all__)
def test_every_public_name_is_there_and_says_what_it_is(name: str) -> None:
    value = getattr(research_crew, name)
    if inspect.isclass(value) or inspect.isfunction(value):
        assert inspect.getdoc(value)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        research_crew.nonsense  # noqa: B018


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = (
        "import sys, research_crew; heavy = {'rich', 'numpy', 'pydantic', 'pydantic_ai', 'aiohttp', 'typer', 'docx',"
        "'selectolax', 'pypdfium2', 'asyncio', 'sqlite3'}; print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_scripted_world_runs_in_a_bare_interpreter() -> None:
    code = (
        "from research_crew.agents.scripted.agent import ScriptedAgent\n"
        "from research_crew.core.crews import research_crew\n"
        "from research_crew.core.runner import run\n"
        "from research_crew.measure.exact import exact_crew, World\n"
        "from research_crew.measure.runs import crew_rows\n"
        "result = run(research_crew('q'), ScriptedAgent(1), budget=10_000)\n"
        "print(result.spent, round(exact_crew(World()).found, 3), len(crew_rows(World(), range(3))))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(SRC)!r})\n{code}"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "18 8.626 3", "")


@pytest.mark.parametrize("words", [["--help"], ["why", "--recall", "0.3"], ["--compare", "--seeds", "2"], ["sweep", "--help"]])
def test_help_and_scripted_runs_load_neither_numpy_nor_a_model_library(words: list[str]) -> None:
    code = (
        "import sys\nfrom research_crew.interfaces.cli.app import main\n"
        f"try:\n    main({words!r})\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'pydantic', 'pydantic_ai', 'aiohttp', 'docx', 'selectolax', 'pypdfium2', 'sqlite3'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "[]"
