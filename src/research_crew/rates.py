"""Rate limits of providers, as a person knows them from a contract: so many calls a second or a minute.

Every paid call waits for its turn before it reserves money. One process keeps the turns itself; workers on several
machines keep them in their database (`stores/`), so that the limit holds for all of them together.
"""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Mapping

from research_crew.core.errors import InvalidInput
from research_crew.net.pace import Pace

TakeTurn = Callable[[str], Awaitable[None]]
"""Waits until a provider may be called again."""

_RATE = re.compile(r"(\d+(?:\.\d+)?)\s*/\s*(s|sec|second|min|minute|h|hour)")
_SECONDS = {"s": 1.0, "sec": 1.0, "second": 1.0, "min": 60.0, "minute": 60.0, "h": 3600.0, "hour": 3600.0}


def parse_rates(text: str | None) -> dict[str, float]:
    """Seconds between two calls of each provider, from `openai=500/min,exa=5/s`; raises `InvalidInput`."""
    found: dict[str, float] = {}
    for part in (text or "").split(","):
        if not part.strip():
            continue
        name, _, rate = part.partition("=")
        read = _RATE.fullmatch(rate.strip())
        if not name.strip() or read is None or not float(read[1]):
            raise InvalidInput("--rates", part.strip(), "write PROVIDER=NUMBER/s or PROVIDER=NUMBER/min, such as openai=500/min")
        found[name.strip()] = _SECONDS[read[2]] / float(read[1])
    return found


class Turns:
    """The turns of one process, over all its runs."""

    def __init__(
        self, intervals: Mapping[str, float], *, clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:  # fmt: skip
        """`intervals`: seconds between two calls, by provider."""
        self._intervals = dict(intervals)
        self._pace = Pace(longest=float("inf"), clock=clock, sleep=sleep)

    async def __call__(self, provider: str) -> None:
        """Wait for the turn of a provider; one without a limit has it at once."""
        interval = self._intervals.get(provider)
        if interval is not None:
            await self._pace.turn(provider, interval)
