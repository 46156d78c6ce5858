"""A provider for tests, benchmarks and dry runs: real HTTP on loopback, four vendors' shapes, faults on demand.

It answers from a scripted function (what was asked → what to say), bills like a vendor, and keeps its own log of what
it billed, so that a ledger can be held against it. It fails in every way a vendor does when the script asks for it.

    async with FakeServer(lambda asked: f"You said: {asked.prompt}") as server:
        key, base = Secret("k"), server.base("openai")

`python -m research_crew.models.fake_server` serves an echo until it is stopped.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from research_crew.core.money import Price, Usage
from research_crew.models.fake_blocks import ANTHROPIC, GOOGLE
from research_crew.models.fake_chat import OPENAI, SWARMS
from research_crew.models.fake_faults import Fault, garbled, is_billed
from research_crew.models.fake_shapes import Asked, Said, Shape, tokens

if TYPE_CHECKING:
    from aiohttp import web

Script = Callable[[Asked], "str | Said"]
Faults = Callable[[Asked], "Fault | None"]
SHAPES: Mapping[str, Shape] = {shape.name: shape for shape in (OPENAI, ANTHROPIC, GOOGLE, SWARMS)}
FREE = Price(input=Decimal(0), output=Decimal(0))


@dataclass(frozen=True, slots=True)
class Served:
    """One request as the server's own books have it."""

    n: int
    shape: str
    model: str
    status: int
    """0 when no status was sent."""
    usage: Usage
    amount: Decimal
    fault: str = ""
    request_id: str = ""
    step: str = ""
    """What the script called it, for tests."""


