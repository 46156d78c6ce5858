"""`research-crew models`: names, prices with the vendor's factor, windows, and whose key was found."""

import json

import pytest
from server_beside import serving

from research_crew.interfaces.cli.app import main


def test_every_vendor_with_its_pair_and_whether_its_key_was_found(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SWARMS_API_KEY", "secret-key")
    assert main(["models"]) == 0
    out = capsys.readouterr().out
    assert "* key found (SWARMS_API_KEY)" in out
    assert "no key: set OPENAI_API_KEY" in out
    assert "secret-key" not in out
    lines = {line.split()[0]: line for line in out.splitlines() if line.startswith("    ") and ":" in line.split()[0]}
    assert "5.75 / 34.5" in lines["swarms:gpt-5.5"], "the factor of 1.15 is in it"
    assert "5 / 30" in lines["openai:gpt-5.5"]
    assert "272,000" in lines["openai:gpt-5.5"]
    assert "default lead" in lines["anthropic:claude-sonnet-5-5"]
    for local in ("ollama", "llamacpp", "vllm", "lmstudio"):
        assert f"\n{local}" in out


def test_a_vendor_that_is_named_is_asked_for_its_list(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with serving(lambda a: "", models=("gpt-5.5", "brand-new")) as server:
        urls = ["--base-urls", f"openai={server.base('openai')}"]
        assert main(["models", "openai", "--json", *urls]) == 0
        (block,) = json.loads(capsys.readouterr().out)["vendors"]
        assert main(["models", "openai", "--offline", "--json", *urls]) == 0
        (tables,) = json.loads(capsys.readouterr().out)["vendors"]
    assert block["asked"]
    rows = {row["name"]: row for row in block["models"]}
    assert set(rows) == {"openai:gpt-5.5", "openai:brand-new"}
    assert (rows["openai:gpt-5.5"]["input"], rows["openai:gpt-5.5"]["output"]) == ("5", "30")
    assert rows["openai:brand-new"]["input"] is None
    assert not tables["asked"]
    assert "openai:gpt-5.4-mini" in {row["name"] for row in tables["models"]}


def test_a_vendor_that_cannot_be_asked_is_said_and_the_tables_stand_in(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert main(["models", "openai", "--base-urls", "openai=http://127.0.0.1:9/v1"]) == 0
    out = capsys.readouterr().out
    assert "could not be asked for its list" in out
    assert "openai:gpt-5.5" in out
    assert main(["models", "ollama"]) == 0
    assert "could not be asked" in capsys.readouterr().out


def test_an_unknown_vendor_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "opnai"]) == 2
    assert "known are" in capsys.readouterr().err
