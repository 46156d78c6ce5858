"""A budget that cannot be exceeded: accounts that nest, reservations, and money set aside.

Every call reserves its worst case before it is sent and settles for what it really cost. The promise: no call is sent
whose worst case would pass the limit, so never a send while `spent + held > limit`. What does not fit *now*, because
other calls hold money that may come back, waits in one queue, first come first served; what does not fit *whatever*
comes back is refused at once with `OverBudget`.

Accounts nest (run → task); a parent is charged with its children and the outermost refuses first. Money set aside
(a `Pot`) can be spent only by whoever names the pot: the ending of a run is paid for before its middle begins.

Amounts here are whole nano-units. All of it belongs to one event loop: nothing locks, nothing is shared by threads.
"""

import asyncio
from collections import deque
from dataclasses import dataclass

from research_crew.core.errors import InvalidInput, MixedCurrencies, OverBudget
from research_crew.core.money import CREDITS, Amount, from_nano, to_decimal, to_nano


@dataclass(frozen=True, slots=True)
class Budget:
    """What a run may spend. Raises `InvalidInput` for a limit that is not more than 0."""

    limit: Amount
    currency: str = CREDITS
    calls: int | None = None
    """Most tries of paid calls, or None for no limit."""
    tokens: int | None = None
    """Most tokens, prompts and answers together, or None for no limit."""

    def __post_init__(self) -> None:
        value = to_decimal(self.limit, "budget") if not _negative(self.limit) else None
        if value is None or value <= 0:
            raise InvalidInput("budget", self.limit, "give an amount of more than 0")
        object.__setattr__(self, "limit", value)
        for what, most in (("limit on calls", self.calls), ("limit on tokens", self.tokens)):
            if most is not None and most < 1:
                raise InvalidInput(what, most, "give at least 1")

    @classmethod
    def of(cls, value: "Budget | Amount", currency: str = CREDITS) -> "Budget":
        """A budget from what a person wrote; a whole number is credits, or the run's own currency."""
        if isinstance(value, Budget):
            return value
        return cls(value, currency)

    def in_currency(self, currency: str) -> "Budget":
        """Itself, when the currency is the run's; raises `MixedCurrencies` otherwise."""
        if self.currency != currency:
            raise MixedCurrencies(self.currency, currency)
        return self


