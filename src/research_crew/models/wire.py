"""Connections to model providers: one pool of aiohttp's for a run, and what is known of each request under way.

aiohttp carries both our own adapters and, as a transport, the clients of the model library: its cost does not grow
with the number of open connections. A `Flight` notes whether a request had left when it failed, which decides what it
is charged.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from research_crew.core.errors import CallFailed
from research_crew.core.secret import Secret
from research_crew.models.failures import from_status, redacted

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession

AGENT = "research-crew/0.1 (model client)"
TAIL = 4_000
"""Bytes kept of the end of a body."""
_IDLE = 4.0
# A server that closes an idle connection just as a request is written on it leaves a call whose bill nobody knows.
# Local servers close after 5 seconds, so a connection is used again only within 4.


@dataclass(slots=True)
class Flight:
    """One request under way."""

    service: str
    sent: bool = False
    """The request was written to an open connection."""
    failure: CallFailed | None = None
    """Why it failed, once that is known; what a library makes of it is of no interest then."""
    secrets: tuple[Secret, ...] = ()
    status: int | None = None
    tail: bytes = b""
    """The end of the body: the library drops a cost that stands in it, and does not say that a stream broke off."""
    streamed: bool = False
    used: Any = None
    """The usage of the answer, where the library was not given it to read."""
    wire: "Wire | None" = None
    """The connections it goes out on."""

    def broke(self, error: BaseException) -> CallFailed:
        """The connection could not be made, or broke."""
        detail = redacted(f"{type(error).__name__}: {error}".rstrip(": "), self.secrets)
        where = "the connection broke" if self.sent else "no connection"
        self.failure = CallFailed(self.service, None, f"{where}: {detail}", sent=self.sent, retryable=True)
        return self.failure

    def timed_out(self, seconds: float) -> CallFailed:
        """No answer in time."""
        what = f"no answer after {seconds:g} s" if self.sent else f"no connection after {seconds:g} s"
        self.failure = CallFailed(self.service, None, what, sent=self.sent, retryable=True, timed_out=True)
        return self.failure

    def unreadable(self, why: str) -> CallFailed:
        """It was answered, and the answer cannot be read: executed, with an unknown bill."""
        detail = redacted(f"the answer cannot be read: {why}", self.secrets)
        self.failure = CallFailed(self.service, self.status, detail, sent=True, retryable=True)
        return self.failure


flight: ContextVar[Flight | None] = ContextVar("flight", default=None)
"""The request that the running code is sending."""


@dataclass(slots=True)
class Wire:
    """One pool of connections for all models of a run; `aclose` it at the end. It works in any event loop, one at a
    time."""

    connect: float = 10.0
    """Seconds for making a connection."""
    cap: int = 16_000_000
    """Most bytes of an answer."""
    trust_env: bool = False
    """Whether proxies named by the environment are used."""
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    _session: "ClientSession | None" = None
    _loop: object = None
    _headers: dict[str, str] = field(default_factory=lambda: {"User-Agent": AGENT, "Accept-Encoding": "identity"})

    def session(self) -> "ClientSession":
        """The open session of the running loop."""
        loop = asyncio.get_running_loop()
        if self._session is None or self._session.closed or self._loop is not loop:
            import aiohttp

            tracing = aiohttp.TraceConfig()
            tracing.on_request_headers_sent.append(_left)
            timeout = aiohttp.ClientTimeout(total=None, connect=None, sock_connect=self.connect, sock_read=None)
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_IDLE), headers=self._headers,
                timeout=timeout, cookie_jar=aiohttp.DummyCookieJar(), trace_configs=[tracing],
                trust_env=self.trust_env,
            )  # fmt: skip
            self._loop = loop
        return self._session

    async def aclose(self) -> None:
        """Close all connections; the next request opens new ones."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def ask(
        self,
        method: str,
        url: str,
        *,
        service: str,
        timeout: float,
        headers: Mapping[str, str] | None = None,
        body: Any = None,
        secrets: tuple[Secret, ...] = (),
    ) -> tuple[Any, Mapping[str, str]]:
        """One request with a JSON body: the JSON answered, and the headers. Raises `CallFailed` for all else."""
        import aiohttp

        this = Flight(service, secrets=secrets)
        token = flight.set(this)
        try:
            async with (
                asyncio.timeout(timeout),
                self.session().request(method, url, json=body, headers=headers, allow_redirects=False) as response,
            ):
                data = await self.read(response)
                this.status = response.status
                if not 200 <= response.status < 300:
                    text = data.decode("utf-8", "replace")
                    raise from_status(service, response.status, response.headers, text, now=self.now(), secrets=secrets)
                return _loads(data, this), dict(response.headers)
        except TimeoutError:
            raise this.timed_out(timeout) from None
        except aiohttp.ClientError as error:
            raise this.broke(error) from None
        finally:
            flight.reset(token)

    async def read(self, response: "ClientResponse") -> bytes:
        """The whole body, up to the cap; raises `CallFailed` beyond it."""
        data = bytearray()
        async for piece in response.content.iter_any():
            data += piece
            if len(data) > self.cap:
                raise self.too_large()
        return bytes(data)

    def too_large(self) -> CallFailed:
        """The failure of an answer beyond the cap: executed, and no better the next time."""
        this = flight.get() or Flight("the model")
        this.failure = CallFailed(
            this.service, this.status, f"the answer has more than {self.cap} bytes", sent=True, retryable=False
        )
        return this.failure


async def _left(session: "ClientSession", context: SimpleNamespace, params: Any) -> None:  # noqa: ARG001
    this = flight.get()
    if this is not None:
        this.sent = True


def _loads(data: bytes, this: Flight) -> Any:
    import json

    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        start = " ".join(data[:200].decode("utf-8", "replace").split())
        raise this.unreadable(f"not JSON: {start}") from None
