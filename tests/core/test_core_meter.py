"""The one door for money: one entry per try, whatever comes of it, and nothing held afterwards."""

import asyncio
from collections.abc import Awaitable, Callable
from decimal import Decimal
from random import Random

import pytest
from core_doubles import Till, answer, call

from research_crew.core.errors import CallFailed, InvalidInput, MissingExtra, OverBudget, UnknownPrice
from research_crew.core.meter import Call, Receipt, Retry
from research_crew.core.money import Price, Usage


def failing(*errors: BaseException, then: object = "yes") -> Callable[[], Awaitable[Receipt]]:
    """Raises these in turn, then answers for 4."""
    left = list(errors)

    async def send() -> Receipt:
        if left:
            raise left.pop(0)
        return Receipt(then, Usage(input=1), Decimal(4))

    return send


def failure(status: int | None = 500, *, sent: bool, retryable: bool = True, **more: object) -> CallFailed:
    return CallFailed("fake", status, "no", sent=sent, retryable=retryable, **more)  # type: ignore[arg-type]


def rows(till: Till) -> list[tuple[int, str, str, str]]:
    """Try, outcome, basis and amount of each entry."""
    assert till.account.held == 0 and till.account.spent == till.ledger.nano
    return [(e.try_, e.outcome, e.basis, f"{e.amount:f}") for e in till.ledger]


# -- one try ----------------------------------------------------------------------------------------------------------


def test_a_call_is_reserved_sent_entered_and_settled_for_what_it_cost() -> None:
    till = Till(100)
    held: list[int] = []

    async def send() -> Receipt:
        held.append(till.account.held)
        return Receipt({"a": [1]}, Usage(input=7, output=2), Decimal("3.5"), request_id="id-1")

    assert asyncio.run(till.task.buy(call("round-1/ask", 10), send)) == {"a": [1]}
    assert held == [10 * 10**9]
    assert rows(till) == [(1, "ok", "measured", "3.5")]
    entry = till.ledger[0]
    assert (entry.task, entry.role, entry.attempt, entry.step, entry.kind) == ("t", "role", 1, "round-1/ask", "model")
    assert (entry.provider, entry.model, entry.request_id, entry.usage.tokens) == ("fake", "m", "id-1", 9)
    assert entry.started < entry.ended
    assert [event.kind for event in till.events] == ["call-started", "call-ended"]
    assert till.events[0].data["held"] == "10" and till.events[1].data["amount"] == "3.5"


def test_what_does_not_fit_is_refused_before_anything_is_sent_and_has_no_entry() -> None:
    till = Till(5)

    async def send() -> Receipt:
        raise AssertionError("sent")

    with pytest.raises(OverBudget) as refused:
        asyncio.run(till.task.buy(call(worst=6), send))
    assert (refused.value.needed, refused.value.left) == (Decimal(6), Decimal(5))
    assert rows(till) == [] and till.events == [] and not till.task.used


def test_an_answer_that_is_thrown_away_is_paid_all_the_same() -> None:
    till = Till()

    async def send() -> Receipt:
        return Receipt("{not json", Usage(output=3), Decimal(2), outcome="rejected", note="did not parse")

    assert asyncio.run(till.task.buy(call(), send)) == "{not json"
    assert rows(till) == [(1, "rejected", "measured", "2")] and till.ledger[0].note == "did not parse"


def test_an_answer_from_a_cache_of_earlier_runs_costs_nothing_and_names_what_it_reuses() -> None:
    till = Till(tokens=10)

    async def send() -> Receipt:
        return Receipt("old", basis="reused", reuses="run-7/t/1/ask/1")

    assert asyncio.run(till.task.buy(call(tokens=8), send)) == "old"
    assert rows(till) == [(1, "ok", "reused", "0")] and till.ledger[0].reuses == "run-7/t/1/ask/1"
    assert till.account.tokens_spent == 0


