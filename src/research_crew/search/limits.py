"""The rate limit of each engine, one for the whole process however many runs and researchers there are.

What an engine allows is written in its own file (`interval`, seconds between two calls); Retry-After holds it back for
longer. The clock and the sleep are arguments.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable

from research_crew.net.pace import Pace


class Limits(Pace):
    """Turns by engine name. A wait of more than `longest` seconds is not made: the search ends `throttled`."""

    def __init__(
        self,
        *,
        longest: float = 20.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        super().__init__(longest=longest, clock=clock, sleep=sleep)


SHARED = Limits()
"""The limits that all engines of this process go by, unless they are given others."""
