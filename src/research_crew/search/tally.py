"""What became of each engine's searches in a run, for the person and the record: an outage, a wrong key and an empty
result are three different things, and one engine's failures are not another's."""

from collections import Counter
from dataclasses import dataclass, field

from research_crew.search.protocol import Failure, Hits, HitsStatus

_MEANS = {
    "unreachable": "could not be reached", "timed-out": "did not answer in time", "outage": "had a fault of its own",
    "throttled": "asked to wait", "wrong-key": "did not accept the key", "no-credit": "has no credit left",
    "rejected": "did not take the request", "unreadable": "gave an answer that cannot be read",
}  # fmt: skip
_USUAL = frozenset({"duplicate", "over the limit", "found by another engine too", "other domain", "excluded domain"})
"""Rows that are left out in every good search."""


@dataclass(slots=True)
class Tally:
    """One engine's searches."""

    searches: int = 0
    results: int = 0
    statuses: Counter[HitsStatus] = field(default_factory=Counter)
    failures: Counter[Failure] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    last: str = ""
    """The last thing that went wrong, in words."""

    def count(self, hits: Hits) -> None:
        """Add one search."""
        self.searches += 1
        self.results += len(hits.results)
        self.statuses[hits.status] += 1
        self.skipped.update(hits.skipped)
        self.notes.update(dict.fromkeys(hits.notes, 1))
        if hits.failure:
            self.failures[hits.failure] += 1
        if hits.status in ("failed", "throttled"):
            self.last = hits.detail or hits.status

    def lines(self, name: str) -> list[str]:
        """What a person should know, a sentence each; nothing when all went well."""
        said = []
        failed = self.statuses["failed"] + self.statuses["throttled"]
        if failed:
            kinds = ", ".join(f"{n} × it {_MEANS[kind]}" for kind, n in self.failures.items() if kind in _MEANS)
            said.append(f"search {name}: {failed} of {self.searches} failed{f' ({kinds})' if kinds else ''}: {self.last}")
        if self.statuses["empty"] and self.statuses["empty"] + failed == self.searches:
            said.append(f"search {name}: it works, and found nothing for {self.statuses['empty']} quer{'y' if self.statuses['empty'] == 1 else 'ies'}")
        lost = {reason: n for reason, n in self.skipped.items() if reason not in _USUAL}
        if lost:
            said.append(f"search {name}: {sum(lost.values())} result(s) left out ({', '.join(f'{n} {r}' for r, n in lost.items())})")
        said += [f"search {name}: {note}" for note in self.notes]
        return said


class Tallies:
    """Those of all engines of a run."""

    def __init__(self) -> None:
        self.by_engine: dict[str, Tally] = {}

    def count(self, name: str, hits: Hits) -> None:
        """Add one search of one engine."""
        self.by_engine.setdefault(name, Tally()).count(hits)

    def lines(self) -> list[str]:
        """What a person should know of all of them."""
        return [line for name, tally in self.by_engine.items() for line in tally.lines(name)]
