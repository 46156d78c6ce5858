"""The order in which what was bought comes in: written down in a run, and kept when the run is repeated.

Much of a run depends on which answer came first: the numbers of sources, who reads a page that two researchers found,
what the budget still allows. So in a run that can be resumed, answers are handed on one at a time, each when
everything that followed from the one before has come to rest, and the number of the ledger entry is that order. A run
that is resumed or replayed hands on what an earlier process bought in the same order, before anything new is sent:
every agent then asks what it asked the first time.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from research_crew.core.account import Account
from research_crew.core.errors import Diverged
from research_crew.core.ledger import Ledger, LedgerEntry
from research_crew.core.money import to_decimal, to_nano

HOPS = 16
"""Rounds of the event loop after which what follows from one answer counts as done: the longest chain of wake-ups in
a crew, from a call to the first call of the next task, is twelve."""


class Mark(NamedTuple):
    """Something from outside that happened after so many ledger entries: `stop` with its reason, `limit` with the new
    limit of the run."""

    at: int
    kind: str
    value: str


@dataclass(frozen=True, slots=True)
class _Waiter:
    task: str
    ready: "asyncio.Future[None]"


class Host(Protocol):
    """The run whose order is kept."""

    def running(self) -> Collection[str]:
        """Ids of the tasks that run."""
        ...

    def unclaimed(self, entry: LedgerEntry) -> None:
        """Take an entry that nobody asks for again into the ledger and the account."""
        ...

    def marked(self, mark: Mark) -> None:
        """Do again what was done from outside."""
        ...


class Order:
    """Used by one run on one event loop."""

    def __init__(
        self, past: Sequence[LedgerEntry] = (), marks: Sequence[Mark] = (), *, replay: bool = False,
        forgiving: bool = False,
    ) -> None:  # fmt: skip
        """`past`: the ledger of earlier processes. `replay`: nothing new may be sent. `forgiving`: an entry that
        nobody asks for again is taken into the ledger; otherwise that is `Diverged`, unless its call was cancelled."""
        self._past, self._marks = tuple(past), deque(sorted(marks, key=lambda mark: mark.at))
        self._replay, self._forgiving = replay, forgiving
        self.delivered = 0
        """How many entries have been handed on."""
        self._drawn = len(self._past)
        self._waiting: dict[int, _Waiter] = {}
        self._positions: list[tuple[int, _Waiter]] = []
        self._new: list[_Waiter] = []
        self._asides: deque[Callable[[], None]] = deque()
        self._caught_up = not self._past and not self._marks and not replay
        self._at_rest = self._ticking = False
        self._hops = 0
        self._host: Host | None = None

    @property
    def repeating(self) -> bool:
        """Whether what happens now happened before, in an earlier process."""
        return not self._caught_up

    def begin(self, host: Host) -> None:
        """The run begins, on the running loop."""
        self._host, self._loop = host, asyncio.get_running_loop()
        self._stir()

    def draw(self) -> int:
        """The number of the next ledger entry: its place in the order."""
        self._drawn += 1
        return self._drawn

    async def turn(self, n: int, task: str) -> bool:
        """Wait until it is the turn of entry `n`; False when it was taken into the ledger without its asker."""
        if n <= self.delivered:
            return False
        if self._at_rest and n == self.delivered + 1 and self._caught_up and not self._asides:
            self.delivered = n
            self._stir()
            return True
        waiter = self._waiting[n] = _Waiter(task, self._loop.create_future())
        self._nudge()
        await waiter.ready
        return True

    async def reached(self, at: int, task: str) -> None:
        """Wait until so many entries have been handed on (a refusal is repeated where it was made)."""
        if self.delivered < at:
            waiter = _Waiter(task, self._loop.create_future())
            self._positions.append((at, waiter))
            self._nudge()
            await waiter.ready

    async def caught_up(self, task: str) -> None:
        """Wait until all that an earlier process bought was handed on: only then is anything new sent."""
        if not self._caught_up:
            waiter = _Waiter(task, self._loop.create_future())
            self._new.append(waiter)
            self._nudge()
            await waiter.ready

    def aside(self, call: Callable[[], None]) -> None:
        """Do something that comes from outside (a request to stop), between two answers."""
        self._asides.append(call)
        if self._at_rest:
            self._advance()

    def forgive(self) -> None:
        """The run is stopped: whatever nobody asks for any more is taken into the ledger."""
        self._forgiving = True
        if self._host is not None:
            self._nudge()

    async def finish(self) -> None:
        """The run has ended: what nobody asked for is taken into the ledger."""
        while self.delivered < len(self._past):
            self._take(self._past[self.delivered])

    # -- coming to rest -------------------------------------------------------------------------------------------

    def _stir(self) -> None:
        self._at_rest, self._hops = False, HOPS
        if not self._ticking:
            self._ticking = True
            self._loop.call_soon(self._tick)

    def _tick(self) -> None:
        self._hops -= 1
        if self._hops > 0:
            self._loop.call_soon(self._tick)
            return
        self._ticking, self._at_rest = False, True
        self._advance()

    def _nudge(self) -> None:
        """Somebody waits: look again, at rest."""
        if self._at_rest:
            self._stir()

    def _advance(self) -> None:
        """At rest: let the next thing happen."""
        host = self._host
        assert host is not None
        if self._asides:
            call = self._asides.popleft()
            self._stir()
            call()
        elif self._marks and self._marks[0].at <= self.delivered:
            self._stir()
            host.marked(self._marks.popleft())
        elif (waiter := self._waiting.pop(self.delivered + 1, None)) is not None:
            self._hand_on(waiter)
        elif self.delivered < len(self._past):
            self._missing(self._past[self.delivered], host)
        elif not self._caught_up:
            self._catch_up()

    def _hand_on(self, waiter: _Waiter | None) -> None:
        self.delivered += 1
        self._stir()
        due = [w for at, w in self._positions if at <= self.delivered]
        self._positions = [(at, w) for at, w in self._positions if at > self.delivered]
        for each in (*((waiter,) if waiter else ()), *due):
            if not each.ready.done():
                each.ready.set_result(None)

    def _missing(self, entry: LedgerEntry, host: Host) -> None:
        """Nobody asks for the next entry. Once everybody waits, nobody will."""
        waiters = (*self._waiting.values(), *self._new, *(w for _, w in self._positions))
        if not set(host.running()) <= {w.task for w in waiters if not w.ready.done()}:
            return
        try:
            self._take(entry)
        except Diverged as error:
            self._fail(error)

    def _take(self, entry: LedgerEntry) -> None:
        if not (self._forgiving or entry.corrects is not None or entry.outcome == "cancelled"):
            raise Diverged(f"{entry.task}/{entry.attempt}/{entry.step}/{entry.try_}", asked=False)
        assert self._host is not None
        self._host.unclaimed(entry)
        self._hand_on(None)

    def _catch_up(self) -> None:
        if self._replay:
            if self._new:
                self._fail(Diverged(f"a call of {self._new[0].task}", asked=False))
            return
        self._caught_up = True
        waiting, self._new = self._new, []
        self._stir()
        for each in waiting:
            if not each.ready.done():
                each.ready.set_result(None)

    def _fail(self, error: Diverged) -> None:
        """Tell one who waits; the run ends by it."""
        for each in (*self._new, *self._waiting.values(), *(w for _, w in self._positions)):
            if not each.ready.done():
                each.ready.set_exception(error)
                return


@dataclass(frozen=True, slots=True)
class RunHost:
    """The host of a runner: its account and ledger, the tasks that run, and how it is stopped."""

    account: Account
    ledger: Ledger
    tasks: Mapping[str, object]
    stop: Callable[[str], None]

    def running(self) -> Collection[str]:
        """See `Host.running`."""
        return self.tasks.keys()

    def unclaimed(self, entry: LedgerEntry) -> None:
        """See `Host.unclaimed`."""
        self.ledger.append(entry)
        if entry.corrects is not None:
            self.account.correct(entry.nano)
        else:
            self.account.take(entry.nano).settle(entry.nano)

    def marked(self, mark: Mark) -> None:
        """See `Host.marked`."""
        if mark.kind == "stop":
            self.stop(mark.value)
        elif mark.kind == "limit":
            self.account.raise_to(to_nano(to_decimal(mark.value)))
