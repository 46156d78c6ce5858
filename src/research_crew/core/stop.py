"""A request to stop, made from outside of a run."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Stop:
    """A request to stop buying, from a signal handler or another task: what is in hand is kept."""

    def __init__(self) -> None:
        self.reason = ""
        self.at_once = False
        """Whether what runs was to be ended at once, too."""
        self._call: Callable[[str], None] | None = None
        self._enders: list[Callable[[], object]] = []

    def request(self, reason: str) -> None:
        """Ask the run to stop; tasks that have something in hand end `partial`, the others `cancelled`."""
        self.reason = self.reason or reason
        if self._call is not None:
            self._call(self.reason)

    def bind(self, call: Callable[[str], None] | None) -> None:
        """The runner says whom to call, None when it has ended; a request made earlier is passed on at once."""
        self._call = call
        if call is not None and self.reason:
            call(self.reason)

    def now(self) -> bool:
        """Ask to end at once, whatever is in hand; False when nothing runs that could be asked.

        May be called from a signal handler: whoever runs is cancelled by its own loop, never in the middle of a step.
        """
        if self.at_once or not self._enders:
            return False
        self.at_once = True
        for end in self._enders:
            end()
        return True

    @contextmanager
    def ends(self, end: Callable[[], object]) -> Iterator[None]:
        """Within the block, `now` calls this."""
        self._enders.append(end)
        try:
            yield
        finally:
            self._enders.remove(end)
