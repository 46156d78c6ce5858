"""Reservations, the queue, nesting, money set aside."""

import asyncio
import functools
from collections.abc import Callable, Coroutine
from decimal import Decimal
from typing import Any

import pytest
from core_doubles import Asked

from research_crew.core.account import Account
from research_crew.core.budget import Budget
from research_crew.core.errors import OverBudget

Scene = Callable[[], Coroutine[Any, Any, None]]


def on_a_loop(scene: Scene) -> Callable[[], None]:
    """A scene whose reservations are driven by hand; the loop is there because futures belong to one."""

    @functools.wraps(scene)
    def test() -> None:
        asyncio.run(scene())

    return test


def account(limit: int = 10, *, calls: int | None = None, tokens: int | None = None) -> Account:
    made = Account("run", limit)
    made.calls_limit, made.tokens_limit = calls, tokens
    return made


def test_what_fits_is_held_at_once_and_settled_for_what_it_cost() -> None:
    run = account(10)
    hold = run.reserve_now(6)
    assert hold is not None and (run.held, run.spent, run.left) == (6, 0, 4)
    assert hold.settle(2) == 0
    assert (run.held, run.spent, run.left) == (0, 2, 8)
    with pytest.raises(RuntimeError, match="once"):
        hold.release()
    with pytest.raises(RuntimeError, match="once"):
        hold.settle(1)


def test_what_never_fits_is_refused_at_once_with_what_was_needed_and_left() -> None:
    run = Account.for_run(Budget(10))
    hold = run.reserve_now(4 * 10**9)
    with pytest.raises(OverBudget) as refused:
        run.reserve_now(11 * 10**9)
    assert (refused.value.needed, refused.value.left) == (Decimal(11), Decimal(10)), "what is held may come back"
    assert hold is not None
    hold.settle(4 * 10**9)
    with pytest.raises(OverBudget) as refused:
        run.reserve_now(7 * 10**9)
    assert (refused.value.needed, refused.value.left, refused.value.unit) == (Decimal(7), Decimal(6), "credits")


@pytest.mark.parametrize("amount", [-1, -(10**9)])
def test_nobody_can_reserve_or_set_aside_less_than_nothing(amount: int) -> None:
    run = account()
    for what in (
        lambda: run.reserve_now(amount),
        lambda: run.reserve_now(1, amount),
        lambda: run.set_aside("p", amount),
    ):
        with pytest.raises(ValueError, match="cannot be"):
            what()
    assert (run.held, run.aside) == (0, 0)


@on_a_loop
async def test_a_waiter_gets_its_turn_when_a_call_settles_for_less() -> None:
    run = account(10)
    first, second = Asked(run, 7), Asked(run, 5)
    assert first.hold is not None and second.pending
    first.hold.settle(3)
    assert second.answered and run.held == 5
    second.go_on()
    assert second.hold is not None and (run.spent, run.held) == (3, 5)


@on_a_loop
async def test_a_waiter_is_refused_when_a_call_settles_for_too_much() -> None:
    run = account(10)
    first, second = Asked(run, 7), Asked(run, 5)
    assert first.hold is not None
    first.hold.settle(6)
    second.go_on()
    assert second.refusal is not None and run.held == 0


@on_a_loop
async def test_first_come_first_served_even_when_a_later_one_would_fit() -> None:
    run = account(10)
    first = Asked(run, 7)
    large, small = Asked(run, 8), Asked(run, 2)
    assert large.pending and small.pending, "2 would fit now, and waits behind the one that came before"
    assert run.reserve_now(1) is None
    assert first.hold is not None
    first.hold.settle(2)
    assert large.answered and small.pending, "2 + 8 leaves nothing"
    large.go_on()
    assert large.hold is not None
    large.hold.settle(1)
    assert small.answered


@on_a_loop
async def test_what_is_hopeless_is_refused_wherever_it_stands_in_the_queue() -> None:
    run = account(20)
    first, second = Asked(run, 8), Asked(run, 8)
    head, behind = Asked(run, 6), Asked(run, 16)
    assert head.pending and behind.pending
    assert first.hold is not None and second.hold is not None
    first.hold.settle(7)
    assert head.pending, "20 - 7 - 8 leaves 5"
    assert behind.answered and isinstance(behind.peek(), OverBudget), "13 is the most it could ever get"


