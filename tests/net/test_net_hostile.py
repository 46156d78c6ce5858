"""Hostile hosts. Everything runs on loopback, which the fetcher may reach only because the test says so."""

import asyncio
import gzip
import socket
import time
import zlib
from collections.abc import Sequence

import pytest
from aiohttp import ClientConnectorError, web
from net_sites import Site, make_fetcher, raw, serve

from research_crew.net.address import AddressPolicy, Refused
from research_crew.net.caps import Caps
from research_crew.net.hops import Hops
from research_crew.net.page import FetchedPage

HTML = b"<html><head><title>t</title></head><body><p>Tulips are red.</p></body></html>"


def answer(head: str, body: bytes = b"") -> bytes:
    return f"HTTP/1.1 {head}\r\nConnection: close\r\n\r\n".encode() + body


async def page(request: web.Request) -> web.Response:
    return web.Response(text="Tulips are red.")


# The address guard


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:{port}/", "http://2130706433:{port}/", "http://0x7f.1:{port}/", "http://0177.0.0.1:{port}/",
        "http://[::1]:{port}/", "http://[::ffff:127.0.0.1]:{port}/", "http://localhost:{port}/", "http://127.1:{port}/",
        "http://0.0.0.0:{port}/", "http://①②⑦.⓪.⓪.①:{port}/",
    ],
)  # fmt: skip
def test_without_the_configuration_loopback_is_refused(url: str) -> None:
    async def go() -> tuple[FetchedPage, list[str]]:
        async with serve(page) as site:
            policy = AddressPolicy.of(ports=(site.port,))
            async with make_fetcher(site, policy=policy) as fetcher:
                return await fetcher.fetch(url.format(port=site.port)), site.asked

    got, asked = asyncio.run(go())
    assert got.state == "refused"
    assert asked == [], "nothing was sent"


def test_a_name_with_one_private_address_among_its_two_is_refused() -> None:
    async def two(host: str, port: int) -> Sequence[str]:
        return ["127.0.0.1", "10.0.0.5"]

    async def go() -> tuple[FetchedPage, list[str]]:
        async with serve(page) as site, make_fetcher(site, look_up=two) as fetcher:
            return await fetcher.fetch(site.url(host="two.example")), site.asked

    got, asked = asyncio.run(go())
    assert (got.state, asked) == ("refused", [])
    assert got.notes == ("two.example: 10.0.0.5 is a private address",)


def test_the_connection_goes_to_the_checked_address_without_a_second_look_up() -> None:
    answers = ["127.0.0.1", "10.0.0.5", "10.0.0.5"]

    async def rebinding(host: str, port: int) -> Sequence[str]:
        return [answers.pop(0)]

    async def go() -> FetchedPage:
        async with serve(page) as site, make_fetcher(site, look_up=rebinding) as fetcher:
            return await fetcher.fetch(site.url(host="rebind.example"))

    got = asyncio.run(go())
    assert (got.state, got.text) == ("read", "Tulips are red.")
    assert len(answers) == 2, "one look-up"


def test_the_socket_gate_stands_alone() -> None:
    """A request that went round the URL check still cannot reach an address that is not public."""

    async def go() -> None:
        hops = Hops(AddressPolicy(), Caps(), agent="test")
        try:
            async with hops._open().get("http://127.0.0.1:9/"):
                pass
        finally:
            await hops.close()

    with pytest.raises(ClientConnectorError) as error:
        asyncio.run(go())
    assert isinstance(error.value.os_error, Refused)
    with pytest.raises(Refused):
        Hops(AddressPolicy(), Caps(), agent="t")._socket((socket.AF_INET, socket.SOCK_STREAM, 6, "", ("10.0.0.1", 80)))


@pytest.mark.parametrize(
    "target",
    [
        "http://10.0.0.1/", "http://169.254.169.254/latest/meta-data/", "http://[::ffff:10.0.0.1]/", "http://2130706432/",
        "http://0x0a.0.0.1/", "//10.0.0.1/", "file:///etc/passwd", "gopher://127.0.0.1/", "http://10.0.0.1:22/",
        "http://u:p@10.0.0.1/", "http://[fe80::1]/",
    ],
)  # fmt: skip
def test_a_chain_of_redirects_into_a_private_address_is_refused(target: str) -> None:
    async def chain(request: web.Request) -> web.Response:
        following = {"/a": "/b", "/b": "/c", "/c": target}[request.path]
        return web.Response(status=302, headers={"Location": following})

    async def go() -> tuple[FetchedPage, list[str]]:
        async with serve(chain) as site:
            policy = AddressPolicy.of(ports=(site.port, 80), allow=("127.0.0.0/8",))
            async with make_fetcher(site, policy=policy) as fetcher:
                return await fetcher.fetch(site.url("/a")), site.asked

    got, asked = asyncio.run(go())
    assert got.state == "refused"
    assert asked == ["/a", "/b", "/c"]