def test_a_bill_above_the_reservation_is_charged_and_shown_as_overrun() -> None:
    till = Till(100)
    asyncio.run(till.task.buy(call(worst=10), answer(amount=13)))
    assert rows(till) == [(1, "ok", "measured", "13")]
    assert till.account.overrun == 3 * 10**9
    assert till.ledger.bill(Decimal(100), till.account.overrun).overrun == 3


# -- tries that fail --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [401, 429, None])
def test_what_was_certainly_not_executed_is_charged_nothing_and_has_its_entry(status: int | None) -> None:
    till = Till(tokens=100)
    with pytest.raises(CallFailed):
        asyncio.run(till.task.buy(call(tokens=50), failing(failure(status, sent=False, retryable=False))))
    assert rows(till) == [(1, "error", "measured", "0")]
    assert till.account.tokens_spent == 0, "no token was used"
    assert till.ledger[0].note == str(failure(status, sent=False))


def test_what_may_have_been_executed_is_charged_at_its_reservation() -> None:
    till = Till(tokens=100)
    with pytest.raises(CallFailed):
        asyncio.run(till.task.buy(call(worst=10, tokens=50), failing(failure(None, sent=True, retryable=False))))
    assert rows(till) == [(1, "error", "assumed", "10")]
    assert till.account.tokens_spent == 50


def test_a_time_out_is_charged_at_its_reservation_and_tried_again() -> None:
    till = Till()
    value = asyncio.run(till.task.buy(call(worst=10), failing(failure(None, sent=True, timed_out=True))))
    assert value == "yes"
    assert rows(till) == [(1, "timeout", "assumed", "10"), (2, "ok", "measured", "4")]


def test_waits_are_jittered_by_the_given_numbers_and_nothing_is_held_meanwhile() -> None:
    till = Till(retry=Retry(tries=4, waits=(2.0, 4.0)), seed=5)
    held: list[int] = []
    wait = till.sleep.__call__

    async def sleep(seconds: float) -> None:
        held.append(till.account.held)
        await wait(seconds)

    till.meter.sleep = sleep
    errors = [failure(sent=False) for _ in range(3)]
    assert asyncio.run(till.task.buy(call(), failing(*errors))) == "yes"
    rng = Random(5)
    assert till.sleep.waits == [base * (1 + 0.25 * rng.random()) for base in (2.0, 4.0, 4.0)]
    assert held == [0, 0, 0]
    assert [e.try_ for e in till.ledger] == [1, 2, 3, 4]


def test_the_server_s_own_wait_comes_first() -> None:
    till = Till()
    asyncio.run(till.task.buy(call(), failing(failure(429, sent=False, retry_after=7.0))))
    assert till.sleep.waits == [7.0]
    assert rows(till) == [(1, "error", "measured", "0"), (2, "ok", "measured", "4")]


def test_a_server_that_asks_for_too_long_a_wait_is_not_waited_for() -> None:
    till = Till()
    with pytest.raises(CallFailed, match="429"):
        asyncio.run(till.task.buy(call(), failing(failure(429, sent=False, retry_after=3600.0))))
    assert till.sleep.waits == [] and len(till.ledger) == 1


def test_the_last_failure_is_raised_when_the_tries_are_used_up() -> None:
    till = Till(retry=Retry(tries=3))
    errors = [failure(500 + n, sent=True) for n in range(3)]
    with pytest.raises(CallFailed, match="502"):
        asyncio.run(till.task.buy(call(worst=2), failing(*errors)))
    assert rows(till) == [(n, "error", "assumed", "2") for n in (1, 2, 3)]
    assert len(till.sleep.waits) == 2


def test_a_call_can_bring_its_own_rule_for_retries() -> None:
    till = Till()
    with pytest.raises(CallFailed):
        asyncio.run(till.task.buy(call(), failing(failure(sent=False)), Retry(tries=1)))
    assert till.sleep.waits == []
    assert Retry(waits=()).wait(1, None, Random(0)) == 0