@on_a_loop
async def test_a_waiter_kept_back_by_its_own_ceiling_holds_up_its_own_task_only() -> None:
    run = account(100)
    narrow, other = run.child("narrow", 10), run.child("other", 10)
    first = Asked(narrow, 8)
    waits = Asked(narrow, 5)
    assert waits.pending
    assert Asked(other, 5).hold is not None, "another task does not wait behind it"
    assert Asked(run, 50).hold is not None
    assert Asked(narrow, 1).pending, "its own task does: 8 + 1 would fit, but 5 came before"
    assert first.hold is not None
    first.hold.settle(2)
    assert waits.answered


@on_a_loop
async def test_a_newcomer_behind_somebody_elses_ceiling_is_served_without_any_settlement() -> None:
    run = account(100)
    narrow, other = run.child("narrow", 10), run.child("other")
    held, waits = Asked(narrow, 8), Asked(narrow, 5)
    assert held.hold is not None and waits.pending
    assert other.reserve_now(3) is None, "somebody waits: it has to queue"
    newcomer = Asked(other, 3)
    assert not newcomer.pending


@on_a_loop
async def test_the_outermost_account_refuses_first_and_a_parent_pays_for_its_children() -> None:
    run = Account.for_run(Budget(5))
    wide = run.child("wide", 100 * 10**9)
    deep = wide.child("deep", 50 * 10**9)
    refused = Asked(deep, 60 * 10**9).refusal
    assert refused is not None and refused.left == 5
    hold = deep.reserve_now(2 * 10**9)
    assert hold is not None
    hold.settle(3 * 10**9)
    assert run.spent == wide.spent == deep.spent == 3 * 10**9
    assert run.overrun == 10**9
    assert deep.left == 2 * 10**9


# -- cancelled while waiting, and in the tick of the answer -----------------------------------------------------------


@on_a_loop
async def test_a_cancelled_waiter_leaves_the_queue_and_lets_those_behind_go_on() -> None:
    run = account(10)
    first, large, small = Asked(run, 5), Asked(run, 9), Asked(run, 3)
    large.cancel()
    assert large.cancelled and small.answered
    small.go_on()
    assert first.hold is not None and small.hold is not None and run.held == 8
    first.hold.release()
    small.hold.release()
    assert (run.held, len(run.queue)) == (0, 0)


@on_a_loop
async def test_a_waiter_cancelled_in_the_tick_in_which_it_was_granted_gives_the_money_back() -> None:
    run = account(10)
    first, second, third = Asked(run, 9), Asked(run, 9), Asked(run, 9)
    assert first.hold is not None
    first.hold.settle(0)
    assert second.answered and run.held == 9
    second.cancel()
    assert second.cancelled
    third.go_on()
    assert third.hold is not None and run.held == 9


@on_a_loop
async def test_a_waiter_cancelled_in_the_tick_in_which_it_was_refused_is_cancelled() -> None:
    run = account(10)
    first, second = Asked(run, 9), Asked(run, 9)
    assert first.hold is not None
    first.hold.settle(9)
    assert second.answered
    second.cancel()
    assert second.cancelled and (run.held, len(run.queue)) == (0, 0)


@on_a_loop
async def test_a_waiter_whose_future_is_cancelled_before_a_settlement_is_passed_over() -> None:
    """`Task.cancel` cancels the future at once; the owner hears of it a tick later, and a settlement may lie between."""
    run = account(10)
    first, second, third = Asked(run, 9), Asked(run, 8), Asked(run, 7)
    assert first.hold is not None and second._future is not None
    second._future.cancel()
    first.hold.settle(1)
    second.cancel()
    assert second.cancelled
    third.go_on()
    assert third.hold is not None and (run.spent, run.held, len(run.queue)) == (1, 7, 0)


@on_a_loop
async def test_a_wait_that_nobody_finishes_leaves_the_queue_when_it_is_closed() -> None:
    run = account(10)
    first, dropped, last = Asked(run, 9), Asked(run, 9), Asked(run, 1)
    assert first.hold is not None and last.pending
    del dropped  # the garbage collector closes the coroutine
    assert last.answered and len(run.queue) == 0


