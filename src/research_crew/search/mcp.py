"""`mcp:NAME`: the search or read tool of any MCP server as an engine. Needs the extra `mcp`.

A tool's answer has no agreed shape: rows are looked for in what it structured, in JSON in its text, and last among the
links of its text. Its price is what the person configured.
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from research_crew.core.errors import InvalidInput
from research_crew.net.page import FetchedPage
from research_crew.search.engine import failed
from research_crew.search.mcp_session import McpReply, McpServer, McpSession, McpTool, json_in
from research_crew.search.names import Kit
from research_crew.search.protocol import Hits, Query, Result
from research_crew.search.request import EngineTrouble
from research_crew.search.rows import Row, day_of, number_of, plain, shortened, text_of, title_of, to_hits, url_of

__all__ = ["McpEngine", "McpServer", "make"]

_ASKS = ("query", "q", "search_query", "searchterm", "search_term", "question", "keywords", "text", "input", "prompt")
_COUNTS = ("limit", "count", "num_results", "numresults", "max_results", "maxresults", "top_k", "k", "n", "size")
_LISTS = ("results", "result", "items", "documents", "hits", "data", "pages", "organic", "web", "content")
_CHANGES = re.compile(
    r"(?:^|[_-])(?:create|write|delete|remove|update|send|post|put|set|add|insert|execute|run|edit)(?:[_-]|$)"
)
_MARKDOWN = re.compile(r"\[([^\]\n]{1,300})\]\((https?://[^\s)]{1,2000})\)")
_BARE = re.compile(r"https?://[^\s<>\"')\]]{1,2000}")


class McpEngine:
    """The engine `mcp:NAME`; also reads pages, when the server has a tool for it."""

    def __init__(self, name: str, server: McpServer, timeout: float = 30.0) -> None:
        self.name, self.server = f"mcp:{name}", server
        self.session = McpSession(server, timeout)

    def price(self, query: Query) -> Decimal:  # noqa: ARG002
        """What the person said a search costs."""
        return self.server.price

    async def search(self, query: Query) -> Hits:
        """See `SearchEngine.search`."""
        try:
            tool = choose(await self.session.tools(), "search", self.server.search_tool)
            text, notes = shortened(query.text, 1_000)
            reply = await self.session.call(tool.name, arguments(tool, text, query.limit))
            if reply.is_error:
                raise EngineTrouble("rejected", f"its tool {tool.name} failed: {plain(reply.text)[:300]}")
            return to_hits(self.name, rows_in(reply), lambda row: _result(row, self.name), query, notes=notes)
        except EngineTrouble as trouble:
            return failed(trouble)

    async def read(self, url: str) -> FetchedPage:
        """One page through the server's read tool."""
        try:
            tool = choose(await self.session.tools(), "read", self.server.read_tool)
            reply = await self.session.call(tool.name, {_parameter(tool, ("url", "uri", "link", "id")): url})
        except EngineTrouble as trouble:
            return FetchedPage(url, url, None, "failed", notes=(trouble.detail,))
        if reply.is_error:
            return FetchedPage(url, url, None, "failed", notes=(plain(reply.text)[:300],))
        value = json_in(reply)
        row: Row = value if isinstance(value, Mapping) else {}
        places = ("text", "content", "markdown", "result")
        text = next((t for name in places if (t := text_of(row.get(name)))), reply.text)
        return FetchedPage(url, url, None, "read" if text.strip() else "empty", text, plain(row.get("title")))

    async def close(self) -> None:
        """End the connection."""
        await self.session.close()


