"""Random fault scripts: the ledger is held against the provider's own log, to the last unit, and the limit holds.

`benchmarks/fault_scripts.py` runs a thousand of them; here is a sample.
"""

import asyncio
from dataclasses import dataclass
from decimal import Decimal
from random import Random

import pytest
from models_desk import PRICE, Desk, model_of

from research_crew.core.call import Retry
from research_crew.core.errors import CallFailed, OverBudget
from research_crew.models.asking import UnusableAnswer, ask_for, ask_whole, read_as
from research_crew.models.fake_faults import Fault, fault
from research_crew.models.fake_server import FakeServer
from research_crew.models.fake_shapes import Asked, Said
from research_crew.models.metered import DoesNotFit
from research_crew.models.protocol import ModelRequest
from research_crew.models.wire import Wire

KINDS = (
    "rate-limit", "error", "unavailable", "overloaded", "gateway", "drop", "cut-body", "not-json", "no-usage", "cached",
    "cut-json", "empty", "wrong-schema", "reasoning", "fenced", "length", "bad-request", "context",
)  # fmt: skip
SCHEMA = {
    "type": "object",
    "properties": {"colour": {"type": "string"}},
    "required": ["colour"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class Colour:
    colour: str


def faults_of(seed: int) -> "dict[int, Fault]":
    rng = Random(seed)
    return {n: fault(rng.choice(KINDS)) for n in range(1, 60) if rng.random() < 0.45}


async def one_run(seed: int, limit: str, vendor: str) -> tuple[Desk, FakeServer]:
    """Three tasks side by side, each with a value, a text, and whatever goes wrong."""
    script = faults_of(seed)
    desk = Desk(limit, retry=Retry(3, (2.0, 4.0)))

    def say(asked: Asked) -> Said:
        return (
            Said(data={"colour": "red"}) if asked.schema or "JSON object" in asked.prompt else Said("It is red. " * 5)
        )

    async with FakeServer(say, faults=lambda asked: script.get(asked.n), prices=lambda _: PRICE) as server:
        wire = Wire()
        model = model_of(vendor, server, wire)

        async def task(name: str) -> None:
            meter = desk.of(name)
            for step in ("one", "two"):
                asked = ModelRequest(f"{name}: which colour?", schema=SCHEMA, max_tokens=150)
                try:
                    await ask_for(desk.asker, meter, model, asked, f"{step}/value", read_as(Colour))
                    await ask_whole(
                        desk.asker, meter, model, ModelRequest(f"{name}: write", max_tokens=150), f"{step}/text"
                    )
                except (CallFailed, UnusableAnswer, DoesNotFit, OverBudget):
                    continue

        try:
            await asyncio.gather(*(task(f"research:{n}") for n in range(3)))
        finally:
            await wire.aclose()
        return desk, server


def held_against(desk: Desk, server: FakeServer, limit: str) -> None:
    spent = desk.ledger.spent
    assert spent <= Decimal(limit), "the limit was passed"
    assert desk.account.held == 0
    assert len(desk.entries) == len(server.log), "a try without an entry, or an entry without a try"
    billed = {served.request_id: served for served in server.log}
    for entry in desk.entries:
        if entry.basis == "measured" and entry.outcome in ("ok", "rejected"):
            served = billed.pop(str(entry.request_id))
            assert (entry.amount, entry.usage) == (served.amount, served.usage)
    # What is left was charged as an estimate, at its reservation, or not at all. Late bills put the first two right.
    guessed = [entry for entry in desk.entries if entry.basis != "measured"]
    owed = sorted(served.amount for served in billed.values() if served.amount)
    assert len(guessed) == len(owed), "something executed was charged nothing, or something refused was charged"
    assert sum((entry.amount for entry in guessed), Decimal(0)) >= sum(owed, Decimal(0))
    for entry, amount in zip(sorted(guessed, key=lambda e: e.amount), owed, strict=True):
        desk.shared.correct(entry, amount)
    assert desk.ledger.spent == server.billed


@pytest.mark.parametrize("vendor", ["swarms", "openai"])
@pytest.mark.parametrize("seed", range(12))
def test_the_ledger_equals_the_providers_own_log(seed: int, vendor: str) -> None:
    desk, server = asyncio.run(one_run(seed, "1", vendor))
    assert len(server.log) >= 6
    held_against(desk, server, "1")


@pytest.mark.parametrize("seed", range(12))
def test_a_limit_that_is_too_small_is_not_passed(seed: int) -> None:
    desk, server = asyncio.run(one_run(seed, "0.02", "swarms"))
    held_against(desk, server, "0.02")
