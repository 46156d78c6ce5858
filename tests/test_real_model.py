"""A crew and one agent alone with a real language model, over documents with known answers. Opt-in: needs a server."""

import json
import os
import urllib.request
from pathlib import Path

import pytest

from research_crew import Crew, CrewResult, Solo

URL = os.environ.get("RESEARCH_CREW_REAL_MODEL", "")
pytestmark = [
    pytest.mark.real_model,
    pytest.mark.skipif(
        not URL, reason="no language model: set RESEARCH_CREW_REAL_MODEL to the base URL of an OpenAI-compatible server on this machine, such as http://127.0.0.1:8089/v1"
    ),
]
PAGES = {
    "harbour.txt": "Night Harbour is a 1961 drama film directed by Ada Lorne. It was shot on an island.",
    "lorne.txt": "Ada Lorne (4 May 1921 - 2 March 1990) was a film director. She died in Bergen.",
    "orchard.txt": "The Glass Orchard is a 1974 film directed by Tomas Vey. It won no prize.",
    "vey.txt": "Tomas Vey (9 June 1935 - 7 July 2011) was a director of films. He died in Turku.",
}
QUESTION = "Which film has the director who died later, Night Harbour or The Glass Orchard?"


@pytest.fixture
def films(tmp_path: Path) -> Path:
    folder = tmp_path / "films"
    folder.mkdir()
    for name, text in PAGES.items():
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize("maker", [Crew, Solo])
def test_a_real_model_answers_from_the_documents_within_the_profile(maker: type[Crew], films: Path, tmp_path: Path) -> None:
    with urllib.request.urlopen(f"{URL}/models", timeout=30) as reply:
        name = json.load(reply)["data"][0]["id"]
    file = tmp_path / "run.jsonl"
    crew = maker(
        docs=str(films), lead=f"llamacpp:{name}", base_urls=f"llamacpp={URL}", profile="small", price="1/4",
        record=str(file), keys={},
    )  # fmt: skip
    result = crew.run(QUESTION, "0.05")
    calls = [e for e in result.ledger if e.kind == "model"]
    assert 2 <= len(calls) <= 8
    assert max(e.usage.input + e.usage.cached_read for e in calls) <= 500
    assert max(e.usage.output for e in calls) <= 120
    assert all(e.basis == "measured" for e in calls)
    assert result.report is not None
    assert "Ada Lorne" in str(result) or "Tomas Vey" in str(result)
    assert result.total_cost > 0
    played = maker(docs=str(films), lead=f"recorded:{file}", profile="small", price="1/4", keys={}).run(QUESTION, "0.05")
    assert told(played) == told(result)


def told(result: CrewResult) -> tuple[str, object]:
    return str(result), result.total_cost
