"""Runs that are stored, replayed and resumed within one process: the same report, ledger and books."""

import asyncio
import json
import stat
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from crew_faults import KEYS, PRICE, QUESTION, found, mind
from kill_world import MODEL, Provider
from research_crew import Crew, CrewResult, InvalidInput, Solo, Stop
from research_crew.again import replay, resume
from research_crew.core.errors import Diverged, StoreError
from research_crew.core.events import Event
from research_crew.models.fake_faults import Fault, fault
from research_crew.models.fake_server import FakeServer
from research_crew.models.fake_shapes import Asked
from research_crew.record import result_of
from research_crew.search.exa import Exa
from research_crew.stores.opening import open_store


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Exa, "interval", 0.0)


async def no_wait(seconds: float) -> None:
    return None


def options(server: FakeServer, store: Path) -> dict[str, Any]:
    return {
        "lead": MODEL, "search": "exa", "price": f"{MODEL}=2/10/0.5", "keys": KEYS, "loops": 2, "researchers": 3,
        "base_urls": f"swarms={server.base('swarms')},exa={server.base('exa')}", "sleep": no_wait, "store": str(store),
    }  # fmt: skip


def ask(store: Path, faults: Any = lambda _: None, maker: type[Crew] = Crew, budget: str = "1.00", **more: Any) -> CrewResult:
    async def go() -> CrewResult:
        async with FakeServer(mind, faults, prices=lambda _: PRICE, search=found) as server:
            return await maker(**options(server, store) | more).arun(QUESTION, budget)

    return asyncio.run(go())


def replayed(store: Path, run: str) -> CrewResult:
    with open_store(store, read_only=True) as opened:
        return asyncio.run(replay(opened, run))


def differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    return [name for name in one if one[name] != other[name]]


@pytest.mark.parametrize("maker", [Crew, Solo])
@pytest.mark.parametrize("budget", ["1.00", "0.12", "0.06"])
def test_a_replay_is_the_same_to_the_letter_and_asks_nobody(tmp_path: Path, maker: type[Crew], budget: str) -> None:
    """With failures, retries, two loops; and where the budget refuses or gives up a part."""
    store = tmp_path / "runs.sqlite"
    result = ask(store, Provider(3).faults, maker, budget)
    again = replayed(store, result.id)  # the server is gone
    assert differences(result.to_json(), again.to_json()) == []
    assert again.json() == result.json()
    assert str(again) == str(result) and list(again.ledger) == list(result.ledger)
    assert again.run.books.claims.log == result.run.books.claims.log
    assert again.run.books.sources.log == result.run.books.sources.log
    with open_store(store, read_only=True) as opened:
        assert opened.read.record(result.id) == json.loads(result.json())
        assert [line for line, _ in opened.read.books(result.id)] == list(result.run.books.claims.log)
        assert sum(entry.nano for entry in opened.read.ledger(result.id, "USD")) == opened.read.run(result.id).spent


def test_a_record_reads_back_as_the_result_that_wrote_it(tmp_path: Path) -> None:
    result = ask(tmp_path / "runs.sqlite", Provider(4).faults)
    record = json.loads(result.json())
    assert result_of(record).to_json() == record
    assert str(result_of(record)) == str(result)
    with pytest.raises(ValueError, match="schema"):
        raise ValueError(str(_refused(record | {"schema": "research-crew/run/2"})))


def _refused(record: Mapping[str, Any]) -> Exception:
    try:
        result_of(record)
    except Exception as error:  # noqa: BLE001 - what is refused is what is asserted
        return error
    raise AssertionError("read")


