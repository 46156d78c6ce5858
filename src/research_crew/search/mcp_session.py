"""A connection to one MCP server, kept open for a run. Needs the extra `mcp`.

Model Context Protocol: tools are listed with a JSON schema of their arguments and called by name
(modelcontextprotocol.io, specification, "Tools"). What a server says of its tools is text from outside: it decides
nothing but which of the tools of a server that the person configured is called.
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from research_crew.core.errors import MissingExtra
from research_crew.core.secret import Secret
from research_crew.search.request import EngineTrouble

_MOST_TEXT = 4_000_000


@dataclass(frozen=True, slots=True)
class McpServer:
    """How a server is reached: a command that speaks on its standard streams, or the address of an endpoint."""

    command: tuple[str, ...] = ()
    url: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Set for the command, beside a minimal environment."""
    token: Secret | None = None
    """Sent to the address as `Authorization: Bearer`."""
    search_tool: str = ""
    """Empty: the tool that looks most like a search."""
    read_tool: str = ""
    price: Decimal = Decimal(0)
    """Of one search, in USD."""
    inside: Any = None
    """A server object of this process, for tests and for programs that are one."""


@dataclass(frozen=True, slots=True)
class McpTool:
    """A tool as its server describes it."""

    name: str
    description: str
    properties: Mapping[str, Mapping[str, Any]]
    required: tuple[str, ...]
    read_only: bool | None = None
    """What the server says; None when it says nothing."""


@dataclass(frozen=True, slots=True)
class McpReply:
    """What a tool answered."""

    parts: tuple[str, ...]
    """Its texts; a list is often sent as one text for each of its rows."""
    structured: Any
    is_error: bool

    @property
    def text(self) -> str:
        """All of it."""
        return "\n".join(self.parts)


class McpSession:
    """Opened at the first use, closed by `close`. A task of its own owns the connection, as the library requires."""

    def __init__(self, server: McpServer, timeout: float = 30.0) -> None:
        """`timeout` in seconds for connecting and for one call."""
        self._server, self._timeout = server, timeout
        self._owner: asyncio.Task[None] | None = None
        self._ready: asyncio.Future[Any] | None = None
        self._stop = asyncio.Event()

    async def tools(self) -> tuple[McpTool, ...]:
        """All tools of the server; raises `EngineTrouble` when it cannot be reached."""
        client = await self._client()
        listed = await self._guarded(client.list_tools(), "listing its tools")
        return tuple(_tool(tool) for tool in listed.tools)

    async def call(self, name: str, arguments: Mapping[str, Any]) -> McpReply:
        """Call a tool; raises `EngineTrouble` for a broken connection or a time-out, not for the tool's own error."""
        client = await self._client()
        reply = await self._guarded(client.call_tool(name, dict(arguments)), f"calling {name}")
        texts = [part.text for part in reply.content if getattr(part, "type", "") == "text"]
        kept = tuple(text[:_MOST_TEXT] for text in texts[:1_000])
        return McpReply(kept, reply.structured_content, bool(reply.is_error))

    async def close(self) -> None:
        """Close the connection; a command is ended."""
        owner, self._owner = self._owner, None
        self._stop.set()
        if owner is not None:
            await asyncio.gather(owner, return_exceptions=True)

    async def _client(self) -> Any:
        try:
            import mcp  # noqa: F401
        except ImportError:
            raise MissingExtra("mcp", "mcp") from None
        if self._owner is None:
            self._stop = asyncio.Event()
            self._ready = asyncio.get_running_loop().create_future()
            self._owner = asyncio.create_task(self._own(self._ready, self._stop))
        assert self._ready is not None
        return await self._guarded(asyncio.shield(self._ready), "connecting")

    async def _own(self, ready: "asyncio.Future[Any]", stop: asyncio.Event) -> None:
        try:
            async with self._made() as client:
                ready.set_result(client)
                await stop.wait()
        except Exception as error:  # noqa: BLE001 - a foreign server may raise anything; it becomes the search's failure
            if not ready.done():
                ready.set_exception(EngineTrouble("unreachable", f"no connection: {_said(error)}"))
                ready.exception()  # read here too, so that nobody is told of it a second time
            self._owner = None

    def _made(self) -> Any:
        from mcp import Client, StdioServerParameters

        server = self._server
        if server.inside is not None:
            return Client(server.inside)
        if server.command:
            command, *arguments = server.command
            return Client(StdioServerParameters(command=command, args=arguments, env=dict(server.environment) or None))
        if server.token is None:
            return Client(server.url)
        import httpx2
        from mcp.client.streamable_http import streamable_http_client

        headers = {"Authorization": f"Bearer {server.token.reveal()}"}
        http = httpx2.AsyncClient(headers=headers, timeout=self._timeout, trust_env=False)
        return Client(streamable_http_client(server.url, http_client=http))

    async def _guarded(self, work: Any, what: str) -> Any:
        try:
            async with asyncio.timeout(self._timeout):
                return await work
        except TimeoutError:
            raise EngineTrouble("timed-out", f"no answer after {self._timeout:g} s ({what})") from None
        except EngineTrouble:
            raise
        except Exception as error:  # noqa: BLE001 - as above
            raise EngineTrouble("outage", f"{what} failed: {_said(error)}") from None


def _tool(tool: Any) -> McpTool:
    schema = tool.input_schema if isinstance(tool.input_schema, dict) else {}
    properties = {k: v for k, v in (schema.get("properties") or {}).items() if isinstance(v, dict)}
    hints = getattr(tool, "annotations", None)
    read_only = getattr(hints, "read_only_hint", None) if hints is not None else None
    required = tuple(schema.get("required") or ())
    return McpTool(tool.name, (tool.description or "").strip(), properties, required, read_only)


def _said(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:300] if text else type(error).__name__


def json_in(reply: McpReply) -> Any:
    """The reply as a value: what the tool structured, or JSON in its text; None when it is only text."""
    if reply.structured is not None:
        return reply.structured
    try:
        return json.loads(reply.text)
    except ValueError:
        pass
    try:
        return [json.loads(part) for part in reply.parts]
    except ValueError:
        return None
