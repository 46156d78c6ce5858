"""Asking on a task's account: what is reserved, what is billed, what is repaired, what is refused before it is sent."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import pytest
from models_desk import COLOUR, NOW, PRICE, Desk, model_of, now

from research_crew.core.call import Retry
from research_crew.core.errors import CallFailed, OverBudget
from research_crew.core.events import Event
from research_crew.core.journal import MemoryJournal
from research_crew.core.money import Usage
from research_crew.models.asking import UnusableAnswer, ask_for, ask_whole, joined, read_as
from research_crew.models.fake_faults import Fault, fault
from research_crew.models.fake_server import FakeServer, Script
from research_crew.models.fake_shapes import Asked, Said
from research_crew.models.ladder import Rungs
from research_crew.models.metered import Asker, DoesNotFit, worst_cost
from research_crew.models.protocol import ChatModel, ModelReply, ModelRequest
from research_crew.models.wire import Wire

ASK = ModelRequest("What is the colour of the box?", "You are brief.", max_tokens=200)
JSON = ModelRequest("Which?", schema=COLOUR, max_tokens=200)


@dataclass(frozen=True)
class Box:
    colour: Literal["red", "blue"]
    n: int


def answer(asked: Asked) -> Said:
    return Said(data={"colour": "red", "n": 3}) if asked.schema or "JSON object" in asked.prompt else Said("It is red.")


def nth(*kinds: str | Fault | None) -> Callable[[Asked], Fault | None]:
    """The first request fails so, the second so …; what comes after does not fail."""

    def choose(asked: Asked) -> Fault | None:
        kind = kinds[asked.n - 1] if asked.n <= len(kinds) else None
        return fault(kind) if isinstance(kind, str) else kind

    return choose


def run(
    work: Callable[[Desk, ChatModel], Awaitable[Any]],
    *,
    script: Script = answer,
    failing: Callable[[Asked], Fault | None] = lambda _: None,
    vendor: str = "swarms",
    desk: Desk | None = None,
    window: int | None = None,
    timeout: float = 5.0,
) -> tuple[Any, Desk, FakeServer]:
    own = desk or Desk()
    own.asker.timeout = timeout

    async def main() -> tuple[Any, FakeServer]:
        async with FakeServer(script, faults=failing, prices=lambda _: PRICE) as server:
            wire = Wire(now=lambda: NOW)
            try:
                return await work(own, model_of(vendor, server, wire, window=window)), server
            finally:
                await wire.aclose()

    got, server = asyncio.run(main())
    return got, own, server


async def plain(desk: Desk, model: ChatModel) -> ModelReply:
    return await desk.asker.ask(desk.meter, model, ASK, "write")


async def boxed(desk: Desk, model: ChatModel) -> Any:
    return await ask_for(desk.asker, desk.meter, model, JSON, "plan", read_as(Box))


def test_one_answer_is_one_entry_with_the_vendors_own_figures() -> None:
    reply, desk, server = run(plain)
    assert reply.text == "It is red."
    (entry,) = desk.entries
    assert (entry.step, entry.outcome, entry.basis, entry.request_id) == ("write", "ok", "measured", "req-1")
    assert (entry.usage, entry.amount) == (server.log[0].usage, server.log[0].amount)
    assert (entry.provider, entry.model, entry.kind) == ("swarms", "gpt-5.4-mini", "model")
    assert desk.account.held == 0


def test_what_is_held_is_the_worst_case_and_covers_the_bill() -> None:
    held: list[str] = []
    desk = Desk()
    desk.shared.on_event = lambda event: held.append(str(event.data.get("held", "")))
    _, desk, server = run(plain, desk=desk)
    worst = Decimal(held[0])
    assert server.log[0].amount < worst < Decimal("0.05")
    assert worst == worst_cost(PRICE, desk.asker.bounds.prompt(_named(), ASK), 200)


def _named() -> ChatModel:
    from research_crew.core.secret import Secret
    from research_crew.models.swarms import SwarmsModel

    return SwarmsModel("other", PRICE, Wire(), Secret(""))


def test_a_call_whose_worst_case_is_above_the_limit_is_not_sent() -> None:
    async def main() -> FakeServer:
        async with FakeServer(answer) as server:
            wire, desk = Wire(), Desk("0.001")
            try:
                with pytest.raises(OverBudget):
                    await plain(desk, model_of("swarms", server, wire))
            finally:
                await wire.aclose()
            assert desk.entries == []
            return server

    assert asyncio.run(main()).asked == []


# Rows 12, 14, 15, 17, 19, 24 of the list of inputs that broke other systems --------------------------------------------


def test_an_empty_answer_that_was_billed_and_the_one_after_it_are_both_in_the_ledger() -> None:
    reading, desk, server = run(boxed, failing=nth("empty"))
    assert (reading.value, reading.repaired) == (Box("red", 3), True)
    assert desk.outcomes() == [("plan", "rejected", "measured"), ("plan/repair", "ok", "measured")]
    assert desk.ledger.spent == server.billed > 0


def test_an_empty_report_is_asked_for_once_more() -> None:
    async def work(desk: Desk, model: ChatModel) -> Any:
        return await ask_whole(desk.asker, desk.meter, model, ASK, "write")

    reading, desk, _ = run(work, failing=nth("empty"))
    assert reading.value == "It is red."
    assert desk.outcomes()[0] == ("write", "rejected", "measured")
    with pytest.raises(UnusableAnswer, match="empty"):
        run(work, failing=nth("empty", "empty"))


def test_missing_usage_is_estimated_and_says_so() -> None:
    reply, desk, server = run(plain, failing=nth("no-usage"))
    (entry,) = desk.entries
    assert (entry.basis, entry.outcome, reply.usage_basis) == ("estimated", "ok", "estimated")
    assert "estimated" in entry.note
    assert entry.amount >= server.log[0].amount > 0
    assert desk.ledger.bill(Decimal(1)).by_basis == {"estimated": entry.amount}


def test_a_stream_without_usage_is_estimated_too() -> None:
    desk = Desk()
    desk.asker = Asker(now, on_event=lambda _: None, streams=True)
    _, desk, server = run(plain, failing=nth("no-usage"), vendor="openai", desk=desk)
    assert desk.entries[0].basis == "estimated"
    assert desk.entries[0].amount >= server.log[0].amount > 0


@pytest.mark.parametrize("vendor", ["openai", "anthropic", "google"])
def test_cached_tokens_are_billed_once_at_their_own_rate(vendor: str) -> None:
    async def work(desk: Desk, model: ChatModel) -> Any:
        return await desk.asker.ask(desk.meter, model, replace(ASK, prompt="word " * 500), "write")

    _, desk, server = run(work, failing=nth("cached"), vendor=vendor)
    (entry,) = desk.entries
    assert entry.usage.cached_read > 100
    assert entry.usage == server.log[0].usage
    assert entry.amount == server.log[0].amount == PRICE.cost(entry.usage)


def test_the_cost_of_two_models_is_split_by_model_and_role_and_adds_up() -> None:
    async def main() -> tuple[Desk, FakeServer]:
        async with FakeServer(answer, prices=lambda _: PRICE) as server:
            wire, desk = Wire(), Desk()
            lead, worker = model_of("openai", server, wire), model_of("swarms", server, wire)
            try:
                await desk.asker.ask(desk.of("plan", "planner"), lead, ASK, "plan")
                for number in range(3):
                    meter = desk.of(f"research:{number}")
                    await desk.asker.ask(meter, worker, replace(ASK, prompt=f"{number}?"), "round-1")
            finally:
                await wire.aclose()
            return desk, server

    desk, server = asyncio.run(main())
    bill = desk.ledger.bill(Decimal(10))
    for split in (bill.by_model, bill.by_role, bill.by_provider):
        assert len(split) == 2
        assert sum(split.values()) == bill.spent == server.billed
    assert bill.by_role["researcher"] == bill.by_model["swarms:gpt-5.4-mini"]


def test_a_rate_limit_is_one_wait_and_one_retry_and_both_have_their_entry() -> None:
    reply, desk, server = run(plain, failing=nth(fault("rate-limit", retry_after=1)))
    assert reply.text == "It is red."
    assert desk.waits == [1.0]
    assert [(entry.outcome, entry.try_) for entry in desk.entries] == [("error", 1), ("ok", 2)]
    assert desk.entries[0].amount == 0
    assert desk.ledger.spent == server.billed


# Failures ----------------------------------------------------------------------------------------------------------


def test_after_the_third_failure_the_call_has_failed_and_each_try_has_its_entry() -> None:
    desk = Desk(retry=Retry(3, (2.0, 4.0)))
    with pytest.raises(CallFailed) as caught:
        run(plain, failing=nth("error", "error", "error"), desk=desk)
    assert caught.value.status == 500
    assert [entry.outcome for entry in desk.entries] == ["error"] * 3
    assert [round(wait) // 2 for wait in desk.waits] == [1, 2]
    assert desk.ledger.spent == 0


def test_a_wrong_key_is_tried_once() -> None:
    desk = Desk()
    with pytest.raises(CallFailed):
        run(plain, failing=lambda _: fault("bad-key"), desk=desk)
    assert len(desk.entries) == 1


@pytest.mark.parametrize("kind", ["hang", "hang-after", "drop", "cut-body", "gateway", "not-json"])
def test_a_try_whose_bill_cannot_be_known_is_charged_at_its_reservation(kind: str) -> None:
    reply, desk, server = run(plain, failing=nth(kind), timeout=0.25 if "hang" in kind else 5.0)
    lost, done = desk.entries
    assert (lost.basis, done.basis) == ("assumed", "measured")
    assert lost.outcome == ("timeout" if kind in ("hang", "hang-after", "gateway") else "error")
    assert lost.amount >= server.log[0].amount
    assert reply.text == "It is red."
    desk.shared.correct(lost, server.log[0].amount)
    assert desk.ledger.spent == server.billed


def test_a_gateway_that_gave_up_at_its_limit_is_no_retry_and_says_what_to_do() -> None:
    from research_crew.models.swarms import SwarmsModel

    async def work(desk: Desk, model: ChatModel) -> Any:
        assert isinstance(model, SwarmsModel)
        ticks = iter((0.0, 30.2))
        model.clock = lambda: next(ticks)
        return await plain(desk, model)

    desk = Desk()
    with pytest.raises(CallFailed, match=r"gave up after 30 s; use a faster model or a lower max_tokens \(200 now\)"):
        run(work, failing=nth("unavailable"), desk=desk)
    (entry,) = desk.entries
    assert (entry.basis, entry.outcome) == ("assumed", "timeout")


def test_a_busy_gateway_that_answers_at_once_is_tried_again() -> None:
    reply, desk, _ = run(plain, failing=nth("unavailable"))
    assert reply.text == "It is red."
    assert desk.entries[0].amount == 0


# Repair and reading ------------------------------------------------------------------------------------------------


def test_a_wrong_answer_is_repaired_once_and_the_request_says_what_was_wrong() -> None:
    reading, desk, server = run(boxed, failing=nth("wrong-schema"))
    assert (reading.value, reading.repaired) == (Box("red", 3), True)
    assert "repaired" in reading.notes[0]
    second = server.asked[1]
    assert "'n'" in second.prompt
    assert [role for role, _ in second.turns] == ["user", "assistant", "user"]
    assert desk.ledger.spent == server.billed
    assert desk.entries[0].outcome == "rejected"
    assert "'n'" in desk.entries[0].note


def test_two_unusable_answers_are_an_error_of_their_own_with_both_paid() -> None:
    desk = Desk()
    with pytest.raises(UnusableAnswer, match="plan"):
        run(boxed, failing=nth("wrong-schema", "wrong-schema"), desk=desk)
    assert desk.outcomes() == [("plan", "rejected", "measured"), ("plan/repair", "rejected", "measured")]


def test_a_repair_that_cannot_be_paid_is_not_sent() -> None:
    def long(asked: Asked) -> Said:
        return Said("no json, but many words " * 30)

    limit = worst_cost(PRICE, 400, 200) + Decimal("0.002")
    desk = Desk(str(limit))
    with pytest.raises(UnusableAnswer, match="repair was not bought"):
        run(boxed, script=long, desk=desk)
    assert len(desk.entries) == 1
    assert desk.ledger.spent <= limit


def test_json_cut_at_the_limit_is_asked_for_again_as_shorter() -> None:
    def script(asked: Asked) -> Said:
        if asked.n == 1:
            return Said('{"colour": "re', finish="length")
        return answer(asked)

    reading, _, server = run(boxed, script=script, vendor="openai")
    assert reading.value == Box("red", 3)
    assert "cut off at the limit" in server.asked[1].prompt
    assert len(server.asked) == 2


def test_a_cut_answer_that_is_whole_enough_is_taken_without_a_repair() -> None:
    def script(asked: Asked) -> Said:
        return Said('{"colour": "red", "n": 3, "more": "and', finish="length")

    reading, _, server = run(boxed, script=script, vendor="openai")
    assert (reading.value, reading.cut, reading.repaired) == (Box("red", 3), True, False)
    assert len(server.asked) == 1


def test_a_report_cut_at_its_limit_is_continued_and_joined() -> None:
    whole = "The box is red. It holds three balls, and all of them are blue."

    def script(asked: Asked) -> Said:
        return Said(whole[:33], finish="length") if asked.n == 1 else Said("three balls, and all of them are blue.")

    async def work(desk: Desk, model: ChatModel) -> Any:
        return await ask_whole(desk.asker, desk.meter, model, ASK, "write")

    reading, desk, server = run(work, script=script, vendor="openai")
    assert (reading.value, reading.cut) == (whole, False)
    assert [entry.step for entry in desk.entries] == ["write", "write/continued-1"]
    assert "where you stopped" in server.asked[1].prompt


def test_a_report_that_stays_cut_is_marked_and_never_passed_off_as_whole() -> None:
    async def work(desk: Desk, model: ChatModel) -> Any:
        return await ask_whole(desk.asker, desk.meter, model, ASK, "write")

    reading, _, _ = run(work, script=lambda _: Said("and then", finish="length"), vendor="openai")
    assert reading.cut


@pytest.mark.parametrize(
    ("head", "tail", "text"),
    [("The quick brown fox jumps", "brown fox jumps over", "The quick brown fox jumps over"), ("inter", "national", "international"),
     ("The end.", "Next", "The end. Next"), ("one, ", "two", "one, two"), ("a", "", "a")],
)  # fmt: skip
def test_a_text_and_its_continuation(head: str, tail: str, text: str) -> None:
    assert joined(head, tail) == text


# The window --------------------------------------------------------------------------------------------------------


def test_a_prompt_that_does_not_fit_the_window_is_not_sent() -> None:
    async def work(desk: Desk, model: ChatModel) -> Any:
        long = replace(ASK, prompt="word " * 2_000)
        assert desk.asker.room(model, long) < 0 < desk.asker.room(model, ASK)
        with pytest.raises(DoesNotFit) as caught:
            await desk.asker.ask(desk.meter, model, long, "write")
        return caught.value

    error, desk, server = run(work, window=4_096)
    assert (error.output, error.window, error.model) == (200, 4_096, "swarms:gpt-5.4-mini")
    assert error.prompt > 4_096 - 200
    assert server.asked == []
    assert desk.entries == []


def test_what_the_server_calls_too_long_is_the_same_error() -> None:
    async def work(desk: Desk, model: ChatModel) -> Any:
        with pytest.raises(DoesNotFit):
            await plain(desk, model)

    _, desk, _ = run(work, failing=nth("context"), vendor="openai")
    assert [entry.outcome for entry in desk.entries] == ["error"]
    assert desk.ledger.spent == 0


def test_room_is_what_can_still_be_added() -> None:
    async def work(desk: Desk, model: ChatModel) -> Any:
        room = desk.asker.room(model, ASK, 1_000)
        longer = replace(ASK, prompt=ASK.prompt + "x" * (2 * room - 4))
        return desk.asker.room(model, longer, 1_000), desk.asker.room(
            model, replace(longer, prompt=longer.prompt * 2), 1_000
        )

    (fits, does_not), _, _ = run(work)
    assert 0 <= fits < 10
    assert does_not < 0


# The ladder --------------------------------------------------------------------------------------------------------


def rungs_asked(server: FakeServer) -> list[str]:
    def of(asked: Asked) -> str:
        return (
            "tool"
            if asked.by_tool
            else "native"
            if asked.schema
            else "text"
            if "JSON object" in asked.prompt
            else "plain"
        )

    return [of(asked) for asked in server.asked]


def probed(asked: Asked, good: str) -> Said:
    """A model that gives JSON on one rung only."""
    here = (
        "tool" if asked.by_tool else "native" if asked.schema else "text" if "JSON object" in asked.prompt else "plain"
    )
    if here != good:
        return Said("The box is red and there are 3 balls; or so I think.")
    if "box_colour" in json.dumps(dict(asked.schema or {})) or "box_colour" in asked.prompt:
        return Said(data={"box_colour": "red", "ball_count": 3})
    return Said(data={"colour": "red", "n": 3})


@pytest.mark.parametrize(
    ("good", "asked"),
    [
        ("native", ["native", "native"]),
        ("tool", ["native", "tool", "tool"]),
        ("text", ["native", "tool", "text", "text"]),
    ],
)
def test_an_unknown_model_is_probed_down_the_ladder_and_remembered(good: str, asked: list[str], tmp_path: Path) -> None:
    path = tmp_path / "kept" / "rungs.json"
    desk = Desk()
    desk.asker.rungs = Rungs(path)
    reading, desk, server = run(boxed, script=lambda a: probed(a, good), vendor="ollama", desk=desk)
    assert reading.value == Box("red", 3)
    assert rungs_asked(server) == asked
    assert desk.entries[-1].step == "plan"
    assert desk.ledger.spent == server.billed
    again = Desk()
    again.asker.rungs = Rungs(path)

    async def elsewhere(desk: Desk, model: ChatModel) -> Any:
        model.base_url = ""  # type: ignore[attr-defined]
        assert desk.asker.rungs.of(model) is None  # another server may serve another model under this name
        return desk.asker.rungs._known

    kept, _, _ = run(elsewhere, vendor="ollama", desk=again)
    assert list(kept.values()) == [good]


def test_a_model_that_never_gives_json_is_asked_in_plain_text() -> None:
    async def work(desk: Desk, model: ChatModel) -> Any:
        return await desk.asker.ask(desk.meter, model, JSON, "plan")

    _, _, server = run(work, script=lambda _: "1. What is it?", vendor="ollama")
    assert rungs_asked(server) == ["native", "tool", "text", "plain"]


def test_side_by_side_an_unknown_model_is_probed_once() -> None:
    async def work(desk: Desk, model: ChatModel) -> Any:
        meters = [desk.of(f"research:{n}") for n in range(4)]
        return await asyncio.gather(*(ask_for(desk.asker, m, model, JSON, "round-1", read_as(Box)) for m in meters))

    _, desk, server = run(work, script=lambda a: probed(a, "native"), vendor="ollama")
    assert len(server.asked) == 5
    assert sum("probe" in entry.step for entry in desk.entries) == 1


def test_a_refused_form_steps_down_and_is_remembered() -> None:
    async def work(desk: Desk, model: ChatModel) -> Any:
        first = await boxed(desk, model)
        return first, await ask_for(desk.asker, desk.meter, model, replace(JSON, prompt="And?"), "second", read_as(Box))

    (first, second), desk, server = run(work, failing=nth("no-schema"), vendor="openai")
    assert first.value == second.value == Box("red", 3)
    assert rungs_asked(server) == ["native", "tool", "tool"]
    assert desk.outcomes()[:2] == [("plan", "error", "measured"), ("plan/again-1", "ok", "measured")]
    assert desk.ledger.spent == server.billed


def test_a_wrong_name_is_no_answer_to_the_probe() -> None:
    with pytest.raises(CallFailed, match="404"):
        run(boxed, failing=lambda _: fault("unknown-model"), vendor="ollama")


def test_a_memory_that_cannot_be_read_is_as_good_as_none(tmp_path: Path) -> None:
    path = tmp_path / "rungs.json"
    for text in ("", "[]", '{"version": 99, "rungs": {"a": "tool"}}', '{"version": 1, "rungs": {"a": "nonsense"}}'):
        path.write_text(text)
        assert Rungs(path).of(_named()) == "text"
        rungs = Rungs(path)
        rungs.learn(_named(), "plain")
        assert Rungs(path).of(_named()) == "plain"
        assert path.stat().st_mode & 0o077 == 0


# Resuming, watching ------------------------------------------------------------------------------------------------


def test_a_resumed_run_gets_the_same_answers_and_sends_nothing() -> None:
    """With the repair, and though the model's rung is known better now."""
    journal = MemoryJournal()
    first, before, _ = run(boxed, failing=nth("no-schema", "wrong-schema"), vendor="openai", desk=Desk(journal=journal))
    again = Desk(journal=journal)
    again.asker.rungs = before.asker.rungs
    second, after, server = run(boxed, vendor="openai", desk=again)
    assert second == first
    assert server.asked == []
    assert after.entries == []


