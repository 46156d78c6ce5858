"""The guarded connection: one request, and a chain of redirects where every address is checked again.

The guard stands below name resolution, on two public hooks of aiohttp. The resolver looks a name up once, refuses it
when any of its addresses is not public, and hands on the addresses it checked, so that there is no second look-up to
answer otherwise (DNS rebinding). The socket factory sees the address that is about to be connected to and checks it
once more, which also covers hosts written as addresses. There is no proxy, no cookie and no automatic redirect or
decompression.
"""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aiohttp import (
    ClientConnectorCertificateError,
    ClientConnectorDNSError,
    ClientError,
    ClientPayloadError,
    ClientResponse,
    ClientResponseError,
    ClientSession,
    ClientTimeout,
    DummyCookieJar,
    InvalidURL,
    ServerDisconnectedError,
    TCPConnector,
)
from aiohttp.abc import AbstractResolver, ResolveResult

from research_crew.net.address import AddressPolicy, CheckedUrl, Refused
from research_crew.net.body import ACCEPT_ENCODING, TooLarge, read_body
from research_crew.net.caps import Caps

if TYPE_CHECKING:
    from aiohttp.typedefs import LooseHeaders

LookUp = Callable[[str, int], Awaitable[Sequence[str]]]
"""Host name and port → all its addresses. Raises `OSError` when there is none."""

_REDIRECTS = frozenset({301, 302, 303, 307, 308})


class Failed(Exception):
    """No usable answer; the message is for a person."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The end of a chain: an answer with its body, decompressed."""

    url: str
    status: int
    headers: Mapping[str, str]
    """Names in lower case; the first value of each."""
    body: bytes
    notes: tuple[str, ...] = ()


Passing = Callable[[CheckedUrl], Awaitable[None]]
"""Called before each request of a chain; raises to stop it."""


class Hops:
    """Fetches bodies through the guard. Use as an asynchronous context manager, or close it."""

    def __init__(
        self, policy: AddressPolicy, caps: Caps, *, agent: str, look_up: LookUp | None = None, at_once: int = 16
    ) -> None:
        self.policy, self.caps = policy, caps
        self._agent, self._look_up, self._at_once = agent, look_up, at_once
        self._session: ClientSession | None = None

    async def close(self) -> None:
        """Close all connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def follow(self, url: str, *, passing: Passing, headers: Mapping[str, str] | None = None) -> Reply:
        """Ask for a URL and follow its redirects, each checked like the first.

        Raises `Refused`, `Failed`, `TimeoutError` (the whole chain within `caps.seconds`, waits in `passing` not
        counted), and what `read_body` raises.
        """
        left, seen = self.caps.seconds, self.policy.check(url)
        loop = asyncio.get_running_loop()
        notes: list[str] = []
        for hop in range(self.caps.redirects + 1):
            await passing(seen)
            started = loop.time()
            async with asyncio.timeout(left):
                answer = await self._ask(seen, headers if hop == 0 else None)
            left -= loop.time() - started
            if isinstance(answer, Reply):
                return Reply(answer.url, answer.status, answer.headers, answer.body, tuple(notes))
            following = self.policy.check(answer)
            if seen.scheme == "https" and following.scheme == "http":
                notes.append("redirected from https to http")
            seen = following
        raise Refused(f"more than {self.caps.redirects} redirects")

    async def _ask(self, url: CheckedUrl, headers: Mapping[str, str] | None) -> "Reply | str":
        """One request: the reply, or the address it redirects to."""
        fields: LooseHeaders = {"Accept-Encoding": ACCEPT_ENCODING, **(headers or {})}
        try:
            async with self._open().get(url.url, headers=fields, allow_redirects=False) as response:
                target = _target(response)
                if target is not None:
                    return target
                size = response.content_length
                if size is not None and size > self.caps.received:
                    raise TooLarge(f"{size} bytes announced, more than {self.caps.received}")
                encoding = response.headers.get("Content-Encoding", "")
                body = await read_body(_pieces(response), encoding, self.caps)
                named = {name.lower(): response.headers[name] for name in response.headers}
                return Reply(url.url, response.status, named, body)
        except ClientError as error:
            raise _explained(error) from error

    def _open(self) -> ClientSession:
        if self._session is None:
            connector = TCPConnector(
                resolver=_Resolver(self.policy, self._look_up),
                socket_factory=self._socket,
                use_dns_cache=False,
                limit=self._at_once,
            )
            self._session = ClientSession(
                connector=connector,
                cookie_jar=DummyCookieJar(),
                trust_env=False,
                auto_decompress=False,
                timeout=ClientTimeout(total=None, sock_connect=min(10.0, self.caps.seconds)),
                headers={"User-Agent": self._agent, "Accept": "text/html,application/pdf,text/*;q=0.9,*/*;q=0.5"},
                max_line_size=self.caps.header_line,
                max_field_size=self.caps.header_line,
                max_headers=self.caps.headers,
            )
        return self._session

    def _socket(self, address: tuple[Any, ...]) -> socket.socket:
        """The last gate: the very address that is about to be connected to."""
        family, kind, protocol, _, target = address
        reason = self.policy.refusal(str(target[0]))
        if reason:
            raise Refused(reason)
        return socket.socket(family, kind, protocol)


class _Resolver(AbstractResolver):
    def __init__(self, policy: AddressPolicy, look_up: LookUp | None) -> None:
        self._policy, self._look_up = policy, look_up or _system

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """All addresses of a name, or `Refused` when one of them is not public."""
        del family  # both are asked for: an address that is not looked at is not checked
        addresses = list(dict.fromkeys(await self._look_up(host, port)))
        if not addresses:
            raise OSError(f"{host} has no address")
        for address in addresses:
            reason = self._policy.refusal(address)
            if reason:
                raise Refused(f"{host}: {reason}")
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            )
            for address in addresses
        ]

    async def close(self) -> None:
        """Nothing is kept open."""


async def _system(host: str, port: int) -> Sequence[str]:
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


async def _pieces(response: ClientResponse) -> AsyncIterator[bytes]:
    async for piece in response.content.iter_chunked(65_536):
        yield piece


def _target(response: ClientResponse) -> str | None:
    if response.status not in _REDIRECTS or "Location" not in response.headers:
        return None
    from yarl import URL

    try:
        return str(response.url.join(URL(response.headers["Location"])))
    except ValueError as error:
        raise Refused(f"redirected to a URL that cannot be read: {error}") from None


def _explained(error: ClientError) -> Exception:
    """What went wrong, in words; a refusal of the guard comes out as itself."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, Refused):
        cause = getattr(cause, "os_error", None) or cause.__cause__
    if cause is not None:
        return cause
    match error:
        case TimeoutError():
            return TimeoutError()
        case InvalidURL():
            return Refused(f"the URL cannot be read: {error}")
        case ClientConnectorDNSError():
            return Failed("the host name has no address")
        case ClientConnectorCertificateError():
            return Failed("the certificate of the host is not valid")
        case ClientPayloadError():
            return Failed("the connection ended before the whole page had come")
        case ServerDisconnectedError():
            return Failed("the host closed the connection without an answer")
        case ClientResponseError():
            return Failed(f"the answer is not valid HTTP or its header is too large ({error.message[:80]})")
        case _:
            return Failed(f"no connection ({type(error).__name__})")