def test_a_redirect_to_a_name_is_looked_up_and_checked() -> None:
    async def names(host: str, port: int) -> Sequence[str]:
        return {"outside.example": ["127.0.0.1"], "intranet.example": ["192.168.0.9"]}[host]

    async def inward(request: web.Request) -> web.Response:
        return web.Response(status=307, headers={"Location": f"http://intranet.example:{request.url.port}/admin"})

    async def go() -> FetchedPage:
        async with serve(inward) as site, make_fetcher(site, look_up=names) as fetcher:
            return await fetcher.fetch(site.url(host="outside.example"))

    got = asyncio.run(go())
    assert (got.state, got.notes) == ("refused", ("intranet.example: 192.168.0.9 is a private address",))


def test_ten_thousand_redirects_are_followed_five_times() -> None:
    async def endless(request: web.Request) -> web.Response:
        n = int(request.path.lstrip("/"))
        return web.Response(status=301, headers={"Location": f"/{n + 1}"}) if n < 10_000 else await page(request)

    async def go() -> tuple[FetchedPage, list[str]]:
        async with serve(endless) as site, make_fetcher(site) as fetcher:
            return await fetcher.fetch(site.url("/0")), site.asked

    got, asked = asyncio.run(go())
    assert (got.state, got.notes) == ("refused", ("more than 5 redirects",))
    assert asked == [f"/{n}" for n in range(6)]


def test_five_redirects_are_followed() -> None:
    async def five(request: web.Request) -> web.Response:
        n = int(request.path.lstrip("/"))
        return web.Response(status=302, headers={"Location": f"/{n + 1}"}) if n < 5 else await page(request)

    async def go() -> FetchedPage:
        async with serve(five) as site, make_fetcher(site) as fetcher:
            return await fetcher.fetch(site.url("/0"))

    got = asyncio.run(go())
    assert (got.state, got.final_url.rpartition("/")[2]) == ("read", "5")


# Bodies

SMALL = Caps(received=50_000, inflated=200_000, seconds=5.0)


def deflated(data: bytes) -> bytes:
    return zlib.compress(data, 9)


def raw_deflated(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [("gzip", gzip.compress), ("x-gzip", gzip.compress), ("deflate", deflated), ("deflate", raw_deflated)],
)
def test_a_decompression_bomb_is_stopped_at_the_cap(encoding: str, pack: object) -> None:
    bomb = pack(b"\0" * 30_000_000)  # type: ignore[operator]
    assert len(bomb) < SMALL.received

    async def go() -> FetchedPage:
        reply = answer(f"200 OK\r\nContent-Type: text/html\r\nContent-Encoding: {encoding}", bomb)
        async with raw(reply) as site, make_fetcher(site, caps=SMALL) as fetcher:
            return await fetcher.fetch(site.url())

    got = asyncio.run(go())
    assert got.state == "too-large"
    assert got.notes == ("more than 200000 bytes after decompression",)


@pytest.mark.parametrize(
    ("encoding", "pack"), [("gzip", gzip.compress), ("deflate", deflated), ("deflate", raw_deflated)]
)
def test_compressed_pages_are_read(encoding: str, pack: object) -> None:
    async def go() -> FetchedPage:
        body = pack("Tulpen aus Zürich".encode() * 500)  # type: ignore[operator]
        reply = answer(f"200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: {encoding}", body)
        async with raw(reply) as site, make_fetcher(site) as fetcher:
            return await fetcher.fetch(site.url())

    got = asyncio.run(go())
    assert (got.state, got.text) == ("read", "Tulpen aus Zürich" * 500)


