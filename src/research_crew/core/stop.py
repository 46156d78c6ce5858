"""A request to stop, made from outside of a run."""

from collections.abc import Callable


class Stop:
    """A request to stop buying, from a signal handler or another task: what is in hand is kept."""

    def __init__(self) -> None:
        self.reason = ""
        self._call: Callable[[str], None] | None = None

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