def test_a_retry_that_no_longer_fits_is_refused() -> None:
    till = Till(15)
    with pytest.raises(OverBudget):
        asyncio.run(till.task.buy(call(worst=10), failing(failure(sent=True))))
    assert rows(till) == [(1, "error", "assumed", "10")]


@pytest.mark.parametrize(
    "error", [ZeroDivisionError("x"), UnknownPrice("m"), InvalidInput("a", "b", "c"), SystemExit(3)]
)
def test_an_error_that_nobody_foresaw_is_charged_at_the_reservation_and_raised(error: BaseException) -> None:
    """Also the user's errors: a price may turn out to be unknown when the answer is there."""
    till = Till()

    async def scene() -> None:
        with pytest.raises(type(error)):
            await till.task.buy(call(worst=10), failing(error))

    asyncio.run(scene())
    assert rows(till) == [(1, "error", "assumed", "10")]
    assert type(error).__name__ in till.ledger[0].note


def test_a_missing_package_sends_nothing() -> None:
    till = Till()
    with pytest.raises(MissingExtra):
        asyncio.run(till.task.buy(call(), failing(MissingExtra("pydantic-ai", "models"))))
    assert rows(till) == [(1, "error", "measured", "0")]


@pytest.mark.parametrize(
    "make",
    [
        lambda: None,
        lambda: "text",
        lambda: Receipt("x", amount=Decimal(-1)),
        lambda: Receipt("x", amount=Decimal("NaN")),
    ],
)
def test_a_tool_that_returns_no_receipt_or_a_bill_that_is_none_leaves_nothing_held(make: Callable[[], Receipt]) -> None:
    till = Till()

    async def send() -> Receipt:
        return make()

    with pytest.raises((TypeError, ValueError)):
        asyncio.run(till.task.buy(call(worst=10), send))
    assert rows(till) == [(1, "error", "assumed", "10")]


def test_a_call_that_costs_nothing_is_bought_like_any_other() -> None:
    till = Till(1)
    assert asyncio.run(till.task.buy(call(worst=0), answer("free", 0))) == "free"
    assert rows(till) == [(1, "ok", "measured", "0")]


@pytest.mark.parametrize("worst", ["-1", "NaN", "Infinity"])
def test_a_worst_case_that_is_no_amount_is_refused(worst: str) -> None:
    with pytest.raises(InvalidInput, match="worst case of ask"):
        call(worst=worst)
    with pytest.raises(InvalidInput):
        Call("ask", "model", "p", "m", "h", Decimal(1), tokens=-1)


# -- cancelled --------------------------------------------------------------------------------------------------------


def test_cancelled_in_flight_it_is_charged_at_its_reservation() -> None:
    till = Till()

    async def scene() -> None:
        sent = asyncio.Event()

        async def send() -> Receipt:
            sent.set()
            await asyncio.Event().wait()
            raise AssertionError

        buying = asyncio.create_task(till.task.buy(call(worst=10), send))
        await sent.wait()
        buying.cancel()
        with pytest.raises(asyncio.CancelledError):
            await buying

    asyncio.run(scene())
    assert rows(till) == [(1, "cancelled", "assumed", "10")]


def test_cancelled_while_it_waits_for_money_or_for_its_next_try_it_costs_nothing_more() -> None:
    till = Till(10)

    async def scene() -> None:
        hold = till.account.reserve_now(5 * 10**9)
        waits = asyncio.create_task(till.task.buy(call("one", 10), answer()))
        await asyncio.sleep(0)
        assert [e.kind for e in till.events] == ["waiting"] and till.events[0].data["needed"] == "10"
        waits.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waits
        assert hold is not None
        hold.release()

        asleep = asyncio.Event()

        async def sleep(seconds: float) -> None:
            asleep.set()
            await asyncio.Event().wait()

        till.meter.sleep = sleep
        retries = asyncio.create_task(till.task.buy(call("two", 10), failing(failure(sent=False))))
        await asleep.wait()
        retries.cancel()
        with pytest.raises(asyncio.CancelledError):
            await retries

    asyncio.run(scene())
    assert rows(till) == [(1, "error", "measured", "0")]


