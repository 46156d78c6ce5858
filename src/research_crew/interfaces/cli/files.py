"""Tells what becomes of every file while a folder is indexed: a moving count, and the files that could not be read."""

from research_crew.core.stop import Stop
from research_crew.documents.outcome import FileOutcome
from research_crew.interfaces.cli.progress import Progress

COUNTED_FROM = 50
"""Files after which a count is shown: a smaller folder is done before it could be read."""
MOST_NAMED = 20
"""Files named while indexing; all of them stand among the warnings of the result."""
_QUIET = ("read", "skipped")
"""States that are no trouble."""


class FileReporter:
    """The `on_file` of the command line. It also ends the indexing once the person has asked to stop.

    Indexing is one transaction and nothing is bought before it is done, so what is ended there leaves no trace.
    """

    def __init__(self, progress: Progress, stop: Stop) -> None:
        self._progress, self._stop = progress, stop
        self._seen = self._bad = 0

    def __call__(self, outcome: FileOutcome, fresh: bool) -> None:
        """Take one file; raises `KeyboardInterrupt` when a stop was asked for."""
        if self._stop.reason:
            raise KeyboardInterrupt
        self._seen += 1
        if outcome.state == "read" and fresh and not outcome.whole:
            self._progress.say(f"{_plain(outcome.path)}: read, with a note ({_plain(outcome.reason)})")
        elif outcome.state not in _QUIET:
            self._bad += 1
            if self._bad <= MOST_NAMED:
                reason = f" ({_plain(outcome.reason)})" if outcome.reason else ""
                self._progress.say(f"{_plain(outcome.path)}: {outcome.state}{reason}")
            elif self._bad == MOST_NAMED + 1:
                self._progress.say("more files could not be read; the result lists all of them")
        if self._seen > COUNTED_FROM:
            self._progress.moving(f"{self._seen:,} files looked at, {self._bad:,} not read")

    def embedding(self, done: int, total: int) -> None:
        """Take the count of embedded passages; raises `KeyboardInterrupt` like the rest. What is done stays done."""
        if self._stop.reason:
            raise KeyboardInterrupt
        self._progress.moving(f"{done:,} of {total:,} passages embedded")
        if done == total:
            self._progress.say(f"{total:,} passages embedded")


def _plain(text: str) -> str:
    """Without controls: names and reasons come from outside, and a terminal obeys what is written to it."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
