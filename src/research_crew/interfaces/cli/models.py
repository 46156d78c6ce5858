"""`research-crew models [VENDOR …]`: what each provider offers, with price and window, and whose key was found."""

import argparse
import asyncio
import json
from collections.abc import Iterable
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from research_crew.core.errors import CallFailed, InvalidInput, UnknownPrice
from research_crew.core.money import Price, show
from research_crew.core.runner import utc_now
from research_crew.hiring import addresses
from research_crew.settings import Loaded, load

if TYPE_CHECKING:
    from research_crew.models.listing import Listed
    from research_crew.models.vendors import Vendor


def options(parser: argparse.ArgumentParser) -> None:
    """Which vendors, and where their prices come from."""
    parser.add_argument("vendors", nargs="*", metavar="VENDOR", help="all models of these; without any, each vendor's pair")
    parser.add_argument("--base-urls", metavar="VENDOR=URL,...", help="addresses of vendors: a local server, a proxy")
    parser.add_argument("--price", metavar="IN/OUT", help="price per million tokens of models that no table knows")
    parser.add_argument("--offline", action="store_true", help="ask no provider: what the tables know")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")


def command(arguments: argparse.Namespace) -> int:
    """Print the models. Asking a provider for its list is free; it is asked when it is named and its key was found."""
    from research_crew.models.vendors import ALIASES, VENDORS

    loaded = load({"base_urls": arguments.base_urls, "price": arguments.price})
    wanted = [ALIASES.get(name.lower(), name.lower()) for name in arguments.vendors]
    for name in wanted:
        if name not in VENDORS:
            raise InvalidInput("vendor", name, f"known are {', '.join(VENDORS)}")
    blocks = asyncio.run(_blocks(wanted, arguments.offline, loaded))
    if arguments.json:
        print(json.dumps({"schema": "research-crew/models/1", "vendors": blocks}, ensure_ascii=False, indent=2))
    else:
        print("\n".join(_text(blocks, bool(wanted))))
    return 0


async def _blocks(wanted: list[str], offline: bool, loaded: Loaded) -> list[dict[str, Any]]:
    from research_crew.models.vendors import VENDORS
    from research_crew.models.wire import Wire

    wire = Wire()
    try:
        vendors = [VENDORS[name] for name in wanted or VENDORS]
        return list(await asyncio.gather(*(_block(v, v.name in wanted and not offline, loaded, wire) for v in vendors)))
    finally:
        await wire.aclose()


async def _block(vendor: "Vendor", ask: bool, loaded: Loaded, wire: Any) -> dict[str, Any]:
    """One vendor: its key, and its models from its own list or from the tables."""
    from research_crew.models.listing import list_models

    key = loaded.keys.get(vendor.name)
    base = addresses(loaded.settings.base_urls).get(vendor.name, "")
    found = "not needed" if not vendor.key_variable else "found" if key else "missing"
    block: dict[str, Any] = {
        "vendor": vendor.name, "title": vendor.title, "key": found, "variable": vendor.key_variable,
        "base_url": base or vendor.base_url, "error": "", "asked": False, "models": [],
    }  # fmt: skip
    if ask and found != "missing" and block["base_url"]:
        try:
            listed = await list_models(vendor.name, wire, now=utc_now(), key=key, base_url=base)
            block["asked"], block["models"] = True, [_row(vendor, row) for row in listed]
            return block
        except CallFailed as failure:
            block["error"] = str(failure)
    block["models"] = [_row(vendor, row) for row in _known(vendor, loaded)]
    return block


def _known(vendor: "Vendor", loaded: Loaded) -> Iterable["Listed"]:
    """What the price tables know of a vendor."""
    from research_crew.models.listing import Listed
    from research_crew.models.prices import card_of, given_prices, known_models

    given = given_prices(part.strip() for part in (loaded.settings.price or "").split(",") if part.strip())
    for name in known_models(vendor.name):
        try:
            card = card_of(vendor.name, name, now=utc_now(), given=given)
        except UnknownPrice:
            continue
        yield Listed(vendor.name, name, card.window, card.price, card.source)


def _row(vendor: "Vendor", row: "Listed") -> dict[str, Any]:
    default = "lead" if row.name == vendor.lead else "worker" if row.name == vendor.worker else ""
    rates = {name: _rate(row.price, name) for name in ("input", "output", "cached_read", "cached_write")}
    return {"name": row.full_name, **rates, "window": row.window, "source": row.source, "default": default}


def _rate(price: Price | None, name: str) -> str | None:
    """USD per million tokens, the vendor's factor included."""
    rate: Decimal | None = None if price is None else getattr(price, name)
    return None if price is None or rate is None else show((rate * price.factor).normalize())


def _text(blocks: list[dict[str, Any]], whole: bool) -> list[str]:
    lines = ["price: USD per million tokens, in / out (read from a cache); window: tokens of prompt and answer together", ""]
    for block in blocks:
        key = {"found": f"* key found ({block['variable']})", "missing": f"no key: set {block['variable']}"}
        says = key.get(block["key"], f"no key needed, at {block['base_url'] or 'the address given with --base-urls'}")
        lines.append(f"{block['vendor']:<11} {block['title']}: {says}")
        if block["error"]:
            lines.append(f"    it could not be asked for its list ({block['error']}); the tables know:")
        rows = block["models"] if whole else [row for row in block["models"] if row["default"]]
        width = max((len(row["name"]) for row in rows), default=0)
        lines += [f"    {_line(row, width)}" for row in sorted(rows, key=lambda row: row["default"] != "lead")]
        more = len(block["models"]) - len(rows)
        if more or not rows:
            counted = f"{more} more are in the price table: " if more else ""
            lines.append(f"    {counted}research-crew models {block['vendor']}")
    found = [block["variable"] for block in blocks if block["key"] == "found"]
    names = ", ".join(block["variable"] for block in blocks if block["variable"])
    if not whole:
        lines += ["", f"keys found: {', '.join(found)}" if found else f"no key was found; one of {names} chooses the models"]
    return lines


def _line(row: dict[str, Any], width: int) -> str:
    cached = f" ({row['cached_read']})" if row["cached_read"] is not None else ""
    price = f"{row['input']} / {row['output']}{cached}" if row["input"] is not None else "no price known: give --price"
    window = f"{row['window']:,}" if row["window"] else "window not known"
    default = f"  default {row['default']}" if row["default"] else ""
    return f"{row['name']:<{width}}  {price:<25}  {window}{default}"
