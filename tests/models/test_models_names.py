"""Models by name: what is unknown suggests the nearest, what is missing says how to give it, strangers have our door."""

import subprocess
import sys
from importlib.metadata import EntryPoint
from typing import Any

import pytest
from models_desk import KEY, NOW, PRICE

from research_crew.core.errors import InvalidInput, MissingExtra, UnknownPrice
from research_crew.models import names
from research_crew.models.names import Kit, known_vendors, make_model, parse_name
from research_crew.models.prices import LOCAL_CREDITS, given_prices
from research_crew.models.protocol import ChatModel, full_name
from research_crew.models.vendors import VENDORS

KEYED = Kit(keys=dict.fromkeys(VENDORS, KEY), now=NOW)


@pytest.mark.parametrize(
    ("text", "vendor", "name"),
    [("openai:gpt-5.5", "openai", "gpt-5.5"), (" Swarms : gpt-5.4-mini ", "swarms", "gpt-5.4-mini"),
     ("openrouter:openai/gpt-5.5", "openrouter", "openai/gpt-5.5"), ("ollama:qwen3:8b", "ollama", "qwen3:8b"),
     ("gemini:gemini-2.5-flash", "google", "gemini-2.5-flash"), ("recorded:/tmp/a:b.jsonl", "recorded", "/tmp/a:b.jsonl")],
)  # fmt: skip
def test_a_name_has_two_parts(text: str, vendor: str, name: str) -> None:
    assert (parse_name(text).vendor, parse_name(text).name) == (vendor, name)


@pytest.mark.parametrize(
    ("text", "hint"),
    [("openia:gpt-5.5", "did you mean openai:gpt-5.5"), ("gpt-5.5", "write openai:gpt-5.5"), ("anthropik:x", "anthropic:x"),
     ("claude-opus-5", "write anthropic:claude-opus-5"), ("xyz", "VENDOR:MODEL"), ("", "VENDOR:MODEL"),
     ("openai:", "such as openai:gpt-5.5"), ("qqqqq:x", "known vendors are")],
)  # fmt: skip
def test_an_unknown_name_suggests_the_nearest(text: str, hint: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        make_model(text, KEYED)
    assert hint in str(caught.value)


def test_an_unknown_model_suggests_the_nearest_and_the_way_out() -> None:
    with pytest.raises(UnknownPrice, match=r"did you mean openai:gpt-5\.4-mini"):
        make_model("openai:gpt-5.4-mni", KEYED)


@pytest.mark.parametrize("vendor", [v.name for v in VENDORS.values() if v.key_variable])
def test_every_vendor_is_made_by_its_name_and_asks_for_its_key(vendor: str) -> None:
    name = f"{vendor}:{VENDORS[vendor].lead}"
    model = make_model(name, KEYED)
    assert full_name(model) == name
    assert model.window
    assert KEY.reveal() not in repr(model)
    with pytest.raises(InvalidInput, match=VENDORS[vendor].key_variable):
        make_model(name, Kit())


@pytest.mark.parametrize("vendor", [v.name for v in VENDORS.values() if v.local])
def test_local_servers_need_no_key_and_no_price(vendor: str) -> None:
    assert make_model(f"{vendor}:anything", Kit()).price.input == 0
    assert make_model(f"{vendor}:anything", Kit(local=LOCAL_CREDITS)).price.currency == "credits"


def test_any_compatible_endpoint_needs_an_address_and_a_price() -> None:
    with pytest.raises(InvalidInput, match="base URL"):
        make_model("compatible:mine", Kit())
    at = {"compatible": "https://models.example/v1/"}
    with pytest.raises(UnknownPrice, match="--price"):
        make_model("compatible:gpt-5.5", Kit(base_urls=at))
    model = make_model(
        "compatible:mine", Kit(base_urls=at, prices=given_prices(["1/2"]), windows={"compatible:mine": 8_000})
    )
    assert model.price.output == 2
    assert model.window == 8_000
    with pytest.raises(InvalidInput, match="http"):
        make_model("compatible:mine", Kit(base_urls={"compatible": "models.example"}))


class StrangersModel:
    provider, name, window, price = "mine", "own", None, PRICE


def make_strange(vendor: str, name: str, kit: Kit) -> ChatModel:
    model: Any = StrangersModel()
    model.asked = (vendor, name, kit)
    return model  # type: ignore[no-any-return]


def test_a_strangers_back_end_comes_in_by_the_same_door(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("mine", "test_models_names:make_strange", names.GROUP)

    def points(group: str, name: str | None = None) -> tuple[EntryPoint, ...]:
        return (point,) if group == names.GROUP and name in (None, "mine") else ()

    monkeypatch.setattr(names, "entry_points", points)
    assert "mine" in known_vendors()
    model: Any = make_model("mine:own", KEYED)
    assert model.asked == ("mine", "own", KEYED)


def test_ours_are_written_as_entry_points_too() -> None:
    for name, value in names.BUILT_IN.items():
        assert callable(EntryPoint(name, value, names.GROUP).load())


def test_without_the_library_swarms_works_and_the_others_name_the_extra() -> None:
    code = """
import sys, asyncio
for name in ("pydantic_ai", "openai", "anthropic", "google.genai", "httpx2", "genai_prices", "pydantic"):
    sys.modules[name] = None
from research_crew.core.errors import MissingExtra
from research_crew.core.secret import Secret
from research_crew.models.fake_server import FakeServer
from research_crew.models.names import Kit, make_model
from research_crew.models.protocol import ModelRequest
async def main():
    async with FakeServer(lambda asked: "It is red.") as server:
        urls = {name: server.base(name) for name in ("swarms", "openai")}
        kit = Kit(keys={"swarms": Secret("k"), "openai": Secret("k")}, base_urls=urls)
        reply = await make_model("swarms:gpt-5.5", kit).send(ModelRequest("Which?"), timeout=5)
        print(reply.text)
        try:
            await make_model("openai:gpt-5.5", kit).send(ModelRequest("Which?"), timeout=5)
        except MissingExtra as error:
            print(error)
        await kit.wire.aclose()
asyncio.run(main())
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "It is red."
    assert "pip install 'research-crew[models]'" in done.stdout
    assert issubclass(MissingExtra, Exception)


def test_making_a_model_imports_no_model_library() -> None:
    code = (
        "import sys; from research_crew.core.secret import Secret; from research_crew.models.names import *;"
        "import research_crew.models.asking, research_crew.models.recorded, research_crew.models.listing;"
        "make_model('openai:gpt-5.5', Kit(keys={'openai': Secret('k')}));"
        "print([m for m in ('pydantic_ai', 'openai', 'httpx2', 'pydantic', 'aiohttp', 'genai_prices') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
