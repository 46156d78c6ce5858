"""Every order of events of a small case, each state looked at once: 3 callers, 2 calls each.

A caller reserves, may wait, may be cancelled while it waits or in the tick of its answer, sends, and its call ends in
one of several ways; then it makes its second call. Refused or cancelled, it makes no further one. A state is what can
still matter: the account's numbers, the queue, and where every caller stands. States are reached by replaying the
events that lead to them on a fresh account, so nothing of one path can leak into another.
"""

import asyncio
from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from core_doubles import Asked

from research_crew.core.account import Account, Hold
from research_crew.core.errors import OverBudget

Event = tuple[int, str, int]
"""Caller, what happens, and the amount that its call cost."""


@dataclass
class Caller:
    """One of three; `amounts` are the worst cases of its calls."""

    amounts: tuple[int, ...]
    number: int = 0
    asked: Asked | None = None
    ended: bool = False

    @property
    def phase(self) -> str:
        if self.ended:
            return "ended"
        if self.asked is None:
            return "ready"
        if self.asked.pending:
            return "waits"
        return "answered" if self.asked.answered else "sends"


@dataclass
class World:
    """An account, its callers and what has happened so far."""

    run: Account
    accounts: list[Account]
    callers: list[Caller]
    pots: list[str | None]
    over_by: int
    queue: list[int] = field(default_factory=list)

    def events(self) -> list[Event]:
        """What can happen next."""
        found: list[Event] = []
        for i, caller in enumerate(self.callers):
            amount = caller.amounts[caller.number] if not caller.ended else 0
            if caller.phase == "ready":
                found.append((i, "reserve", amount))
            elif caller.phase == "waits":
                found.append((i, "cancel", 0))
            elif caller.phase == "answered":
                found += [(i, "see", 0), (i, "cancel", 0)]
            elif caller.phase == "sends":
                found += [(i, "release", 0), (i, "settle", amount)]
                found += [(i, "settle", amount // 2)] if amount // 2 < amount else []
                found += [(i, "settle", amount + self.over_by)] if self.over_by else []
        return found

    def happen(self, event: Event) -> None:
        """Do it, and check everything that may be said about the state after it."""
        who, what, amount = event
        caller = self.callers[who]
        asked = caller.asked
        if what == "reserve":
            before = self.hopeless(who, amount)
            caller.asked = asked = Asked(self.accounts[who], amount, pot=self.pots[who])
            if asked.pending or asked.answered:
                self.queue.append(who)
            if asked.refusal is not None:
                assert before, "refused although it could be paid without more money"
                caller.asked, caller.ended = None, True
            elif asked.hold is not None:
                self.check_room()
        elif what == "see":
            assert asked is not None
            asked.go_on()
            if asked.refusal is not None:
                caller.asked, caller.ended = None, True
            else:
                assert asked.hold is not None
        elif what == "cancel":
            assert asked is not None
            self.queue = [i for i in self.queue if i != who]
            asked.cancel()
            assert asked.cancelled
            caller.asked, caller.ended = None, True
        else:
            assert asked is not None and asked.hold is not None
            if what == "release":
                asked.hold.release()
            else:
                asked.hold.settle(amount)
            caller.asked = None
            caller.number += 1
            caller.ended = caller.number == len(caller.amounts)
        self.look()

    def hopeless(self, who: int, amount: int) -> bool:
        """Whether it would pass a limit even if all that is held came back."""
        for account in self.accounts[who].line:
            if account.limit is None:
                continue
            room = account.limit - account.spent
            if account is self.run:
                held = {
                    name: sum(h.from_pot for h in self.holds() if h.pot is pot) for name, pot in account.pots.items()
                }
                in_pots = {name: pot.left + held[name] for name, pot in account.pots.items()}
                room -= sum(in_pots.values()) - min(amount, in_pots.get(self.pots[who] or "", 0))
            if amount > room:
                return True
        return False

    def check_room(self) -> None:
        """Asked right after a grant: never a send while spent + held would pass the limit."""
        for account in {*self.accounts, self.run}:
            assert account.limit is None or account.spent + account.held + account.aside <= account.limit

    def holds(self) -> list[Hold]:
        """What is held now, by whoever sends and by whoever has not seen yet that it may."""
        found: list[Hold] = []
        for caller in self.callers:
            if caller.asked is not None and caller.asked.hold is not None:
                found.append(caller.asked.hold)
            elif caller.asked is not None and caller.asked.answered:
                answer = caller.asked.peek()
                found += [] if isinstance(answer, OverBudget) else [answer]
        return [hold for hold in found if hold.open]

    def look(self) -> None:
        holds = self.holds()
        assert self.run.held == sum(hold.amount for hold in holds)
        assert self.run.spent <= (self.run.limit or 0) + self.run.overrun
        assert len(self.run.queue) == sum(c.phase == "waits" for c in self.callers)
        answered = [i for i in self.queue if self.callers[i].phase != "waits"]
        for i in answered:
            asked = self.callers[i].asked
            if asked is not None and asked.answered:
                answer = asked.peek()
                if isinstance(answer, OverBudget):
                    assert self.hopeless(i, asked.amount)
                else:
                    self.check_room()
        self.queue = [i for i in self.queue if self.callers[i].phase == "waits"]
        for i in self.queue:
            asked = self.callers[i].asked
            assert asked is not None and not self.hopeless(i, asked.amount), "waits without hope"
        if self.queue:
            assert holds, "a deadlock: somebody waits and nothing is in flight"
            head = self.callers[self.queue[0]].asked
            assert head is not None
            pot = self.run.pots.get(head.pot or "")
            own = min(pot.left, head.amount) if pot is not None else 0
            full = [
                a.limit is not None
                and head.amount > a.limit - a.spent - a.held - a.aside + (own if a is self.run else 0)
                for a in head.account.line
            ]
            assert any(full), "the first in the queue could be paid"

    def state(self) -> tuple[object, ...]:
        """All that the future depends on."""
        numbers = [(a.spent, a.held, a.aside, a.overrun) for a in (self.run, *self.accounts)]
        pots = tuple((name, pot.left) for name, pot in sorted(self.run.pots.items()))
        callers = []
        for caller in self.callers:
            seen: object = None
            if caller.phase == "answered" and caller.asked is not None:
                answer = caller.asked.peek()
                seen = "refused" if isinstance(answer, OverBudget) else answer.from_pot
            elif caller.phase == "sends" and caller.asked is not None and caller.asked.hold is not None:
                seen = caller.asked.hold.from_pot
            callers.append((caller.number, caller.phase, seen))
        return (tuple(numbers), pots, tuple(callers), tuple(self.queue))


def start(case: str) -> World:
    amounts = [(2, 3), (3, 2), (4, 1)]
    if case == "one account":
        run = Account("run", 5)
        return World(run, [run] * 3, [Caller(a) for a in amounts], [None] * 3, 0)
    if case == "bills above the reservation":
        run = Account("run", 7)
        return World(run, [run] * 3, [Caller(a) for a in amounts], [None] * 3, 2)
    if case == "two in a task with a ceiling":
        run = Account("run", 8)
        task = run.child("task", 4)
        return World(run, [task, task, run], [Caller(a) for a in amounts], [None] * 3, 0)
    run = Account("run", 9)
    run.set_aside("write", 4)
    return World(run, [run] * 3, [Caller(a) for a in amounts], [None, "write", None], 1)


@pytest.mark.parametrize(
    "case",
    ["one account", "bills above the reservation", "two in a task with a ceiling", "money set aside for one of them"],
)
def test_no_order_of_events_overspends_deadlocks_or_refuses_what_could_be_paid(case: str) -> None:
    async def explore() -> tuple[int, int, int]:
        seen: set[tuple[object, ...]] = set()
        todo: list[tuple[Event, ...]] = [()]
        ends = waits = 0
        while todo:
            path = todo.pop()
            world = start(case)
            for event in path:
                world.happen(event)
            state = world.state()
            if state in seen:
                continue
            seen.add(state)
            waits += bool(world.queue)
            following = world.events()
            if not following:
                ends += 1
                assert all(caller.ended for caller in world.callers), "a deadlock"
                assert world.run.held == 0 and len(world.run.queue) == 0
            todo += [(*path, event) for event in following]
        return len(seen), ends, waits

    states, ends, waits = asyncio.run(explore())
    assert states > 1000 and ends > 50 and waits > 100, (states, ends, waits)


def test_equal_callers_are_served_in_the_order_in_which_they_came() -> None:
    """Whatever is settled: of equal amounts, none is granted before one that came earlier."""

    async def scene() -> None:
        for ends in range(2**6):
            run = Account("run", 9)
            first = [Asked(run, 3) for _ in range(3)]
            later = [Asked(run, 3) for _ in range(6)]
            for n, asked in enumerate(first):
                assert asked.hold is not None
                asked.hold.settle((ends >> 2 * n) & 3)
                granted = [a.answered and not isinstance(a.peek(), OverBudget) for a in later]
                assert all(a or not b for a, b in pairwise(granted))
            for asked in later:
                if asked.answered:
                    asked.go_on()

    asyncio.run(scene())
