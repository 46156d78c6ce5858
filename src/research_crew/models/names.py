"""Models by name: `openai:gpt-5.5`, `swarms:gpt-5.4-mini`, `ollama:qwen3`, `recorded:FILE`.

Ours and a stranger's come in by the same door: an entry point of the group `research_crew.models`, named like the
vendor, whose value names a maker, `package.module:make`. Ours are listed here as what they would be in
`pyproject.toml`; nothing is imported before its vendor is asked for.
"""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import EntryPoint, entry_points
from importlib.resources import files
from pathlib import Path
from typing import Protocol

from research_crew.core.errors import InvalidInput
from research_crew.core.money import Price
from research_crew.core.secret import Secret
from research_crew.models.prices import NO_PRICE, Card, card_of
from research_crew.models.protocol import ChatModel
from research_crew.models.vendors import ALIASES, VENDORS, Vendor
from research_crew.models.wire import Wire

GROUP = "research_crew.models"
BUILT_IN: Mapping[str, str] = {
    **dict.fromkeys(VENDORS, "research_crew.models.names:make_library"),
    "swarms": "research_crew.models.names:make_swarms",
    "recorded": "research_crew.models.names:make_recorded",
}


@dataclass(frozen=True, slots=True)
class Kit:
    """What makers make models from. Keys come as arguments: no back end reads the environment."""

    wire: Wire = field(default_factory=Wire)
    keys: Mapping[str, Secret] = field(default_factory=dict)
    """Vendor → its key."""
    base_urls: Mapping[str, str] = field(default_factory=dict)
    """Vendor → address, where it is not the usual one: a proxy, another machine, a fake."""
    prices: Mapping[str, Price] = field(default_factory=dict)
    """See `prices.card_of`, `given`."""
    local: Price = NO_PRICE
    """What local models cost: 0 USD, or `prices.LOCAL_CREDITS` in a run without real prices."""
    windows: Mapping[str, int] = field(default_factory=dict)
    """`vendor:name` → tokens of prompt and answer together; under the empty string, of every other model."""
    repeatable: bool = False
    """Ask servers that reuse a prompt's beginning not to: with it the same request may get another answer."""
    now: datetime = field(default_factory=lambda: datetime.now(UTC))
    """Which day's prices hold."""


class Maker(Protocol):
    """Makes a model. `vendor` and `name` are what stands before and after the colon.

    Raises `InvalidInput`, `UnknownPrice` or `MissingExtra` for what is missing, before anything is sent.
    """

    def __call__(self, vendor: str, name: str, kit: Kit) -> ChatModel:
        """Make it."""
        ...


@dataclass(frozen=True, slots=True)
class ModelName:
    """A name in its two parts."""

    vendor: str
    name: str

    def __str__(self) -> str:
        return f"{self.vendor}:{self.name}"


def known_vendors() -> tuple[str, ...]:
    """All vendors that can be asked for, ours first."""
    strangers = {point.name for point in entry_points(group=GROUP)} - set(BUILT_IN)
    return (*BUILT_IN, *sorted(strangers))


def parse_name(text: str) -> ModelName:
    """The parts of a name. Raises `InvalidInput`, with the nearest vendor, for one that is not known."""
    vendor, colon, name = text.strip().partition(":")
    vendor, name = vendor.strip().lower(), name.strip()
    vendor = ALIASES.get(vendor, vendor)
    # Looking for strangers reads the metadata of every installed package: not for a vendor of ours.
    known = tuple(BUILT_IN) if vendor in BUILT_IN else known_vendors()
    if vendor not in known:
        near = difflib.get_close_matches(vendor, known, 1, 0.6)
        if not colon:
            owner = _owner(text.strip())
            hint = f"write {owner}:{text.strip()}" if owner else "write VENDOR:MODEL, such as openai:gpt-5.5"
        else:
            hint = f"did you mean {near[0]}:{name}?" if near else ""
        raise InvalidInput("model", text, f"{hint + '; ' if hint else ''}known vendors are {', '.join(known)}")
    if not name:
        example = VENDORS[vendor].lead if vendor in VENDORS else ""
        raise InvalidInput("model", text, f"name a model after the colon, such as {vendor}:{example or 'NAME'}")
    return ModelName(vendor, name)


def make_model(text: str, kit: Kit) -> ChatModel:
    """The model of a name. Raises `InvalidInput` (with the nearest known name), `UnknownPrice`, `MissingExtra`."""
    name = parse_name(text)
    if name.vendor in BUILT_IN:
        point = EntryPoint(name.vendor, BUILT_IN[name.vendor], GROUP)
    else:
        point = next(iter(entry_points(group=GROUP, name=name.vendor)))
    make: Maker = point.load()
    return make(name.vendor, name.name, kit)


def _owner(model: str) -> str:
    """The vendor of a model that was named without one."""
    first = {"gpt": "openai", "o1": "openai", "o3": "openai", "o4": "openai", "claude": "anthropic", "gemini": "google"}
    return next((vendor for start, vendor in first.items() if model.lower().startswith(start)), "")


def _key(vendor: Vendor, kit: Kit) -> Secret:
    key = kit.keys.get(vendor.name)
    if not key and vendor.key_variable:
        raise InvalidInput(f"model of {vendor.title}", "", f"it needs a key: set {vendor.key_variable}")
    return key or Secret("")


def _card(vendor: Vendor, name: str, kit: Kit) -> Card:
    return card_of(vendor.name, name, now=kit.now, given=kit.prices, local=kit.local)


def _base(vendor: Vendor, kit: Kit) -> str:
    base = kit.base_urls.get(vendor.name, "")
    if not base and not vendor.base_url:
        raise InvalidInput(f"model of {vendor.title}", "", f"give the base URL of {vendor.name!r}")
    if base and not base.startswith(("http://", "https://")):
        raise InvalidInput(f"base URL of {vendor.name}", base, "it begins with http:// or https://")
    return base.rstrip("/")


def _window(vendor: str, name: str, card: Card, kit: Kit) -> int | None:
    return kit.windows.get(f"{vendor}:{name}", kit.windows.get("", card.window))


def make_library(vendor: str, name: str, kit: Kit) -> ChatModel:
    """See `Maker`: every vendor that the model library speaks with."""
    from research_crew.models.library import LibraryModel

    known = VENDORS[vendor]
    key, base, card = _key(known, kit), _base(known, kit), _card(known, name, kit)
    window = _window(vendor, name, card, kit)
    body = {"cache_prompt": False} if kit.repeatable and vendor == "llamacpp" else {}
    return LibraryModel(known, name, card.price, kit.wire, key, base, window, known_rung=known.rung, body=body)


def make_swarms(vendor: str, name: str, kit: Kit) -> ChatModel:
    """See `Maker`."""
    from research_crew.models.swarms import SwarmsModel

    known = VENDORS[vendor]
    key, base, card = _key(known, kit), _base(known, kit), _card(known, name, kit)
    window = _window(vendor, name, card, kit)
    return SwarmsModel(name, card.price, kit.wire, key, base, window)


def make_recorded(vendor: str, name: str, kit: Kit) -> ChatModel:  # noqa: ARG001
    """See `Maker`; `name` is a path, or `sample` for the recording that comes with the package (docs/small-models.md).
    Played back for nothing, unless a price is given: then billed as if asked anew."""
    from research_crew.models.recorded import RecordedModel

    price = kit.prices.get("")
    path = Path(name).expanduser()
    if name == "sample":
        path = Path(str(files("research_crew") / "samples" / "recorded.jsonl"))
    return RecordedModel(path) if price is None else RecordedModel(path, charged=True, price=price)
