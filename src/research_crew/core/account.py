"""Accounts that cannot be overdrawn: they nest, hold reservations, and set money aside.

Every call reserves its worst case before it is sent and settles for what it really cost. The promise: no call is sent
whose worst case would pass the limit, so never a send while `spent + held > limit`. What does not fit *now*, because
other calls hold money that may come back, waits in one queue, first come first served; what does not fit *whatever*
comes back is refused at once with `OverBudget`.

Accounts nest (run → task); a parent is charged with its children and the outermost refuses first. Money set aside
(a `Pot`) can be spent only by whoever names the pot: the ending of a run is paid for before its middle begins.

Amounts here are whole nano-units. All of it belongs to one event loop: nothing locks, nothing is shared by threads.
"""

import asyncio
from decimal import Decimal
from functools import partial

from research_crew.core.budget import Budget
from research_crew.core.errors import OverBudget
from research_crew.core.money import CREDITS, from_nano, to_decimal, to_nano
from research_crew.core.pot import Pot as Pot
from research_crew.core.waiting import Queue, Waiter


class Hold:
    """An open reservation: it ends in `settle` or in `release`, once."""

    __slots__ = ("account", "amount", "calls", "from_pot", "open", "pot", "tokens")

    def __init__(self, account: "Account", amount: int, tokens: int, pot: Pot | None, from_pot: int) -> None:
        self.account, self.amount, self.tokens = account, amount, tokens
        self.pot, self.from_pot, self.open = pot, from_pot, True
        self.calls = 1
        """How many calls it counts as: 0 once calls of its wallet are counted in its place."""

    def settle(self, amount: int, tokens: int | None = None) -> int:
        """Charge what the call really cost; returns the overrun (what it cost above the reservation)."""
        over = max(0, amount - self.amount)
        self._end(amount, self.tokens if tokens is None else tokens, self.calls, over)
        return over

    def release(self) -> None:
        """Give everything back: nothing was sent."""
        self._end(0, 0, 0, 0)

    def wallet(self, name: str) -> "Account":
        """An account of exactly the money held here, for several calls that are paid with it.

        The hold is settled in the end with what the wallet spent. Limits on calls and tokens stay those of the run,
        and each call of the wallet counts there; one that would have to wait for them is refused, because whoever
        waits there may itself be waiting for this very hold.
        """
        return Account(name, self.amount, unit=self.account.unit, within=self)

    def _end(self, amount: int, tokens: int, calls: int, over: int) -> None:
        if not self.open:
            raise RuntimeError("a reservation ends once")
        self.open = False
        account = self.account
        for each in account.line:
            each.held -= self.amount
            each.spent += amount
            each.overrun += over
        counts = account.counts
        counts.calls_held -= self.calls
        counts.calls_spent += calls
        counts.tokens_held -= self.tokens
        counts.tokens_spent += tokens
        root = account.line[0]
        if self.pot is not None and not self.pot.closed:
            self.pot.held -= self.from_pot
            root.aside_held -= self.from_pot
            change = max(0, self.from_pot - amount)
            self.pot.left += change
            root.aside += change
        if root.queue:
            root.queue.wake(account.line)
        if counts is not root and counts.queue:
            counts.queue.wake((counts,))


