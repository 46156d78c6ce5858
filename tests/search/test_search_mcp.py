"""An MCP server's tool as an engine: chosen, called, its rows found, its faults told. Servers run in this process."""

import asyncio
import logging
import sys
from typing import Any

import pytest

from research_crew.core.errors import InvalidInput, MissingExtra
from research_crew.net.page import FetchedPage
from research_crew.search.mcp import McpEngine, choose, rows_in
from research_crew.search.mcp_check import McpCheck, check
from research_crew.search.mcp_session import McpReply, McpServer, McpTool
from research_crew.search.names import Kit, make_engine
from research_crew.search.protocol import Hits, Query
from research_crew.search.request import EngineTrouble

mcp_server = pytest.importorskip("mcp.server", reason="the extra mcp is not installed")
logging.getLogger("mcp").setLevel(logging.CRITICAL)

ROWS = [
    {"title": "Tulips", "url": "https://a.example/", "snippet": "Tulips are <b>red</b>."},
    {"title": None, "link": "https://b.example/x"},
    {"title": "no address"},
]


def server(answer: Any = ROWS, *, fails: bool = False, name: str = "web_search", **extra: Any) -> Any:
    made = mcp_server.MCPServer("fake")

    async def tool(query: str, count: int = 5) -> Any:
        seen.append((query, count))
        if fails:
            raise ValueError("the index is being rebuilt")
        return answer

    seen: list[tuple[str, int]] = extra.get("seen", [])
    made.tool(name=name, description=extra.get("description", "Search the web."))(tool)

    async def delete_search_history(query: str) -> str:
        raise AssertionError("a tool that changes something was called")

    made.tool()(delete_search_history)

    async def fetch_page(url: str) -> dict[str, str]:
        return {"title": "A page", "text": f"text of {url}"}

    made.tool(description="Fetch a page.")(fetch_page)
    return made


def use(inside: Any, query: Query | None = None, **fields: Any) -> Hits:
    async def go() -> Hits:
        engine = McpEngine("mine", McpServer(inside=inside, **fields), timeout=5.0)
        try:
            return await engine.search(query or Query("red tulips", 3))
        finally:
            await engine.close()

    return asyncio.run(go())


def test_the_search_tool_is_found_and_its_rows_become_results() -> None:
    seen: list[tuple[str, int]] = []
    hits = use(server(seen=seen))
    assert seen == [("red tulips", 3)]
    assert hits.status == "ok" and hits.skipped == {"no url": 1}
    assert [(r.url, r.title, r.snippet, r.engine) for r in hits.results] == [
        ("https://a.example/", "Tulips", "Tulips are red.", "mcp:mine"),
        ("https://b.example/x", "b.example/x", "", "mcp:mine"),
    ]


@pytest.mark.parametrize(
    "answer",
    [
        ROWS,
        {"results": ROWS},
        {"data": {"items": ROWS}},
        '{"results": [{"title": "Tulips", "url": "https://a.example/"}]}',
        "Found:\n- [Tulips](https://a.example/) they are red",
        "1. Tulips\nhttps://a.example/\nThey are red.",
    ],
)
def test_rows_are_found_in_many_shapes(answer: Any) -> None:
    hits = use(server(answer))
    assert hits.results[0].url == "https://a.example/" and "Tulips" in hits.results[0].title


@pytest.mark.parametrize("answer", ["", "nothing found", [], {"results": []}])
def test_nothing_found_is_empty(answer: Any) -> None:
    assert use(server(answer)).status in ("empty", "ok") and use(server(answer)).results == ()


def test_a_tool_that_fails_is_a_failure_with_its_words() -> None:
    hits = use(server(fails=True))
    assert (hits.status, hits.failure) == ("failed", "rejected") and "web_search failed" in hits.detail


def test_a_server_without_a_search_is_a_failure_that_says_so() -> None:
    hits = use(mcp_server.MCPServer("bare"))
    assert hits.status == "failed" and "none of its 0 tools looks like a search" in hits.detail
    hits = use(server(), search_tool="lookup")
    assert "it has no tool lookup; it has web_search" in hits.detail