def test_a_resumed_run_knows_the_bound_that_the_first_had_learned() -> None:
    async def work(desk: Desk, model: ChatModel) -> Any:
        for number in range(3):
            await desk.asker.ask(desk.meter, model, replace(ASK, prompt="word " * 100 + str(number)), f"step-{number}")
        return desk.asker.bounds.prompt(model, replace(ASK, prompt="word " * 100))

    journal = MemoryJournal()
    one, _, _ = run(work, desk=Desk(journal=journal))
    two, _, server = run(work, desk=Desk(journal=journal))
    assert one == two
    assert server.asked == []


def test_who_watches_sees_text_as_it_comes_and_signs_of_life_while_nothing_does() -> None:
    events: list[Event] = []
    desk = Desk()
    desk.asker = Asker(now, on_event=events.append, streams=True, beat=0.02)
    run(plain, failing=nth(fault("slow", pause=0.03)), vendor="openai", desk=desk)
    texts = [str(event.data["text"]) for event in events if event.kind == "text"]
    assert len(texts) > 3
    assert "".join(texts) == "It is red."
    waits = [event for event in events if event.kind == "waiting"]
    assert waits
    assert {(event.task, event.role, event.data["step"]) for event in events} == {("research:0", "researcher", "write")}


def test_a_reply_that_names_its_cost_is_charged_at_it() -> None:
    async def main() -> Desk:
        async with FakeServer(answer, prices=lambda _: PRICE) as server:
            server.extra_usage = {"cost": 0.00123}
            wire, desk = Wire(), Desk()
            try:
                await plain(desk, model_of("openrouter", server, wire))
            finally:
                await wire.aclose()
            return desk

    (entry,) = asyncio.run(main()).entries
    assert (entry.amount, entry.basis) == (Decimal("0.00123"), "measured")


