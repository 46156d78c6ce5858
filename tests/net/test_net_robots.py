"""robots.txt is asked for, respected, remembered."""

import asyncio

import pytest
from aiohttp import web
from net_sites import make_fetcher, serve

from research_crew.net.caps import Caps
from research_crew.net.pace import Pace
from research_crew.net.page import FetchedPage


def ask(robots: web.Response | None, *paths: str, **options: object) -> tuple[list[FetchedPage], list[str]]:
    async def handler(request: web.Request) -> web.Response:
        if request.path == "/robots.txt":
            return robots if robots is not None else web.Response(status=404)
        return web.Response(text="Tulips")

    async def go() -> tuple[list[FetchedPage], list[str]]:
        async with serve(handler) as site, make_fetcher(site, robots=True, **options) as fetcher:
            return list(await asyncio.gather(*(fetcher.fetch(site.url(path)) for path in paths))), site.asked

    return asyncio.run(go())


@pytest.mark.parametrize(
    ("rules", "path", "state"),
    [
        ("User-agent: *\nDisallow: /private", "/private/a", "robots"),
        ("User-agent: *\nDisallow: /private", "/public", "read"),
        ("User-agent: research-crew\nDisallow: /\n\nUser-agent: *\nAllow: /", "/a", "robots"),
        ("User-agent: other\nDisallow: /\n\nUser-agent: *\nAllow: /", "/a", "read"),
        ("User-agent: *\nAllow: /\nDisallow: /private", "/private/a", "robots"),
        ("User-agent: *\nDisallow: /a\nAllow: /a/open", "/a/open/b", "read"),
        ("User-agent: *\nDisallow: /*.pdf$", "/report.pdf", "robots"),
        ("User-agent: *\nDisallow: /*?print=", "/page?print=1", "robots"),
        ("User-agent: *\nDisallow:", "/a", "read"),
        ("nonsense \x00\xff\n<html>", "/a", "read"),
    ],
)
def test_its_rules_are_kept(rules: str, path: str, state: str) -> None:
    (page,), asked = ask(web.Response(text=rules), path)
    assert page.state == state
    assert asked == (["/robots.txt"] if state == "robots" else ["/robots.txt", path])
    if state == "robots":
        assert page.notes == ("the robots.txt of 127.0.0.1 asks research-crew not to fetch it",)


def test_it_is_asked_for_once_for_many_pages_at_once() -> None:
    pages, asked = ask(web.Response(text="User-agent: *\nDisallow: /b"), "/a", "/b", "/c", "/d")
    assert [page.state for page in pages] == ["read", "robots", "read", "read"]
    assert asked.count("/robots.txt") == 1


def test_a_missing_file_allows_and_a_broken_host_forbids() -> None:
    assert ask(None, "/a")[0][0].state == "read"
    assert ask(web.Response(status=403), "/a")[0][0].state == "read"
    (page,), asked = ask(web.Response(status=500), "/a")
    assert (page.state, asked) == ("robots", ["/robots.txt"])
    assert "status 500" in page.notes[0]


def test_a_huge_file_forbids() -> None:
    huge = web.Response(text="User-agent: *\nAllow: /\n" + "# " + "a" * 5_000)
    (page,), _ = ask(huge, "/a", caps=Caps(robots=1_000))
    assert page.state == "robots"


def test_a_redirect_of_the_file_into_a_private_address_is_refused() -> None:
    (page,), asked = ask(web.Response(status=302, headers={"Location": "http://10.0.0.1/robots.txt"}), "/a")
    assert (page.state, asked) == ("refused", ["/robots.txt"])


def test_an_unreachable_host_is_a_failure_and_not_a_wish_of_its_owner() -> None:
    async def go() -> FetchedPage:
        from net_sites import Site

        site = Site()
        site.port = 9
        async with make_fetcher(site, robots=True) as fetcher:
            return await fetcher.fetch(site.url())

    page = asyncio.run(go())
    assert page.state == "failed" and page.notes[0].startswith("robots.txt: no connection")


def test_a_crawl_delay_sets_the_distance_up_to_ten_seconds() -> None:
    waits: list[float] = []
    now = [0.0]

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        now[0] += seconds

    pace = Pace(0.5, longest=60.0, clock=lambda: now[0], sleep=sleep)
    rules = web.Response(text="User-agent: *\nCrawl-delay: 600\n")

    async def handler(request: web.Request) -> web.Response:
        return rules if request.path == "/robots.txt" else web.Response(text="Tulips")

    async def go() -> None:
        async with serve(handler) as site, make_fetcher(site, robots=True, pace=pace) as fetcher:
            for n in range(3):
                await fetcher.fetch(site.url(f"/{n}"))

    asyncio.run(go())
    assert waits == [10.0, 10.0]


def test_each_host_of_a_redirect_is_asked() -> None:
    async def handler(request: web.Request) -> web.Response:
        if request.path == "/robots.txt":
            closed = request.host.startswith("closed.")
            return web.Response(text="User-agent: *\nDisallow: " + ("/" if closed else ""))
        return web.Response(status=302, headers={"Location": f"http://closed.example:{request.url.port}/b"})

    async def local(host: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    async def go() -> FetchedPage:
        async with serve(handler) as site, make_fetcher(site, robots=True, look_up=local) as fetcher:
            return await fetcher.fetch(site.url("/a", host="open.example"))

    page = asyncio.run(go())
    assert (page.state, page.notes) == (
        "robots",
        ("the robots.txt of closed.example asks research-crew not to fetch it",),
    )