def test_a_run_that_was_stopped_replays_as_stopped_and_goes_on_when_resumed(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    stop = Stop()

    def watch(event: Event) -> None:
        if event.kind == "task-ended" and event.task == "research:1":
            stop.request("interrupted")

    async def go() -> tuple[CrewResult, CrewResult, int, int]:
        async with FakeServer(mind, Provider(5).faults, prices=lambda _: PRICE, search=found) as server:
            crew = Crew(**options(server, store))
            stopped = await crew.arun(QUESTION, "1.00", on_event=watch, stop=stop)
            before = len(server.asked)
            with open_store(store) as opened:
                again = await replay(opened, stopped.id)
                assert again.json() == stopped.json() and len(server.asked) == before
                went_on = await resume(opened, stopped.id, KEYS, sleep=no_wait)
                last = await replay(opened, stopped.id)
                assert last.json() == went_on.json()
            return stopped, went_on, before, len(server.asked)

    stopped, went_on, before, after = asyncio.run(go())
    assert stopped.status == "cancelled" and stopped.exit_code == 130
    assert stopped.report is not None, "what there was is written"
    assert went_on.status == "complete" and went_on.id == stopped.id
    assert list(went_on.ledger)[: len(stopped.ledger)] == list(stopped.ledger), "no entry was lost or changed"
    assert after - before == len(went_on.ledger) - len(stopped.ledger), "every request since has its own entry"
    with open_store(store, read_only=True) as opened:
        kinds = [event.kind for _, event in opened.read.events(stopped.id)]
        starts = [event.task for _, event in opened.read.events(stopped.id) if event.kind == "task-started"]
    assert kinds[0] == "run-started" and kinds[-1] == "run-ended"
    assert starts.count("plan") == 1, "what happened once is told once"


def test_a_run_that_has_ended_is_not_resumed_and_says_so(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    result = ask(store)
    with open_store(store) as opened, pytest.raises(InvalidInput, match=f"research-crew show {result.id}"):
        asyncio.run(resume(opened, result.id, KEYS))


def test_resuming_with_other_prompts_diverges_and_rebuy_buys_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "runs.sqlite"
    stop = Stop()

    def watch(event: Event) -> None:
        if event.kind == "task-ended" and event.task == "plan":
            stop.request("interrupted")

    async def go() -> tuple[CrewResult, CrewResult]:
        async with FakeServer(mind, prices=lambda _: PRICE, search=found) as server:
            stopped = await Crew(**options(server, store)).arun(QUESTION, "1.00", on_event=watch, stop=stop)
            monkeypatch.setattr("research_crew.agents.model.planner.system_prompt", lambda *_, **__: "You lead a small team. New.")
            with open_store(store) as opened:
                with pytest.raises(Diverged, match="plan/1/plan/1 was bought with another request"):
                    await resume(opened, stopped.id, KEYS, sleep=no_wait)
                assert opened.read.run(stopped.id).status == "failed"
                return stopped, await resume(opened, stopped.id, KEYS, rebuy=True, sleep=no_wait)

    stopped, anew = asyncio.run(go())
    assert anew.status == "complete"
    assert list(anew.ledger)[: len(stopped.ledger)] == list(stopped.ledger), "what was paid stays in the ledger"
    assert sum(entry.task == "plan" for entry in anew.ledger if entry.outcome == "ok") == 2


def test_a_budget_that_is_raised_on_resuming_is_kept_and_replayed(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    stop = Stop()

    def watch(event: Event) -> None:
        if event.kind == "task-ended" and event.task == "plan":
            stop.request("interrupted")

    async def go() -> CrewResult:
        async with FakeServer(mind, prices=lambda _: PRICE, search=found) as server:
            stopped = await Crew(**options(server, store)).arun(QUESTION, "0.30", on_event=watch, stop=stop)
            with open_store(store) as opened:
                with pytest.raises(InvalidInput, match=r"its limit is 0\.3 already"):
                    await resume(opened, stopped.id, KEYS, budget="0.30")
                more = await resume(opened, stopped.id, KEYS, budget="0.90", sleep=no_wait)
                assert (await replay(opened, stopped.id)).json() == more.json()
                return more

    assert asyncio.run(go()).bill.limit == Decimal("0.9")


def test_a_deadline_ends_a_run_that_replays_the_same(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"

    def slow(asked: Asked) -> Fault | None:
        return fault("hang") if asked.n > 12 else None

    result = ask(store, slow, deadline=2.0)
    assert result.status == "incomplete"
    assert replayed(store, result.id).json() == result.json()


def test_without_a_key_runs_are_stored_replayed_and_resumed_as_well(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    stop = Stop()

    def watch(event: Event) -> None:
        if event.kind == "call-ended" and event.data["kind"] == "read":
            stop.request("interrupted")

    question = "What limits the write throughput, how do indexes help, and what does replication cost?"
    stopped = Crew(store=str(store)).run(question, on_event=watch, stop=stop)
    assert stopped.status == "cancelled"
    assert replayed(store, stopped.id).json() == stopped.json()
    with open_store(store) as opened:
        went_on = asyncio.run(resume(opened, stopped.id, {}))
    whole = Crew(store="off").run(question)
    assert str(went_on) == str(whole)
    assert went_on.total_cost >= whole.total_cost
    assert replayed(store, stopped.id).json() == went_on.json()


def test_a_store_that_nobody_named_and_nobody_can_write_does_not_stop_the_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "file"
    place.write_text("not a folder")
    monkeypatch.setenv("XDG_DATA_HOME", str(place))
    result = Crew().run("What limits the write throughput?")
    assert result.report is not None
    assert any("was not stored" in warning for warning in result.warnings)
    with pytest.raises(StoreError, match="cannot be opened"):
        Crew(store=str(place / "runs.sqlite")).run("What limits the write throughput?")


def test_what_is_stored_can_be_read_by_its_owner_only_and_holds_no_key(tmp_path: Path) -> None:
    store = tmp_path / "new" / "runs.sqlite"
    ask(store)
    assert stat.S_IMODE(store.stat().st_mode) == 0o600 and stat.S_IMODE(store.parent.stat().st_mode) == 0o700
    for file in store.parent.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0, file
        assert b"key-of-the-tests" not in file.read_bytes()
