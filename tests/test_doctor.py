"""What the doctor finds, what it says to do, and that its real calls are one each, under a cent, and on a bill."""

import json
import re
from decimal import Decimal
from pathlib import Path

import pytest
from crew_on_loopback import price_of
from server_beside import serving

from research_crew.doctor.here import Parts, _fonts, checks_here
from research_crew.interfaces.cli.app import main
from research_crew.models.fake_faults import Fault, fault
from research_crew.models.fake_server import FakeServer
from research_crew.models.fake_shapes import Asked, Said
from research_crew.settings import rungs_file

MODELS = ("--lead", "openai:big", "--worker", "openai:small", "--price", "openai:big=5/30,openai:small=0.75/4.5")


def formed(asked: Asked) -> Said:
    return Said('{"box_colour": "red", "ball_count": 3}')


def refused(asked: Asked) -> Fault | None:
    return fault("bad-key") if asked.shape == "openai" else None


def doctor(
    server: FakeServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *more: str, code: int = 0
) -> str:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789")
    monkeypatch.setenv("EXA_API_KEY", "exa-test-0123456789")
    urls = f"openai={server.base('openai')},exa={server.base('exa')}"
    assert main(["doctor", *MODELS, "--base-urls", urls, *more]) == code
    said = capsys.readouterr()
    assert "test-0123456789" not in said.out + said.err
    assert "Traceback" not in said.err
    return said.out