def test_waiters_for_money_are_served_in_turn_as_calls_settle() -> None:
    till = Till(10)
    order: list[str] = []

    async def scene() -> None:
        gate = asyncio.Event()

        def sends(name: str) -> Callable[[], Awaitable[Receipt]]:
            async def send() -> Receipt:
                order.append(name)
                await gate.wait()
                return Receipt(name, amount=Decimal(1))

            return send

        buying = [
            asyncio.create_task(till.of(n).buy(call(worst=w), sends(n))) for n, w in (("a", 6), ("b", 6), ("c", 4))
        ]
        for _ in range(5):
            await asyncio.sleep(0)
        assert order == ["a"], "c would fit beside a, and came after b"
        gate.set()
        assert await asyncio.gather(*buying) == ["a", "b", "c"]

    asyncio.run(scene())
    assert order == ["a", "b", "c"] and [e.kind for e in till.events].count("waiting") == 2


# -- one call at a time, each step once -------------------------------------------------------------------------------


def test_a_call_that_buys_another_one_while_it_is_open_is_refused() -> None:
    till = Till()

    async def nested() -> Receipt:
        await till.task.buy(call("inner"), answer())
        raise AssertionError

    async def nested_in_a_task() -> Receipt:
        await asyncio.create_task(till.task.buy(call("inner"), answer()))
        raise AssertionError

    for n, send in enumerate((nested, nested_in_a_task)):
        with pytest.raises(RuntimeError, match="inner: a call may not reserve"):
            asyncio.run(till.task.buy(call(f"outer-{n}", 10), send))
    assert rows(till) == [(1, "error", "assumed", "10")] * 2
    assert asyncio.run(till.task.buy(call("after"), answer())) == "yes", "the door is open again"


def test_calls_side_by_side_are_no_nested_ones() -> None:
    till = Till()

    async def scene() -> list[object]:
        return await asyncio.gather(*(till.task.buy(call(f"s{n}"), answer(n, 1)) for n in range(5)))

    assert asyncio.run(scene()) == [0, 1, 2, 3, 4]
    assert len(rows(till)) == 5


def test_two_requests_under_one_step_are_a_mistake_of_the_agent() -> None:
    till = Till()

    async def scene() -> None:
        first = asyncio.create_task(till.task.buy(call("ask"), answer()))
        with pytest.raises(RuntimeError, match="ask: this attempt has another call of that name"):
            await asyncio.gather(first, till.task.buy(call("ask"), answer()))
        await first
        with pytest.raises(RuntimeError, match="name each step once"):
            await till.task.buy(call("ask", request="another"), answer())
        assert await till.of("t", attempt=2).buy(call("ask", request="another"), answer(2)) == 2

    asyncio.run(scene())
    assert len(rows(till)) == 2


# -- the attempt or the run is over -----------------------------------------------------------------------------------


def test_what_an_attempt_left_on_its_way_is_cancelled_and_settled_when_it_ends() -> None:
    till = Till(20)

    async def scene() -> None:
        async def for_ever() -> Receipt:
            await asyncio.Event().wait()
            raise AssertionError

        flying = asyncio.create_task(till.task.buy(call("one", 10), for_ever))
        waiting = asyncio.create_task(till.task.buy(call("two", 15), answer()))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert till.task.open and till.account.held == 10 * 10**9
        till.task.over = True
        await till.task.cancel_open()
        assert not till.task.open and flying.cancelled() and waiting.cancelled()
        with pytest.raises(asyncio.CancelledError, match="over"):
            await till.task.buy(call("three"), answer())
        assert await till.of("other").buy(call("three"), answer(amount=1)) == "yes"

    asyncio.run(scene())
    assert rows(till) == [(1, "cancelled", "assumed", "10"), (1, "ok", "measured", "1")]


