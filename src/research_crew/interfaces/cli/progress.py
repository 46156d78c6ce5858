"""Live progress on standard error: one moving line on a terminal, plain lines elsewhere, nothing with `--quiet`."""

import sys
import time
from collections.abc import Callable
from decimal import Decimal
from typing import TextIO

from research_crew.core.events import Event
from research_crew.core.money import show

_REDRAW = 0.1
"""Seconds between two looks of the moving line while an answer arrives."""


class Progress:
    """Takes a run's events and shows tasks, calls in flight, money spent and held against the limit, and time."""

    def __init__(self, quiet: bool, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        """`stream` is standard error unless another is given."""
        self._stream = stream or sys.stderr
        self._quiet, self._clock, self._began = quiet, clock, clock()
        self._live = not quiet and self._stream.isatty()
        self._limit = Decimal(0)
        self._by_task: dict[str, Decimal] = {}
        self._held: dict[tuple[str, object, object], Decimal] = {}
        self._started = self._ended = 0
        self._arrived = 0
        """Characters of answers that have arrived in pieces."""
        self._drawn = -1.0
        self._shown = False

    def __call__(self, event: Event) -> None:
        """Take one event."""
        data = event.data
        if event.kind == "run-started":
            self._limit = Decimal(str(data["limit"]))
        elif event.kind == "task-started":
            self._started += 1
        elif event.kind == "task-ended":
            self._ended += 1
            self._by_task[event.task] = Decimal(str(data["cost"]))
            if not self._live:
                reason = f" ({data['reason']})" if data["reason"] and data["state"] != "ok" else ""
                self.say(f"{data['state']} {event.task}: cost {data['cost']}{reason}; {self._money()}")
        elif event.kind == "call-started":
            self._held[(event.task, data["step"], data["try"])] = Decimal(str(data["held"]))
        elif event.kind == "call-ended":
            self._held.pop((event.task, data["step"], data["try"]), None)
            so_far = self._by_task.get(event.task, Decimal(0))
            self._by_task[event.task] = so_far + Decimal(str(data["amount"]))
        elif event.kind == "text":
            self._arrived += len(str(data["text"]))
            if self._live and self._clock() - self._drawn < _REDRAW:
                return
        elif event.kind == "waiting" and "seconds" in data and not self._live:
            what = f"{event.task} {data['step']}" if event.task else ", ".join(map(str, data["for"]))  # type: ignore[call-overload]
            self.say(f"still waiting after {data['seconds']} s: {what}")
        elif event.kind in ("degraded", "warning"):
            self.say(f"{event.kind}: {data.get('what') or data.get('text', '')}")
        if self._live:
            self._draw()

    @property
    def live(self) -> bool:
        """Whether there is a terminal on which a line can move."""
        return self._live

    def say(self, text: str) -> None:
        """One plain line, whatever else is shown."""
        if self._quiet:
            return
        self._clear()
        print(text, file=self._stream, flush=True)

    def block(self, text: str) -> None:
        """Text that was asked for by name: `--quiet` does not take it away."""
        self._clear()
        print(text, file=self._stream, flush=True)

    def moving(self, text: str) -> None:
        """A line in the place of the last such one; on a terminal only."""
        if not self._live:
            return
        self._stream.write(f"\r\x1b[2K{text[:100]}")
        self._stream.flush()
        self._shown = True

    def close(self) -> None:
        """Take the moving line away."""
        self._clear()

    def _money(self) -> str:
        held = sum(self._held.values(), Decimal(0))
        return f"{show(sum(self._by_task.values(), Decimal(0)))} of {show(self._limit)} spent, {show(held)} held"

    def _draw(self) -> None:
        self._drawn = self._clock()
        words = f"about {self._arrived // 5:,} words arrived, " if self._arrived else ""
        line = (
            f"{self._ended}/{self._started} tasks, {len(self._held)} calls in flight, {words}{self._money()}, "
            f"{self._drawn - self._began:.0f} s"
        )
        self.moving(line)

    def _clear(self) -> None:
        if self._shown:
            self._stream.write("\r\x1b[2K")
            self._stream.flush()
            self._shown = False