class Account:
    """A limit and what was spent, held and set aside under it; the root of a tree is the run."""

    __slots__ = (
        "aside", "aside_held", "calls_held", "calls_limit", "calls_spent", "counts", "held", "limit", "line", "name",
        "overrun", "pots", "queue", "spent", "tokens_held", "tokens_limit", "tokens_spent", "unit", "within",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        limit: int | None,
        parent: "Account | None" = None,
        unit: str = CREDITS,
        within: Hold | None = None,
    ) -> None:
        self.name, self.limit, self.within = name, limit, within
        self.unit: str = unit if parent is None else parent.unit
        self.spent = self.held = self.aside = self.aside_held = self.overrun = 0
        """`aside` is what the pots still have; `aside_held` is the part of `held` whose change goes back to them."""
        self.calls_spent = self.calls_held = self.tokens_spent = self.tokens_held = 0
        self.calls_limit: int | None = None
        self.tokens_limit: int | None = None
        self.line: tuple[Account, ...] = (self,) if parent is None else (*parent.line, self)
        """From the outermost account to this one."""
        self.counts: Account = self
        """The account that counts calls and tokens: the run's."""
        if parent is not None:
            self.counts = parent.counts
        elif within is not None:
            self.counts = within.account.counts
        self.queue: Queue[Hold] = Queue(self, Account._may_refuse) if parent is None else parent.queue
        self.pots: dict[str, Pot] = {}

    @classmethod
    def for_run(cls, budget: Budget) -> "Account":
        """The outermost account of a run."""
        account = cls("run", to_nano(to_decimal(budget.limit)), unit=budget.currency)
        account.calls_limit, account.tokens_limit = budget.calls, budget.tokens
        return account

    def child(self, name: str, limit: int | None = None) -> "Account":
        """An account within this one: its spending is also this one's."""
        return Account(name, limit, self)

    @property
    def left(self) -> int:
        """What could still be reserved here and now, pots left out (nano-units; of the tightest account)."""
        return self.left_with(None)

    def left_with(self, pot: str | None) -> int:
        """What could still be reserved here and now by whoever names this pot."""
        chosen = self._pot(pot)
        own = 0 if chosen is None else chosen.left
        rooms = [
            a.limit - a.spent - a.held - a.aside + (own if a.aside else 0) for a in self.line if a.limit is not None
        ]
        return max(0, min(rooms)) if rooms else 0

    # -- money set aside ------------------------------------------------------------------------------------

    def set_aside(self, name: str, amount: int) -> Pot:
        """Keep money of the run for one purpose; raises `OverBudget` when it is not there."""
        if amount < 0:
            raise ValueError(f"{amount} cannot be set aside")
        root = self.line[0]
        room = None if root.limit is None else root.limit - root.spent - root.held - root.aside
        if room is not None and amount > room:
            raise OverBudget(from_nano(amount), from_nano(max(0, room)), root.unit)
        pot = root.pots.setdefault(name, Pot(name, 0))
        pot.left += amount
        root.aside += amount
        self.queue.wake(self.line)  # what waits may have become hopeless
        return pot

    def shrink_pot(self, name: str, amount: int) -> None:
        """Keep at most this much in a pot; the rest is free again."""
        root = self.line[0]
        pot = root.pots.get(name)
        if pot is not None and pot.left > amount:
            root.aside -= pot.left - amount
            pot.left = amount
            self.queue.wake(self.line)

    def close_pot(self, name: str) -> None:
        """Free what is left in a pot; later change does not return to it."""
        pot = self.line[0].pots.pop(name, None)
        if pot is not None:
            pot.closed = True
            self.line[0].aside -= pot.left
            self.line[0].aside_held -= pot.held
            pot.left = pot.held = 0
            self.queue.wake(self.line)

    def _pot(self, name: str | None) -> Pot | None:
        return None if name is None else self.line[0].pots.get(name)

    # -- reservations ---------------------------------------------------------------------------------------

    async def reserve(self, amount: int, tokens: int = 0, pot: str | None = None) -> Hold:
        """Hold an amount, waiting for other calls to settle if that may make room.

        Raises `OverBudget(needed, left)` as soon as nothing in flight could make it fit. Whoever waits holds nothing;
        cancelling the wait leaves the queue.
        """
        hold = self.reserve_now(amount, tokens, pot)
        if hold is not None:
            return hold
        asked = amount, tokens, self._pot(pot)
        granted: asyncio.Future[Hold] = asyncio.get_running_loop().create_future()
        waiter = Waiter(self.line, amount, partial(self._blocker, *asked), partial(self._take, *asked), granted)
        try:
            return await self.queue.wait(waiter)
        except BaseException:
            if not granted.done() or granted.cancelled():
                self.queue.drop(waiter)
            elif granted.exception() is None:  # cancelled in the very moment in which it was granted
                granted.result().release()
            raise

    def reserve_now(self, amount: int, tokens: int = 0, pot: str | None = None) -> Hold | None:
        """Hold an amount without waiting; None when it would have to wait. Raises `OverBudget` as `reserve` does."""
        if amount < 0 or tokens < 0:
            raise ValueError(f"{amount} and {tokens} tokens cannot be reserved")
        chosen = self._pot(pot)
        if self._blocker(amount, tokens, chosen) is None and not self.queue:
            return self._take(amount, tokens, chosen)
        return None

    def take(self, amount: int, tokens: int = 0, pot: str | None = None) -> Hold:
        """Hold what an earlier process of the run held, without asking: it was asked then."""
        return self._take(amount, tokens, self._pot(pot))

    def raise_to(self, limit: int) -> None:
        """A person allows more: the limit of the run."""
        self.line[0].limit = limit
        self.queue.wake(self.line)

    def correct(self, difference: int) -> None:
        """A bill that arrived late: a signed difference to what was charged.

        What is charged afterwards was held by nobody, so it counts as overrun.
        """
        for account in self.line:
            account.spent += difference
            account.overrun += max(0, difference)
        self.queue.wake(self.line)

    @staticmethod
    def _may_refuse(changed: "tuple[Account, ...]", largest: int) -> bool:
        """Whether a change in these accounts could have made an amount up to `largest` hopeless."""
        for each in changed:
            if each.limit is not None and largest > each.limit - each.spent - each.aside - each.aside_held:
                return True
        counts = changed[0].counts if changed else None
        return counts is not None and (counts.calls_limit is not None or counts.tokens_limit is not None)

    def _blocker(self, amount: int, tokens: int, pot: Pot | None) -> "Account | None":
        """The account that makes an amount wait, None when it fits now; `OverBudget` when it never would."""
        blocker: Account | None = None
        for account in self.line:
            if account.limit is None:
                continue
            room = account.limit - account.spent - account.held
            most = room + account.held
            if account.pots:  # the run
                room -= account.aside
                most -= account.aside + account.aside_held
                if pot is not None:
                    room += min(amount, pot.left)
                    most += min(amount, pot.left + pot.held)
            if amount > most:
                raise OverBudget(from_nano(amount), from_nano(max(0, most)), account.unit)
            if blocker is None and amount > room:
                blocker = account
        counts = self.counts
        if counts.calls_limit is not None or counts.tokens_limit is not None:
            blocker = self._count(counts, tokens) or blocker
        return blocker

    def _take(self, amount: int, tokens: int, pot: Pot | None) -> Hold:
        for account in self.line:
            account.held += amount
        counts = self.counts
        counts.calls_held += 1
        counts.tokens_held += tokens
        within = self.line[0].within
        if within is not None and within.calls:
            counts.calls_held -= within.calls
            within.calls = 0
        from_pot = 0
        if pot is not None:
            from_pot = min(amount, pot.left)
            pot.left -= from_pot
            pot.held += from_pot
            self.line[0].aside -= from_pot
            self.line[0].aside_held += from_pot
        return Hold(self, amount, tokens, pot, from_pot)

    def _count(self, counts: "Account", tokens: int) -> "Account | None":
        """The limits on calls and tokens, by the same rules as money."""
        waits = False
        within = self.line[0].within
        given = 0 if within is None else within.calls
        for most, spent, held, needed, unit in (
            (counts.calls_limit, counts.calls_spent, counts.calls_held - given, 1, "calls"),
            (counts.tokens_limit, counts.tokens_spent, counts.tokens_held, tokens, "tokens"),
        ):
            if most is None:
                continue
            full = spent + held + needed > most
            if spent + needed > most or (full and within is not None):
                raise OverBudget(Decimal(needed), Decimal(max(0, most - spent)), unit)
            waits = waits or full
        return self.line[0] if waits else None
