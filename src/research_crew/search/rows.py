"""From the rows of an engine's answer to results: cleaned, without repetition, everything left out counted."""

import html
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any
from urllib.parse import urlsplit

from research_crew.core.errors import InvalidInput
from research_crew.evidence.canonical import canonical_url
from research_crew.search.protocol import Hits, Query, Result
from research_crew.search.request import EngineTrouble

_TAG = re.compile(r"</?[a-zA-Z!][^<>]{0,400}>")
Row = Mapping[str, Any]
_OPTIONS = ("domains", "time range", "language")


def to_hits(
    engine: str,
    rows: object,
    read: Callable[[Row], Result],
    query: Query,
    *,
    honours: Iterable[str] = (),
    notes: tuple[str, ...] = (),
    cost: Decimal | None = None,
) -> Hits:
    """The hits in `rows`, which should be a list of objects.

    `read` makes a result of a row and may leave the URL empty; `honours` names which of `domains`, `time range` and
    `language` the engine applied itself. Domains are applied here where it did not; for the rest a note says so.
    Raises `EngineTrouble` when there is no list at all.
    """
    if isinstance(rows, Mapping):
        raise EngineTrouble("unreadable", f"an object where a list of results should be: {str(dict(rows))[:200]}")
    if not isinstance(rows, list):
        raise EngineTrouble("unreadable", "no list of results in the answer")
    honoured, kept, skipped = set(honours), dict[str, Result](), dict[str, int]()
    for row in rows:
        result = read(row) if isinstance(row, Mapping) else None
        reason = _unusable(result, query, "domains" in honoured) if result is not None else "not an object"
        key = "" if reason or result is None else canonical_url(result.url or "")
        if not reason and key in kept:
            reason = "duplicate"
        if not reason and len(kept) >= query.limit:
            reason = "over the limit"
        if reason or result is None:
            skipped[reason] = skipped.get(reason, 0) + 1
        else:
            kept[key] = result
    wanted = {
        "domains": query.include_domains or query.exclude_domains,
        "time range": query.since or query.until,
        "language": query.language,
    }
    missing = [name for name in _OPTIONS if wanted[name] and name not in honoured]
    applied = {"domains": "; applied to its results"}
    said = [f"{engine} has no {name} filter{applied.get(name, '')}" for name in missing]
    return Hits(tuple(kept.values()), "ok" if kept else "empty", cost, "", skipped, None, (*notes, *said))


def _unusable(result: Result, query: Query, honoured: bool) -> str:
    try:
        host = urlsplit(result.url or "").hostname or ""
        canonical_url(result.url or "")
    except (ValueError, InvalidInput):
        return "no usable url" if result.url else "no url"
    if honoured:
        return ""
    if query.include_domains and not any(_under(host, domain) for domain in query.include_domains):
        return "other domain"
    return "excluded domain" if any(_under(host, domain) for domain in query.exclude_domains) else ""


def _under(host: str, domain: str) -> bool:
    domain = domain.lower().removeprefix("www.").strip("./")
    return host == domain or host.endswith("." + domain)


def plain(value: object) -> str:
    """Words of a title or a snippet: no tags, no entities, one blank between words; empty for what is not text."""
    if isinstance(value, (list, tuple)):
        value = " … ".join(part for v in value if (part := plain(v)))
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return ""
    return " ".join(html.unescape(_TAG.sub(" " if "<p" in str(value) else "", str(value))).replace("\0", "").split())


def text_of(value: object) -> str:
    """Longer text as it came, without NUL; empty for what is not text."""
    return value.replace("\0", "").strip() if isinstance(value, str) else ""


def url_of(value: object) -> str | None:
    """An http or https address, or None."""
    text = value.strip() if isinstance(value, str) else ""
    return text if re.match(r"https?://", text, re.I) else None


def title_of(value: object, url: str | None) -> str:
    """A title, or the host and path of the page when it has none."""
    words = plain(value)
    if words or url is None:
        return words
    parts = urlsplit(url)
    return f"{parts.netloc}{parts.path}".rstrip("/")


def number_of(value: object) -> float | None:
    """A finite number, or None."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if abs(value) < float("inf") else None


def amount_of(value: object) -> Decimal | None:
    """An amount of money from JSON; None for what is not a finite amount of 0 or more."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        amount = Decimal(str(value))
    except InvalidOperation:
        return None
    return amount if amount.is_finite() and amount >= 0 else None


def day_of(value: object) -> str | None:
    """The day of an ISO date or time (`2026-11-30`), the year alone if that is all; None for anything else."""
    text = value.strip() if isinstance(value, str) else ""
    if re.fullmatch(r"\d{4}(-\d\d)?", text):
        return text
    try:
        return date.fromisoformat(text[:10]).isoformat()
    except ValueError:
        return None


def shortened(text: str, characters: int, words: int | None = None) -> tuple[str, tuple[str, ...]]:
    """A query that an engine accepts, cut at a word, and a note when something was cut."""
    flat = " ".join(text.split())
    parts = flat.split(" ")
    short = " ".join(parts[:words]) if words is not None and len(parts) > words else flat
    limit = f"{words} words" if short != flat else ""
    if len(short) > characters:
        cut = short[: characters + 1].rpartition(" ")[0]
        short, limit = cut if len(cut) > characters // 2 else short[:characters], f"{characters} characters"
    return short, (f"query shortened to {limit}",) if limit else ()