def test_one_real_call_each_under_a_cent_with_its_bill(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(formed, prices=price_of) as server:
        out = doctor(server, capsys, monkeypatch, "--live")
        assert sorted(s.model for s in server.log) == ["", "big", "small"], "one call for each model, one for the engine"
        assert all(s.amount < Decimal("0.01") for s in server.log)
        billed = server.billed
        assert billed < Decimal("0.01"), "all of them together"
        record = json.loads(doctor(server, capsys, monkeypatch, "--live", "--json"))
    assert re.search(r"^ok    model openai:big: it answered; JSON by native \(0\.\d+ USD\)$", out, re.M)
    assert re.search(r"^ok    search exa: it answered with 0 result\(s\) \(0\.007 USD\)$", out, re.M)
    assert f"bill: {billed.normalize():f} USD for 3 call(s)" in out
    assert out.rstrip().endswith("ready")
    assert record["ready"]
    assert Decimal(record["bill"]["spent"]) == billed
    assert len(record["ledger"]) == 3


def test_without_live_no_connection_is_opened(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(formed, prices=price_of) as server:
        out = doctor(server, capsys, monkeypatch)
        assert (server.log, server.asked) == ([], [])
    assert "keys: found OPENAI_API_KEY, EXA_API_KEY" in out
    assert "model openai:big: lead; 5 / 30 USD per million; window not known" in out
    assert "search exa: 0.007 USD a search" in out
    assert "no connection was opened" in out


def test_a_key_that_is_refused(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(formed, refused, prices=price_of) as server:
        out = doctor(server, capsys, monkeypatch, "--live", code=2)
    assert "bad   model openai:big" in out
    assert "-> the key is refused: set OPENAI_API_KEY anew" in out
    assert "2 thing(s) to put right" in out


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("unknown-model", "research-crew models openai"), ("no-credit", "no credit left"), ("forbidden", "may not use"),
        ("rate-limit", "try again later"), ("error", "try again later"), ("not-json", "choose another model"),
    ],
)  # fmt: skip
def test_every_failure_has_its_way_out(
    kind: str, said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(formed, lambda a: fault(kind) if a.model == "big" else None, prices=price_of) as server:
        out = doctor(server, capsys, monkeypatch, "--live", code=2)
    assert said in out.partition("bad   model openai:big")[2].partition("->")[2].splitlines()[0]
    assert "ok    model openai:small: it answered" in out


def test_a_server_that_is_not_there_and_one_that_hangs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert main(["doctor", *MODELS, "--search", "docs", "--base-urls", "openai=http://127.0.0.1:9/v1", "--live"]) == 2
    assert "a local server has to be started first" in capsys.readouterr().out
    with serving(formed, lambda a: fault("hang") if a.model == "big" else None, prices=price_of) as server:
        out = doctor(server, capsys, monkeypatch, "--live", "--timeout", "0.5", code=2)
    assert "after 0.5 s" in out


def test_the_probe_finds_the_form_and_remembers_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def by_text(asked: Asked) -> Said:
        return Said("It is red.") if asked.schema else formed(asked)

    with serving(by_text, prices=price_of) as server:
        urls = ("--base-urls", f"compatible={server.base('openai')}", "--search", "docs", "--price", "1/4")
        assert main(["doctor", "--lead", "compatible:m", *urls, "--live"]) == 0
        assert "JSON by text" in capsys.readouterr().out
        tried = len(server.log)
        assert tried == 3
        assert main(["doctor", "--lead", "compatible:m", *urls, "--live"]) == 0
        assert len(server.log) == tried + 1, "what is remembered is tried first"
    assert '"text"' in rungs_file().read_text()


def test_a_model_that_gives_no_json_is_noted(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(lambda a: "It is red.", prices=price_of) as server:
        out = doctor(server, capsys, monkeypatch, "--live")
    assert "note  model openai:big: it answered; JSON by plain" in out
    assert "use a larger model" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--lead", "openai:gpt-5.5"], "set OPENAI_API_KEY"),
        (["--lead", "ollama:x", "--search", "exa"], "set EXA_API_KEY"),
        (["--lead", "ollama:x", "--search", "exo"], "did you mean exa"),
        (["--lead", "opnai:x"], "did you mean openai:x"),
        (["--agents", "model"], "name a model"),
        (["--docs", "nowhere"], "no such folder"),
    ],
)
def test_what_cannot_work_is_said_with_a_way_out(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor", *words]) == 2
    out = capsys.readouterr().out
    assert said in out[out.index("bad ") :]


def test_a_model_without_a_price_is_bad(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert main(["doctor", "--lead", "openai:gpt-5.6-none"]) == 2
    assert "--price" in capsys.readouterr().out


def test_with_nothing_at_all_it_is_ready_and_says_what_would_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--live"]) == 0
    out = capsys.readouterr().out
    assert "extractive: verbatim sentences, without a model" in out
    assert "SWARMS_API_KEY" in out
    assert "bill: 0 USD" in out


def test_a_cache_that_cannot_be_written_is_noted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert main(["doctor"]) == 0
    assert "note  cache:" in capsys.readouterr().out


def test_where_runs_are_stored(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["doctor", "--store", str(tmp_path / "deep" / "runs.sqlite")]) == 0
    assert "runs.sqlite, which the first run makes" in capsys.readouterr().out
    (tmp_path / "file").write_text("")
    assert main(["doctor", "--store", str(tmp_path / "file" / "runs.sqlite")]) == 2
    assert "bad   runs:" in capsys.readouterr().out
    assert main(["doctor", "--store", "off"]) == 0
    assert "cannot be resumed" in capsys.readouterr().out


def test_a_full_disk_is_bad(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("research_crew.doctor.here.LEAST_FREE", 10**20)
    assert main(["doctor"]) == 2
    assert "make room in" in capsys.readouterr().out


def test_fonts_for_chinese_japanese_and_korean(tmp_path: Path) -> None:
    assert _fonts((str(tmp_path),)).state == "note"
    (tmp_path / "DejaVuSans.ttf").touch()
    assert _fonts((str(tmp_path),)).state == "note"
    (tmp_path / "noto").mkdir()
    (tmp_path / "noto" / "NotoSansCJK-Regular.ttc").touch()
    assert _fonts((str(tmp_path),)).state == "ok"


def test_a_database_is_tried_and_its_password_not_shown(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RESEARCH_CREW_DATABASE", "postgresql://me:hush@127.0.0.1:9/none")
    assert main(["doctor", "--live"]) == 2
    out = capsys.readouterr().out
    assert "hush" not in out
    assert "bad   database: postgresql://me:***@127.0.0.1:9/none" in out


def test_every_kind_of_check_is_there() -> None:
    from datetime import UTC, datetime

    from research_crew.models.wire import Wire
    from research_crew.search.request import Http
    from research_crew.settings import load

    about = {c.about.split()[0] for c in checks_here(Parts(load(), datetime.now(UTC), Http(), Wire()))}
    assert about >= {"program", "agents", "keys", "search", "cache", "disk", "fonts", "extras"}
