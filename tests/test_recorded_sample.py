"""The recording of a real model that comes with the package plays back: same report, same bill, no model, no network."""

import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from research_crew import Crew
from research_crew.documents.index import DocumentIndex
from research_crew.interfaces.cli.app import main
from research_crew.library import Library

QUESTION = "When does SQLite return SQLITE_BUSY, and how can a database file become corrupt?"
ROOT = Path(__file__).parents[1]
FILE = ROOT / "src" / "research_crew" / "samples" / "recorded.jsonl"
COMMAND = [QUESTION, "--profile", "small", "--model", "recorded:sample", "--search", "docs", "--price", "1/4"]


@pytest.fixture(scope="module")
def library() -> Iterator[Library]:
    index = DocumentIndex()
    index.update(FILE.parent / "documents")
    yield Library(index, bundled=True)
    index.close()


def usages() -> list[dict[str, int]]:
    lines = FILE.read_text(encoding="utf-8").splitlines()[1:]
    return [json.loads(line)["reply"]["usage"] for line in lines]


def test_the_sample_plays_back_as_the_documentation_shows_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*COMMAND, "--quiet"]) == 0
    out = capsys.readouterr().out
    page = (ROOT / "docs" / "small-models.md").read_text(encoding="utf-8")
    report = out.split("\n## Bill")[0].strip()
    assert report.count("\n- ") >= 6
    assert report in page
    assert "**0.002416** of at most 1" in out


def test_the_bill_of_the_replay_is_what_the_recorded_tokens_cost(library: Library) -> None:
    result = Crew(profile="small", lead="recorded:sample", library=library, price="1/4", keys={}).run(QUESTION)
    used = usages()
    tokens_in, tokens_out = (sum(u.get(k, 0) for u in used) for k in ("input", "output"))
    assert result.total_cost == (Decimal(tokens_in) + 4 * Decimal(tokens_out)) / 1_000_000
    assert (result.usage().input, result.usage().output) == (tokens_in, tokens_out)
    assert [e.basis for e in result.ledger if e.kind == "model"] == ["measured"] * len(used)
    assert result.status == "complete"
    for claim in result.claims:
        assert claim.check is not None
        assert claim.check.verdict == "supported"


def test_without_a_price_the_replay_costs_nothing_and_says_so(library: Library) -> None:
    result = Crew(profile="small", lead="recorded:sample", library=library, keys={}).run(QUESTION)
    assert result.total_cost == 0
    assert {e.basis for e in result.ledger if e.kind == "model"} == {"reused"}


def test_the_recorded_run_kept_to_the_profile() -> None:
    used = usages()
    assert len(used) <= 8
    assert max(u["input"] for u in used) <= 500
    assert max(u["output"] for u in used) <= 120
    assert FILE.stat().st_size < 200_000


def test_another_question_is_refused_loudly(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["Why is the sky blue?", *COMMAND[1:], "--quiet"]) != 0
    said = capsys.readouterr()
    assert "holds no answer to" in said.out + said.err
