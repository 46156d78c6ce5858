"""The model library's HTTP client on our connections: an httpx2 transport over aiohttp.

Imported only together with the model library. Measured in `benchmarks/model_calls.py`.
"""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import aiohttp
import httpx2
from yarl import URL

from research_crew.models.failures import from_status
from research_crew.models.wire import Flight, Wire, flight

if TYPE_CHECKING:
    from aiohttp import ClientResponse

_TAIL = 4_000
_DROP_SENT = frozenset({"host", "content-length", "connection", "accept-encoding", "transfer-encoding"})
_DROP_RECEIVED = frozenset({"content-encoding", "content-length", "transfer-encoding", "connection"})


class AiohttpTransport(httpx2.AsyncBaseTransport):
    """Sends what httpx2 built with an aiohttp session and hands status, headers and body back.

    The flight of the running request (see `wire.flight`) learns whether it was sent and why it failed.
    """

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """See `httpx2.AsyncBaseTransport`."""
        this = flight.get() or Flight(request.url.host)
        headers = [(k, v) for k, v in request.headers.items() if k.lower() not in _DROP_SENT]
        body = await request.aread()
        try:
            answer = await self._wire.session().request(
                request.method, URL(str(request.url), encoded=True), data=body or None, headers=headers,
                allow_redirects=False,
            )  # fmt: skip
        except (aiohttp.ClientError, OSError) as error:
            this.broke(error)
            raise httpx2.ConnectError(str(error), request=request) from error
        this.status = answer.status
        received = [(k, v) for k, v in answer.headers.items() if k.lower() not in _DROP_RECEIVED]
        streamed = answer.status < 300 and answer.content_type == "text/event-stream"
        if streamed:
            this.streamed = True
            return httpx2.Response(answer.status, headers=received, stream=_Stream(answer, self._wire, this))
        try:
            async with answer:
                data = await self._wire.read(answer)
        except (aiohttp.ClientError, OSError) as error:
            this.broke(error)
            raise httpx2.ReadError(str(error), request=request) from error
        this.tail = data[-_TAIL:]
        if not 200 <= answer.status < 300:
            text = data.decode("utf-8", "replace")
            this.failure = from_status(
                this.service, answer.status, answer.headers, text, now=self._wire.now(), secrets=this.secrets
            )
        return httpx2.Response(answer.status, headers=received, content=data, request=request)

    async def aclose(self) -> None:
        """The connections belong to the wire."""


class _Stream(httpx2.AsyncByteStream):
    def __init__(self, answer: "ClientResponse", wire: Wire, this: Flight) -> None:
        self._answer, self._wire, self._flight = answer, wire, this

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        try:
            async for piece in self._answer.content.iter_any():
                size += len(piece)
                if size > self._wire.cap:
                    raise self._wire.too_large()
                self._flight.tail = (self._flight.tail + piece)[-_TAIL:]
                yield piece
        except (aiohttp.ClientError, OSError) as error:
            self._flight.broke(error)
            raise httpx2.ReadError(str(error)) from error

    async def aclose(self) -> None:
        self._answer.close()
