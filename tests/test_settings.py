"""Every setting is reached from Python, the command line, the environment and the configuration file."""

import json
from dataclasses import fields
from inspect import signature
from pathlib import Path

import pytest

from research_crew import Crew, InvalidInput, Settings
from research_crew.interfaces.cli import ask, batch
from research_crew.interfaces.cli.options import Parser
from research_crew.options import Options
from research_crew.settings import load

SAMPLES: dict[str, str] = {
    "agents": "extractive", "docs": "papers", "lead": "openai:a", "worker": "openai:b", "critic": "openai:c",
    "writer": "openai:d", "citer": "openai:e", "solo": "openai:f", "search": "exa,docs",
    "base_urls": "openai=http://127.0.0.1:1/v1", "price": "1/4", "record": "run.jsonl", "researchers": "3",
    "search_rounds": "4", "queries_per_round": "5", "results_per_search": "6", "chars_per_result": "700", "loops": "2",
    "pages": "9", "prompt_tokens": "8000", "timeout": "12.5", "tries": "2", "strictness": "0.25",
    "output_tokens": "writer=3000,planner=800", "effort": "writer=high", "stream": "off", "temperature": "0.5",
    "budget": "0.75", "deadline": "90.0", "max_calls": "70", "max_tokens": "50000", "concurrency": "4",
    "profile": "small", "language": "de", "allow_mixed": "True", "rates": "openai=5/s", "seed": "7", "output": "all", "trace": "on",
    "retrieval": "hybrid", "support": "semantic", "filters": "since=2024-01-01,domain=who.int", "mcp": "mine=https://mcp.example.org/mcp",
}  # fmt: skip
"""Values that are not the default; a setting that is not here gets one made from its default."""
NAMES = [spec.name for spec in fields(Settings)]
OPTIONS = {"researchers": "-n", "strictness": "--critic-strictness"}
for spec in fields(Settings):
    made = str(spec.default + 1) if isinstance(spec.default, (int, float)) and not isinstance(spec.default, bool) else str(not spec.default)
    SAMPLES.setdefault(spec.name, "x" if spec.default is None or isinstance(spec.default, str) else made)


def words_of_batch() -> str:
    parser = Parser("batch")
    batch.options(parser)
    return parser.format_help()


ELSEWHERE = {"database": words_of_batch}
"""Settings of other commands than a question, and the help of one of those."""


def test_no_sample_is_the_default() -> None:
    defaults = Settings()
    assert [n for n in NAMES if str(getattr(defaults, n)) == SAMPLES[n]] == []


@pytest.mark.parametrize("name", NAMES)
def test_from_the_command_line(name: str, tmp_path: Path) -> None:
    parser = Parser("ask")
    ask.options(parser)
    if name in ELSEWHERE:
        assert f"--{name}" in ELSEWHERE[name]()
        return
    option = OPTIONS.get(name, "--" + name.replace("_", "-"))
    words = [option] if SAMPLES[name] == "True" else [option, SAMPLES[name]]
    given = ask.given_settings(parser.parse_args(["why", *words]))
    loaded = load(given, {}, tmp_path)
    assert str(getattr(loaded.settings, name)) == SAMPLES[name]
    assert loaded.origins[name] == "argument"


@pytest.mark.parametrize("name", NAMES)
def test_from_the_environment_and_the_file_and_python(name: str, tmp_path: Path) -> None:
    variable = f"RESEARCH_CREW_{name.upper()}"
    assert str(getattr(load({}, {variable: SAMPLES[name]}, tmp_path).settings, name)) == SAMPLES[name]
    (tmp_path / "research-crew.toml").write_text(f"{name} = {json.dumps(SAMPLES[name])}\n")
    loaded = load({}, {}, tmp_path)
    assert str(getattr(loaded.settings, name)) == SAMPLES[name]
    assert loaded.origins[name] == "research-crew.toml"
    if name == "budget" or name in ELSEWHERE:
        return  # in Python an argument of `run`, or of a batch
    assert name in Options.__annotations__ or name in signature(Crew.__init__).parameters
    assert getattr(Crew(**{name: getattr(loaded.settings, name)}).settings, name) == getattr(loaded.settings, name)


def test_what_a_role_may_have_can_be_a_table_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "research-crew.toml").write_text("[output_tokens]\nwriter = 3000\nplanner = 800\n")
    assert load({}, {}, tmp_path).settings.output_tokens == "writer=3000,planner=800"


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("output_tokens", "poet=300", "roles are planner"),
        ("output_tokens", "writer=7", "50 to 200000"),
        ("output_tokens", "writer=many", "50 to 200000"),
        ("output_tokens", "4000", "ROLE=TOKENS"),
        ("effort", "hard", "off, minimal"),
        ("effort", "writer=hard", "off, minimal"),
        ("stream", "maybe", "auto, on or off"),
    ],
)  # fmt: skip
def test_a_value_that_cannot_be_is_refused_before_anything_is_bought(name: str, value: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        Crew(lead="ollama:x", **{name: value}).run("why?")  # type: ignore[arg-type]