@pytest.mark.parametrize("encoding", ["br", "zstd", "compress", "gzip, gzip", "deflate, br"])
def test_an_encoding_that_was_not_asked_for_is_not_decoded(encoding: str) -> None:
    async def go() -> FetchedPage:
        reply = answer(f"200 OK\r\nContent-Type: text/html\r\nContent-Encoding: {encoding}", b"\x1b\xff\xff\xff")
        async with raw(reply) as site, make_fetcher(site) as fetcher:
            return await fetcher.fetch(site.url())

    assert asyncio.run(go()).state == "failed"


@pytest.mark.parametrize("body", [gzip.compress(HTML)[:-20], b"not gzip at all", gzip.compress(HTML)[:12]])
def test_a_broken_compressed_body_is_a_failure_not_half_a_page(body: bytes) -> None:
    async def go() -> FetchedPage:
        reply = answer("200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: gzip", body)
        async with raw(reply) as site, make_fetcher(site) as fetcher:
            return await fetcher.fetch(site.url())

    got = asyncio.run(go())
    assert (got.state, got.text) == ("failed", "")


@pytest.mark.parametrize("head", ["200 OK\r\nContent-Type: text/html", "200 OK\r\nTransfer-Encoding: chunked"])
def test_an_endless_body_is_cut_off(head: str) -> None:
    written = 0

    async def endless(writer: asyncio.StreamWriter) -> None:
        nonlocal written
        writer.write(answer(head))
        piece = b"x" * 10_000
        while True:
            writer.write(b"%x\r\n%s\r\n" % (len(piece), piece) if "chunked" in head else piece)
            written += len(piece)
            await writer.drain()

    async def go() -> FetchedPage:
        async with raw(endless) as site, make_fetcher(site, caps=SMALL) as fetcher:
            return await fetcher.fetch(site.url())

    got = asyncio.run(go())
    assert (got.state, got.notes) == ("too-large", ("more than 50000 bytes received",))
    assert written < 20_000_000, "the connection was closed soon after the cap"


def test_an_announced_size_over_the_cap_is_not_read_at_all() -> None:
    async def go() -> FetchedPage:
        async with raw(answer("200 OK\r\nContent-Length: 99999999999")) as site, make_fetcher(site) as fetcher:
            return await fetcher.fetch(site.url())

    got = asyncio.run(go())
    assert (got.state, got.notes) == ("too-large", ("99999999999 bytes announced, more than 8000000",))


def test_a_slow_drip_ends_at_the_time_limit() -> None:
    async def drip(writer: asyncio.StreamWriter) -> None:
        writer.write(answer("200 OK\r\nContent-Type: text/html"))
        while True:
            writer.write(b"<p>")
            await writer.drain()
            await asyncio.sleep(0.02)

    async def go() -> tuple[FetchedPage, float]:
        async with raw(drip) as site, make_fetcher(site, caps=Caps(seconds=0.3)) as fetcher:
            started = time.monotonic()
            return await fetcher.fetch(site.url()), time.monotonic() - started

    got, took = asyncio.run(go())
    assert (got.state, got.notes) == ("timed-out", ("the page had not come after 0.3 s",))
    assert took < 3


def test_slow_redirects_share_one_time_limit() -> None:
    async def slow(request: web.Request) -> web.Response:
        await asyncio.sleep(0.15)
        return web.Response(status=302, headers={"Location": request.path + "x"})

    async def go() -> FetchedPage:
        async with serve(slow) as site, make_fetcher(site, caps=Caps(seconds=0.35, redirects=50)) as fetcher:
            return await fetcher.fetch(site.url())

    assert asyncio.run(go()).state == "timed-out"


