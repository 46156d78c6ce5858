"""Turns: requests to one name (a host, a search engine) follow each other at a distance, and wait when asked to.

Used for the politeness limit per host and for the rate limit of each search engine.
"""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_MANY = 2_000


class Pace:
    """Gives turns by name. One instance per process or run; the clock and the sleep are arguments for tests.

    `interval` is the distance in seconds between two turns of one name; a turn may ask for a larger one. A wait of
    more than `longest` seconds is not made: the caller is told how long it would have been.
    """

    def __init__(
        self,
        interval: float = 0.0,
        *,
        longest: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._interval, self._longest, self._clock, self._sleep = interval, longest, clock, sleep
        self._turns: dict[str, deque[float]] = {}
        """Name → its last turns, those to come included: as many as may follow each other at once."""
        self._held: dict[str, float] = {}

    async def turn(self, name: str, interval: float | None = None, burst: int = 1) -> float | None:
        """Wait for the next turn. None when it has come; otherwise the seconds that would have to be waited.

        `burst` turns may follow each other at once: never more than that many in `burst` intervals.
        """
        gap = max(self._interval, interval or 0.0)
        now = self._clock()
        turns = self._turns.get(name)
        at = max(now, self._held.get(name, now))
        if turns:
            at = max(at, turns[-1], turns[0] + burst * gap if len(turns) >= burst else at)
        if at - now > self._longest:
            return at - now
        self._forget(now)
        if turns is None or turns.maxlen != burst:
            turns = self._turns[name] = deque(turns or (), burst)
        turns.append(at)
        while at > now:
            await self._sleep(at - now)
            now = self._clock()
            # A Retry-After may have come in for an earlier request while this one slept.
            at = self._held.get(name, now)
            if at - now > self._longest:
                return at - now
        return None

    def hold(self, name: str, seconds: float) -> None:
        """No turn for this name before so many seconds have passed (Retry-After)."""
        until = self._clock() + max(0.0, seconds)
        self._held[name] = max(until, self._held.get(name, until))

    def _forget(self, now: float) -> None:
        if len(self._turns) > _MANY:
            self._turns = {name: turns for name, turns in self._turns.items() if turns[-1] + self._longest > now}
            self._held = {name: at for name, at in self._held.items() if at > now}


def retry_after(value: str | None, now: datetime) -> float | None:
    """Seconds from a Retry-After field (RFC 9110, 10.2.3: seconds or a date); None when there is none to be read."""
    if value is None:
        return None
    text = value.strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        when = parsedate_to_datetime(text)
    except ValueError:
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return max(0.0, (when - now).total_seconds())
