"""Where every candidate claim and every source ended: an append-only log of transitions.

A candidate is booked once, when it is registered, and its state is that of its last transition. So candidates are
always the sum of the states, and what was dropped can be listed with its reason.
"""

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

ClaimState = Literal[
    "kept", "duplicate", "unsupported", "cut-by-critic", "cut-for-space", "lost-in-writing", "stranded"
]
SourceState = Literal[
    "found", "read", "throttled", "refused", "empty", "wrong-type", "duplicate", "cited", "read-not-cited"
]  # fmt: skip

CLAIM_STATES: tuple[ClaimState, ...] = (
    "kept", "duplicate", "unsupported", "cut-by-critic", "cut-for-space", "lost-in-writing", "stranded",
)  # fmt: skip
SOURCE_STATES: tuple[SourceState, ...] = (
    "found", "read", "throttled", "refused", "empty", "wrong-type", "duplicate", "cited", "read-not-cited",
)  # fmt: skip


class Transition(NamedTuple):
    """One line of the log: from now on `id` is in `state`."""

    id: str
    state: str
    reason: str = ""
    of: str | None = None
    """For a duplicate: the candidate whose citations it joins."""


class StateLog:
    """An append-only log of the states of many things, each first booked and then moved."""

    __slots__ = ("_last", "_log", "states")

    def __init__(self, states: Iterable[str]) -> None:
        self.states = tuple(states)
        self._log: list[Transition] = []
        self._last: dict[str, Transition] = {}

    def book(self, name: str, state: str, reason: str = "", of: str | None = None) -> None:
        """Enter something new; raises `ValueError` when it is booked already."""
        if name in self._last:
            raise ValueError(f"{name} is booked already")
        self._write(Transition(name, state, reason, of))

    def move(self, name: str, state: str, reason: str = "", of: str | None = None) -> None:
        """Change a state; raises `KeyError` for something never booked. Moving to the same state again is no line."""
        last = self._last[name]
        line = Transition(name, state, reason, of)
        if line != last:
            self._write(line)

    def _write(self, line: Transition) -> None:
        if line.state not in self.states:
            raise ValueError(f"no such state: {line.state}")
        self._log.append(line)
        self._last[line.id] = line

    def __contains__(self, name: object) -> bool:
        return name in self._last

    def __len__(self) -> int:
        return len(self._last)

    def __iter__(self) -> Iterator[Transition]:
        """The last transition of each, in the order in which they were booked."""
        return iter(self._last.values())

    def __getitem__(self, name: str) -> Transition:
        return self._last[name]

    @property
    def log(self) -> tuple[Transition, ...]:
        """Every transition, in order."""
        return tuple(self._log)

    def since(self, place: int) -> list[Transition]:
        """The transitions after the first `place` of them."""
        return self._log[place:]

    def counts(self) -> dict[str, int]:
        """How many are in each state, all states named; the sum is `len(self)`."""
        counts = dict.fromkeys(self.states, 0)
        for line in self._last.values():
            counts[line.state] += 1
        return counts

    def among(self, state: str) -> list[Transition]:
        """Those in one state, in the order in which they were booked."""
        return [line for line in self._last.values() if line.state == state]


class Books:
    """The two logs of a run, and which task registered which candidate."""

    __slots__ = ("_by_task", "claims", "sources", "texts", "unbacked")

    def __init__(self) -> None:
        self.claims = StateLog(CLAIM_STATES)
        self.sources = StateLog(SOURCE_STATES)
        self.texts: dict[str, str] = {}
        """What each candidate says."""
        self.unbacked: list[str] = []
        """Sentences of the report that rest on no claim."""
        self._by_task: dict[str, dict[int, list[str]]] = {}

    def register(
        self, task: str, attempt: int, text: str, state: ClaimState = "kept", reason: str = "", of: str | None = None
    ) -> str:
        """Book a candidate and issue its id, `task/attempt/n`; n counts from 1 within the attempt."""
        ids = self._by_task.setdefault(task, {}).setdefault(attempt, [])
        name = f"{task}/{attempt}/{len(ids) + 1}"
        self.claims.book(name, state, reason, of)
        ids.append(name)
        self.texts[name] = text
        return name

    @property
    def lines(self) -> int:
        """How many transitions of claims there have been: whether anything was booked meanwhile."""
        return len(self.claims._log)

    def of_attempt(self, task: str, attempt: int) -> tuple[str, ...]:
        """Ids of the candidates that one attempt registered."""
        return tuple(self._by_task.get(task, {}).get(attempt, ()))

    def of_task(self, task: str) -> tuple[str, ...]:
        """Ids of the candidates that all attempts at a task registered."""
        return tuple(name for names in self._by_task.get(task, {}).values() for name in names)

    def strand(self, names: Iterable[str], reason: str) -> None:
        """Those of these that are still kept go no further: their task, or a later one, came to nothing."""
        for name in names:
            if self.claims[name].state == "kept":
                self.claims.move(name, "stranded", reason)

    def finish(self, in_report: Iterable[str], reason: str = "") -> None:
        """Close the books on a report: kept claims that are not in it were lost in writing, or stranded if a reason
        says that nothing was written."""
        written = frozenset(in_report)
        for line in self.claims.among("kept"):
            if line.id not in written:
                self.claims.move(line.id, "stranded" if reason else "lost-in-writing", reason)

    def restore(self, name: str, reason: str = "restored by a person") -> None:
        """Take a dropped candidate back."""
        self.claims.move(name, "kept", reason)

    def to_json(self, tasks: dict[str, int] | None = None) -> dict[str, object]:
        """Counts as the record writes them."""
        return {
            "candidates": len(self.claims),
            **self.claims.counts(),
            "sources": self.sources.counts(),
            "tasks": dict(tasks or {}),
            "unbacked": len(self.unbacked),
        }
