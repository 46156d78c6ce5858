"""robots.txt (RFC 9309), fetched through the guard and remembered per origin.

Parsed by Protego, which knows wildcards, the longest match and merged groups; the parser of the standard library
(3.11) knows none of the three and would ask for pages that were asked to be left alone. A file that is not there
allows everything (4xx); one that cannot be had (5xx, no connection) forbids everything, as the RFC says.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from research_crew.evidence.charset import decode
from research_crew.net.address import CheckedUrl
from research_crew.net.page import State

if TYPE_CHECKING:
    from protego import Protego

_KEEP = 86_400.0
_LONGEST_DELAY = 10.0


@dataclass(frozen=True, slots=True)
class RobotsReply:
    """The answer to a request for a robots.txt; `status` None and a reason when there was none."""

    status: int | None
    body: bytes = b""
    state: State = "robots"
    """What it means for a page of that host when there was no answer: a host that cannot be reached is `failed`."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a robots.txt says of one page."""

    state: State | None = None
    """None when the page may be fetched."""
    note: str = ""
    delay: float | None = None
    """Seconds that should lie between two requests, at most 10."""


@dataclass(frozen=True, slots=True)
class _File:
    rules: "Protego | None" = None
    verdict: Verdict = Verdict()
    """When there are no rules."""


class Robots:
    """Asks for each origin's file once in 24 hours. `fetch` returns an answer for everything that can go wrong."""

    def __init__(
        self, agent: str, fetch: Callable[[str], Awaitable[RobotsReply]], *, clock: Callable[[], float]
    ) -> None:
        self._agent, self._fetch, self._clock = agent, fetch, clock
        self._known: dict[str, tuple[float, asyncio.Task[_File]]] = {}

    async def verdict(self, url: CheckedUrl) -> Verdict:
        """May this page be fetched, and at which distance."""
        known = self._known.get(url.origin)
        if known is None or self._clock() >= known[0] + _KEEP:
            known = self._clock(), asyncio.create_task(self._read(url.origin))
            self._known[url.origin] = known
        # Shielded: a page that is given up must not take the file away from the others that wait for it.
        file = await asyncio.shield(known[1])
        if file.rules is None:
            return file.verdict
        asked = file.rules.crawl_delay(self._agent)
        delay = None if asked is None else min(float(asked), _LONGEST_DELAY)
        if file.rules.can_fetch(url.url, self._agent):
            return Verdict(delay=delay)
        return Verdict("robots", f"the robots.txt of {url.host} asks {self._agent} not to fetch it", delay)

    async def close(self) -> None:
        """Give up what is still being asked for."""
        for _, task in self._known.values():
            task.cancel()
        await asyncio.gather(*(task for _, task in self._known.values()), return_exceptions=True)
        self._known.clear()

    async def _read(self, origin: str) -> _File:
        reply = await self._fetch(f"{origin}/robots.txt")
        if reply.status is None:
            return _File(verdict=Verdict(reply.state, f"robots.txt: {reply.reason}"))
        if reply.status >= 500:
            note = f"its robots.txt is not to be had (status {reply.status}), which means not to fetch (RFC 9309)"
            return _File(verdict=Verdict("robots", note))
        if reply.status >= 300 or not reply.body:
            return _File()
        from protego import Protego

        return _File(Protego.parse(decode(reply.body, "utf-8", markup=False)[0]))
