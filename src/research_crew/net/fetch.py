"""The fetcher: the only door to a page.

    async with Fetcher(extractors={"html": html_extract}) as fetcher:
        page = await fetcher.fetch("https://example.org/report")

`fetch` never raises for what a page or a host does: every outcome is a `FetchedPage` with its state. Guard, redirects
and caps are in `hops`, robots.txt in `robots`, turns per host in `pace`, kept replies in `cache`.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

from research_crew.net.address import AddressPolicy, CheckedUrl, Refused
from research_crew.net.body import TooLarge, Unreadable
from research_crew.net.cache import Kept, MemoryCache, PageCache, max_age
from research_crew.net.caps import Caps
from research_crew.net.hops import Failed, Hops, LookUp, Reply
from research_crew.net.pace import Pace, retry_after
from research_crew.net.page import Extract, FetchedPage, State
from research_crew.net.reading import outcome_of_status, read_reply
from research_crew.net.robots import Robots, RobotsReply
from research_crew.net.sniff import Kind

AGENT = "research-crew"
"""The name that a robots.txt is asked about."""


class _Stopped(Exception):
    """A page is not asked for; carries its state and the reason."""

    def __init__(self, state: State, note: str, wait: float | None = None) -> None:
        self.state, self.note, self.wait = state, note, wait
        super().__init__(note)


class Fetcher:
    """Reads pages for one run. The page limit counts from its making; `cache=None` keeps nothing.

    `pace` sets the distance between requests to one host (half a second by default). `now` is the wall clock, for
    the age of kept replies and for dates in Retry-After; `clock` the monotonic one.
    """

    def __init__(
        self,
        *,
        extractors: Mapping[Kind, Extract] | None = None,
        policy: AddressPolicy | None = None,
        caps: Caps | None = None,
        cache: PageCache | None = None,
        keep: bool = True,
        robots: bool = True,
        pace: Pace | None = None,
        agent: str = AGENT,
        look_up: LookUp | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.caps = caps or Caps()
        self._policy = policy or AddressPolicy()
        self._extractors: Mapping[Kind, Extract] = extractors or {}
        self._cache: PageCache | None = (cache or MemoryCache()) if keep else None
        self._pace = pace or Pace(0.5, clock=clock)
        self._now = now
        full = f"{agent} (automated research; reads robots.txt)"
        self._hops = Hops(self._policy, self.caps, agent=full, look_up=look_up)
        small = replace(self.caps, received=self.caps.robots, inflated=self.caps.robots)
        self._robots_hops = Hops(self._policy, small, agent=full, look_up=look_up)
        self._robots = Robots(agent, self._robots_file, clock=clock) if robots else None
        self.pages = 0
        """Asked for so far, whatever came of them."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close all connections."""
        if self._robots is not None:
            await self._robots.close()
        await self._hops.close()
        await self._robots_hops.close()

    async def fetch(self, url: str) -> FetchedPage:
        """One page, whatever comes of it. Cancellation passes through."""

        def ended(state: State, note: str, wait: float | None = None) -> FetchedPage:
            return FetchedPage(url, url, None, state, notes=(note,), retry_after=wait)

        if self.pages >= self.caps.pages:
            return ended("refused", f"the limit of {self.caps.pages} pages a run is reached")
        self.pages += 1
        try:
            return await self._fetch(url)
        except _Stopped as stop:
            return ended(stop.state, stop.note, stop.wait)
        except Refused as refusal:
            return ended("refused", refusal.reason)
        except TooLarge as large:
            return ended("too-large", str(large))
        except (Failed, Unreadable) as failure:
            return ended("failed", str(failure))
        except TimeoutError:
            return ended("timed-out", f"the page had not come after {self.caps.seconds:g} s")

    async def _fetch(self, url: str) -> FetchedPage:
        key = self._policy.check(url).url
        kept = self._cache.get(key) if self._cache is not None else None
        if kept is not None and kept.fresh(self._now().timestamp()):
            return await self._from(url, kept)
        reply = await self._hops.follow(url, passing=self._pass, headers=kept.validators() if kept else None)
        if kept is not None and reply.status == 304:
            self._keep(key, replace(reply, body=kept.body, url=kept.final_url), kept)
            return await self._from(url, kept)
        wait = retry_after(reply.headers.get("retry-after"), self._now())
        other = outcome_of_status(reply.status, wait)
        if other is not None:
            if other[0] == "throttled":
                self._pace.hold(self._policy.check(reply.url).host, 30.0 if wait is None else wait)
            return FetchedPage(url, reply.url, reply.status, other[0], notes=(*reply.notes, other[1]), retry_after=wait)
        self._keep(key, reply, None)
        return await self._read(url, reply)

    async def _from(self, asked: str, kept: Kept) -> FetchedPage:
        reply = Reply(kept.final_url, 200, {"content-type": kept.content_type}, kept.body)
        return replace(await self._read(asked, reply), from_cache=True)

    async def _read(self, asked: str, reply: Reply) -> FetchedPage:
        # In a thread: a large page takes seconds to parse, and the loop has other runs to serve.
        return await asyncio.to_thread(read_reply, asked, reply, self._extractors)

    def _keep(self, key: str, reply: Reply, old: Kept | None) -> None:
        age = max_age(reply.headers.get("cache-control", ""))
        if self._cache is None or age is None:
            return
        etag, modified = reply.headers.get("etag"), reply.headers.get("last-modified")
        if old is not None:
            etag, modified = etag or old.etag, modified or old.modified
        if etag or modified or age:
            declared = old.content_type if old is not None else reply.headers.get("content-type", "")
            stamp = self._now().timestamp()
            self._cache.put(Kept(key, reply.url, reply.body, declared, stamp, etag, modified, age))

    async def _pass(self, url: CheckedUrl) -> None:
        """Before each request: what the robots.txt says, and the host's turn."""
        delay = None
        if self._robots is not None:
            verdict = await self._robots.verdict(url)
            if verdict.state is not None:
                raise _Stopped(verdict.state, verdict.note)
            delay = verdict.delay
        wait = await self._pace.turn(url.host, delay)
        if wait is not None:
            raise _Stopped("throttled", f"{url.host} asked to wait {wait:.0f} s more", wait)

    async def _robots_file(self, url: str) -> RobotsReply:
        async def pass_on(_: CheckedUrl) -> None:
            return None

        try:
            reply = await self._robots_hops.follow(url, passing=pass_on)
        except TooLarge as large:
            return RobotsReply(None, reason=str(large))
        except Refused as refusal:
            return RobotsReply(None, state="refused", reason=refusal.reason)
        except (Failed, Unreadable) as failure:
            return RobotsReply(None, state="failed", reason=str(failure))
        except TimeoutError:
            return RobotsReply(None, state="timed-out", reason=f"no answer after {self.caps.seconds:g} s")
        return RobotsReply(reply.status, reply.body)
