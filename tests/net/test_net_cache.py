"""Replies are kept, asked about again, and survive on disk."""

import asyncio
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from aiohttp import web
from net_sites import make_fetcher, serve

from research_crew.net.cache import DirectoryCache, Kept, MemoryCache, PageCache, max_age
from research_crew.net.page import FetchedPage


@pytest.fixture(params=["memory", "directory"])
def cache(request: pytest.FixtureRequest, tmp_path: Path) -> PageCache:
    return MemoryCache() if request.param == "memory" else DirectoryCache(tmp_path / "kept")


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 11, 30, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


def fetch_twice(
    cache: PageCache, first: dict[str, str], later: float = 60.0, **options: object
) -> tuple[list[FetchedPage], list[dict[str, str]]]:
    """The same page twice, `later` seconds apart; the host confirms with 304 when it is asked conditionally."""
    asked: list[dict[str, str]] = []
    clock = Clock()

    async def handler(request: web.Request) -> web.Response:
        asked.append(dict(request.headers))
        if "If-None-Match" in request.headers or "If-Modified-Since" in request.headers:
            return web.Response(status=304, headers=first)
        return web.Response(text="Größe", headers=first)

    async def go() -> list[FetchedPage]:
        async with serve(handler) as site, make_fetcher(site, cache=cache, now=clock, **options) as fetcher:
            one = await fetcher.fetch(site.url())
            clock.now += timedelta(seconds=later)
            return [one, await fetcher.fetch(site.url() + "#part")]

    return asyncio.run(go()), asked


def test_an_etag_is_sent_back_and_the_kept_body_is_used(cache: PageCache) -> None:
    (one, two), asked = fetch_twice(cache, {"ETag": 'W/"7"'})
    assert asked[1]["If-None-Match"] == 'W/"7"'
    assert (two.text, two.from_cache, two.state) == ("Größe", True, "read")
    assert not one.from_cache


def test_a_date_is_sent_back(cache: PageCache) -> None:
    (_, two), asked = fetch_twice(cache, {"Last-Modified": "Mon, 23 Nov 2026 10:00:00 GMT"})
    assert asked[1]["If-Modified-Since"] == "Mon, 23 Nov 2026 10:00:00 GMT"
    assert two.from_cache


def test_within_its_age_it_is_not_asked_for_again(cache: PageCache) -> None:
    (_, two), asked = fetch_twice(cache, {"Cache-Control": "public, max-age=120"}, later=119)
    assert (len(asked), two.from_cache, two.text) == (1, True, "Größe")
    (_, three), asked = fetch_twice(MemoryCache(), {"Cache-Control": "max-age=120", "ETag": '"1"'}, later=121)
    assert (len(asked), three.from_cache) == (2, True)


@pytest.mark.parametrize("control", ["no-store", "max-age=60, no-store", ""])
def test_what_must_or_can_not_be_kept_is_asked_for_again(cache: PageCache, control: str) -> None:
    headers = {"Cache-Control": control} if control else {}
    (_, two), asked = fetch_twice(cache, headers)
    assert len(asked) == 2 and "If-None-Match" not in asked[1]
    assert not two.from_cache


def test_it_can_be_switched_off() -> None:
    (_, two), asked = fetch_twice(MemoryCache(), {"ETag": '"1"', "Cache-Control": "max-age=500"}, keep=False)
    assert len(asked) == 2 and not two.from_cache


def test_a_changed_page_replaces_the_kept_one(cache: PageCache) -> None:
    texts = ["old", "new"]

    async def handler(request: web.Request) -> web.Response:
        return web.Response(text=texts.pop(0), headers={"ETag": f'"{len(texts)}"'})

    async def go() -> tuple[str, str]:
        async with serve(handler) as site, make_fetcher(site, cache=cache) as fetcher:
            first, second = await fetcher.fetch(site.url()), await fetcher.fetch(site.url())
            kept = cache.get(site.url())
            assert kept is not None and kept.etag == '"0"'
            return first.text, second.text

    assert asyncio.run(go()) == ("old", "new")


KEPT = Kept("https://a.example/x", "https://a.example/y", b'one\n{"two": 2}\n', "text/plain", 1.5, '"e"', None, 60)


def test_a_directory_gives_back_what_was_put_in_it_for_its_owner_only(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "kept"
    DirectoryCache(folder).put(KEPT)
    assert DirectoryCache(folder).get(KEPT.url) == KEPT
    assert DirectoryCache(folder).get("https://a.example/other") is None
    (file,) = folder.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 and stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "broken",
    [b"", b"not json\nbody", b'{"version": 99}\n', b"[]\n", b'{"version": 1, "size": 3, "url": "https://a.example/x"}\nabc'],
)  # fmt: skip
def test_a_broken_file_is_no_reply(tmp_path: Path, broken: bytes) -> None:
    cache = DirectoryCache(tmp_path)
    cache.put(KEPT)
    (file,) = tmp_path.iterdir()
    file.write_bytes(broken)
    assert cache.get(KEPT.url) is None
    file.write_bytes(b"")
    cache.put(KEPT)
    assert cache.get(KEPT.url) == KEPT


def test_a_cut_file_is_no_reply(tmp_path: Path) -> None:
    cache = DirectoryCache(tmp_path)
    cache.put(KEPT)
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:-1])
    assert cache.get(KEPT.url) is None


def test_memory_drops_what_was_used_longest_ago() -> None:
    cache = MemoryCache(most=25)
    for name in "abc":
        cache.put(Kept(name, name, b"0123456789", "", 0.0))
        cache.get("a")
    assert [name for name in "abc" if cache.get(name)] == ["a", "c"]


@pytest.mark.parametrize(
    ("field", "age"),
    [("", 0), ("max-age=60", 60), ("private, max-age=60", 60), ("no-cache, max-age=60", 0), ("No-Store", None),
     ("s-maxage=9", 0), ("max-age=99999999", 86_400), ("max-age=abc", 0)],
)  # fmt: skip
def test_cache_control(field: str, age: int | None) -> None:
    assert max_age(field) == age
