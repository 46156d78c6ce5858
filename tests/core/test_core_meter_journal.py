"""Bought once: what the journal knows is not sent again, what was cut short is."""

import asyncio
from collections.abc import Awaitable, Callable
from decimal import Decimal

import pytest
from core_doubles import Till, answer, call

from research_crew.core.errors import CallFailed, Diverged
from research_crew.core.journal import About, CallKey, Finished, MemoryJournal
from research_crew.core.ledger import LedgerEntry
from research_crew.core.meter import Receipt

KEY = CallKey("run", "t", 1, "ask", 1)


async def never() -> Receipt:
    raise AssertionError("sent again")


def known(*finished: Finished | None) -> MemoryJournal:
    """A journal of an earlier process: these tries of the step `ask`; None for one that was in flight."""
    journal = MemoryJournal()
    for n, each in enumerate(finished, 1):
        journal._rows[KEY._replace(try_=n)] = ("hash", each)
    return journal


def test_a_finished_call_is_answered_from_the_journal_without_a_second_entry() -> None:
    till = Till(journal=known(Finished({"a": 1}, "ok")))
    assert asyncio.run(till.task.buy(call(), never)) == {"a": 1}
    assert len(till.ledger) == 0 and till.account.spent == till.account.held == 0
    assert till.task.used, "the attempt metered, though it paid nothing this time"


def test_an_answer_that_was_unusable_is_not_bought_again_either() -> None:
    till = Till(journal=known(Finished("{", "rejected")))
    assert asyncio.run(till.task.buy(call(), never)) == "{"


def test_a_failure_that_was_retried_goes_on_with_the_next_try_and_without_the_wait() -> None:
    till = Till(journal=known(Finished("500", "error", retryable=True)))
    assert asyncio.run(till.task.buy(call(), answer())) == "yes"
    assert [e.try_ for e in till.ledger] == [2] and till.sleep.waits == []


def test_a_failure_that_was_final_stays_one() -> None:
    till = Till(journal=known(Finished("fake answered 401", "error")))
    with pytest.raises(CallFailed, match="401"):
        asyncio.run(till.task.buy(call(), never))
    assert len(till.ledger) == 0


def test_a_call_that_was_cancelled_or_in_flight_is_bought_again() -> None:
    """Ctrl-C is no answer: a resumed run asks again, under the next try."""
    till = Till(journal=known(Finished("CancelledError", "cancelled")))
    assert asyncio.run(till.task.buy(call(), answer())) == "yes"
    assert [e.try_ for e in till.ledger] == [2]
    till = Till(journal=known(None))
    assert asyncio.run(till.task.buy(call(), answer())) == "yes"


def test_another_request_under_the_step_of_an_earlier_process_diverges_and_holds_nothing() -> None:
    till = Till(journal=known(Finished("x", "ok")))
    with pytest.raises(Diverged):
        asyncio.run(till.task.buy(call(request="other"), never))
    assert till.account.held == 0


class Trouble(MemoryJournal):
    """A store that fails, waits, or finds an answer at the last moment, as it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.before_open: Callable[[], Awaitable[Finished | None]] | None = None
        self.before_settle: Callable[[], Awaitable[None]] | None = None

    async def open(self, key: CallKey, request_hash: str, hold: int, fence: int, about: About) -> Finished | None:
        if self.before_open is not None:
            found = await self.before_open()
            if found is not None:
                return found
        return await super().open(key, request_hash, hold, fence, about)

    async def settle(self, key: CallKey, entry: LedgerEntry, result: Finished, fence: int) -> None:
        if self.before_settle is not None:
            await self.before_settle()
        await super().settle(key, entry, result, fence)


def test_a_store_that_fails_before_the_call_gives_the_money_back_and_sends_nothing() -> None:
    journal = Trouble()

    async def broken() -> None:
        raise OSError("disk full")

    journal.before_open = broken
    till = Till(journal=journal)
    with pytest.raises(OSError, match="disk full"):
        asyncio.run(till.task.buy(call(), never))
    assert till.account.held == till.account.spent == 0 and len(till.ledger) == 0


@pytest.mark.parametrize(
    ("found", "sends"),
    [(Finished("theirs", "ok"), False), (Finished("500", "error", retryable=True), True)],
)
def test_another_worker_s_answer_at_the_last_moment_is_taken_like_an_earlier_one(found: Finished, sends: bool) -> None:
    journal = Trouble()
    answers: list[Finished | None] = [found]

    async def theirs() -> Finished | None:
        return answers.pop() if answers else None

    journal.before_open = theirs
    till = Till(journal=journal)
    assert asyncio.run(till.task.buy(call(), answer())) == ("yes" if sends else "theirs")
    assert till.account.held == 0 and len(till.ledger) == int(sends)


def test_an_answer_that_is_paid_is_journalled_even_when_the_buyer_is_cancelled_meanwhile() -> None:
    journal = Trouble()
    till = Till(journal=journal)

    async def scene() -> None:
        settling, go_on = asyncio.Event(), asyncio.Event()

        async def slow() -> None:
            settling.set()
            await go_on.wait()

        journal.before_settle = slow
        buying = asyncio.create_task(till.task.buy(call(), answer("paid")))
        await settling.wait()
        for _ in range(2):
            buying.cancel()
            await asyncio.sleep(0)
        assert not buying.done(), "the transaction comes to its end first"
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await buying
        journal.before_settle = None
        assert await till.of("t").buy(call(), never) == "paid"

    asyncio.run(scene())
    assert till.ledger.spent == Decimal(4) and till.account.spent == till.ledger.nano and till.account.held == 0


def test_a_store_that_fails_after_the_call_is_heard_of_and_the_money_is_charged() -> None:
    journal = Trouble()

    async def broken() -> None:
        raise OSError("disk full")

    journal.before_settle = broken
    till = Till(journal=journal)
    with pytest.raises(OSError, match="disk full"):
        asyncio.run(till.task.buy(call(), answer()))
    assert till.ledger.spent == Decimal(4) and till.account.held == 0
