"""Bad input of every kind: a message that names the input and the way out, a documented exit code, no traceback."""

from pathlib import Path

import pytest

from research_crew.interfaces.cli.app import main, route

CASES: list[tuple[list[str], int, str]] = [
    ([""], 2, "ask something"),
    (["   "], 2, "ask something"),
    (["a" * 10_000], 2, "10000 characters"),
    (["q", "--docs", "nowhere"], 2, "there is no such folder"),
    (["q", "--budget", "0"], 2, "more than 0"),
    (["q", "--budget", "-5"], 2, "-5"),
    (["q", "--budget", "much"], 2, "much"),
    (["q", "--budget", "nan"], 2, "nan"),
    (["q", "--budget", "inf"], 2, "inf"),
    (["q", "--budget", "2"], 5, "needs 3 credits, 2 left"),
    (["q", "--recall", "0.3", "--budget", "8"], 5, "needs 9 credits, 8 left"),
    (["q", "-n", "0"], 2, "-n"),
    (["q", "-n", "-3"], 2, "-n"),
    (["q", "-n", "10000"], 2, "1000"),
    (["q", "-n", "many"], 2, "-n"),
    (["q", "--recall", "0.3", "-n", "0"], 2, "-n"),
    (["q", "--recall", "nan"], 2, "--recall"),
    (["q", "--recall", "2"], 2, "--recall"),
    (["q", "--hallucination-rate", "nan"], 2, "--hallucination-rate"),
    (["q", "--failure-rate", "-0.1"], 2, "--failure-rate"),
    (["q", "--critic-strictness", "nan"], 2, "--critic-strictness"),
    (["q", "--recall", "0.3", "--critic-strictness", "7"], 2, "--critic-strictness"),
    (["q", "--recall", "0.3", "--docs", "."], 2, "--docs"),
    (["q", "--failure-rate", "0.3", "--lead", "openai:gpt-5.5"], 2, "--lead"),
    (["q", "--failure-rate", "0.3", "--search", "exa"], 2, "--search"),
    (["q", "--recall", "0.3", "--agents", "extractive"], 2, "--agents"),
    (["q", "--needs", "any"], 2, "--needs"),
    (["q", "--agents", "robots"], 2, "scripted, extractive or model"),
    (["q", "--deadline", "0"], 2, "--deadline"),
    (["q", "--output", "paper"], 2, "final, all, markdown or json"),
    (["q", "--support", "faith"], 2, "lexical or semantic"),
    (["q", "--frobnicate"], 2, "--frobnicate"),
    (["q", "--recall", "0.3", "--needs", "9"], 2, "9"),
    (["q", "--recall", "0.3", "--needs", "most"], 2, "most"),
    (["--compare", "--seeds", "0"], 2, "--seeds"),
    (["--compare", "--seeds", "x"], 2, "--seeds"),
    (["sweep", "tastes"], 2, "strictness, researchers"),
    (["sweep"], 2, "over"),
]


@pytest.mark.parametrize(("words", "code", "said"), CASES, ids=lambda v: " ".join(v)[:40] if isinstance(v, list) else None)
def test_bad_input_has_a_message_and_an_exit_code(
    capsys: pytest.CaptureFixture[str], words: list[str], code: int, said: str
) -> None:
    assert main(words) == code
    captured = capsys.readouterr()
    assert said in captured.err
    assert "Traceback" not in captured.err
    assert captured.out == ""
    assert len(captured.err) < 600


def test_a_folder_without_a_readable_file_is_no_evidence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["q", "--docs", str(tmp_path)]) == 3
    (tmp_path / "noise.pdf").write_bytes(bytes(range(256)) * 20)
    (tmp_path / "data.bin").write_bytes(b"\0\1\2")
    assert main(["q", "--docs", str(tmp_path)]) == 3
    assert "no readable file" in capsys.readouterr().err


def test_a_file_where_a_folder_is_wanted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.txt"
    file.write_text("text")
    assert main(["q", "--docs", str(file)]) == 2
    assert "name the folder it is in" in capsys.readouterr().err


def test_debug_shows_the_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["q", "--budget", "0", "--debug"]) == 2
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (["why"], "ask"),
        (["ask", "show"], "ask"),
        (["--docs", "graph", "what is it"], "ask"),
        (["--json", "graph"], "graph"),
        (["sweep", "strictness"], "sweep"),
        (["--compare", "--seeds", "3"], "compare-scripted"),
        (["what", "graph", "is", "this"], "ask"),
        (["--budget=5", "config"], "config"),
    ],
)
def test_the_first_word_that_is_no_option_chooses_the_command(words: list[str], command: str) -> None:
    assert route(words)[0] == command


def test_a_key_never_prints(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    assert main(["config", "--json"]) == 0
    out = capsys.readouterr().out
    assert '"openai"' in out
    assert "sk-very-secret" not in out
