"""Ctrl-C once: stop buying, write what there is. Twice: stop now. SIGTERM and a closed terminal are a first Ctrl-C."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from research_crew.core.runner import Stop


@contextmanager
def stop_on_signal(quiet: bool = False) -> Iterator[Stop]:
    """A `Stop` that the first signal asks to stop; the second one ends the run at once, which raises
    `KeyboardInterrupt` when it has written down where it is; a third does not wait for that."""
    stop = Stop()

    def ask(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
        if stop.reason:
            if stop.now():
                return
            raise KeyboardInterrupt  # nothing runs yet, or it did not end
        stop.request("interrupted")
        if not quiet:
            # Not print(): the signal may have come in the middle of one, and a buffered stream cannot be entered twice.
            with suppress(OSError):  # the terminal may be gone
                os.write(2, b"\nstopping: nothing more is bought; Ctrl-C again to stop at once\n")

    numbers = [signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]
    before = {number: signal.signal(number, ask) for number in numbers}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
