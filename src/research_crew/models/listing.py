"""What each provider offers: its models, with price and window, for `research-crew models` and `doctor`.

Asked at the provider itself over our own connections: the model library is not needed. Nothing here is billed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from research_crew.core.errors import UnknownPrice
from research_crew.core.money import USD, Price
from research_crew.core.secret import Secret
from research_crew.models.prices import card_of
from research_crew.models.vendors import VENDORS, Vendor
from research_crew.models.wire import Wire

_WINDOWS = (
    "context_length", "max_model_len", "max_context_length", "context_window", "max_input_tokens", "inputTokenLimit",
    "loaded_context_length",
)  # fmt: skip
_MILLION = Decimal(1_000_000)
_MOST_PAGES = 20


@dataclass(frozen=True, slots=True)
class Listed:
    """One model that a provider offers."""

    vendor: str
    name: str
    window: int | None
    """Tokens, by the provider's own word, otherwise by the price table."""
    price: Price | None
    """None: no price is known, so it cannot be used without `--price`."""
    source: str = ""
    """Where the price comes from."""

    @property
    def full_name(self) -> str:
        """As it is asked for."""
        return f"{self.vendor}:{self.name}"


async def list_models(
    vendor: str, wire: Wire, *, now: datetime, key: Secret | None = None, base_url: str = "", timeout: float = 20.0
) -> tuple[Listed, ...]:
    """The models of one vendor, by name. Raises `CallFailed` when it cannot be asked."""
    known = VENDORS[vendor]
    base = (base_url or known.base_url).rstrip("/")
    secret = key or Secret("")
    rows: list[Any] = []
    url, headers, turn = _first(known, base, secret)
    for _ in range(_MOST_PAGES):
        data, _ = await wire.ask("GET", url, service=vendor, timeout=timeout, headers=headers, secrets=(secret,))
        rows += _rows(data)
        following = turn(data)
        if not following:
            break
        url = following
    found = {row.name: row for row in (_listed(known, raw, now) for raw in rows) if row is not None}
    return tuple(found[name] for name in sorted(found))


def _first(known: Vendor, base: str, key: Secret) -> tuple[str, dict[str, str], Callable[[Any], str]]:
    """The first page's address, the headers, and how the next page's address is had from a page."""

    def never(_: Any) -> str:
        return ""

    if known.speaks == "swarms":
        return f"{base}/v1/models/available", {"x-api-key": key.reveal()}, never
    if known.speaks == "anthropic":
        url = f"{base}/v1/models?limit=1000"

        def after(data: Any) -> str:
            more = isinstance(data, dict) and data.get("has_more") and isinstance(data.get("last_id"), str)
            return f"{url}&after_id={data['last_id']}" if more else ""

        return url, {"Authorization": f"Bearer {key.reveal()}", "anthropic-version": "2023-06-01"}, after
    if known.speaks == "google":
        start = f"{base}/v1beta/models?pageSize=1000"

        def token(data: Any) -> str:
            more = isinstance(data, dict) and isinstance(data.get("nextPageToken"), str) and data["nextPageToken"]
            return f"{start}&pageToken={data['nextPageToken']}" if more else ""

        return start, {"x-goog-api-key": key.reveal()}, token
    headers = {"Authorization": f"Bearer {key.reveal()}"} if key else {}
    return f"{base}/models", headers, never


def _rows(data: Any) -> list[Any]:
    """The rows of a list, wherever the vendor puts them; a mapping of names is taken by its keys."""
    if isinstance(data, list):
        return data
    if isinstance(data, dict):
        for name in ("data", "models", "available_models"):
            rows = data.get(name)
            if isinstance(rows, list):
                return rows
            if isinstance(rows, dict):
                return [part for value in rows.values() for part in (value if isinstance(value, list) else [value])]
    return []


def _listed(known: Vendor, raw: Any, now: datetime) -> Listed | None:
    row: Mapping[str, Any] = {"id": raw} if isinstance(raw, str) else raw if isinstance(raw, dict) else {}
    methods = row.get("supportedGenerationMethods")
    if isinstance(methods, list) and "generateContent" not in methods:
        return None
    name = next((row[k] for k in ("id", "name", "model_name", "model") if isinstance(row.get(k), str)), "")
    name = name.removeprefix("models/").strip()
    if not name:
        return None
    window = next((row[k] for k in _WINDOWS if isinstance(row.get(k), int) and row[k] > 0), None)
    meta = row.get("meta")
    if window is None and isinstance(meta, dict) and isinstance(meta.get("n_ctx_train"), int):
        window = meta["n_ctx_train"]
    price = _named_price(row.get("pricing"), f"{known.name}:{name}")
    if price is not None:
        return Listed(known.name, name, window, price, "the provider's own list")
    try:
        card = card_of(known.name, name, now=now)
    except UnknownPrice:
        return Listed(known.name, name, window, None)
    return Listed(known.name, name, window or card.window, card.price, card.source)


def _named_price(pricing: Any, name: str) -> Price | None:
    """A price that stands in the list itself, per token (OpenRouter)."""
    if not isinstance(pricing, dict):
        return None

    def rate(key: str) -> Decimal | None:
        try:
            value = Decimal(str(pricing[key]))
        except (KeyError, InvalidOperation):
            return None
        return value * _MILLION if value.is_finite() and value >= 0 else None

    paid, spoken = rate("prompt"), rate("completion")
    if paid is None or spoken is None:
        return None
    return Price(USD, paid, spoken, rate("input_cache_read"), rate("input_cache_write"), name=name)