@dataclass(slots=True)
class FakeServer:
    """The server. Give it a script; start it with `async with`."""

    script: Script
    faults: Faults = lambda _: None
    prices: Callable[[str], Price] = lambda _: FREE
    """Model name → what a call costs."""
    latency: float = 0.0
    """Seconds before each answer of a model."""
    search_latency: float = 0.0
    """Seconds before each answer of the search engine."""
    models: tuple[str, ...] = ("small", "large")
    search: Callable[[Mapping[str, Any]], Mapping[str, Any]] = lambda _: {"results": []}
    """Body of `POST /exa/search` → body of the reply; `costDollars` is added when it is missing."""
    extra_usage: Mapping[str, Any] = field(default_factory=dict)
    """Further entries of the usage in a reply: `{"cost": 0.00123}`."""
    log: list[Served] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    port: int = 0
    _runner: Any = None
    _stopping: Any = None

    async def __aenter__(self) -> "FakeServer":
        from aiohttp import web

        app = web.Application(client_max_size=64 * 2**20)
        for shape in SHAPES.values():
            app.router.add_post(f"/{shape.name}{shape.path}", self._handler(shape))
            app.router.add_get(f"/{shape.name}{shape.listing}", self._lister(shape))
        app.router.add_post("/exa/search", self._search)
        self._stopping = asyncio.Event()
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2, keepalive_timeout=75)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port)
        await site.start()
        self.port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._stopping.set()
        await self._runner.cleanup()

    def base(self, shape: str) -> str:
        """Base URL of one vendor's API on this server: `openai`, `anthropic`, `google`, `swarms`, `exa`."""
        root = f"http://127.0.0.1:{self.port}/{shape}"
        return root if shape == "exa" else root + SHAPES[shape].base

    @property
    def billed(self) -> Decimal:
        """The sum of what was billed."""
        return sum((served.amount for served in self.log), Decimal(0))

    def _handler(self, shape: Shape) -> Callable[["web.Request"], Awaitable["web.StreamResponse"]]:
        async def handle(request: "web.Request") -> "web.StreamResponse":
            asked = shape.read(await request.json(), len(self.asked) + 1, request.match_info, request.headers)
            self.asked.append(asked)
            fault = self.faults(asked)
            if self.latency:
                await asyncio.sleep(self.latency)
            if fault is not None and fault.delay:
                await asyncio.sleep(fault.delay)
            if fault is not None and fault.status:
                return self._refuse(shape, asked, fault)
            said = self.script(asked)
            said = garbled(Said(said) if isinstance(said, str) else said, fault)
            said = _cut(said, asked.max_tokens)
            usage = self._usage(asked, said, fault)
            served = self._book(shape, asked, 200, usage, fault)
            if asked.stream and (fault is None or fault.kind not in ("hang", "drop")):
                return await self._stream(request, shape, asked, said, usage, fault)
            reply = shape.reply(asked, said, None if _hides(fault) else usage, served.amount)
            if self.extra_usage:
                reply["usage"] = {**reply.get("usage", {}), **self.extra_usage}
            return await self._deliver(request, json.dumps(reply).encode(), fault, {shape.id_header: served.request_id})

        return handle

    async def _deliver(
        self, request: "web.Request", body: bytes, fault: Fault | None, headers: Mapping[str, str]
    ) -> "web.StreamResponse":
        """A whole answer, as far as the fault lets it arrive."""
        if fault is not None and fault.kind in ("hang", "drop"):
            return await self._vanish(request, fault)
        if fault is not None and fault.kind in ("cut-body", "hang-after"):
            return await self._half(request, body, fault)
        if fault is not None and fault.kind == "not-json":
            return _response(200, b"<html>Bad gateway</html>", "text/html")
        return _response(200, body, "application/json", headers)

    def _usage(self, asked: Asked, said: Said, fault: Fault | None) -> Usage:
        tells = (
            fault is not None and fault.kind == "cached" and asked.shape != "swarms"
        )  # which does not tell them apart
        cached = asked.tokens // 2 if tells else 0
        return Usage(asked.tokens - cached, cached, 0, tokens(said.spoken), tokens(said.reasoning))

    def _book(self, shape: Shape, asked: Asked, status: int, usage: Usage, fault: Fault | None) -> Served:
        billed = is_billed(fault)
        amount = self.prices(asked.model).cost(usage) if billed else Decimal(0)
        served = Served(
            asked.n, shape.name, asked.model, status, usage if billed else Usage(), amount,
            fault.kind if fault else "", f"req-{asked.n}", asked.step,
        )  # fmt: skip
        self.log.append(served)
        return served

    def _refuse(self, shape: Shape, asked: Asked, fault: Fault) -> "web.Response":
        usage = Usage(asked.tokens, output=fault.billed_output) if is_billed(fault) else Usage()
        self._book(shape, asked, fault.status, usage, fault)
        headers = {} if fault.retry_after is None else {"Retry-After": str(fault.retry_after)}
        body = json.dumps(shape.error(fault.status, fault.message, fault.code)).encode()
        return _response(fault.status, body, "application/json", headers)

    async def _vanish(self, request: "web.Request", fault: Fault) -> "web.StreamResponse":
        from aiohttp import web

        if fault.kind == "hang":
            await self._until_gone(request)
        if request.transport is not None:
            request.transport.close()
        return web.Response()

    async def _half(self, request: "web.Request", body: bytes, fault: Fault) -> "web.StreamResponse":
        from aiohttp import web

        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        response.content_length = len(body)
        await response.prepare(request)
        await response.write(body[: len(body) // 2])
        if fault.kind == "hang-after":
            await self._until_gone(request)
        if request.transport is not None:
            request.transport.close()
        return response

    async def _until_gone(self, request: "web.Request") -> None:
        """Wait until the client gives up, or the server stops."""
        while not self._stopping.is_set() and request.transport is not None and not request.transport.is_closing():
            try:
                async with asyncio.timeout(0.01):
                    await self._stopping.wait()
            except TimeoutError:
                continue

    async def _stream(
        self, request: "web.Request", shape: Shape, asked: Asked, said: Said, usage: Usage, fault: Fault | None
    ) -> "web.StreamResponse":
        from aiohttp import web

        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", shape.id_header: f"req-{asked.n}"})
        await response.prepare(request)
        events = shape.events(asked, said, None if _hides(fault) else usage)
        for number, event in enumerate(events):
            if request.transport is None or request.transport.is_closing():
                break
            if fault is not None and number == 2 and fault.kind in ("cut-body", "hang-after"):
                if fault.kind == "hang-after":
                    await self._until_gone(request)
                if request.transport is not None:
                    request.transport.close()
                return response
            if fault is not None and number == 2 and fault.kind == "stream-error":
                await response.write(shape.error_event(fault.message))
                break
            if fault is not None and number == 2 and fault.kind == "stream-end":
                break
            await response.write(event)
            if fault is not None and fault.kind == "slow":
                await asyncio.sleep(fault.pause)
        return response

    def _lister(self, shape: Shape) -> Callable[["web.Request"], Awaitable["web.StreamResponse"]]:
        async def handle(_: "web.Request") -> "web.StreamResponse":
            return _response(200, json.dumps(shape.models(self.models)).encode(), "application/json")

        return handle

    async def _search(self, request: "web.Request") -> "web.StreamResponse":
        """Exa's search; it takes the faults that concern the connection, the status or the bill."""
        body = await request.json()
        n = len(self.asked) + 1
        asked = Asked("exa", "", "", str(body.get("query", "")), n)
        self.asked.append(asked)
        fault = self.faults(asked)
        delay = self.search_latency + (fault.delay if fault is not None else 0.0)
        if delay:
            await asyncio.sleep(delay)
        kind = fault.kind if fault else ""
        if fault is not None and fault.status:
            self.log.append(Served(n, "exa", "", fault.status, Usage(), Decimal(0), kind, f"req-{n}"))
            headers = {} if fault.retry_after is None else {"Retry-After": str(fault.retry_after)}
            error = json.dumps({"requestId": f"req-{n}", "error": fault.message, "tag": fault.code}).encode()
            return _response(fault.status, error, "application/json", headers)
        reply = dict(self.search(body))
        reply.setdefault("costDollars", {"total": 0.007})
        amount = Decimal(str(reply["costDollars"]["total"]))
        self.log.append(Served(n, "exa", "", 200, Usage(searches=1), amount, kind, f"req-{n}"))
        if _hides(fault):
            del reply["costDollars"]
        if kind == "empty":
            reply["results"] = []
        return await self._deliver(request, json.dumps(reply).encode(), fault, {})


def _hides(fault: Fault | None) -> bool:
    return fault is not None and fault.kind == "no-usage"


def _cut(said: Said, most: int) -> Said:
    """A model stops at its limit; reasoning counts against it."""
    room = max(0, most - tokens(said.reasoning)) * 4
    text = said.text.encode()
    if len(text) <= room:
        return said
    return replace(said, text=text[:room].decode("utf-8", "ignore"), data=None, finish="length")


def _response(status: int, body: bytes, content_type: str, headers: Mapping[str, str] | None = None) -> "web.Response":
    from aiohttp import web

    return web.Response(status=status, body=body, content_type=content_type, headers=dict(headers or {}))


async def _serve(port: int, latency: float) -> None:
    server = FakeServer(lambda asked: f"You said: {asked.prompt[-200:]}", latency=latency, port=port)
    async with server:
        print(server.port, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    import argparse
    import contextlib

    parser = argparse.ArgumentParser(description="Serve an echo in the shapes of OpenAI, Anthropic, Google and Swarms.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    options = parser.parse_args()
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(options.port, options.latency))
