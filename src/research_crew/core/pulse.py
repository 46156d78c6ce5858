"""A sign of life: whoever watches a run hears something at least every so many seconds, whatever the run waits for."""

import asyncio
from collections.abc import Callable
from datetime import datetime

from research_crew.core.events import Event, OnEvent


class Pulse:
    """Hands events on, and after some seconds without any says what is still on its way.

    A call of a model says so itself; this speaks for all else that is awaited: searches, pages, files, other machines.
    """

    def __init__(self, then: OnEvent, now: Callable[[], datetime], every: float = 10.0) -> None:
        """`every` in seconds."""
        self._then, self._now, self._every = then, now, every
        self._open: dict[tuple[str, object, object], str] = {}
        self._tasks: dict[str, None] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._heard = 0.0

    def __call__(self, event: Event) -> None:
        """Take one event."""
        call = (event.task, event.data.get("step"), event.data.get("try"))
        if event.kind == "call-started":
            self._open[call] = f"{event.task} {event.data.get('step')}"
        elif event.kind == "call-ended":
            self._open.pop(call, None)
        elif event.kind == "task-started":
            self._tasks[event.task] = None
        elif event.kind == "task-ended":
            self._tasks.pop(event.task, None)
        loop = asyncio.get_running_loop()
        self._heard = loop.time()
        if self._timer is None:
            self._timer = loop.call_later(self._every, self._beat)
        self._then(event)

    def close(self) -> None:
        """The run has ended."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _beat(self) -> None:
        loop = asyncio.get_running_loop()
        quiet = loop.time() - self._heard
        if quiet + 0.001 < self._every:
            self._timer = loop.call_later(self._every - quiet, self._beat)
            return
        self._timer = loop.call_later(self._every, self._beat)
        waits = list(self._open.values()) or list(self._tasks)
        try:
            self._then(Event("waiting", self._now(), data={"seconds": round(quiet, 1), "for": waits}))
        except Exception:  # noqa: BLE001 - a watcher that raises is not told again; the runner says so at the next event
            self.close()
