"""A run while it goes on: bill and ledger can be read, tokens arrive, silence is broken, a hung server is given up."""

import asyncio
from decimal import Decimal
from pathlib import Path

import pytest
from brains import honest, role_of
from crew_on_loopback import QUESTION, birds_in, crew_of, price_of

from research_crew import Crew, CrewResult, Event, Live
from research_crew.core.pulse import Pulse
from research_crew.core.secret import Secret
from research_crew.models.fake_faults import fault
from research_crew.models.fake_server import FakeServer
from research_crew.models.fake_shapes import Asked, Said


@pytest.fixture
def birds(tmp_path: Path) -> Path:
    return birds_in(tmp_path / "birds")


def test_the_bill_grows_while_the_run_goes_on_and_is_the_results_in_the_end(birds: Path) -> None:
    async def go() -> None:
        async with FakeServer(honest, prices=price_of) as server:
            live = crew_of(server, birds).stream(QUESTION, "1.00")
            assert isinstance(live, Live)
            assert live.bill is None
            spent = [Decimal(0)]
            paid: dict[str, Decimal] = {}
            result: Event | CrewResult | None = None
            async for result in live:
                if isinstance(result, CrewResult):
                    continue
                assert live.bill is not None
                spent.append(live.bill.spent)
                if result.kind == "call-ended":
                    key = f"{result.data['provider']}:{result.data['model']}".rstrip(":")
                    paid[key] = paid.get(key, Decimal(0)) + Decimal(str(result.data["amount"]))
                    assert live.bill.by_model[key] == paid[key]
            assert isinstance(result, CrewResult)
            assert live.result is result
            assert spent == sorted(spent)
            assert len(set(spent)) > 4
            assert live.bill is not None
            assert live.bill == result.bill
            assert paid == result.bill.by_model
            assert live.ledger is not None
            assert list(live.ledger) == list(result.ledger)

    asyncio.run(go())


def test_each_answer_arrives_in_pieces_and_then_whole(birds: Path) -> None:
    async def go() -> list[Event]:
        async with FakeServer(honest, prices=price_of) as server:
            return [e async for e in crew_of(server, birds).stream(QUESTION) if isinstance(e, Event)]

    events = asyncio.run(go())
    pieces: dict[tuple[str, object], str] = {}
    for event in events:
        call = (event.task, event.data.get("step"))
        if event.kind == "text":
            pieces[call] = pieces.get(call, "") + str(event.data["text"])
        if event.kind == "reply":
            assert pieces[call].strip() == event.data["text"]
    assert {task for task, _ in pieces} >= {"plan", "research:0", "research:1", "critique", "write", "cite"}
    kinds = [e.kind for e in events]
    assert kinds.count("text") > kinds.count("reply") > 5


def test_leaving_the_loop_early_leaves_nothing_running(birds: Path) -> None:
    async def go() -> int:
        async with FakeServer(honest, prices=price_of) as server:
            async with crew_of(server, birds).stream(QUESTION) as live:
                async for event in live:
                    if isinstance(event, Event) and event.kind == "call-ended":
                        break
            assert len(asyncio.all_tasks()) <= 3
            asked = len(server.asked)
            assert [item async for item in Crew(docs=str(birds)).stream("What do herons eat?")]
            return len(server.asked) - asked

    assert asyncio.run(go()) == 0


def test_a_stop_through_the_handle_still_gives_a_result(birds: Path) -> None:
    async def go() -> CrewResult | None:
        live = Crew(docs=str(birds)).stream(QUESTION)
        async for event in live:
            if isinstance(event, Event) and event.kind == "task-ended" and event.role == "researcher":
                live.stop()
        return live.result

    result = asyncio.run(go())
    assert result is not None
    assert result.status == "cancelled"
    assert result.report is not None


def test_an_answer_without_an_end_is_stopped_while_it_arrives(birds: Path) -> None:
    def endless(asked: Asked) -> Said:
        return Said("The heron eats fish and frogs. " * 4000) if role_of(asked) == "writer" else honest(asked)

    async def go() -> CrewResult:
        async with FakeServer(endless, prices=price_of) as server:
            live = crew_of(server, birds, output_tokens="writer=20000").stream(QUESTION, "5")
            async for _ in live:
                pass
            assert live.result is not None
            return live.result

    result = asyncio.run(go())
    written = [e for e in result.ledger if e.task == "write"]
    assert any("repeating" in e.note for e in written)
    assert all(e.usage.output < 10_000 for e in written), "of the 20,000 that it might have said"
    assert result.report is not None
    assert result.report.incomplete
    assert str(result).count("The heron eats fish and frogs.") <= 2
    assert result.status == "incomplete"


def test_a_server_that_hangs_is_given_up_and_said_meanwhile(birds: Path) -> None:
    async def go() -> tuple[CrewResult, list[Event]]:
        hang = lambda asked: fault("hang") if role_of(asked) == "planner" else None  # noqa: E731
        events: list[Event] = []
        async with FakeServer(honest, hang, price_of) as server:
            crew = crew_of(server, birds, timeout=0.4, tries=1)
            return await crew.arun(QUESTION, on_event=events.append), events

    result, _ = asyncio.run(go())
    planned = next(e for e in result.ledger if e.task == "plan")
    assert planned.outcome == "timeout"
    assert result.plan is not None
    assert "after 0.4 s" in result.plan.fallback
    assert result.report is not None


def test_a_search_that_hangs_is_given_up_as_soon_as_any_call() -> None:
    async def go() -> CrewResult:
        async with FakeServer(honest, lambda a: fault("hang") if a.shape == "exa" else None, price_of) as server:
            urls = f"openai={server.base('openai')},exa={server.base('exa')}"
            keys = {"openai": Secret("k"), "exa": Secret("k")}
            crew = Crew(lead="openai:m", price="1/4", search="exa", base_urls=urls, keys=keys, timeout=0.4, tries=1)
            return await asyncio.wait_for(crew.arun(QUESTION), 60)

    result = asyncio.run(go())
    searched = [e for e in result.ledger if e.kind == "search"]
    assert searched
    assert {(e.outcome, e.basis) for e in searched} == {("timeout", "assumed")}
    assert result.status == "no-evidence"


def test_silence_is_broken_whatever_the_run_waits_for(birds: Path) -> None:
    async def go() -> list[Event]:
        events: list[Event] = []
        loop = asyncio.get_running_loop()
        heard = asyncio.Event()

        def tell(event: Event) -> None:
            events.append(event)
            if event.kind == "waiting":
                heard.set()

        from datetime import UTC, datetime

        def now() -> datetime:
            return datetime.now(UTC)

        pulse = Pulse(tell, now, every=0.02)
        began = loop.time()
        pulse(Event("call-started", now(), "research:0", "researcher", {"step": "round-1/search-1", "try": 1}))
        await asyncio.wait_for(heard.wait(), 5)
        assert loop.time() - began >= 0.02
        pulse(Event("call-ended", now(), "research:0", "researcher", {"step": "round-1/search-1", "try": 1}))
        pulse.close()
        count = len(events)
        await asyncio.sleep(0)
        assert len(events) == count
        return events

    events = asyncio.run(go())
    assert events[1].kind == "waiting"
    assert events[1].data["for"] == ["research:0 round-1/search-1"]
