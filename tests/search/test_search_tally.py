"""What a person is told of the searches of a run: failures by kind and engine, empty answers, rows left out, notes."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from research_crew import Crew, CrewResult
from research_crew.core.secret import Secret
from research_crew.search.protocol import Hits, Result
from research_crew.search.tally import Tallies

FOUND = Result("A", "https://a.example/")


def test_each_engine_is_counted_apart_and_nothing_is_said_when_all_went_well() -> None:
    tallies = Tallies()
    tallies.count("exa", Hits((FOUND,), "ok", skipped={"duplicate": 2}))
    assert tallies.lines() == []
    tallies.count("exa", Hits((), "failed", detail="the key was not accepted, status 401", failure="wrong-key"))
    tallies.count("exa", Hits((), "failed", detail="status 503", failure="outage"))
    tallies.count("arxiv", Hits((), "empty"))
    tallies.count("brave", Hits((FOUND,), "ok", skipped={"no url": 2}, notes=("brave has no x filter",)))
    tallies.count("brave", Hits((FOUND,), "ok", notes=("brave has no x filter",)))
    assert tallies.lines() == [
        "search exa: 2 of 3 failed (1 × it did not accept the key, 1 × it had a fault of its own): status 503",
        "search arxiv: it works, and found nothing for 1 query",
        "search brave: 2 result(s) left out (2 no url)",
        "search brave: brave has no x filter",
    ]


def research(tmp_path: Path, status: int, body: Any, **options: Any) -> CrewResult:
    """A run over Exa, played by a server on loopback, and documents beside it."""
    (tmp_path / "a.txt").write_text("The grey heron eats fish, frogs and small mammals.")

    async def answer(request: web.Request) -> web.Response:
        return web.json_response(body, status=status)

    async def go() -> CrewResult:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", answer)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        listener = web.TCPSite(runner, "127.0.0.1", 0)
        await listener.start()
        try:
            address = f"exa=http://127.0.0.1:{runner.addresses[0][1]}"
            crew = Crew(
                docs=str(tmp_path), search="exa,docs", agents="extractive", keys={"exa": Secret("k")}, base_urls=address,
                tries=1, **options,
            )  # fmt: skip
            return await crew.arun("What does the grey heron eat?")
        finally:
            await runner.cleanup()

    return asyncio.run(go())


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (503, {"error": "down"}, "it had a fault of its own"),
        (401, {"error": "no"}, "it did not accept the key"),
        (200, {"results": []}, "search exa: it works, and found nothing"),
        (200, {"results": [{"title": None, "text": "x"}, 3]}, "2 result(s) left out (1 no url, 1 not an object)"),
    ],
)
def test_an_outage_a_wrong_key_and_an_empty_answer_are_told_apart(
    status: int, body: Any, said: str, tmp_path: Path
) -> None:
    result = research(tmp_path, status, body)
    told = [warning for warning in result.warnings if warning.startswith("search exa")]
    assert any(said in warning for warning in told), result.warnings
    assert "fish, frogs" in result.markdown, "the other engine goes on"
    assert not any(warning.startswith("search docs") for warning in result.warnings)
    entries = [entry for entry in result.ledger if entry.provider == "exa"]
    assert entries and all((entry.outcome == "ok") == (status == 200) for entry in entries)


def test_a_limit_that_an_engine_does_not_know_is_told(tmp_path: Path) -> None:
    found = {"results": [{"title": "T", "url": "https://t.example/", "text": "The grey heron eats eels."}]}
    result = research(tmp_path, 200, found, filters="language=de,since=2024-01-01")
    assert "search exa: exa has no language filter" in result.warnings
    assert "search docs: no time range for local documents" in result.warnings
    assert not any("exa has no time range" in warning for warning in result.warnings)
