"""Rate limits of providers: read from what a person writes, and kept over all runs of a process."""

import asyncio

import pytest
from brains import honest

from research_crew import Crew, InvalidInput
from research_crew.core.secret import Secret
from research_crew.models.fake_server import FakeServer
from research_crew.rates import Turns, parse_rates


def test_rates_are_read_as_a_person_writes_them() -> None:
    assert parse_rates("openai=500/min, exa=5/s,brave=1/hour") == {"openai": 0.12, "exa": 0.2, "brave": 3600.0}
    assert parse_rates(None) == {}


@pytest.mark.parametrize("text", ["openai", "openai=5", "=5/s", "openai=0/s", "openai=-1/s", "openai=5/day"])
def test_what_is_no_rate_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="PROVIDER=NUMBER/s"):
        Crew(rates=text)


def test_turns_follow_each_other_at_the_distance_of_their_provider() -> None:
    now, waits = 0.0, []

    async def sleep(seconds: float) -> None:
        nonlocal now
        waits.append(round(seconds, 3))
        now += seconds

    turns = Turns({"openai": 0.5}, clock=lambda: now, sleep=sleep)

    async def go() -> None:
        for provider in ("openai", "exa", "openai", "openai"):
            await turns(provider)

    asyncio.run(go())
    assert waits == [0.5, 0.5]


def test_every_paid_call_of_every_run_takes_its_turn() -> None:
    taken: list[str] = []

    async def turn(provider: str) -> None:
        taken.append(provider)

    async def go() -> int:
        async with FakeServer(honest) as server:
            crew = Crew(base_urls=f"openai={server.base('openai')}", keys={"openai": Secret("k")}, search="docs", turn=turn)
            results = [await crew.arun("What stores energy?", "1.00") for _ in range(2)]
            return sum(len(result.ledger) for result in results)

    entries = asyncio.run(go())
    assert len(taken) == entries
    assert "openai" in taken
