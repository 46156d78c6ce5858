"""A question on the command line with models: replies whole and in turn, outputs, calls, and the plan confirmed."""

import io
import json
import os
import pty
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from brains import honest, role_of
from crew_on_loopback import birds_in, price_of
from server_beside import serving

from research_crew.interfaces.cli.app import main
from research_crew.interfaces.cli.progress import Progress
from research_crew.models.fake_server import FakeServer

QUESTION = "What does the grey heron eat, and where does the common crane winter?"
PRICES = "openai:big=5/30,openai:small=0.75/4.5"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    monkeypatch.setenv("OPENAI_API_KEY", "test-key")
    with serving(honest, prices=price_of) as running:
        yield running


def words(server: FakeServer, tmp_path: Path, *more: str) -> list[str]:
    docs = birds_in(tmp_path / "birds")
    return [
        QUESTION, "--docs", str(docs), "--lead", "openai:big", "--worker", "openai:small", "--price", PRICES,
        "--base-urls", f"openai={server.base('openai')}", *more,
    ]  # fmt: skip


def test_verbose_prints_every_reply_whole_and_in_turn(
    server: FakeServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words(server, tmp_path, "--verbose", "--quiet")) == 0
    err = capsys.readouterr().err
    blocks = re.split(r"\n--- ", err)[1:]
    heads = [block.splitlines()[0] for block in blocks]
    assert len(blocks) == len(server.log)
    assert all(re.search(r"· openai:(big|small) · 0\.\d+, \d+ tokens in, \d+ out$", head) for head in heads)
    said = {honest(asked).text.partition("\n\n```json")[0].strip() for asked in server.asked}
    for block in blocks:
        body = block.partition("\n")[2].strip()
        assert any(body.startswith(text) for text in said), "a reply was cut or mixed with another"
    assert {head.split(" · ")[0] for head in heads} == {"planner", "researcher", "critic", "writer", "citer"}


def test_verbose_without_a_model_prints_what_each_agent_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    docs = birds_in(tmp_path / "birds")
    assert main([QUESTION, "--docs", str(docs), "--verbose", "--quiet"]) == 0
    err = capsys.readouterr().err
    assert [head.split(" · ")[0] for head in re.findall(r"^--- (.+)$", err, re.M)][:2] == ["planner", "researcher"]
    assert "grey heron eats fish" in err


def test_all_is_the_whole_conversation(server: FakeServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words(server, tmp_path, "--output", "all", "--quiet")) == 0
    out = capsys.readouterr().out
    parts = [
        "### 1. user", QUESTION, "planner (plan)", "researcher (research:", "critic (critique)", "writer (write)",
        "citer (cite)", ". report", "## References", "## Bill",
    ]  # fmt: skip
    assert [out.index(part) for part in parts] == sorted(out.index(part) for part in parts)
    assert out.count("researcher (research:") == 2
    assert "By model and search engine: openai:big" in out


def test_in_python_str_is_what_output_says(tmp_path: Path) -> None:
    from research_crew import Crew

    docs = str(birds_in(tmp_path / "birds"))
    assert str(Crew(docs=docs, output="all").run(QUESTION)).startswith("### 1. user")
    assert json.loads(str(Crew(docs=docs, output="json").run(QUESTION)))["schema"] == "research-crew/run/1"
    assert str(Crew(docs=docs, output="markdown").run(QUESTION)).startswith("# What does")


def test_calls_lists_every_try_with_its_price(
    server: FakeServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words(server, tmp_path, "--calls", "--json", "--quiet")) == 0
    record = json.loads(capsys.readouterr().out)
    assert main(words(server, tmp_path, "--calls", "--quiet")) == 0
    lines = re.findall(r"^- \d+ \S+ .+$", capsys.readouterr().out.partition("## Calls")[2].partition("## Bill")[0], re.M)
    assert len(lines) == len(record["ledger"])
    assert any("tokens in" in line and "openai:small" in line for line in lines)


