"""Who waits for money, first come, first served."""

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from research_crew.core.errors import OverBudget

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class Waiter(Generic[T]):
    """Somebody who waits: what for, and how to find out whether it can be had."""

    line: tuple[object, ...]
    """The accounts that it needs money of, from the outermost to its own."""
    amount: int
    blocker: Callable[[], object | None]
    """The account that still keeps it back, None when nothing does; raises `OverBudget` when it is hopeless."""
    take: Callable[[], T]
    granted: "asyncio.Future[T]"


class Queue(Generic[T]):
    """The waiters of one outermost account, in the order in which they came."""

    __slots__ = ("_largest", "_may_refuse", "_root", "_waiting")

    def __init__(self, root: object, may_refuse: Callable[[tuple[Any, ...], int], bool]) -> None:
        """`may_refuse(line, amount)`: whether accounts that have changed could make an amount up to this hopeless."""
        self._root, self._may_refuse = root, may_refuse
        self._waiting: deque[Waiter[T]] = deque()
        self._largest = 0

    def __len__(self) -> int:
        return len(self._waiting)

    async def wait(self, waiter: Waiter[T]) -> T:
        """Queue up until it is granted; raises `OverBudget` once it is hopeless. A cancelled wait leaves the queue."""
        self._waiting.append(waiter)
        self._largest = max(self._largest, waiter.amount)
        if len(self._waiting) > 1:
            self.wake(())  # those ahead may be kept back by the ceilings of their own tasks only
        return await waiter.granted

    def drop(self, waiter: Waiter[T]) -> None:
        """Take somebody out of the queue, and let those behind go on."""
        waiter.granted.cancel()
        with contextlib.suppress(ValueError):  # a wake-up has dropped it already
            self._waiting.remove(waiter)
        self.wake(())

    def wake(self, changed: tuple[object, ...]) -> None:
        """Give every waiter its answer that can have one now, in the order in which they came.

        A waiter that only its own task's ceiling keeps back does not hold up waiters of other tasks; one that the run
        keeps back holds up all behind it, except that what has become hopeless is refused wherever it stands.
        `changed` are the accounts in which something was charged or set aside.
        """
        waiting = self._waiting
        blocked: set[object] = set()
        still: list[Waiter[T]] = []
        while waiting:
            waiter = waiting.popleft()
            if waiter.granted.done():
                continue
            try:
                blocker = waiter.blocker()
            except OverBudget as refusal:
                waiter.granted.set_exception(refusal)
                continue
            if not blocked.isdisjoint(waiter.line):
                still.append(waiter)
            elif blocker is None:
                waiter.granted.set_result(waiter.take())
            else:
                still.append(waiter)
                blocked.add(blocker)
                if blocker is self._root and not self._may_refuse(changed, self._largest):
                    break
        waiting.extendleft(reversed(still))
        if not waiting:
            self._largest = 0
