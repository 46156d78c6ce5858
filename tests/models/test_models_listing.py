"""What a provider offers, with price and window, in every shape a list comes in."""

import asyncio
from decimal import Decimal
from typing import Any

import pytest
from models_desk import KEY, NAMES, NOW

from research_crew.core.errors import CallFailed
from research_crew.models.fake_server import FakeServer
from research_crew.models.listing import Listed, _listed, _rows, list_models
from research_crew.models.vendors import VENDORS
from research_crew.models.wire import Wire


def listed(vendor: str, *models: str) -> tuple[Listed, ...]:
    async def main() -> tuple[Listed, ...]:
        async with FakeServer(lambda _: "", models=models) as server:
            wire = Wire()
            try:
                base = server.base(VENDORS[vendor].speaks)
                return await list_models(vendor, wire, now=NOW, key=KEY, base_url=base)
            finally:
                await wire.aclose()

    return asyncio.run(main())


@pytest.mark.parametrize("vendor", list(NAMES))
def test_every_vendors_models_are_listed_with_price_and_window(vendor: str) -> None:
    lead = VENDORS[vendor].lead or "qwen"
    found = listed(vendor, "zzz-unknown", lead)
    assert [row.name for row in found] == sorted([lead, "zzz-unknown"])
    row = next(row for row in found if row.name == lead)
    assert row.full_name == f"{vendor}:{lead}"
    assert row.price is not None
    other = next(row for row in found if row.name != lead)
    assert (other.price is None) is not VENDORS[vendor].local
    if not VENDORS[vendor].local:
        assert row.window


def test_the_providers_own_word_on_window_and_price_is_taken() -> None:
    raw = {
        "id": "a/b",
        "context_length": 32_000,
        "pricing": {"prompt": "0.000001", "completion": "0.000004", "image": "x"},
    }
    row = _listed(VENDORS["openrouter"], raw, NOW)
    assert row is not None and row.price is not None
    assert (row.window, row.price.input, row.price.output) == (32_000, Decimal(1), Decimal(4))
    rows: list[dict[str, Any]] = [{"id": "m", "max_model_len": 9}, {"id": "m", "meta": {"n_ctx_train": 9}}]
    for one in rows:
        local = _listed(VENDORS["vllm"], one, NOW)
        assert local is not None
        assert local.window == 9


@pytest.mark.parametrize(
    ("data", "names"),
    [({"data": [{"id": "a"}, {"id": "b"}]}, ["a", "b"]), (["a", "b"], ["a", "b"]), ({"models": ["a"]}, ["a"]),
     ({"success": True, "models": {"openai": ["a", "b"], "x": "c"}}, ["a", "b", "c"]), ({"error": "no"}, []), (None, []),
     ({"models": [{"name": "models/a", "supportedGenerationMethods": ["embedContent"]}, {"name": ""}, 7, None]}, [])],
)  # fmt: skip
def test_lists_of_every_form_and_rows_that_are_none(data: Any, names: list[str]) -> None:
    rows = [_listed(VENDORS["swarms"], raw, NOW) for raw in _rows(data)]
    assert [row.name for row in rows if row is not None] == names


def test_a_provider_that_cannot_be_asked_is_a_failed_call() -> None:
    async def main() -> None:
        async with FakeServer(lambda _: "") as server:
            pass
        wire = Wire()
        try:
            await list_models("ollama", wire, now=NOW, base_url=server.base("openai"))
        finally:
            await wire.aclose()

    with pytest.raises(CallFailed, match="ollama"):
        asyncio.run(main())
