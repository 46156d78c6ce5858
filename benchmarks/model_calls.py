"""What a model call costs this process, by the way it is made, at 50 and 200 at once.

    python benchmarks/model_calls.py [--calls 800] [--latency 0.2]

Every way asks the same of the fake provider, which runs in a process of its own and answers after the latency. CPU is
user + system of this process alone; `import` is what the first use of a way imports. `metered` adds reservation,
ledger and journal (in memory). The first line is the limit: aiohttp and nothing else.
"""

import argparse
import asyncio
import json
import resource
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

from research_crew.core.account import Account
from research_crew.core.budget import Budget
from research_crew.core.journal import MemoryJournal
from research_crew.core.ledger import Ledger
from research_crew.core.meter import Meter, TaskMeter
from research_crew.core.money import USD
from research_crew.core.secret import Secret
from research_crew.models.metered import Asker
from research_crew.models.names import Kit, make_model
from research_crew.models.prices import given_prices
from research_crew.models.protocol import ChatModel, ModelRequest
from research_crew.models.vendors import VENDORS
from research_crew.models.wire import Wire

ASK = ModelRequest(
    "What limits the write throughput of a log-structured store? " * 20, "You are brief.", max_tokens=200
)
NAMES = {
    "swarms": "gpt-5.4-mini",
    "openai": "gpt-5.4-mini",
    "anthropic": "claude-haiku-4-5",
    "google": "gemini-2.5-flash",
}
Call = Callable[[], Awaitable[object]]


def cpu() -> float:
    """Seconds of CPU that this process has used."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


async def measured(call: Call, calls: int, at_once: int) -> tuple[float, float]:
    """(CPU milliseconds a call, calls a second)."""
    gate = asyncio.Semaphore(at_once)

    async def one() -> None:
        async with gate:
            await call()

    await asyncio.gather(*(one() for _ in range(at_once)))
    began, wall = cpu(), time.perf_counter()
    await asyncio.gather(*(one() for _ in range(calls)))
    return 1000 * (cpu() - began) / calls, calls / (time.perf_counter() - wall)


def ways(port: int, wire: Wire) -> dict[str, Callable[[], Call]]:
    """Name → what makes the call."""
    root = f"http://127.0.0.1:{port}"
    urls = {
        "swarms": f"{root}/swarms",
        "openai": f"{root}/openai/v1",
        "anthropic": f"{root}/anthropic",
        "google": f"{root}/google",
    }
    kit = Kit(wire, dict.fromkeys(VENDORS, Secret("k")), urls, given_prices(["1/2"]))

    def bare() -> Call:
        body = {"model": "m", "messages": [{"role": "user", "content": ASK.prompt}], "max_tokens": 200}

        async def call() -> object:
            async with wire.session().post(f"{urls['openai']}/chat/completions", json=body) as answer:
                return json.loads(await answer.read())

        return call

    def model(vendor: str) -> ChatModel:
        return make_model(f"{vendor}:{NAMES[vendor]}", kit)

    def plain(vendor: str, streamed: bool = False, theirs: bool = False) -> Callable[[], Call]:
        def make() -> Call:
            made = model(vendor)
            if theirs:
                _on_their_transport(made)
            return lambda: made.send(ASK, timeout=60, on_text=(lambda _: None) if streamed else None)

        return make

    def metered(vendor: str) -> Callable[[], Call]:
        def make() -> Call:
            made, now = model(vendor), lambda: datetime.now(UTC)
            account = Account.for_run(Budget("100000", USD))
            shared = Meter("run", account, Ledger(USD), MemoryJournal(), now)
            meter, asker, count = TaskMeter(shared, "t", "r", 1, account, None), Asker(now), iter(range(10**9))
            return lambda: asker.ask(meter, made, ASK, f"step-{next(count)}")

        return make

    return {
        "bare aiohttp, OpenAI's shape": bare,
        "swarms": plain("swarms"),
        "swarms, metered": metered("swarms"),
        "openai, its own client and transport": plain("openai", theirs=True),
        "openai": plain("openai"),
        "openai, streamed": plain("openai", streamed=True),
        "openai, metered": metered("openai"),
        "anthropic": plain("anthropic"),
        "google": plain("google"),
    }


def _on_their_transport(made: ChatModel) -> None:
    """The model library's client on httpx2's transport, for comparison."""
    import httpx2

    from research_crew.models import transport

    def theirs() -> httpx2.AsyncHTTPTransport:
        return httpx2.AsyncHTTPTransport(limits=httpx2.Limits(max_connections=1000, max_keepalive_connections=1000))

    ours = transport.AiohttpTransport
    transport.AiohttpTransport = theirs  # type: ignore[assignment,misc]
    try:
        from research_crew.models.library import _make

        library: Any = _make.__wrapped__(made.vendor, made.name, made.key, made.base_url)  # type: ignore[attr-defined]
        library.client.__dict__.pop("chat")  # and through all of OpenAI's client
        made._model = library  # type: ignore[attr-defined]
    finally:
        transport.AiohttpTransport = ours  # type: ignore[misc]


async def table(port: int, calls: int) -> None:
    """Measure every way and print its line."""
    print(f"{'':<32} {'import s':>8}   {'50 at once':>18}   {'200 at once':>18}")
    print(f"{'':<32} {'CPU':>8}   {'CPU ms':>8} {'calls/s':>9}   {'CPU ms':>8} {'calls/s':>9}")
    wire = Wire()
    for name, make in ways(port, wire).items():
        began = cpu()
        call = make()
        await call()
        first = cpu() - began
        cells = []
        for at_once in (50, 200):
            each, rate = await measured(call, calls, at_once)
            cells.append(f"{each:>8.2f} {rate:>9.0f}")
        print(f"{name:<32} {first:>8.2f}   {'   '.join(cells)}", flush=True)
    await wire.aclose()


def main() -> None:
    """Start the provider, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=800)
    parser.add_argument("--latency", type=float, default=0.2)
    options = parser.parse_args()
    command = [sys.executable, "-m", "research_crew.models.fake_server", "--latency", str(options.latency)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            asyncio.run(table(int(server.stdout.readline()), options.calls))
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
