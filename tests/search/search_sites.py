"""A fake of every engine's interface on loopback, with replies shaped as its documentation says."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from research_crew.core.secret import Secret
from research_crew.search.limits import Limits
from research_crew.search.names import Kit, make_engine
from research_crew.search.protocol import Hits, Query
from research_crew.search.request import Http

KEY = "sk-very/secret+key"
ENGINES = ("exa", "tavily", "brave", "searxng", "wikipedia", "arxiv", "openalex", "duckduckgo")

Rows = list[Any]


@dataclass(slots=True)
class Asked:
    """One request that the fake got."""

    path: str
    params: dict[str, str]
    headers: dict[str, str]
    body: Any = None
    form: dict[str, str] = field(default_factory=dict)


def exa(rows: Rows) -> dict[str, Any]:
    return {"requestId": "r1", "resolvedSearchType": "neural", "results": rows, "costDollars": {"total": 0.007}}


def tavily(rows: Rows) -> dict[str, Any]:
    return {"query": "q", "answer": None, "images": [], "results": rows, "response_time": 1.2, "usage": {"credits": 1}}


def brave(rows: Rows) -> dict[str, Any]:
    return {"type": "search", "query": {"original": "q"}, "web": {"type": "search", "results": rows}} if rows else {
        "type": "search", "query": {"original": "q"}}  # fmt: skip


def searxng(rows: Rows) -> dict[str, Any]:
    return {"query": "q", "number_of_results": 0, "results": rows, "answers": [], "unresponsive_engines": []}


def wikipedia(rows: Rows) -> dict[str, Any]:
    return {"batchcomplete": True, "query": {"pages": rows}} if rows else {"batchcomplete": True}


def arxiv(rows: Rows) -> str:
    entries = []
    for row in rows:
        if not isinstance(row, dict):
            entries.append("<entry/>")
            continue
        authors = "".join(f"<author><name>{name}</name></author>" for name in row.get("authors", ()))
        fields = "".join(f"<{k}>{v}</{k}>" for k, v in row.items() if k != "authors" and v is not None)
        entries.append(f"<entry>{fields}{authors}</entry>")
    return (
        '<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom">'
        f"<title>arXiv Query</title>{''.join(entries)}</feed>"
    )


def openalex(rows: Rows) -> dict[str, Any]:
    return {"meta": {"count": len(rows), "page": 1, "per_page": 10, "cost_usd": 0.001}, "results": rows}


def duckduckgo(rows: Rows) -> str:
    if not rows:
        return '<html><body><div class="no-results">No  results.</div></body></html>'
    parts = [
        f'<div class="result results_links web-result"><h2><a class="result__a" href="{row["href"]}">{row["title"]}</a>'
        f'</h2><a class="result__snippet">{row["snippet"]}</a></div>'
        if isinstance(row, dict) and row.get("title") is not None
        else '<div class="result"><span>nothing</span></div>'
        for row in rows
    ]
    return f"<html><body>{''.join(parts)}</body></html>"


REPLIES: Mapping[str, Callable[[Rows], Any]] = {
    "exa": exa, "tavily": tavily, "brave": brave, "searxng": searxng, "wikipedia": wikipedia, "arxiv": arxiv,
    "openalex": openalex, "duckduckgo": duckduckgo,
}  # fmt: skip


def row(engine: str, url: str | None, title: str | None = "Tulips", snippet: str = "Tulips are red.") -> Any:
    """One row of an engine's reply."""
    match engine:
        case "exa":
            return {
                "id": url,
                "url": url,
                "title": title,
                "publishedDate": "2025-03-01T00:00:00.000Z",
                "author": "A. Writer",
                "score": 0.5,
                "highlights": [snippet],
                "text": "The whole page on tulips.",
            }
        case "tavily":
            return {
                "url": url,
                "title": title,
                "content": snippet,
                "raw_content": "The whole page on tulips.",
                "score": 0.9,
            }
        case "brave":
            return {"url": url, "title": title, "description": snippet, "page_age": "2025-03-01T10:00:00", "age": "x"}
        case "searxng":
            return {
                "url": url,
                "title": title,
                "content": snippet,
                "publishedDate": "2025-03-01T00:00:00",
                "score": 2.0,
            }
        case "wikipedia":
            return {"pageid": 1, "ns": 0, "index": 1, "title": title, "fullurl": url, "extract": snippet}
        case "arxiv":
            return {"id": url, "title": title, "summary": snippet, "published": "2025-03-01T00:00:00Z",
                    "authors": ["A. Writer", "B. Writer"]}  # fmt: skip
        case "openalex":
            words = {word: [n] for n, word in enumerate(snippet.split())}
            return {"id": "https://openalex.org/W1" if url else None, "doi": url, "display_name": title,
                    "publication_date": "2025-03-01", "relevance_score": 12.5, "abstract_inverted_index": words,
                    "authorships": [{"author": {"display_name": "A. Writer"}}]}  # fmt: skip
        case _:
            return {"href": f"//duckduckgo.com/l/?uddg={url}&amp;rut=1" if url else "/settings", "title": title,
                    "snippet": snippet}  # fmt: skip


Reply = Callable[[Asked], web.Response | Awaitable[web.Response]]


def ok(engine: str, rows: Rows) -> Reply:
    """A reply with these rows."""
    data = REPLIES[engine](rows)
    text = data if isinstance(data, str) else json.dumps(data)
    return lambda _: web.Response(text=text, content_type="text/html" if isinstance(data, str) else "application/json")


def status(code: int, text: str = "", **headers: str) -> Reply:
    """A reply with a status and a body."""
    return lambda _: web.Response(status=code, text=text, headers=headers)


@asynccontextmanager
async def fake(reply: Reply) -> AsyncIterator[tuple[str, list[Asked]]]:
    """A server on loopback: its address and what it was asked."""
    asked: list[Asked] = []

    async def handler(request: web.Request) -> web.Response:
        kind = request.content_type
        body = await request.json() if kind == "application/json" and request.can_read_body else None
        form = {k: str(v) for k, v in (await request.post()).items()} if kind.endswith("urlencoded") else {}
        one = Asked(request.path, dict(request.query), dict(request.headers), body, form)
        asked.append(one)
        answer = reply(one)
        return await answer if not isinstance(answer, web.Response) else answer

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handler)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}", asked
    finally:
        await runner.cleanup()


async def no_sleep(seconds: float) -> None:
    """Time does not pass in tests."""


def free_limits() -> Limits:
    """Limits whose clock jumps to wherever it is looked from."""
    now = [0.0]

    def clock() -> float:
        now[0] += 1_000.0
        return now[0]

    return Limits(clock=clock, sleep=no_sleep)


def kit(http: Http, address: str, key: str | None = KEY) -> Kit:
    """A kit in which every engine is the fake."""
    keys = {name: Secret(key) for name in ("exa", "tavily", "brave", "openalex")} if key else {}
    return Kit(http, keys, dict.fromkeys(ENGINES, address))


def search(engine: str, reply: Reply, query: Query | None = None, **options: Any) -> tuple[Hits, list[Asked]]:
    """One search of an engine against the fake."""

    async def go() -> tuple[Hits, list[Asked]]:
        key = options.pop("key", KEY)
        options.setdefault("limits", free_limits())
        async with fake(reply) as (address, asked), Http(**options) as http:
            return await make_engine(engine, kit(http, address, key)).search(query or Query("red tulips")), asked

    return asyncio.run(go())
