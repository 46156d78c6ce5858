"""Endless repetition: a small model that says the same thing over and over until its limit.

Looked for as the text arrives, in time linear in its length: the tail is compared with itself shifted by each short
period.
"""

_PERIODS = range(1, 401)
_LEAST = 240
_CHECK = 120


class Repetition:
    """Feed it a stream; `found` is the unit that repeats itself, once it does, else empty.

    A unit of up to 400 characters counts as endless after it filled 240 characters and came at least 4 times (12 times
    when it is a single character: rules of dashes and tables are no loops; at least 400 characters then).
    """

    __slots__ = ("_seen", "_tail", "found")

    def __init__(self) -> None:
        self._tail, self._seen, self.found = "", 0, ""

    def feed(self, piece: str) -> None:
        """Add what arrived."""
        self._tail = (self._tail + piece)[-2_000:]
        self._seen += len(piece)
        if self._seen >= _CHECK:
            self._seen = 0
            self.found = repeated_unit(self._tail)


def repeated_unit(text: str) -> str:
    """The unit that the end of `text` repeats, or an empty string."""
    size = len(text)
    for period in _PERIODS:
        need = max(_LEAST if period > 2 else 400, 4 * period)
        if size < need:
            if period > 2:
                return ""
            continue
        tail = text[size - need :]
        if tail[period:] == tail[:-period]:
            unit = tail[-period:]
            if any(c.isalnum() for c in unit):
                return unit
            if period == 1:
                # A rule of one sign is a loop only when it is far longer than any table's.
                return unit if size >= 2_000 and text.count(unit) == size else ""
    return ""


def without_repetition(text: str) -> str:
    """`text` with the endless repetition at its end cut to one time."""
    unit = repeated_unit(text)
    if not unit:
        return text
    end = len(text)
    while (
        text.startswith(unit, end - len(unit)) and end >= 2 * len(unit) and text.startswith(unit, end - 2 * len(unit))
    ):
        end -= len(unit)
    return text[:end]
