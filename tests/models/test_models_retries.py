"""Retries are ours alone, on every vendor's shape: each try is one request, one entry, and one wait that was asked for."""

import asyncio
from collections.abc import Callable
from decimal import Decimal

import pytest
from models_desk import PRICE, Desk, model_of

from research_crew.core.call import Retry
from research_crew.core.errors import CallFailed
from research_crew.core.events import Event
from research_crew.models.fake_faults import Fault, fault
from research_crew.models.fake_server import FakeServer
from research_crew.models.fake_shapes import Asked, Said
from research_crew.models.metered import worst_cost
from research_crew.models.protocol import ModelReply, ModelRequest
from research_crew.models.wire import Wire

VENDORS = ("swarms", "openai", "anthropic", "google")
ASK = ModelRequest("What is the colour of the box?", "You are brief.", max_tokens=200)


def asked_for(
    vendor: str, failing: Callable[[Asked], Fault | None], desk: Desk, *, text: str = "It is red.", streams: bool = False,
    timeout: float = 5.0,
) -> tuple[ModelReply | CallFailed, FakeServer]:  # fmt: skip
    """One call on an account: what it gave, or how it failed."""
    events: list[Event] = []
    desk.asker.timeout, desk.asker.streams = timeout, streams
    desk.asker.on_event = events.append if streams else None

    async def main() -> tuple[ModelReply | CallFailed, FakeServer]:
        async with FakeServer(lambda _: Said(text), faults=failing, prices=lambda _: PRICE) as server:
            wire = Wire()
            try:
                return await desk.asker.ask(desk.meter, model_of(vendor, server, wire), ASK, "write"), server
            except CallFailed as failure:
                return failure, server
            finally:
                await wire.aclose()

    return asyncio.run(main())


def in_turn(*faults: Fault | None) -> Callable[[Asked], Fault | None]:
    return lambda asked: faults[asked.n - 1] if asked.n <= len(faults) else None


@pytest.mark.parametrize("vendor", VENDORS)
def test_each_try_is_one_request_with_one_entry_after_the_wait_that_was_asked_for(vendor: str) -> None:
    desk = Desk(retry=Retry(3, (2.0, 4.0)))
    got, server = asked_for(vendor, in_turn(fault("rate-limit", retry_after=7), fault("unavailable")), desk)
    assert isinstance(got, ModelReply)
    assert len(server.asked) == len(desk.entries) == 3
    assert [(e.try_, e.outcome, e.amount > 0) for e in desk.entries] == [(1, "error", False), (2, "error", False), (3, "ok", True)]
    assert desk.waits[0] == 7.0
    assert 4.0 <= desk.waits[1] <= 5.0
    assert desk.ledger.spent == server.billed


@pytest.mark.parametrize("vendor", VENDORS)
@pytest.mark.parametrize("kind", ["bad-request", "bad-key", "forbidden", "unknown-model", "too-large", "quota"])
def test_what_no_second_try_mends_is_asked_once_by_library_and_meter_alike(vendor: str, kind: str) -> None:
    desk = Desk()
    try:
        asked_for(vendor, lambda _: fault(kind), desk)
    except Exception as error:  # noqa: BLE001 - a prompt that is too large has an error of its own
        assert type(error).__name__ == "DoesNotFit"
    assert [(e.try_, e.outcome, e.amount) for e in desk.entries] == [(1, "error", Decimal(0))]
    assert desk.waits == []


@pytest.mark.parametrize("vendor", VENDORS)
@pytest.mark.parametrize("kind", ["error", "hang", "drop", "cut-body", "gateway"])
def test_the_third_failure_is_the_last_and_no_hidden_try_was_made(vendor: str, kind: str) -> None:
    desk = Desk(retry=Retry(3, (2.0, 4.0)))
    got, server = asked_for(vendor, lambda _: fault(kind), desk, timeout=0.4)
    assert isinstance(got, CallFailed)
    assert len(server.asked) == len(desk.entries) == 3
    assert len(desk.waits) == 2
    assert {e.outcome for e in desk.entries} == ({"timeout"} if kind in ("hang", "gateway") else {"error"})
    assert {e.basis for e in desk.entries} == ({"measured"} if kind == "error" else {"assumed"})


@pytest.mark.parametrize("vendor", [vendor for vendor in VENDORS if vendor != "swarms"])
def test_an_answer_that_we_stopped_for_repeating_itself_is_charged_at_its_reservation(vendor: str) -> None:
    desk = Desk()
    got, server = asked_for(vendor, lambda _: fault("loop"), desk, streams=True)
    assert isinstance(got, ModelReply)
    assert got.finish == "repetition"
    (entry,) = desk.entries
    prompt = desk.asker.bounds.prompt(model_of(vendor, server, Wire()), ASK)
    assert (entry.basis, entry.amount) == ("assumed", worst_cost(PRICE, prompt, ASK.most_output))
    assert entry.amount >= server.billed
