"""`--verbose`: every reply whole, as it arrives, one after the other, with what it cost."""

from collections.abc import Callable

from research_crew.core.events import Event, OnEvent


class Verbose:
    """Takes a run's events, prints replies, and hands the events on.

    A reply waits for the end of its call, so that its price stands above it; events come one at a time, so that no two
    replies run into each other however many researchers work side by side.
    """

    def __init__(self, then: OnEvent, write: Callable[[str], None]) -> None:
        """`write` prints one block of text."""
        self._then, self._write = then, write
        self._waiting: dict[tuple[str, object], Event] = {}

    def __call__(self, event: Event) -> None:
        """Take one event."""
        self._then(event)
        call = (event.task, event.data.get("step"))
        if event.kind == "reply" and not event.data.get("step"):
            self._print(event, "")
        elif event.kind == "reply":
            self._waiting[call] = event
        elif event.kind == "call-ended" and call in self._waiting:
            data = event.data
            outcome = "" if data["outcome"] == "ok" else f", {data['outcome']}"
            self._print(self._waiting.pop(call), f"{data['amount']}{_units(data.get('units'))}{outcome}")
        elif event.kind == "run-ended":
            for left in self._waiting.values():
                self._print(left, "not settled")
            self._waiting.clear()

    def _print(self, event: Event, cost: str) -> None:
        where = " · ".join(str(part) for part in (event.task, event.data.get("step"), event.data.get("model"), cost) if part)
        text = _plain(str(event.data.get("text", ""))).rstrip()
        self._write(f"\n--- {event.role} · {where}\n{text or '(nothing)'}\n")


def _units(units: object) -> str:
    if not isinstance(units, dict):
        return ""
    sent = sum(int(units.get(name, 0)) for name in ("input", "cached_read", "cached_write"))
    said = sum(int(units.get(name, 0)) for name in ("output", "reasoning"))
    return f", {sent} tokens in, {said} out"


def _plain(text: str) -> str:
    """Without controls: what a model says may quote a page, and a terminal obeys what is written to it."""
    return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text)