def at_terminal(arguments: list[str], answers: list[str], editor: str = "") -> tuple[int, str, str]:
    """Run the command with a terminal as its standard input, answering its prompt."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "EDITOR": editor, "VISUAL": ""}
    child = subprocess.Popen(
        [sys.executable, "-m", "research_crew", *arguments], stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env=environment,
    )  # fmt: skip
    os.close(theirs)

    def type_answers() -> None:
        for answer in answers:
            os.write(ours, f"{answer}\n".encode())

    threading.Thread(target=type_answers, daemon=True).start()
    try:
        out, err = child.communicate(timeout=120)
    finally:
        child.kill()
        os.close(ours)
    return child.returncode, out, err


def test_the_plan_is_shown_edited_and_researched(server: FakeServer, tmp_path: Path) -> None:
    answers = ["what", "drop 9", "drop 1", "add How tall is a grey heron?", "edit 1 Where do common cranes winter?", "queries 1 crane winter; crane Spain", "yes"]
    code, out, err = at_terminal(words(server, tmp_path, "--confirm"), answers)
    assert code == 0, err
    assert "from 0." in err
    assert "USD in all" in err
    assert "drop N" in err, "an unknown word shows what there is"
    assert "name a brief from 1 to 2" in err
    researched = [a.prompt.split("\n")[0] for a in server.asked if role_of(a) == "researcher"]
    assert sorted(set(researched)) == ["Your brief: How tall is a grey heron?", "Your brief: Where do common cranes winter?"]
    assert out.startswith("# Answer")


def test_a_refused_plan_costs_the_plan_alone(server: FakeServer, tmp_path: Path) -> None:
    code, out, err = at_terminal(words(server, tmp_path, "--confirm"), ["no"])
    assert code == 130
    assert [role_of(a) for a in server.asked] == ["planner"]
    assert "nothing more is bought" in err
    assert "| model calls | 1 |" in out


def test_the_plan_can_be_edited_in_an_editor(server: FakeServer, tmp_path: Path) -> None:
    script = tmp_path / "editor.py"
    script.write_text(
        "import sys\npath = sys.argv[1]\ntext = open(path).read()\nassert 'queries: ' in text\n"
        "open(path, 'w').write('1. How tall is a grey heron?\\n   queries: grey heron tall\\n')\n"
    )
    code, _, err = at_terminal(words(server, tmp_path, "--confirm"), ["editor", "yes"], f"{sys.executable} {script}")
    assert code == 0, err
    assert {a.prompt.split("\n")[0] for a in server.asked if role_of(a) == "researcher"} == {"Your brief: How tall is a grey heron?"}
    code, _, err = at_terminal(words(server, tmp_path, "--confirm"), ["editor", "no"], "/nowhere/editor")
    assert "cannot be run" in err
    assert "Traceback" not in err


def test_without_a_terminal_nothing_is_bought(
    server: FakeServer, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("yes\n"))
    assert main(words(server, tmp_path, "--confirm")) == 2
    assert "asks at a terminal" in capsys.readouterr().err
    assert server.asked == []


@pytest.mark.parametrize(("extra", "said"), [(["--confirm"], "--confirm belongs"), (["--verbose"], "--verbose belongs")])
def test_what_simulates_neither_asks_nor_says(extra: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["why", "--recall", "0.3", *extra]) == 2
    assert said in capsys.readouterr().err


def test_on_a_terminal_the_line_shows_that_words_arrive(tmp_path: Path) -> None:
    import asyncio

    from crew_on_loopback import crew_of

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen = Terminal()
    ticks = iter(range(100_000))

    async def go() -> None:
        async with FakeServer(honest, prices=price_of) as server:
            crew = crew_of(server, birds_in(tmp_path / "birds"), stream="on")
            await crew.arun(QUESTION, on_event=Progress(False, screen, lambda: float(next(ticks))))

    asyncio.run(go())
    shown = [int(n.replace(",", "")) for n in re.findall(r"about ([\d,]+) words arrived", screen.getvalue())]
    assert shown == sorted(shown)
    assert len(set(shown)) > 5


def test_elsewhere_a_long_silence_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    from datetime import UTC, datetime

    from research_crew import Event

    progress = Progress(False)
    at = datetime.now(UTC)
    progress(Event("waiting", at, "research:0", "researcher", {"step": "round-1/report", "seconds": 10.0}))
    progress(Event("waiting", at, data={"seconds": 20.0, "for": ["research:1 round-1/search-1"]}))
    err = capsys.readouterr().err
    assert "still waiting after 10.0 s: research:0 round-1/report" in err
    assert "still waiting after 20.0 s: research:1 round-1/search-1" in err


def test_what_a_reply_says_cannot_write_to_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from datetime import UTC, datetime

    from research_crew import Event
    from research_crew.interfaces.cli.verbose import Verbose

    blocks: list[str] = []
    verbose = Verbose(lambda _: None, blocks.append)
    verbose(Event("reply", datetime.now(UTC), "write", "writer", {"step": "", "model": "", "text": "a\x1b[2Jb\nc"}))
    assert "\x1b" not in blocks[0]
    assert "b\nc" in blocks[0]
