"""The model library's HTTP client on our connections: an httpx2 transport over aiohttp.

Imported only together with the model library. Measured in `benchmarks/model_calls.py`.
"""

import json
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import aiohttp
import httpx2
from yarl import URL

from research_crew.models.failures import from_status
from research_crew.models.wire import TAIL, Flight, Wire, flight

if TYPE_CHECKING:
    from aiohttp import ClientResponse

_LONGEST_LINE = 1_000_000
_DROP_SENT = frozenset({"host", "content-length", "connection", "accept-encoding", "transfer-encoding"})
_DROP_RECEIVED = frozenset({"content-encoding", "content-length", "transfer-encoding", "connection"})


class AiohttpTransport(httpx2.AsyncBaseTransport):
    """Sends what httpx2 built with an aiohttp session and hands status, headers and body back.

    The flight of the running request (see `wire.flight`) names the connections, and learns whether it was sent and why
    it failed. So one transport, and one client, serves every run of the process.
    """

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """See `httpx2.AsyncBaseTransport`."""
        this = flight.get()
        if this is None or this.wire is None:
            raise RuntimeError("a model is asked through LibraryModel.send")
        wire = this.wire
        headers = [(k, v) for k, v in request.headers.items() if k.lower() not in _DROP_SENT]
        body = await request.aread()
        try:
            answer = await wire.session().request(
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
            return httpx2.Response(answer.status, headers=received, stream=_Stream(answer, wire, this))
        try:
            async with answer:
                data = await wire.read(answer)
        except (aiohttp.ClientError, OSError) as error:
            this.broke(error)
            raise httpx2.ReadError(str(error), request=request) from error
        this.tail = data[-TAIL:]
        if not 200 <= answer.status < 300:
            text = data.decode("utf-8", "replace")
            this.failure = from_status(
                this.service, answer.status, answer.headers, text, now=wire.now(), secrets=this.secrets
            )
        if this.service == "anthropic":
            data = with_usage(data)
        return httpx2.Response(answer.status, headers=received, content=data, request=request)

    async def aclose(self) -> None:
        """The connections belong to the wire."""


class _Stream(httpx2.AsyncByteStream):
    def __init__(self, answer: "ClientResponse", wire: Wire, this: Flight) -> None:
        self._answer, self._wire, self._flight = answer, wire, this

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        content = self._answer.content
        mends = self._flight.service == "anthropic"
        try:
            async for piece in _lines(content) if mends else content.iter_any():
                size += len(piece)
                if size > self._wire.cap:
                    raise self._wire.too_large()
                self._flight.tail = (self._flight.tail + piece)[-TAIL:]
                yield piece
        except (aiohttp.ClientError, OSError) as error:
            self._flight.broke(error)
            raise httpx2.ReadError(str(error)) from error

    async def aclose(self) -> None:
        self._answer.close()


async def _lines(content: aiohttp.StreamReader) -> AsyncIterator[bytes]:
    """A stream of events by whole lines, each with its usage."""
    kept = b""
    async for piece in content.iter_any():
        *lines, kept = (kept + piece).split(b"\n")
        for line in lines:
            if line.startswith(b"data:") and b'"message_' in line and b'"usage"' not in line:
                line = b"data: " + with_usage(line[5:])
            yield line + b"\n"
        if len(kept) > _LONGEST_LINE:
            yield kept
            kept = b""
    if kept:
        yield kept


def with_usage(data: bytes) -> bytes:
    """An Anthropic message without usage, with one of zeros: the library breaks without it, and zeros are taken as
    missing. Some gateways leave it out."""
    if b'"usage"' in data:
        return data
    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        return data
    if not isinstance(body, dict):
        return data
    message = body.get("message") if body.get("type") == "message_start" else body
    if isinstance(message, dict) and message.get("type") in ("message", "message_delta"):
        message["usage"] = {"input_tokens": 0, "output_tokens": 0}
    return json.dumps(body).encode()