def test_tasks_that_wait_are_cancelled_by_asyncio_itself_in_any_tick() -> None:
    """The same with real tasks: settle and cancel in one tick, in both orders."""

    async def scene(cancel_first: bool) -> None:
        run = account(10)
        hold = run.reserve_now(9)
        assert hold is not None
        waiter = asyncio.create_task(run.reserve(9))
        await asyncio.sleep(0)
        assert len(run.queue) == 1
        if cancel_first:
            waiter.cancel()
        hold.settle(1)
        if not cancel_first:
            waiter.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiter
        assert (run.spent, run.held, len(run.queue)) == (1, 0, 0)

    asyncio.run(scene(True))
    asyncio.run(scene(False))


# -- overruns and late bills ------------------------------------------------------------------------------------------


@on_a_loop
async def test_a_bill_above_the_reservation_is_charged_shown_and_stops_what_no_longer_fits() -> None:
    run = account(10)
    first, second = Asked(run, 4), Asked(run, 7)
    assert first.hold is not None
    assert first.hold.settle(9) == 5
    assert (run.spent, run.overrun, run.left) == (9, 5, 1)
    assert isinstance(second.peek(), OverBudget)
    second.go_on()
    assert Asked(run, 1).hold is not None
    assert Asked(run, 2).refusal is not None


@on_a_loop
async def test_an_overrun_past_the_limit_leaves_nothing_to_buy() -> None:
    run = account(10)
    hold = run.reserve_now(10)
    assert hold is not None
    hold.settle(14)
    assert (run.spent, run.overrun, run.left) == (14, 4, 0)
    refused = Asked(run, 1).refusal
    assert refused is not None and refused.left == 0


@on_a_loop
async def test_a_late_bill_for_less_lets_a_waiter_go_on_and_one_for_more_refuses_it() -> None:
    run = account(10)
    hold = run.reserve_now(6)
    assert hold is not None
    hold.settle(6)
    other = run.reserve_now(2)
    waits = Asked(run, 4)
    assert waits.pending
    run.correct(-2)
    assert waits.answered
    waits.go_on()
    assert waits.hold is not None and other is not None
    waits.hold.release()
    late = Asked(run, 6)
    assert late.pending
    run.correct(3)
    assert isinstance(late.peek(), OverBudget) and (run.spent, run.overrun) == (7, 3)
    late.go_on()


# -- money set aside --------------------------------------------------------------------------------------------------


@on_a_loop
async def test_money_set_aside_is_for_whoever_names_it() -> None:
    run = account(10)
    run.set_aside("write", 6)
    assert (run.left, run.left_with("write"), run.left_with("unknown")) == (4, 10, 4)
    assert Asked(run, 5).refusal is not None, "nothing in flight would give it more than 4"
    writer = Asked(run, 8, pot="write")
    assert writer.hold is not None and (run.aside, run.held, run.left) == (0, 8, 2)
    writer.hold.settle(3)
    assert (run.aside, run.spent, run.left) == (3, 3, 4), "the pot pays first, its change goes back into it"
    with pytest.raises(OverBudget):
        run.set_aside("more", 5)
    run.close_pot("write")
    assert (run.aside, run.left) == (0, 7)
    run.close_pot("write")


@on_a_loop
async def test_money_of_a_pot_that_is_on_its_way_comes_back_to_the_pot_and_to_nobody_else() -> None:
    run = account(10)
    run.set_aside("write", 6)
    writer = run.reserve_now(6, pot="write")
    other = run.reserve_now(2)
    assert Asked(run, 5).refusal is not None, "refused at once: of the 6 nothing comes back to it"
    waits, again = Asked(run, 4), Asked(run, 5, pot="write")
    assert waits.pending and again.pending
    assert writer is not None and other is not None
    other.release()
    assert waits.answered and again.pending
    writer.settle(1)
    assert again.answered and run.aside == 0


@on_a_loop
async def test_change_that_comes_after_a_pot_was_closed_is_free_money() -> None:
    run = account(10)
    run.set_aside("write", 6)
    hold = run.reserve_now(6, pot="write")
    run.close_pot("write")
    run.set_aside("write", 3)
    waits = Asked(run, 7)
    assert waits.pending, "the 6 that are on their way are free now when they come back"
    assert hold is not None
    hold.settle(0)
    assert waits.answered and (run.aside, run.spent, run.left) == (3, 0, 0)


