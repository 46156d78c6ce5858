"""Doubles for the tests of the core: a clock that stands still, a sleep that only counts, reservations by hand."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random

from research_crew.core.account import Account, Hold
from research_crew.core.budget import Budget
from research_crew.core.errors import OverBudget
from research_crew.core.events import Event
from research_crew.core.journal import Journal, MemoryJournal
from research_crew.core.ledger import Ledger
from research_crew.core.meter import Call, Meter, Receipt, Retry, TaskMeter
from research_crew.core.money import Usage


class Clock:
    """Tells a later second every time it is asked."""

    def __init__(self) -> None:
        self.seconds = 0

    def __call__(self) -> datetime:
        self.seconds += 1
        return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self.seconds)


class Sleep:
    """Waits no time and remembers how long it should have been."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.waits.append(seconds)
        await asyncio.sleep(0)


class Till:
    """A meter with everything that it needs, for one task `t`."""

    def __init__(
        self,
        limit: int = 100,
        *,
        calls: int | None = None,
        tokens: int | None = None,
        journal: Journal | None = None,
        retry: Retry | None = None,
        seed: int = 0,
    ) -> None:
        self.account = Account.for_run(Budget(limit, calls=calls, tokens=tokens))
        self.ledger = Ledger()
        self.sleep = Sleep()
        self.events: list[Event] = []
        self.meter = Meter(
            "run", self.account, self.ledger, journal or MemoryJournal(), Clock(), retry or Retry(), self.sleep,
            on_event=self.events.append,
        )  # fmt: skip
        self.meter._rng = Random(seed)
        self.task = self.of("t")

    def of(self, task: str, attempt: int = 1) -> TaskMeter:
        return TaskMeter(self.meter, task, "role", attempt, self.account, None)


def call(step: str = "ask", worst: int | str = 10, *, request: str = "hash", tokens: int = 0) -> Call:
    return Call(step, "model", "fake", "m", request, Decimal(worst), tokens)


def answer(
    value: object = "yes", amount: int | str = 4, usage: Usage | None = None
) -> Callable[[], Awaitable[Receipt]]:
    """Something to send that is answered at once."""

    async def send() -> Receipt:
        return Receipt(value, usage or Usage(input=1), Decimal(amount))

    return send


def row(*values: object) -> tuple[object, ...]:
    """Values side by side, to compare with a literal: an amount is a `Decimal`, and equal to a whole number."""
    return values


class Asked:
    """A reservation that is driven by hand, so that a test decides when its owner goes on.

    It does what an `asyncio.Task` would do with the coroutine: wait for the future that it yields, hand on the result,
    throw `CancelledError` into it when it is cancelled, also when the future has its result already.
    """

    def __init__(self, account: Account, amount: int, tokens: int = 0, pot: str | None = None) -> None:
        self.account, self.amount, self.pot = account, amount, pot
        self.hold: Hold | None = None
        self.refusal: OverBudget | None = None
        self.cancelled = False
        self._future: asyncio.Future[Hold] | None = None
        self._coroutine = account.reserve(amount, tokens, pot)
        self.go_on()

    def go_on(self) -> None:
        """The owner's turn: it sees whatever answer there is."""
        self._step(lambda: self._coroutine.send(None))

    def cancel(self) -> None:
        """The owner is cancelled, in the same tick or later; it leaves with `CancelledError`."""
        if self._future is not None:
            self._future.cancel()
        self._step(lambda: self._coroutine.throw(asyncio.CancelledError()))

    @property
    def pending(self) -> bool:
        """No answer yet."""
        return self._future is not None and not self._future.done()

    @property
    def answered(self) -> bool:
        """There is an answer that the owner has not seen."""
        return self._future is not None and self._future.done()

    def peek(self) -> Hold | OverBudget:
        """The answer that the owner has not seen yet."""
        assert self._future is not None
        error = self._future.exception()
        if isinstance(error, OverBudget):
            return error
        return self._future.result()

    def _step(self, step: Callable[[], object]) -> None:
        self._future, given = None, self._future
        try:
            waits_for = step()
        except StopIteration as done:
            self.hold = done.value
        except OverBudget as refusal:
            self.refusal = refusal
        except asyncio.CancelledError:
            self.cancelled = True
        else:
            assert isinstance(waits_for, asyncio.Future)
            assert given is None, "it waits twice"
            self._future = waits_for