def test_a_host_that_never_answers_times_out() -> None:
    async def silent(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(30)

    async def go() -> FetchedPage:
        async with raw(silent) as site, make_fetcher(site, caps=Caps(seconds=0.2)) as fetcher:
            return await fetcher.fetch(site.url())

    assert asyncio.run(go()).state == "timed-out"


# Headers and framing


def test_a_body_shorter_than_announced_is_a_failure() -> None:
    async def go() -> FetchedPage:
        async with raw(answer("200 OK\r\nContent-Length: 5000", HTML)) as site, make_fetcher(site) as fetcher:
            return await fetcher.fetch(site.url())

    got = asyncio.run(go())
    assert (got.state, got.text) == ("failed", "")
    assert got.notes == ("the connection ended before the whole page had come",)


def test_what_follows_the_announced_length_is_not_read() -> None:
    async def go() -> FetchedPage:
        reply = answer("200 OK\r\nContent-Type: text/plain\r\nContent-Length: 6", b"Tulips are red, and more")
        async with raw(reply) as site, make_fetcher(site) as fetcher:
            return await fetcher.fetch(site.url())

    got = asyncio.run(go())
    assert got.state in ("read", "failed")
    assert got.text in ("Tulips", "")


@pytest.mark.parametrize(
    "head",
    [
        "200 OK\r\nX-Long: " + "a" * 100_000,
        "200 OK\r\n" + "\r\n".join(f"X-{n}: 1" for n in range(20_000)),
        "200 " + "O" * 100_000,
        "200 OK\r\n" + "A" * 100_000 + ": 1",
        "200 OK\r\nContent-Length: 5\r\nContent-Length: 6",
        "200 OK\r\nContent-Length: -5",
        "999999 OK",
        "not http",
    ],
    ids=[
        "long field",
        "many fields",
        "long reason",
        "long name",
        "two lengths",
        "negative length",
        "odd status",
        "no http",
    ],
)
def test_header_bombs_and_broken_heads_fail(head: str) -> None:
    async def go() -> FetchedPage:
        async with raw(answer(head, b"Tulips")) as site, make_fetcher(site) as fetcher:
            return await fetcher.fetch(site.url())

    got = asyncio.run(go())
    assert (got.state, got.text) == ("failed", "")


def test_an_endless_header_is_cut_off() -> None:
    written = 0

    async def endless(writer: asyncio.StreamWriter) -> None:
        nonlocal written
        writer.write(b"HTTP/1.1 200 OK\r\n")
        while True:
            writer.write(b"X-A: 1\r\n" * 500)
            written += 4_000
            await writer.drain()

    async def go() -> FetchedPage:
        async with raw(endless) as site, make_fetcher(site, caps=Caps(seconds=5.0)) as fetcher:
            return await fetcher.fetch(site.url())

    assert asyncio.run(go()).state == "failed"
    assert written < 20_000_000


def test_https_goes_to_the_checked_address_and_names_the_host() -> None:
    """The first bytes of TLS hold the host name in clear, so no certificate is needed to see where they went."""
    hello = bytearray()

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        hello.extend(await reader.read(4_096))
        writer.close()

    async def names(host: str, port: int) -> Sequence[str]:
        return ["127.0.0.1"]

    async def go() -> FetchedPage:
        server = await asyncio.start_server(listen, "127.0.0.1", 0)
        site = Site()
        site.port = server.sockets[0].getsockname()[1]
        try:
            async with make_fetcher(site, look_up=names) as fetcher:
                return await fetcher.fetch(f"https://secure.example:{site.port}/a")
        finally:
            server.close()

    got = asyncio.run(go())
    assert got.state == "failed"
    assert hello[0] == 0x16 and b"secure.example" in hello


def test_a_connection_that_is_never_accepted_times_out() -> None:
    async def go() -> FetchedPage:
        with socket.socket() as full:
            # A listener whose queue is full and that accepts nobody.
            full.bind(("127.0.0.1", 0))
            full.listen(0)
            site = Site()
            site.port = full.getsockname()[1]
            waiting = [socket.socket() for _ in range(4)]
            for one in waiting:
                one.setblocking(False)
                one.connect_ex(("127.0.0.1", site.port))
            try:
                async with make_fetcher(site, caps=Caps(seconds=0.3)) as fetcher:
                    return await fetcher.fetch(site.url())
            finally:
                for one in waiting:
                    one.close()

    assert asyncio.run(go()).state == "timed-out"


def test_cookies_are_not_kept() -> None:
    cookies: list[str] = []

    async def track(request: web.Request) -> web.Response:
        cookies.append(request.headers.get("Cookie", ""))
        return web.Response(text="Tulips", headers={"Set-Cookie": "id=1"})

    async def go() -> None:
        async with serve(track) as site, make_fetcher(site) as fetcher:
            await fetcher.fetch(site.url("/a"))
            await fetcher.fetch(site.url("/b"))

    asyncio.run(go())
    assert cookies == ["", ""]


def test_a_proxy_in_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")

    async def go() -> FetchedPage:
        async with serve(page) as site, make_fetcher(site) as fetcher:
            return await fetcher.fetch(site.url())

    assert asyncio.run(go()).state == "read"