def test_a_strangers_model_that_counts_nothing_is_estimated() -> None:
    class Stranger:
        provider, name, window, price = "mine", "own", None, PRICE

        async def send(self, request: ModelRequest, *, timeout: float, on_text: object = None) -> ModelReply:
            return ModelReply("It is red.", Usage(), "measured")

    async def main() -> Desk:
        desk = Desk()
        reply = await desk.asker.ask(desk.meter, Stranger(), ASK, "write")
        assert reply.usage.tokens > 0
        return desk

    (entry,) = asyncio.run(main()).entries
    assert entry.basis == "estimated"
    assert entry.amount > 0


def test_what_no_store_takes_does_not_reach_the_journal() -> None:
    class Stranger:
        provider, name, window, price = "mine", "own", None, PRICE

        async def send(self, request: ModelRequest, *, timeout: float, on_text: object = None) -> ModelReply:
            return ModelReply("a\0b\ud83d", Usage(1, output=1), "measured", data={"k\0": ["\udc00é"]})

    async def main() -> ModelReply:
        desk = Desk()
        return await desk.asker.ask(desk.meter, Stranger(), ASK, "write")

    reply = asyncio.run(main())
    assert (reply.text, reply.data) == ("ab?", {"k": ["?é"]})
    json.dumps(reply.to_json(), ensure_ascii=False).encode()
