"""Going on from a stored run: a dropped claim taken back, a further question to what was read."""

import asyncio
from decimal import Decimal
from pathlib import Path

import pytest

from crew_faults import KEYS, PRICE, QUESTION, found, mind
from kill_world import MODEL
from research_crew import Crew, CrewResult, InvalidInput
from research_crew.again import ask_run, replay, restore
from research_crew.core.errors import NoSuchRun
from research_crew.models.fake_server import FakeServer
from research_crew.search.exa import Exa
from research_crew.settings import Settings
from research_crew.stores.opening import open_store

FREE = "What limits the write throughput, how do indexes help, and what does replication cost?"


async def no_wait(seconds: float) -> None:
    return None


def dropped(result: CrewResult, *states: str) -> str:
    return next(d.id for d in result.dropped if d.kind == "claim" and d.state in states)


@pytest.mark.parametrize("loops", [1, 2])
def test_a_dropped_claim_is_taken_back_and_only_draft_and_citations_are_bought(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loops: int
) -> None:
    monkeypatch.setattr(Exa, "interval", 0.0)
    store = tmp_path / "runs.sqlite"

    async def go() -> None:
        async with FakeServer(mind, prices=lambda _: PRICE, search=found) as server:
            crew = Crew(
                lead=MODEL, search="exa", price=f"{MODEL}=2/10/0.5", keys=KEYS, loops=loops, researchers=3,
                base_urls=f"swarms={server.base('swarms')},exa={server.base('exa')}", store=str(store), sleep=no_wait,
            )  # fmt: skip
            first = await crew.arun(QUESTION, "1.00")
            assert first.report is not None
            claim = dropped(first, "duplicate", "cut-by-critic")
            before = len(server.asked)
            with open_store(store) as opened:
                second = await restore(opened, first.id, [claim], KEYS, sleep=no_wait)
                assert len(server.asked) - before == 2, "one draft, one pass over its citations"
                assert second.report is not None and claim in second.report.claims
                assert second.run.books.claims[claim].state == "kept"
                assert any(t.id == claim and "restored" in t.reason for t in second.run.books.claims.log)
                assert list(second.ledger)[: len(first.ledger)] == list(first.ledger)
                assert [e.task for e in list(second.ledger)[len(first.ledger) :]] == ["write:restored-1", "cite:restored-1"]
                assert (await replay(opened, first.id)).json() == second.json()
                with pytest.raises(InvalidInput, match="in the report already"):
                    await restore(opened, first.id, [claim], KEYS)
                with pytest.raises(InvalidInput, match="has no such claim"):
                    await restore(opened, first.id, ["research:9/1/1"], KEYS)
                another = dropped(second, "duplicate", "cut-by-critic")
                third = await restore(opened, first.id, [another], KEYS, sleep=no_wait)
                assert third.report is not None and {claim, another} <= set(third.report.claims)
                assert len(server.asked) - before == 4
                assert (await replay(opened, first.id)).json() == third.json()

    asyncio.run(go())


def test_a_claim_is_taken_back_without_a_model_too(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    first = Crew(store=str(store)).run(FREE)
    claim = dropped(first, "cut-by-critic", "duplicate", "unsupported")
    with open_store(store) as opened:
        second = asyncio.run(restore(opened, first.id, [claim], {}))
        assert asyncio.run(replay(opened, first.id)).json() == second.json()
    assert second.report is not None and claim in second.report.claims
    bought = list(second.ledger)[len(first.ledger) :]
    assert [entry.kind for entry in bought] == ["task", "task"], "a draft and its citations, no search"


def test_a_new_draft_that_the_rest_of_the_budget_does_not_pay_leaves_the_report_as_it_was(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    whole = Crew(store="off").run(FREE)
    first = Crew(store=str(store), max_calls=len(whole.ledger)).run(FREE)
    assert str(first) == str(whole)
    claim = dropped(first, "cut-by-critic", "duplicate", "unsupported")
    with open_store(store) as opened:
        poor = asyncio.run(restore(opened, first.id, [claim], {}))
        assert str(poor) == str(first) and poor.status == "incomplete"
        assert any("not written anew" in warning for warning in poor.warnings)
        assert poor.total_cost == first.total_cost


def test_a_further_question_is_answered_from_what_was_read(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    first = Crew(store=str(store)).run(FREE)
    read = {source.path for source in first.sources if source.hash}
    with open_store(store) as opened:
        settings = Settings(store=str(store))
        second = asyncio.run(
            ask_run(opened, first.id, "How do indexes help?", settings, {}, budget=Decimal(50), new_id="further")
        )
        assert second.report is not None and second.report.claims
        assert {source.path for source in second.sources} <= read
        row = opened.read.run("further")
        assert row.parent == first.id and row.status == second.status
        assert asyncio.run(replay(opened, "further")).json() == second.json()
        with pytest.raises(NoSuchRun):
            asyncio.run(ask_run(opened, "nothing", "How?", settings, {}, new_id="x"))


def test_pages_of_the_web_keep_their_address_and_nobody_fetches_them_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Exa, "interval", 0.0)
    store = tmp_path / "runs.sqlite"

    async def go() -> None:
        async with FakeServer(mind, prices=lambda _: PRICE, search=found) as server:
            settings = Settings(
                lead=MODEL, search="exa", price=f"{MODEL}=2/10/0.5", researchers=3, store=str(store),
                base_urls=f"swarms={server.base('swarms')},exa={server.base('exa')}",
            )  # fmt: skip
            first = await Crew(settings=settings, keys=KEYS, sleep=no_wait).arun(QUESTION, "1.00")
            before = sum(asked.shape == "exa" for asked in server.asked)
            with open_store(store) as opened:
                second = await ask_run(
                    opened, first.id, "How many nests did colony 3 have?", Settings(lead=MODEL, price=settings.price, base_urls=settings.base_urls, store=str(store)), KEYS, budget="0.5", new_id="further",
                )  # fmt: skip
                assert second.report is not None and second.cited
                assert {source.url for source in second.cited} <= {source.url for source in first.sources}
                assert sum(asked.shape == "exa" for asked in server.asked) == before, "nothing was searched outside"
                assert all(entry.kind != "read" for entry in second.ledger)
                wider = await ask_run(
                    opened, first.id, "How many nests did colony 3 have?", settings, KEYS, budget="0.5", new_id="wider"
                )
                assert sum(asked.shape == "exa" for asked in server.asked) > before, "allowed by name"
                assert wider.report is not None

    asyncio.run(go())
