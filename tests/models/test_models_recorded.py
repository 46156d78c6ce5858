"""A recording plays back what was answered, in whatever order it is asked, and makes nothing up."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from models_desk import COLOUR, PRICE, Desk, model_of

from research_crew.core.errors import InvalidInput, UserError
from research_crew.core.money import Usage
from research_crew.evidence.fence import fenced
from research_crew.models.asking import ask_for, read_as
from research_crew.models.fake_server import FakeServer
from research_crew.models.fake_shapes import Asked, Said
from research_crew.models.names import Kit, make_model
from research_crew.models.protocol import ChatModel, Message, ModelReply, ModelRequest
from research_crew.models.recorded import RecordedModel, Recorder, RequestDiffers, ScriptEnded, recorded_hash
from research_crew.models.wire import Wire

TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=30)
REQUESTS = st.builds(
    ModelRequest, TEXT, TEXT, st.lists(st.builds(Message, st.sampled_from(["user", "assistant"]), TEXT), max_size=2).map(tuple),
    st.none() | st.just({"type": "object", "properties": {"a": {"type": "string"}}}), max_tokens=st.integers(1, 9_999),
    temperature=st.none() | st.floats(0, 2), effort=st.sampled_from([None, "off", "low"]), stop=st.lists(TEXT, max_size=2).map(tuple),
)  # fmt: skip
REPLIES = st.builds(
    ModelReply, TEXT, st.builds(Usage, st.integers(0, 99), output=st.integers(0, 99)),
    st.sampled_from(["measured", "missing"]), st.sampled_from(["stop", "length"]), TEXT, TEXT,
    st.none() | st.dictionaries(TEXT, TEXT, max_size=2), TEXT, st.none() | TEXT, st.none() | st.decimals(0, 9, places=6),
    st.lists(TEXT, max_size=2).map(tuple),
)  # fmt: skip


class Scripted:
    provider, name, window, price = "openai", "gpt-5.5", None, PRICE

    def __init__(self, *replies: ModelReply) -> None:
        self.replies = list(replies)

    async def send(self, request: ModelRequest, *, timeout: float, on_text: object = None) -> ModelReply:
        return self.replies.pop(0)


@given(REQUESTS, REPLIES)
def test_requests_and_replies_go_to_json_and_back_unchanged(request: ModelRequest, reply: ModelReply) -> None:
    assert ModelRequest.from_json(json.loads(json.dumps(request.to_json()))) == request
    assert ModelReply.from_json(json.loads(json.dumps(reply.to_json()))) == reply


@settings(deadline=None)
@given(st.lists(st.tuples(REQUESTS, REPLIES), min_size=1, max_size=5), st.randoms())
def test_whatever_the_order_every_request_gets_its_answer(
    pairs: list[tuple[ModelRequest, ModelReply]], random: Any
) -> None:
    import tempfile

    async def main(path: Path) -> None:
        recorder = Recorder(path, {"today": "2026-11-30"})
        recording = recorder.of(Scripted(*(reply for _, reply in pairs)))
        for request, reply in pairs:
            assert await recording.send(request, timeout=1) == reply
        played = RecordedModel(path, charged=True)
        assert played.header == {"today": "2026-11-30"}
        wanted: dict[str, list[ModelReply]] = {}
        for request, reply in pairs:
            wanted.setdefault(recorded_hash(request), []).append(reply)
        again = [request for request, _ in pairs]
        random.shuffle(again)
        for request in again:
            answer, reply = await played.send(request, timeout=1), wanted[recorded_hash(request)].pop(0)
            assert replace(answer, model="") == replace(reply, model="")
        assert played.left == 0

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main(Path(folder) / "r.jsonl"))


def recorded(tmp_path: Path, *replies: str, request: ModelRequest | None = None) -> Path:
    path = tmp_path / "r.jsonl"
    recording = Recorder(path).of(Scripted(*(ModelReply(text, Usage(5, output=2), "measured") for text in replies)))

    async def main() -> None:
        for _ in replies:
            await recording.send(request or ModelRequest("What is it?"), timeout=1)

    asyncio.run(main())
    return path


@pytest.mark.parametrize(
    ("told", "kept"),
    [("/srv/models/small.gguf", "small.gguf"), ("C:\\models\\small.gguf", "small.gguf"), ("meta/llama-3", "meta/llama-3")],
)
def test_a_recording_names_no_path_of_the_machine_it_was_made_on(tmp_path: Path, told: str, kept: str) -> None:
    recording = Recorder(tmp_path / "r.jsonl").of(Scripted(ModelReply("yes", Usage(5, output=2), "measured", model=told)))
    asyncio.run(recording.send(ModelRequest("What is it?"), timeout=1))
    line = (tmp_path / "r.jsonl").read_text(encoding="utf-8").splitlines()[1]
    assert json.loads(line)["reply"]["model"] == kept


def test_asked_once_too_often_the_script_has_ended(tmp_path: Path) -> None:
    model = RecordedModel(recorded(tmp_path, "one", "two"))
    send: Callable[[], Awaitable[ModelReply]] = lambda: model.send(ModelRequest("What is it?"), timeout=1)  # noqa: E731

    async def main() -> list[str]:
        said = [(await send()).text, (await send()).text]
        with pytest.raises(ScriptEnded, match=r"recorded 2 time\(s\) and is asked once more"):
            await send()
        return said

    assert asyncio.run(main()) == ["one", "two"]


def test_another_request_has_no_answer_and_the_nearest_is_named(tmp_path: Path) -> None:
    model = RecordedModel(recorded(tmp_path, "one"))
    with pytest.raises(RequestDiffers, match="nearest that was recorded: 'What is it"):
        asyncio.run(model.send(ModelRequest("What is that?"), timeout=1))
    with pytest.raises(RequestDiffers):
        asyncio.run(model.send(ModelRequest("What is it?", max_tokens=7), timeout=1))
    assert issubclass(RequestDiffers, UserError)
    assert RequestDiffers("a", "b", "c").exit_code == 2


def test_the_marks_of_fenced_pages_may_differ(tmp_path: Path) -> None:
    def page(secret: bytes, text: str = "Tulips are red.") -> ModelRequest:
        return ModelRequest(f"Read this:\n{fenced(secret, 'round-1', text, 'source 3')}\nWhat does it say?")

    model = RecordedModel(recorded(tmp_path, "red", request=page(b"one")))
    assert asyncio.run(model.send(page(b"two"), timeout=1)).text == "red"
    assert recorded_hash(page(b"one")) != recorded_hash(page(b"one", "Tulips are blue."))


def test_played_back_it_costs_nothing_and_the_ledger_says_what_was_reused(tmp_path: Path) -> None:
    path = recorded(tmp_path, "It is red.")

    async def main(model: ChatModel) -> Desk:
        desk = Desk()
        await desk.asker.ask(desk.meter, model, ModelRequest("What is it?"), "write")
        return desk

    (entry,) = asyncio.run(main(make_model(f"recorded:{path}", Kit()))).entries
    assert entry.amount == 0
    assert (entry.basis, entry.reuses) == ("reused", "recorded:r.jsonl")
    assert entry.usage == Usage(5, output=2)
    (billed,) = asyncio.run(main(RecordedModel(path, charged=True, price=PRICE))).entries
    assert (billed.amount, billed.basis) == (PRICE.cost(Usage(5, output=2)), "measured")


def test_a_run_on_real_models_is_recorded_and_played_back_without_them(tmp_path: Path) -> None:
    """Two models on different rungs of the ladder, one repair; the second time there is no server."""
    from test_models_metered import Box

    path = tmp_path / "run.jsonl"

    def script(asked: Asked) -> Said:
        if asked.n == 2:
            return Said("I had rather not.")
        return (
            Said(data={"colour": "red", "n": 3})
            if asked.schema or "JSON object" in asked.prompt
            else Said("It is red.")
        )

    async def work(desk: Desk, lead: ChatModel, worker: ChatModel) -> list[Any]:
        which = ModelRequest("Which?", schema=COLOUR, max_tokens=100)
        return [
            (await ask_for(desk.asker, desk.meter, lead, which, "plan", read_as(Box))).value,
            (
                await ask_for(desk.asker, desk.meter, worker, replace(which, prompt="And?"), "round-1", read_as(Box))
            ).value,
            (await desk.asker.ask(desk.meter, lead, ModelRequest("Write"), "write")).text,
        ]

    async def live() -> tuple[list[Any], Decimal, Decimal]:
        async with FakeServer(script, prices=lambda _: PRICE) as server:
            wire, desk, recorder = Wire(), Desk(), Recorder(path)
            try:
                lead, worker = (recorder.of(model_of(vendor, server, wire)) for vendor in ("openai", "swarms"))
                return await work(desk, lead, worker), desk.ledger.spent, server.billed
            finally:
                await wire.aclose()

    async def played() -> tuple[list[Any], Decimal]:
        model, desk = RecordedModel(path), Desk()
        got = await work(desk, model, model)
        assert model.left == 0
        return got, desk.ledger.spent

    got, spent, billed = asyncio.run(live())
    assert spent == billed > 0
    assert asyncio.run(played()) == (got, Decimal(0))


@pytest.mark.parametrize(
    "text",
    ["", "not json\n", "{}\n", '{"recording": 99, "header": {}}\n', '{"recording": 1, "header": {}}\n{"hash": "x"}\n',
     '{"recording": 1}\n[]\n', '[]\n', '{"recording": 1}\n{"request": {"prompt": "x", "history": 7, "stop": []}, "reply": {}}\n'],
)  # fmt: skip
def test_a_file_that_is_no_recording_is_refused_by_its_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(text)
    with pytest.raises(InvalidInput, match=r"r\.jsonl"):
        RecordedModel(path)
    with pytest.raises(InvalidInput):
        RecordedModel(tmp_path / "missing.jsonl")


def test_a_recording_is_private_and_replaces_an_older_one(tmp_path: Path) -> None:
    path = recorded(tmp_path, "one")
    assert path.stat().st_mode & 0o077 == 0
    assert len(path.read_text().splitlines()) == 2
    Recorder(path)
    assert len(path.read_text().splitlines()) == 1
    with pytest.raises(InvalidInput, match="cannot be written"):
        Recorder(tmp_path)