def test_a_call_that_swallows_its_cancellation_does_not_outlive_the_attempt() -> None:
    till = Till()

    async def scene() -> None:
        stubborn = 2

        async def send() -> Receipt:
            nonlocal stubborn
            while stubborn:
                try:
                    await asyncio.Event().wait()
                except asyncio.CancelledError:
                    stubborn -= 1
            return Receipt("late", amount=Decimal(3))

        flying = asyncio.create_task(till.task.buy(call(), send))
        await asyncio.sleep(0)
        ending = asyncio.create_task(till.task.cancel_open())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert not ending.done()
        ending.cancel()
        await ending
        assert await flying == "late"

    asyncio.run(scene())
    assert rows(till) == [(1, "ok", "measured", "3")]


def test_nothing_is_bought_once_the_run_is_stopped() -> None:
    till = Till()
    till.meter.stopped = "interrupted"
    with pytest.raises(asyncio.CancelledError, match="interrupted"):
        asyncio.run(till.task.buy(call(), answer()))
    assert rows(till) == []


# -- limits on tokens, late bills -------------------------------------------------------------------------------------


def test_tokens_count_as_the_provider_counted_them_or_as_reserved() -> None:
    till = Till(tokens=100)
    asyncio.run(till.task.buy(call("a", tokens=50), answer(usage=Usage(input=20, output=5))))
    asyncio.run(till.task.buy(call("b", tokens=30), answer(usage=Usage())))
    assert till.account.tokens_spent == 55
    with pytest.raises(OverBudget, match="46 tokens, 45 left"):
        asyncio.run(till.task.buy(call("c", tokens=46), answer()))


def test_a_late_bill_is_a_correcting_entry_with_the_signed_difference() -> None:
    till = Till(100)
    asyncio.run(till.task.buy(call(worst=10), answer(amount=4)))
    first = till.meter.correct(till.ledger[0], Decimal(7))
    assert (first.n, first.corrects, first.amount, first.step, first.usage) == (2, 1, Decimal(3), "ask", Usage())
    second = till.meter.correct(first, Decimal("6.5"), note="credit note")
    assert (second.corrects, second.amount, second.note) == (1, Decimal("-0.5"), "credit note")
    assert till.ledger.spent == Decimal("6.5")
    assert till.account.spent == till.ledger.nano and till.account.overrun == 3 * 10**9
    assert till.ledger.bill(Decimal(100)).tries == 1


def test_a_late_bill_of_a_task_that_still_runs_counts_under_its_ceiling() -> None:
    till = Till(100)
    task = till.account.child("t", 10 * 10**9)
    hold = task.reserve_now(9 * 10**9)
    assert hold is not None
    entry = till.meter.entry(
        "t", "r", 1, "s", 1, "model", "p", "m", Usage(), 9 * 10**9, "assumed", "timeout", till.meter.now()
    )
    till.ledger.append(entry)
    hold.settle(9 * 10**9)
    till.meter.correct(entry, Decimal(2), account=task)
    assert (task.left, till.account.spent) == (8 * 10**9, 2 * 10**9)


def test_a_meter_says_what_its_task_could_still_reserve_its_own_pot_included() -> None:
    till = Till(100)
    till.account.set_aside("write", 30 * 10**9)
    writer = till.of("write")
    writer.pot = "write"
    assert (till.task.left, writer.left) == (Decimal(70), Decimal(100))


def test_a_price_per_unit_pays_a_search() -> None:
    till = Till()
    price = Price(search=Decimal("0.005"))

    async def send() -> Receipt:
        return Receipt([], Usage(searches=1), price.cost(Usage(searches=1)))

    asyncio.run(till.task.buy(Call("s", "search", "exa", "", "h", Decimal("0.005")), send))
    assert rows(till) == [(1, "ok", "measured", "0.005")]
