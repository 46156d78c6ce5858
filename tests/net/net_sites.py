"""Servers on loopback, decent and hostile, and a fetcher that may reach them by explicit configuration."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

from research_crew.net.address import AddressPolicy
from research_crew.net.fetch import Fetcher
from research_crew.net.pace import Pace

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Site:
    """A server on loopback and what it was asked."""

    def __init__(self) -> None:
        self.port = 0
        self.asked: list[str] = []

    def url(self, path: str = "/page", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"


@asynccontextmanager
async def serve(handler: Handler) -> AsyncIterator[Site]:
    """An aiohttp server that answers with a handler."""
    site = Site()

    async def logged(request: web.Request) -> web.StreamResponse:
        site.asked.append(request.path_qs)
        return await handler(request)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", logged)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    listener = web.TCPSite(runner, "127.0.0.1", 0)
    await listener.start()
    site.port = runner.addresses[0][1]
    try:
        yield site
    finally:
        await runner.cleanup()


@asynccontextmanager
async def raw(answer: bytes | Callable[[asyncio.StreamWriter], Awaitable[None]]) -> AsyncIterator[Site]:
    """A server that answers each request with given bytes, or lets a function write."""
    site = Site()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            site.asked.append(head.split()[1].decode())
            if isinstance(answer, bytes):
                writer.write(answer)
                await writer.drain()
            else:
                await answer(writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    site.port = server.sockets[0].getsockname()[1]
    try:
        yield site
    finally:
        server.close()


def make_fetcher(site: Site, **options: Any) -> Fetcher:
    """A fetcher that may reach one site on loopback; without robots and pace unless given."""
    options.setdefault("policy", AddressPolicy.of(ports=(site.port,), allow=("127.0.0.0/8",)))
    options.setdefault("robots", False)
    options.setdefault("pace", Pace(0.0))
    return Fetcher(**options)