def test_a_command_that_cannot_be_started_is_unreachable() -> None:
    async def go() -> Hits:
        engine = McpEngine("x", McpServer(command=("/nowhere/at/all",)), timeout=5.0)
        try:
            return await engine.search(Query("q"))
        finally:
            await engine.close()

    hits = asyncio.run(go())
    assert (hits.status, hits.failure) == ("failed", "unreachable")


def test_a_server_over_standard_streams_is_used_and_ended() -> None:
    code = (
        "from mcp.server import MCPServer\n"
        "s = MCPServer('fake')\n"
        "@s.tool()\n"
        "def search(query: str) -> list[dict[str, str]]:\n"
        "    return [{'title': query, 'url': 'https://a.example/'}]\n"
        "s.run()\n"
    )

    async def go() -> tuple[Hits, Hits]:
        engine = McpEngine("x", McpServer(command=(sys.executable, "-c", code)), timeout=30.0)
        try:
            return await engine.search(Query("one")), await engine.search(Query("two"))
        finally:
            await engine.close()

    one, two = asyncio.run(go())
    assert (one.results[0].title, two.results[0].title) == ("one", "two")


def test_its_read_tool_reads_pages() -> None:
    async def go() -> FetchedPage:
        engine = McpEngine("mine", McpServer(inside=server()), timeout=5.0)
        try:
            return await engine.read("https://a.example/")
        finally:
            await engine.close()

    page = asyncio.run(go())
    assert (page.state, page.text, page.title) == ("read", "text of https://a.example/", "A page")


def tool(name: str, description: str = "", read_only: bool | None = None, **properties: str) -> McpTool:
    specs = {key: {"type": kind} for key, kind in properties.items()}
    return McpTool(name, description, specs, tuple(properties), read_only)


def test_a_tool_that_changes_things_is_never_chosen() -> None:
    tools = (tool("delete_search", query="string"), tool("search_more", query="string", read_only=False))
    with pytest.raises(EngineTrouble):
        choose(tools, "search")
    assert choose((*tools, tool("find_docs", query="string")), "search").name == "find_docs"


def test_rows_of_a_reply_that_is_only_text() -> None:
    reply = McpReply(("See [Tulips](https://a.example/).",), None, False)
    assert rows_in(reply) == [
        {"title": "Tulips", "url": "https://a.example/", "snippet": "See [Tulips](https://a.example/)."}
    ]


def test_the_price_that_was_configured_is_reserved() -> None:
    from decimal import Decimal

    assert McpEngine("x", McpServer(price=Decimal("0.01"))).price(Query("q")) == Decimal("0.01")


def test_a_name_that_is_not_configured_is_the_persons_mistake() -> None:
    with pytest.raises(InvalidInput, match="configured are other"):
        make_engine("mcp:mine", Kit(mcp={"other": McpServer(command=("x",))}))


def test_without_the_package_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    with pytest.raises(MissingExtra, match=r"research-crew\[mcp\]"):
        use(server())


def examine(inside: Any, **fields: Any) -> McpCheck:
    async def go() -> McpCheck:
        engine = McpEngine("mine", McpServer(inside=inside, **fields), timeout=5.0)
        try:
            return await check(engine)
        finally:
            await engine.close()

    return asyncio.run(go())


def test_a_check_says_what_it_tried_and_proposes_a_description() -> None:
    found = examine(server())
    assert found.ok and found.tool == "web_search"
    assert found.tried[0] == "connect to mcp:mine" and found.tried[-1] == "read its answer: 3 result(s)"
    assert (
        "its description does not say what it returns" in " ".join(found.failed) or "no description" in found.failed[0]
    )
    assert found.proposal.startswith(
        "Search the web. Takes query (string, required); count (integer, optional, default 5)."
    )
    assert "each with title, url, snippet" in found.proposal


def test_a_check_says_what_failed() -> None:
    failed = examine(server(fails=True))
    assert not failed.ok and any("the call failed" in line for line in failed.failed)
    useless = examine(server([{"title": "no address"}]))
    assert not useless.ok and any("none of its 1 results can be used (1 no url)" in line for line in useless.failed)
    bare = examine(mcp_server.MCPServer("bare"))
    assert not bare.ok and bare.tool == "" and "looks like a search" in bare.failed[0]