@on_a_loop
async def test_a_pot_that_shrinks_or_closes_lets_waiters_go_on_and_a_new_one_refuses_the_hopeless() -> None:
    run = account(10)
    run.set_aside("write", 4)
    hold = run.reserve_now(5)
    waits = Asked(run, 2)
    assert waits.pending
    run.shrink_pot("write", 3)
    run.shrink_pot("write", 8)
    assert waits.answered and run.aside == 3
    waits.go_on()
    hopeless = Asked(run, 7)
    assert hopeless.pending
    run.close_pot("write")
    assert hopeless.pending and hold is not None and waits.hold is not None
    waits.hold.release()
    run.set_aside("again", 5)
    assert isinstance(hopeless.peek(), OverBudget), "10 - 5 set aside is less than 7, whatever comes back"
    hopeless.go_on()


@on_a_loop
async def test_a_ceiling_binds_whoever_names_a_pot_as_well() -> None:
    run = account(20)
    run.set_aside("write", 10)
    task = run.child("write", 6)
    assert task.left_with("write") == 6
    assert Asked(task, 7, pot="write").refusal is not None
    first, second = Asked(task, 5, pot="write"), Asked(task, 5, pot="write")
    assert first.hold is not None and second.pending and run.aside == 5


# -- calls and tokens -------------------------------------------------------------------------------------------------


@on_a_loop
async def test_limits_on_calls_and_tokens_wait_and_refuse_like_money() -> None:
    run = account(1000, calls=2, tokens=100)
    first = Asked(run, 1, tokens=80)
    second = Asked(run, 1, tokens=50)
    assert first.hold is not None and second.pending
    first.hold.settle(1, tokens=30)
    second.go_on()
    assert second.hold is not None
    third = Asked(run, 1)
    assert third.pending, "the second might still turn out not to have been sent"
    second.hold.settle(1)
    third.go_on()
    assert third.refusal is not None and third.refusal.unit == "calls" and third.refusal.left == 0
    assert (run.calls_spent, run.tokens_spent, run.calls_held, run.tokens_held) == (2, 80, 0, 0)


@on_a_loop
async def test_a_call_that_was_never_sent_gives_its_place_back() -> None:
    run = account(1000, calls=1, tokens=10)
    hold = run.reserve_now(1, 10)
    waits = Asked(run, 1, tokens=10)
    assert hold is not None and waits.pending
    hold.release()
    assert waits.answered
    refused = Asked(run, 1, tokens=11).refusal
    assert refused is not None and refused.unit == "tokens"


@on_a_loop
async def test_calls_out_of_a_wallet_count_in_the_run_and_one_wallet_is_one_call_until_it_is_used() -> None:
    run = account(100, calls=2, tokens=50)
    attempt = run.reserve_now(10)
    assert attempt is not None and run.calls_held == 1
    wallet = attempt.wallet("t")
    one = wallet.reserve_now(4, 20)
    assert one is not None and run.calls_held == 1, "the call stands in the place of the attempt"
    two = wallet.reserve_now(4, 20)
    assert two is not None and run.calls_held == 2
    with pytest.raises(OverBudget, match="calls"):
        wallet.reserve_now(1)
    with pytest.raises(OverBudget, match="calls"):
        wallet.reserve_now(1, 20)
    waits = Asked(run, 1)
    assert waits.pending
    one.settle(3)
    two.release()
    assert waits.answered, "the run hears of a call that its wallet gave back"
    attempt.settle(wallet.spent)
    assert (run.spent, run.calls_spent, run.tokens_spent, run.held) == (3, 1, 20, 1)


@on_a_loop
async def test_a_wallet_holds_no_more_than_its_hold() -> None:
    run = Account.for_run(Budget(100))
    attempt = run.reserve_now(3 * 10**9)
    assert attempt is not None
    wallet = attempt.wallet("t")
    refused = Asked(wallet, 4 * 10**9).refusal
    assert refused is not None and refused.left == 3
    first, second = Asked(wallet, 2 * 10**9), Asked(wallet, 2 * 10**9)
    assert first.hold is not None and second.pending
    first.hold.settle(10**9)
    assert second.answered
