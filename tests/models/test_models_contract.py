"""Every back end keeps the same contract, against a provider that really speaks HTTP and fails in every way."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from email.utils import format_datetime

import pytest
from models_desk import COLOUR, KEY, NAMES, NOW, PRICE, model_of

from research_crew.core.errors import CallFailed
from research_crew.core.money import Usage
from research_crew.models.answer import answer_json, answer_text
from research_crew.models.fake_faults import KINDS, Fault, fault
from research_crew.models.fake_server import FakeServer, Script
from research_crew.models.fake_shapes import Asked, Said
from research_crew.models.protocol import ChatModel, Message, ModelReply, ModelRequest
from research_crew.models.vendors import VENDORS
from research_crew.models.wire import Wire

VENDOR_NAMES = tuple(NAMES)
STREAMING = tuple(v for v in VENDOR_NAMES if v != "swarms")
ASK = ModelRequest("What is the colour of the box?", "You are brief.", max_tokens=200)


def answer(asked: Asked) -> Said:
    if asked.schema or "JSON object" in asked.prompt:
        return Said(data={"colour": "red", "n": 3})
    return Said("The box is red.")


def sent(
    vendor: str,
    request: ModelRequest = ASK,
    *,
    script: Script = answer,
    failing: Callable[[Asked], Fault | None] = lambda _: None,
    streamed: bool = False,
    timeout: float = 5.0,
) -> tuple[ModelReply, FakeServer, list[str]]:
    pieces: list[str] = []

    async def main() -> tuple[ModelReply, FakeServer]:
        async with FakeServer(script, faults=failing, prices=lambda _: PRICE) as server:
            wire = Wire(now=lambda: NOW)
            try:
                model = model_of(vendor, server, wire)
                on_text = pieces.append if streamed else None
                return await model.send(request, timeout=timeout, on_text=on_text), server
            finally:
                await wire.aclose()

    reply, server = asyncio.run(main())
    return reply, server, pieces


def failed(vendor: str, kind: str, *, streamed: bool = False, timeout: float = 5.0, **changes: object) -> CallFailed:
    with pytest.raises(CallFailed) as caught:
        sent(vendor, failing=lambda _: fault(kind, **changes), streamed=streamed, timeout=timeout)
    return caught.value


@pytest.mark.parametrize("vendor", VENDOR_NAMES)
def test_a_question_is_asked_as_given_and_answered_with_its_usage(vendor: str) -> None:
    history = (Message("user", "Hello"), Message("assistant", "Good morning"))
    request = ModelRequest("And now?", "You are brief.", history, max_tokens=77, temperature=0.25)
    reply, server, _ = sent(vendor, request)
    asked = server.asked[0]
    assert (asked.system, asked.prompt, asked.max_tokens, asked.temperature) == ("You are brief.", "And now?", 77, 0.25)
    assert [text for _, text in asked.turns] == ["Hello", "Good morning", "And now?"]
    assert (asked.model, len(server.asked)) == (NAMES[vendor], 1)
    assert (reply.text, reply.finish, reply.usage_basis) == ("The box is red.", "stop", "measured")
    assert reply.usage == server.log[0].usage
    assert (reply.provider, reply.request_id) == (vendor, "req-1")
    assert ModelReply.from_json(reply.to_json()) == reply


@pytest.mark.parametrize("vendor", VENDOR_NAMES)
def test_the_key_goes_where_the_vendor_wants_it_and_nowhere_else(vendor: str) -> None:
    _, server, _ = sent(vendor)
    assert server.asked[0].key.removeprefix("Bearer ") == KEY.reveal()
    assert KEY.reveal() not in str(server.asked[0].body)


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("rung", ["native", "tool"])
@pytest.mark.parametrize("vendor", STREAMING)
def test_json_comes_back_on_the_upper_rungs(vendor: str, rung: str, streamed: bool) -> None:
    request = ModelRequest("Which?", schema=COLOUR, rung=rung, max_tokens=100)  # type: ignore[arg-type]
    reply, server, _ = sent(vendor, request, streamed=streamed)
    assert answer_json(reply, COLOUR["properties"]).value == {"colour": "red", "n": 3}
    assert server.asked[0].by_tool is (rung == "tool")
    assert set(server.asked[0].schema["properties"]) == {"colour", "n"}  # type: ignore[index]


@pytest.mark.parametrize("vendor", VENDOR_NAMES)
def test_json_is_asked_for_in_words_on_the_rung_of_text(vendor: str) -> None:
    reply, server, _ = sent(vendor, ModelRequest("Which?", schema=COLOUR, rung="text", max_tokens=100))
    assert answer_json(reply, COLOUR["properties"]).value == {"colour": "red", "n": 3}
    assert server.asked[0].schema is None
    assert '"colour"' in server.asked[0].prompt
    assert server.asked[0].prompt.startswith("Which?")


@pytest.mark.parametrize("vendor", STREAMING)
def test_a_stream_brings_the_same_text_in_pieces_and_the_same_usage(vendor: str) -> None:
    whole, _, _ = sent(vendor)
    reply, server, pieces = sent(vendor, streamed=True)
    assert server.asked[0].stream
    assert len(pieces) > 3
    assert "".join(pieces) == reply.text == whole.text
    assert (reply.usage, reply.usage_basis, reply.finish) == (whole.usage, "measured", "stop")


def test_where_nothing_is_streamed_the_text_comes_in_one_piece() -> None:
    reply, _, pieces = sent("swarms", streamed=True)
    assert pieces == [reply.text]


@pytest.mark.parametrize("vendor", VENDOR_NAMES)
def test_a_rate_limit_is_charged_nothing_and_says_how_long_to_wait(vendor: str) -> None:
    failure = failed(vendor, "rate-limit", retry_after=7)
    assert (failure.status, failure.sent, failure.retryable, failure.retry_after) == (429, False, True, 7.0)
    assert vendor in str(failure)


@pytest.mark.parametrize("vendor", VENDOR_NAMES)
@pytest.mark.parametrize(
    ("kind", "status", "executed", "again"),
    [
        ("quota", 429, False, False),
        ("error", 500, False, True),
        ("unavailable", 503, False, True),
        ("overloaded", 529, False, True),
        ("gateway", 504, True, True),
        ("bad-request", 400, False, False),
        ("bad-key", 401, False, False),
        ("no-credit", 402, False, False),
        ("forbidden", 403, False, False),
        ("unknown-model", 404, False, False),
        ("too-large", 413, False, False),
        ("context", 400, False, False),
    ],
)
def test_an_error_status_says_whether_it_was_executed_and_is_worth_another_try(
    vendor: str, kind: str, status: int, executed: bool, again: bool
) -> None:
    failure = failed(vendor, kind)
    assert (failure.status, failure.sent, failure.retryable) == (status, executed, again)


@pytest.mark.parametrize("vendor", STREAMING)
@pytest.mark.parametrize("kind", ["rate-limit", "error", "bad-key"])
def test_an_error_before_a_stream_is_the_same_error(vendor: str, kind: str) -> None:
    whole, streamed = failed(vendor, kind), failed(vendor, kind, streamed=True)
    assert (whole.status, whole.sent, whole.retryable) == (streamed.status, streamed.sent, streamed.retryable)


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("vendor", STREAMING)
@pytest.mark.parametrize("kind", ["hang", "hang-after"])
def test_no_answer_in_time_may_have_been_executed(vendor: str, kind: str, streamed: bool) -> None:
    failure = failed(vendor, kind, timeout=0.25, streamed=streamed)
    assert (failure.status, failure.sent, failure.retryable, failure.timed_out) == (None, True, True, True)
    assert "0.25 s" in str(failure)


@pytest.mark.parametrize("kind", ["hang", "hang-after"])
def test_no_answer_in_time_from_swarms(kind: str) -> None:
    failure = failed("swarms", kind, timeout=0.25)
    assert (failure.sent, failure.timed_out) == (True, True)


@pytest.mark.parametrize("vendor", VENDOR_NAMES)
@pytest.mark.parametrize("kind", ["drop", "cut-body", "not-json"])
def test_a_broken_or_unreadable_answer_was_executed_and_its_bill_is_not_known(vendor: str, kind: str) -> None:
    failure = failed(vendor, kind)
    assert (failure.sent, failure.retryable, failure.timed_out) == (True, True, False)


@pytest.mark.parametrize("vendor", STREAMING)
@pytest.mark.parametrize("kind", ["drop", "cut-body", "stream-error", "stream-end"])
def test_a_stream_that_breaks_off_is_no_answer(vendor: str, kind: str) -> None:
    failure = failed(vendor, kind, streamed=True)
    assert (failure.sent, failure.retryable) == (True, True)


@pytest.mark.parametrize("vendor", VENDOR_NAMES)
def test_a_refused_connection_was_not_executed(vendor: str) -> None:
    async def main() -> None:
        async with FakeServer(answer) as server:
            pass
        wire = Wire()
        try:
            await model_of(vendor, server, wire).send(ASK, timeout=5)
        finally:
            await wire.aclose()

    with pytest.raises(CallFailed) as caught:
        asyncio.run(main())
    assert (caught.value.sent, caught.value.retryable) == (False, True)


@pytest.mark.parametrize("vendor", VENDOR_NAMES)
def test_usage_left_out_is_missing_and_not_zero(vendor: str) -> None:
    reply, _, _ = sent(vendor, failing=lambda _: fault("no-usage"))
    assert (reply.text, reply.usage_basis) == ("The box is red.", "missing")


@pytest.mark.parametrize("vendor", STREAMING)
def test_a_stream_without_usage_is_missing_too(vendor: str) -> None:
    reply, _, _ = sent(vendor, failing=lambda _: fault("no-usage"), streamed=True)
    assert (reply.text, reply.usage_basis) == ("The box is red.", "missing")


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("vendor", STREAMING)
def test_cached_tokens_are_counted_once_whatever_the_vendor_counts_them_under(vendor: str, streamed: bool) -> None:
    """Anthropic counts them beside the input, the others within it."""
    request = ModelRequest("word " * 400, max_tokens=50)
    reply, server, _ = sent(vendor, request, failing=lambda _: fault("cached"), streamed=streamed)
    assert reply.usage.cached_read > 100
    assert reply.usage == server.log[0].usage
    assert PRICE.cost(reply.usage) == server.log[0].amount


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("vendor", STREAMING)
def test_reasoning_is_kept_apart_from_what_is_said(vendor: str, streamed: bool) -> None:
    def script(asked: Asked) -> Said:
        return Said("The box is red.", reasoning="A box, hm, and it is said to be red.")

    reply, server, pieces = sent(vendor, script=script, streamed=streamed)
    assert reply.text == "The box is red."
    assert "hm" in reply.reasoning
    assert not any("hm" in piece for piece in pieces)
    assert reply.usage.output + reply.usage.reasoning == server.log[0].usage.output + server.log[0].usage.reasoning
    if vendor != "anthropic":  # which does not count it apart
        assert reply.usage.reasoning == server.log[0].usage.reasoning > 0


@pytest.mark.parametrize("vendor", VENDOR_NAMES)
def test_an_answer_at_its_limit_says_so(vendor: str) -> None:
    reply, server, _ = sent(vendor, ModelRequest("Go on", max_tokens=10), script=lambda _: "word " * 100)
    assert reply.finish == "length"
    assert reply.usage.output == server.log[0].usage.output == 10


@pytest.mark.parametrize("vendor", VENDOR_NAMES)
def test_an_empty_answer_is_empty_and_has_its_bill(vendor: str) -> None:
    reply, _, _ = sent(vendor, failing=lambda _: fault("empty"))
    assert reply.empty
    assert reply.usage.input > 0


@pytest.mark.parametrize("vendor", STREAMING)
def test_a_filtered_answer_says_so(vendor: str) -> None:
    reply, _, _ = sent(vendor, failing=lambda _: fault("filtered"))
    assert (reply.finish, reply.empty) == ("content_filter", True)


@pytest.mark.parametrize("vendor", VENDOR_NAMES)
@pytest.mark.parametrize("kind", ["reasoning", "fenced"])
def test_wrapping_is_taken_off_by_the_reader(vendor: str, kind: str) -> None:
    request = ModelRequest("Which?", schema=COLOUR, rung="text", max_tokens=200)
    reply, _, _ = sent(vendor, request, failing=lambda _: fault(kind))
    assert answer_json(reply, COLOUR["properties"]).value == {"colour": "red", "n": 3}
    assert "<think>" not in answer_text(reply)


@pytest.mark.parametrize("vendor", VENDOR_NAMES)
def test_an_answer_beyond_all_measure_is_not_taken_in(vendor: str) -> None:
    async def main() -> None:
        faults = lambda _: fault("huge", size=600_000)  # noqa: E731
        async with FakeServer(answer, faults=faults) as server:
            wire = Wire(cap=100_000)
            try:
                await model_of(vendor, server, wire).send(ModelRequest("Go", max_tokens=10**6), timeout=5)
            finally:
                await wire.aclose()

    with pytest.raises(CallFailed, match="more than 100000 bytes") as caught:
        asyncio.run(main())
    assert (caught.value.sent, caught.value.retryable) == (True, False)


@pytest.mark.parametrize("vendor", STREAMING)
def test_a_stream_that_repeats_itself_is_stopped(vendor: str) -> None:
    request = ModelRequest("Go on", max_tokens=60_000)
    reply, server, pieces = sent(vendor, request, failing=lambda _: fault("loop", pause=0.0), streamed=True)
    assert reply.finish == "repetition"
    assert reply.usage_basis == "missing"
    assert "and so" in reply.notes[0]
    assert len("".join(pieces)) < 0.7 * server.log[0].usage.output * 4
    assert len(answer_text(reply)) < 100


@pytest.mark.parametrize("vendor", VENDOR_NAMES)
@pytest.mark.parametrize("kind", KINDS)
def test_whatever_goes_wrong_it_is_an_answer_or_a_failed_call_and_no_key_is_shown(vendor: str, kind: str) -> None:
    message = f"wrong key {KEY.reveal()} or Bearer {KEY.reveal()}"
    changes: dict[str, object] = {"message": message} if kind not in ("context", "no-schema", "quota") else {}
    try:
        reply, _, _ = sent(vendor, failing=lambda _: fault(kind, **changes), timeout=0.5)
    except CallFailed as failure:
        text = f"{failure} {failure!r} {failure.detail} {failure.__cause__ and failure.detail}"
        assert KEY.reveal() not in text
        assert len(failure.detail) <= 500
    else:
        assert ModelReply.from_json(reply.to_json()) == reply


@pytest.mark.parametrize("vendor", VENDOR_NAMES)
def test_a_moment_is_a_wait_as_good_as_seconds(vendor: str) -> None:
    when = format_datetime(NOW + timedelta(seconds=9), usegmt=True)
    assert failed(vendor, "rate-limit", retry_after=when).retry_after == 9.0


@pytest.mark.parametrize("vendor", VENDOR_NAMES)
def test_models_work_in_one_loop_after_another(vendor: str) -> None:
    """A program that runs a crew, and another one, with the same objects."""
    wire = Wire()
    made: dict[str, ChatModel] = {}

    async def main() -> str:
        async with FakeServer(answer) as server:
            server_base = server.base(VENDORS[vendor].speaks)
            model = made.setdefault("model", model_of(vendor, server, wire))
            model.base_url = server_base  # type: ignore[attr-defined]
            if hasattr(model, "_model"):
                model._model = None
            try:
                return (await model.send(ASK, timeout=5)).text
            finally:
                await wire.aclose()

    assert [asyncio.run(main()), asyncio.run(main())] == ["The box is red."] * 2


def test_a_cost_in_the_reply_is_taken_over() -> None:
    """Vendors that name the price of a call: OpenRouter in `usage.cost`."""

    async def main() -> ModelReply:
        async with FakeServer(answer) as server:
            wire = Wire()
            try:
                model = model_of("openrouter", server, wire)
                server.extra_usage = {"cost": 0.00123}
                return await model.send(ASK, timeout=5)
            finally:
                await wire.aclose()

    assert asyncio.run(main()).cost == Decimal("0.00123")


def test_a_server_that_counts_cached_tokens_apart_from_the_prompt() -> None:
    """9 tokens of input, 17,102 read from a cache, 8 of output: 17,119 in all, each at its own rate."""
    from pydantic_ai.usage import RequestUsage

    from research_crew.models.library_reply import _usage

    apart = RequestUsage(input_tokens=9, cache_read_tokens=17_102, output_tokens=8)
    within = RequestUsage(input_tokens=17_111, cache_read_tokens=17_102, output_tokens=8)
    for used in (apart, within):
        usage, basis = _usage(used)
        assert (usage, basis, usage.tokens) == (Usage(9, 17_102, 0, 8), "measured", 17_119)
        assert PRICE.cost(usage) == Decimal("0.000045") + Decimal("0.008551") + Decimal("0.00024")


def test_usage_is_read_as_the_library_reads_it() -> None:
    """Where it stands in an answer is known to the library by a table; ours is held against it, field by field."""
    from pydantic_ai.usage import RequestUsage

    from research_crew.models.library_reply import _counted, _usage

    raw = {
        "prompt_tokens": 1000, "completion_tokens": 300, "total_tokens": 1300,
        "prompt_tokens_details": {"cached_tokens": 400, "cache_write_tokens": 100},
        "completion_tokens_details": {"reasoning_tokens": 120},
    }  # fmt: skip
    theirs = RequestUsage.extract(
        {"model": "gpt-4o", "usage": raw}, provider="openai", provider_url="", provider_fallback="openai",
        api_flavor="chat", details={"reasoning_tokens": 120},
    )  # fmt: skip
    assert _usage(_counted(raw)) == _usage(theirs) == (Usage(500, 400, 100, 180, 120), "measured")
    hostile: list[object] = [[], "many", {"prompt_tokens": "7"}, {"prompt_tokens": -3, "completion_tokens": None}]
    for broken in hostile:
        assert _usage(_counted(broken)) == (Usage(), "missing")


def test_models_that_reason_by_default_get_no_temperature() -> None:
    """They refuse it, and the library would warn."""

    async def main() -> tuple[float | None, float | None]:
        async with FakeServer(answer) as server:
            wire = Wire()
            try:
                from research_crew.models.library import LibraryModel

                thinking = LibraryModel(VENDORS["openai"], "gpt-5.5", PRICE, wire, KEY, server.base("openai"))
                await thinking.send(ASK, timeout=5)
                await thinking.send(ModelRequest("Go", effort="off"), timeout=5)
                return server.asked[0].temperature, server.asked[1].temperature
            finally:
                await wire.aclose()

    assert asyncio.run(main()) == (None, 0.0)


def test_effort_is_sent_and_has_its_room() -> None:
    async def main() -> list[Asked]:
        async with FakeServer(answer) as server:
            wire = Wire()
            try:
                from research_crew.models.library import LibraryModel

                for vendor, name in (("openai", "gpt-5.5"), ("anthropic", "claude-haiku-4-5"), ("swarms", "")):
                    request = ModelRequest("Go", effort="low", max_tokens=100)
                    if vendor == "swarms":
                        await model_of("swarms", server, wire).send(request, timeout=5)
                        continue
                    base = server.base(VENDORS[vendor].speaks)
                    await LibraryModel(VENDORS[vendor], name, PRICE, wire, KEY, base).send(request, timeout=5)
                return server.asked
            finally:
                await wire.aclose()

    openai, claude, swarms = asyncio.run(main())
    assert openai.body is not None and claude.body is not None and swarms.body is not None
    assert (openai.body["reasoning_effort"], openai.max_tokens) == ("low", 100 + 2_048)
    assert claude.body["thinking"]["budget_tokens"] < claude.max_tokens
    assert swarms.body["agent_config"]["llm_args"] == {"reasoning_effort": "low"}
