"""Turns are given at a distance, per name, and a hold is kept."""

import asyncio
from datetime import UTC, datetime

import pytest

from research_crew.net.pace import Pace, retry_after


class Clock:
    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 6))
        self.now += seconds


def make(interval: float, longest: float = 30.0) -> tuple[Pace, Clock]:
    clock = Clock()
    return Pace(interval, longest=longest, clock=lambda: clock.now, sleep=clock.sleep), clock


def test_one_name_waits_and_another_does_not() -> None:
    pace, clock = make(2.0)

    async def go() -> None:
        for name in ("a", "b", "a", "a"):
            assert await pace.turn(name) is None

    asyncio.run(go())
    assert clock.slept == [2.0, 2.0]


def test_turns_asked_for_together_are_spread() -> None:
    pace, clock = make(1.0)
    begun: list[float] = []

    async def one() -> None:
        await pace.turn("a")
        begun.append(clock.now)

    async def go() -> None:
        await asyncio.gather(*(one() for _ in range(4)))

    asyncio.run(go())
    assert begun == [100.0, 101.0, 102.0, 103.0]


def test_a_burst_goes_at_once_and_is_never_passed() -> None:
    pace, clock = make(0.1)
    begun: list[float] = []

    async def one() -> None:
        await pace.turn("a", burst=3)
        begun.append(round(clock.now - 100.0, 6))

    async def go() -> None:
        await asyncio.gather(*(one() for _ in range(7)))
        clock.now = 100.65
        await asyncio.gather(*(one() for _ in range(3)))

    asyncio.run(go())
    assert begun == [0.0, 0.0, 0.0, 0.3, 0.3, 0.3, 0.6, 0.65, 0.65, 0.9]
    assert all(later - first >= 0.3 - 1e-6 for first, later in zip(begun, begun[3:], strict=False))


def test_a_hold_is_kept_and_a_long_one_is_told_instead() -> None:
    pace, clock = make(0.0, longest=10.0)

    async def go() -> list[float | None]:
        pace.hold("a", 5.0)
        first = await pace.turn("a")
        pace.hold("a", 11.0)
        return [first, await pace.turn("a"), await pace.turn("b")]

    assert asyncio.run(go()) == [None, 11.0, None]
    assert clock.slept == [5.0]


def test_a_hold_that_comes_while_one_sleeps_is_kept_too() -> None:
    clock = Clock()

    async def sleep(seconds: float) -> None:
        if not clock.slept:
            pace.hold("a", 7.0)
        await clock.sleep(seconds)

    pace = Pace(1.0, clock=lambda: clock.now, sleep=sleep)

    async def go() -> None:
        await pace.turn("a")
        await pace.turn("a")

    asyncio.run(go())
    assert clock.slept == [1.0, 6.0]


NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("field", "seconds"),
    [(None, None), ("120", 120.0), (" 3 ", 3.0), ("-5", None), ("soon", None), ("", None), ("1.5", None), ("٣", None),
     ("Mon, 30 Nov 2026 12:01:00 GMT", 60.0), ("Mon, 30 Nov 2026 11:00:00 GMT", 0.0), ("9" * 400, 999_999_999.0)],
)  # fmt: skip
def test_retry_after(field: str | None, seconds: float | None) -> None:
    assert retry_after(field, NOW) == seconds