def choose(tools: tuple[McpTool, ...], purpose: str, named: str = "") -> McpTool:
    """The tool named, or the one that looks most like a search (or a read) and like nothing that changes things."""
    if named:
        found = next((tool for tool in tools if tool.name == named), None)
        if found is None:
            raise EngineTrouble("rejected", f"it has no tool {named}; it has {', '.join(t.name for t in tools)[:300]}")
        return found
    words = ("search", "query", "find", "lookup") if purpose == "search" else ("read", "fetch", "get", "open", "scrape")
    inputs = _ASKS if purpose == "search" else ("url", "uri", "link")

    def fit(tool: McpTool) -> int:
        name, about = tool.name.lower(), tool.description.lower()
        by_name = next((4 - n for n, word in enumerate(words) if word in name), 0)
        by_input = 2 * any(key.lower() in inputs for key in tool.properties)
        return by_name + by_input + any(word in about for word in words[:1])

    safe = [tool for tool in tools if tool.read_only is not False and not _CHANGES.search(tool.name.lower())]
    best = max(safe, key=fit, default=None)
    if best is None or fit(best) < 2:
        detail = f"none of its {len(tools)} tools looks like a {purpose}; name it in the settings"
        raise EngineTrouble("rejected", detail)
    return best


def arguments(tool: McpTool, text: str, limit: int) -> dict[str, Any]:
    """The arguments of a search: the query, and the number of results where the tool has a place for it."""
    given: dict[str, Any] = {_parameter(tool, _ASKS): text}
    count = next((k for k in tool.properties if k.lower() in _COUNTS and k not in given), None)
    if count is not None and tool.properties[count].get("type") in (None, "integer", "number"):
        most = tool.properties[count].get("maximum")
        given[count] = min(limit, int(most)) if isinstance(most, (int, float)) else limit
    lacking = [name for name in tool.required if name not in given]
    if lacking:
        raise EngineTrouble("rejected", f"its tool {tool.name} also needs {', '.join(lacking)[:200]}")
    return given


def _parameter(tool: McpTool, names: tuple[str, ...]) -> str:
    by_name = sorted((k for k in tool.properties if k.lower() in names), key=lambda k: names.index(k.lower()))
    strings = [k for k in tool.required if tool.properties.get(k, {}).get("type") == "string"]
    found = [*by_name, *strings]
    if not found:
        raise EngineTrouble("rejected", f"its tool {tool.name} takes no text")
    return found[0]


def rows_in(reply: McpReply) -> list[Any]:
    """The rows of an answer, wherever they are; links in plain text as a last resort."""
    value = json_in(reply)
    for _ in range(4):
        if isinstance(value, str):
            return _in_text(value)
        if isinstance(value, Mapping):
            inner = next((value[name] for name in _LISTS if isinstance(value.get(name), (list, dict))), None)
            value = [value] if inner is None else inner
        elif isinstance(value, list):
            return value
    return _in_text(reply.text)


def _in_text(text: str) -> list[Any]:
    lines = text.splitlines()
    rows: list[Any] = [
        {"title": match[1], "url": match[2], "snippet": line} for line in lines for match in _MARKDOWN.finditer(line)
    ]
    if rows:
        return rows
    for n, line in enumerate(lines):
        before = lines[n - 1] if n else ""
        after = " ".join(lines[n + 1 : n + 3])
        title = before.strip("#*- ")
        rows += [{"title": title, "url": m[0].rstrip(".,;"), "snippet": after} for m in _BARE.finditer(line)]
    return rows


def _result(row: Row, engine: str) -> Result:
    def first(*names: str) -> Any:
        return next((row[name] for name in names if row.get(name)), None)

    places = ("url", "link", "href", "uri", "source", "id")
    url = next((u for name in places if (u := url_of(row.get(name)))), None)
    short = first("snippet", "description", "summary", "abstract", "excerpt", "content", "highlights")
    return Result(
        title_of(first("title", "name", "heading"), url), url,
        text=text_of(first("text", "raw_content", "page_content", "markdown", "body")), snippet=plain(short)[:2_000],
        published=day_of(first("published", "published_date", "publishedDate", "date")),
        author=plain(first("author", "authors")) or None, score=number_of(row.get("score")), engine=engine,
    )  # fmt: skip


def make(argument: str, kit: Kit) -> McpEngine:
    """See `names.Maker`; the argument is the name of a configured server."""
    server = kit.mcp.get(argument)
    if server is None:
        known = f"configured are {', '.join(kit.mcp)}" if kit.mcp else "none is configured"
        raise InvalidInput("search mcp", argument, f"write mcp:NAME with the name of an MCP server; {known}")
    return McpEngine(argument, server)