def _negative(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value < 0


class Pot:
    """Money of the run set aside under a name; what is left of it can be spent only in that name."""

    __slots__ = ("closed", "left", "name")

    def __init__(self, name: str, amount: int) -> None:
        self.name, self.left, self.closed = name, amount, False


class Hold:
    """An open reservation: it ends in `settle` or in `release`, once."""

    __slots__ = ("account", "amount", "from_pot", "open", "pot", "tokens")

    def __init__(self, account: "Account", amount: int, tokens: int, pot: Pot | None, from_pot: int) -> None:
        self.account, self.amount, self.tokens = account, amount, tokens
        self.pot, self.from_pot, self.open = pot, from_pot, True

    def settle(self, amount: int, tokens: int | None = None) -> int:
        """Charge what the call really cost; returns the overrun (what it cost above the reservation)."""
        over = max(0, amount - self.amount)
        self._end(amount, self.tokens if tokens is None else tokens, 1, over)
        return over

    def release(self) -> None:
        """Give everything back: nothing was sent."""
        self._end(0, 0, 0, 0)

    def _end(self, amount: int, tokens: int, calls: int, over: int) -> None:
        if not self.open:
            raise RuntimeError("a reservation ends once")
        self.open = False
        for account in self.account.line:
            account.held -= self.amount
            account.spent += amount
            account.overrun += over
        root = self.account.line[0]
        root.calls_held -= 1
        root.calls_spent += calls
        root.tokens_held -= self.tokens
        root.tokens_spent += tokens
        if self.pot is not None and not self.pot.closed and amount < self.from_pot:
            self.pot.left += self.from_pot - amount
            root.aside += self.from_pot - amount
        if root.queue:
            root.wake()


class _Waiter:
    __slots__ = ("account", "amount", "granted", "pot", "tokens")

    def __init__(
        self, account: "Account", amount: int, tokens: int, pot: Pot | None, granted: "asyncio.Future[Hold]"
    ) -> None:
        self.account, self.amount, self.tokens, self.pot, self.granted = account, amount, tokens, pot, granted


class Account:
    """A limit and what was spent, held and set aside under it; the root of a tree is the run."""

    __slots__ = (
        "aside", "calls_held", "calls_limit", "calls_spent", "held", "limit", "line", "name", "overrun", "pots",
        "queue", "spent", "tokens_held", "tokens_limit", "tokens_spent", "unit",
    )  # fmt: skip

    def __init__(self, name: str, limit: int | None, parent: "Account | None" = None, unit: str = CREDITS) -> None:
        self.name, self.limit = name, limit
        self.unit: str = unit if parent is None else parent.unit
        self.spent = self.held = self.aside = self.overrun = 0
        self.calls_spent = self.calls_held = self.tokens_spent = self.tokens_held = 0
        self.calls_limit: int | None = None
        self.tokens_limit: int | None = None
        self.line: tuple[Account, ...] = (self,) if parent is None else (*parent.line, self)
        """From the outermost account to this one."""
        self.queue: deque[_Waiter] = deque()
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
        rooms = [a.limit - a.spent - a.held - a.aside for a in self.line if a.limit is not None]
        return max(0, min(rooms)) if rooms else 0

    # -- money set aside ------------------------------------------------------------------------------------

    def set_aside(self, name: str, amount: int) -> Pot:
        """Keep money of the run for one purpose; raises `OverBudget` when it is not there."""
        root = self.line[0]
        room = None if root.limit is None else root.limit - root.spent - root.held - root.aside
        if room is not None and amount > room:
            raise OverBudget(from_nano(amount), from_nano(max(0, room)), root.unit)
        pot = root.pots.setdefault(name, Pot(name, 0))
        pot.closed = False
        pot.left += amount
        root.aside += amount
        return pot

    def shrink_pot(self, name: str, amount: int) -> None:
        """Keep at most this much in a pot; the rest is free again."""
        root = self.line[0]
        pot = root.pots.get(name)
        if pot is not None and pot.left > amount:
            root.aside -= pot.left - amount
            pot.left = amount
            root.wake()

    def close_pot(self, name: str) -> None:
        """Free what is left in a pot; later change does not return to it."""
        self.shrink_pot(name, 0)
        pot = self.line[0].pots.pop(name, None)
        if pot is not None:
            pot.closed = True

    # -- reservations ---------------------------------------------------------------------------------------

    async def reserve(self, amount: int, tokens: int = 0, pot: str | None = None) -> Hold:
        """Hold an amount, waiting for other calls to settle if that may make room.

        Raises `OverBudget(needed, left)` as soon as nothing in flight could make it fit. Whoever waits holds nothing;
        cancelling the wait leaves the queue.
        """
        root = self.line[0]
        chosen = root.pots.get(pot) if pot is not None else None
        if not root.queue:
            hold = self._grant(amount, tokens, chosen)
            if isinstance(hold, Hold):
                return hold
        else:
            self._refuse_hopeless(amount, tokens, chosen)
        waiter = _Waiter(self, amount, tokens, chosen, asyncio.get_running_loop().create_future())
        root.queue.append(waiter)
        try:
            return await waiter.granted
        except asyncio.CancelledError:
            if waiter.granted.done() and not waiter.granted.cancelled() and waiter.granted.exception() is None:
                waiter.granted.result().release()
            else:
                root.queue.remove(waiter)
                root.wake()
            raise

    def reserve_now(self, amount: int, tokens: int = 0, pot: str | None = None) -> Hold | None:
        """Hold an amount without waiting; None when it would have to wait. Raises `OverBudget` as `reserve` does."""
        root = self.line[0]
        chosen = root.pots.get(pot) if pot is not None else None
        if root.queue:
            self._refuse_hopeless(amount, tokens, chosen)
            return None
        hold = self._grant(amount, tokens, chosen)
        return hold if isinstance(hold, Hold) else None

    def correct(self, difference: int) -> None:
        """A bill that arrived late: a signed difference to what was charged."""
        for account in self.line:
            account.spent += difference
            account.overrun += max(0, difference)
        self.line[0].wake()

    def wake(self) -> None:
        """Give every waiter its answer that can have one now, in the order in which they came.

        A waiter that only its own task's ceiling keeps back does not hold up waiters of other tasks; one that the run
        keeps back holds up all behind it.
        """
        queue = self.line[0].queue
        blocked: set[Account] = set()
        still: list[_Waiter] = []
        while queue:
            waiter = queue.popleft()
            if waiter.granted.done():
                continue
            if blocked and not blocked.isdisjoint(waiter.account.line):
                still.append(waiter)
                continue
            try:
                answer = waiter.account._grant(waiter.amount, waiter.tokens, waiter.pot)
            except OverBudget as refusal:
                waiter.granted.set_exception(refusal)
                continue
            if isinstance(answer, Hold):
                waiter.granted.set_result(answer)
                continue
            still.append(waiter)
            blocked.add(answer)
            if answer is self.line[0]:
                break
        queue.extendleft(reversed(still))

    def _grant(self, amount: int, tokens: int, pot: Pot | None) -> "Hold | Account":
        """A hold; or the account that makes it wait; or `OverBudget`."""
        from_pot = 0 if pot is None else min(amount, pot.left)
        blocker: Account | None = None
        for account in self.line:
            if account.limit is None:
                continue
            room = account.limit - account.spent - account.aside
            if account.aside:
                room += from_pot
            if amount > room:
                raise OverBudget(from_nano(amount), from_nano(max(0, room)), account.unit)
            if blocker is None and amount > room - account.held:
                blocker = account
        root = self.line[0]
        if root.calls_limit is not None or root.tokens_limit is not None:
            blocker = self._count(root, tokens) or blocker
        if blocker is not None:
            return blocker
        for account in self.line:
            account.held += amount
        root.calls_held += 1
        root.tokens_held += tokens
        if pot is not None and from_pot:
            pot.left -= from_pot
            root.aside -= from_pot
        return Hold(self, amount, tokens, pot, from_pot)

    def _refuse_hopeless(self, amount: int, tokens: int, pot: Pot | None) -> None:
        from_pot = 0 if pot is None else min(amount, pot.left)
        for account in self.line:
            if account.limit is not None:
                room = account.limit - account.spent - account.aside + (from_pot if account.aside else 0)
                if amount > room:
                    raise OverBudget(from_nano(amount), from_nano(max(0, room)), account.unit)
        self._count(self.line[0], tokens)

    @staticmethod
    def _count(root: "Account", tokens: int) -> "Account | None":
        """The limits on calls and tokens, by the same rules as money."""
        waits = False
        for most, spent, held, needed, unit in (
            (root.calls_limit, root.calls_spent, root.calls_held, 1, "calls"),
            (root.tokens_limit, root.tokens_spent, root.tokens_held, tokens, "tokens"),
        ):
            if most is None:
                continue
            if spent + needed > most:
                raise OverBudget(from_nano(needed * 10**9), from_nano(max(0, most - spent) * 10**9), unit)
            waits = waits or spent + held + needed > most
        return root if waits else None
