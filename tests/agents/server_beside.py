"""A fake provider in a thread of its own, for commands that run an event loop themselves."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from research_crew.models.fake_faults import Fault
from research_crew.models.fake_server import FakeServer
from research_crew.models.fake_shapes import Asked


@contextmanager
def serving(
    script: Callable[[Asked], Any], faults: Callable[[Asked], Fault | None] = lambda _: None, **options: Any
) -> Iterator[FakeServer]:
    """The server, started and in the end stopped."""
    server = FakeServer(script, faults, **options)
    ready, done = threading.Event(), threading.Event()

    async def serve() -> None:
        async with server:
            ready.set()
            while not done.is_set():
                await asyncio.sleep(0.01)

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield server
    finally:
        done.set()
        thread.join(10)
