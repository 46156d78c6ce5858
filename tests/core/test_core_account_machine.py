"""The accounts against a slow, naive model, under any order of events (hypothesis, stateful)."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from core_doubles import Asked
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from research_crew.core.account import Account
from research_crew.core.errors import OverBudget

T = TypeVar("T")
PARENTS = {"run": None, "wide": "run", "narrow": "run", "inner": "narrow"}
CEILINGS = {"wide": None, "narrow": 9, "inner": 6}
POTS = ("write", "cite")


@dataclass
class Model:
    """What an auditor would note down: plain numbers, no cleverness."""

    limits: dict[str, int | None]
    calls_limit: int | None
    spent: dict[str, int] = field(default_factory=lambda: dict.fromkeys(PARENTS, 0))
    overrun: dict[str, int] = field(default_factory=lambda: dict.fromkeys(PARENTS, 0))
    pots: dict[tuple[str, int], int] = field(default_factory=dict)
    """By name and serial number: a pot that is closed and opened again is another one."""
    calls: int = 0
    open: list["Booked"] = field(default_factory=list)

    def line(self, name: str) -> list[str]:
        line: list[str] = []
        at: str | None = name
        while at is not None:
            line.append(at)
            at = PARENTS[at]
        return line[::-1]

    def held(self, name: str) -> int:
        return sum(b.asked.amount for b in self.open if name in self.line(b.account))

    def room(self, booked: "Booked", name: str) -> int | None:
        """What could be had if everything in flight came back."""
        limit = self.limits[name]
        if limit is None:
            return None
        if name != "run":
            return limit - self.spent[name]
        in_pots = {pot: left + self.held_of(pot) for pot, left in self.pots.items()}
        own = min(booked.asked.amount, in_pots.get(booked.pot, 0)) if booked.pot else 0
        return limit - self.spent[name] - sum(in_pots.values()) + own

    def held_of(self, pot: tuple[str, int]) -> int:
        """What calls on their way hold of a pot, to which their change comes back."""
        return sum(b.from_pot for b in self.open if b.pot == pot)

    def hopeless(self, booked: "Booked") -> bool:
        if self.calls_limit is not None and self.calls + 1 > self.calls_limit:
            return True
        rooms = [self.room(booked, name) for name in self.line(booked.account)]
        return any(room is not None and booked.asked.amount > room for room in rooms)

    def blockers(self, booked: "Booked") -> list[str]:
        """The accounts, from the outermost on, in which it does not fit beside what is held now."""
        found = []
        for name in self.line(booked.account):
            limit = self.limits[name]
            free = 10**9 if limit is None else limit - self.spent[name] - self.held(name)
            if name == "run":
                free -= sum(self.pots.values())
                if booked.pot in self.pots:
                    free += min(booked.asked.amount, self.pots[booked.pot])
            full = booked.asked.amount > free
            if name == "run" and self.calls_limit is not None:
                full = full or self.calls + len(self.open) + 1 > self.calls_limit
            if full:
                found.append(name)
        return found


@dataclass(eq=False)
class Booked:
    """A reservation as the model sees it."""

    asked: Asked
    account: str
    pot: tuple[str, int] | None
    from_pot: int = 0


class AccountMachine(RuleBasedStateMachine):
    """Reserve, go on, settle, release, cancel, correct, set aside, close: in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.waiting: list[Booked] = []
        self.unseen: list[Booked] = []
        self.serials = dict.fromkeys(POTS, 0)

    def pot(self, name: str | None) -> tuple[str, int] | None:
        """The pot that is open under a name now."""
        pot = (name or "", self.serials.get(name or "", 0))
        return pot if pot in self.model.pots else None

    @initialize(limit=st.integers(5, 30), calls=st.sampled_from([None, None, 3, 12]), pot=st.integers(0, 10))
    def begin(self, limit: int, calls: int | None, pot: int) -> None:
        run = Account("run", limit)
        run.calls_limit = calls
        narrow = run.child("narrow", CEILINGS["narrow"])
        self.accounts = {
            "run": run, "wide": run.child("wide"), "narrow": narrow, "inner": narrow.child("inner", CEILINGS["inner"]),
        }  # fmt: skip
        self.model = Model({"run": limit, **CEILINGS}, calls)
        if pot:
            self.set_aside("write", min(pot, limit))

    def in_loop(self, do: Callable[[], T]) -> T:
        async def main() -> T:
            return do()

        return self.loop.run_until_complete(main())

    # -- bookkeeping --------------------------------------------------------------------------------------------------

    def grant(self, booked: Booked) -> None:
        """The model's side of a grant, which must be allowed: no send while spent + held + aside would pass a limit."""
        assert not self.model.hopeless(booked)
        assert self.model.blockers(booked) == []
        if booked.pot in self.model.pots:
            booked.from_pot = min(booked.asked.amount, self.model.pots[booked.pot])
            self.model.pots[booked.pot] -= booked.from_pot
        self.model.open.append(booked)
        run = self.model.limits["run"]
        assert run is not None
        assert self.model.spent["run"] + self.model.held("run") + sum(self.model.pots.values()) <= run

    def look(self) -> None:
        """Whoever has an answer by now must have a right one, first come first served."""
        kept_back: set[str] = set()
        for booked in list(self.waiting):
            if booked.asked.pending:
                if not self.model.hopeless(booked):
                    blockers = self.model.blockers(booked)
                    behind = kept_back & set(self.model.line(booked.account))
                    assert blockers or behind, f"{booked} waits for nothing"
                    if not behind:
                        kept_back.add(blockers[0])
                else:
                    raise AssertionError(f"{booked} waits without hope")
                continue
            self.waiting.remove(booked)
            self.unseen.append(booked)
            if isinstance(booked.asked.peek(), OverBudget):
                assert self.model.hopeless(booked), f"{booked} was refused and could have been paid"
            else:
                assert not kept_back & set(self.model.line(booked.account)), f"{booked} jumped the queue"
                self.grant(booked)

    # -- rules --------------------------------------------------------------------------------------------------------

    @rule(
        name=st.sampled_from(sorted(PARENTS)),
        amount=st.integers(0, 12),
        pot=st.sampled_from([None, "write", "write", "cite"]),
    )
    def reserve(self, name: str, amount: int, pot: str | None) -> None:
        asked = self.in_loop(lambda: Asked(self.accounts[name], amount, pot=pot))
        booked = Booked(asked, name, self.pot(pot))
        if asked.refusal is not None:
            assert self.model.hopeless(booked), f"{booked} was refused and could have been paid"
        elif asked.hold is not None:
            line = set(self.model.line(name))
            for other in self.waiting:
                ahead = self.model.blockers(other)
                assert not ahead or ahead[0] not in line, f"{booked} jumped the queue"
            self.grant(booked)
        else:
            self.waiting.append(booked)
        self.look()

    @precondition(lambda self: self.unseen)
    @rule(data=st.data())
    def go_on(self, data: st.DataObject) -> None:
        """A waiter sees its answer, or is cancelled in that very tick."""
        booked = self.unseen.pop(data.draw(st.integers(0, len(self.unseen) - 1)))
        granted = not isinstance(booked.asked.peek(), OverBudget)
        if data.draw(st.booleans()):
            self.in_loop(booked.asked.go_on)
            assert (booked.asked.hold is not None) == granted
            return
        if granted:
            self.back(booked, 0)
            self.model.calls -= 1
        self.in_loop(booked.asked.cancel)
        assert booked.asked.cancelled
        self.look()

    @precondition(lambda self: self.waiting)
    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        booked = self.waiting.pop(data.draw(st.integers(0, len(self.waiting) - 1)))
        self.in_loop(booked.asked.cancel)
        assert booked.asked.cancelled
        self.look()

    def back(self, booked: Booked, amount: int) -> None:
        """The model's side of the end of a hold."""
        model = self.model
        model.open.remove(booked)
        model.calls += 1
        for name in model.line(booked.account):
            model.spent[name] += amount
            model.overrun[name] += max(0, amount - booked.asked.amount)
        if booked.from_pot > amount and booked.pot in model.pots:
            model.pots[booked.pot] += booked.from_pot - amount

    def in_hand(self) -> list[Booked]:
        return [b for b in self.model.open if b.asked.hold is not None]

    @precondition(lambda self: self.in_hand())
    @rule(data=st.data(), amount=st.integers(0, 14), release=st.booleans())
    def end(self, data: st.DataObject, amount: int, release: bool) -> None:
        """A call ends: for less, for exactly its reservation, for more; or it was never sent."""
        booked = data.draw(st.sampled_from(self.in_hand()))
        assert booked.asked.hold is not None
        self.back(booked, 0 if release else amount)
        if release:
            self.model.calls -= 1
            booked.asked.hold.release()
        else:
            over = booked.asked.hold.settle(amount)
            assert over == max(0, amount - booked.asked.amount)
        self.look()

    @rule(name=st.sampled_from(sorted(PARENTS)), amount=st.integers(-4, 4))
    def correct(self, name: str, amount: int) -> None:
        """A bill that arrives late."""
        difference = max(amount, -self.model.spent[name])
        for each in self.model.line(name):
            self.model.spent[each] += difference
            self.model.overrun[each] += max(0, difference)
        self.accounts[name].correct(difference)
        self.look()

    @rule(pot=st.sampled_from(POTS), amount=st.integers(0, 10))
    def set_aside(self, pot: str, amount: int) -> None:
        run = self.model.limits["run"]
        assert run is not None
        room = run - self.model.spent["run"] - self.model.held("run") - sum(self.model.pots.values())
        try:
            self.accounts["wide"].set_aside(pot, amount)
        except OverBudget:
            assert amount > room
        else:
            assert amount <= room
            if self.pot(pot) is None:
                self.serials[pot] += 1
            key = pot, self.serials[pot]
            self.model.pots[key] = self.model.pots.get(key, 0) + amount
        self.look()

    @rule(pot=st.sampled_from(POTS), amount=st.integers(0, 6), close=st.booleans())
    def give_up_pot(self, pot: str, amount: int, close: bool) -> None:
        key = self.pot(pot)
        if close:
            self.model.pots.pop(key or ("", 0), None)
            self.accounts["run"].close_pot(pot)
        else:
            if key is not None:
                self.model.pots[key] = min(self.model.pots[key], amount)
            self.accounts["run"].shrink_pot(pot, amount)
        self.look()

    # -- always -------------------------------------------------------------------------------------------------------

    @invariant()
    def the_books_agree(self) -> None:
        if not hasattr(self, "model"):
            return
        for name, account in self.accounts.items():
            assert account.spent == self.model.spent[name]
            assert account.held == self.model.held(name)
            assert account.overrun == self.model.overrun[name]
            limit = self.model.limits[name]
            if limit is not None:
                assert account.spent <= limit + account.overrun
        run = self.accounts["run"]
        assert run.aside == sum(self.model.pots.values())
        assert run.aside_held == sum(self.model.held_of(pot) for pot in self.model.pots)
        assert run.calls_spent == self.model.calls
        assert run.calls_held == len(self.model.open)

    def teardown(self) -> None:
        """Everything in flight ends: then everybody has an answer and nothing is held."""
        if hasattr(self, "model"):
            while self.unseen or self.in_hand():
                while self.unseen:
                    booked = self.unseen.pop()
                    self.in_loop(booked.asked.go_on)
                for booked in self.in_hand()[:1]:
                    assert booked.asked.hold is not None
                    self.back(booked, booked.asked.amount)
                    booked.asked.hold.settle(booked.asked.amount)
                    self.look()
            assert self.waiting == []
            assert all(account.held == 0 for account in self.accounts.values())
            assert len(self.accounts["run"].queue) == 0
        self.loop.close()


AccountMachine.TestCase.settings = settings(max_examples=200, stateful_step_count=50, deadline=None)
TestAccounts = AccountMachine.TestCase
