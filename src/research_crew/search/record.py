"""Queries and hits as JSON values, for the journal and the record of a run; and the hash that names a search."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from decimal import Decimal
from typing import Any

from research_crew.search.protocol import Hits, Query, Result


def query_to_json(query: Query) -> dict[str, Any]:
    """A query as it was asked for, before any engine shortened it."""
    since, until = query.since, query.until
    return {
        **asdict(query), "since": since.isoformat() if since else None, "until": until.isoformat() if until else None,
        "include_domains": list(query.include_domains), "exclude_domains": list(query.exclude_domains),
    }  # fmt: skip


def hits_to_json(hits: Hits) -> dict[str, Any]:
    """Hits as JSON values; `hits_from_json` gives back an equal value."""
    return {
        "results": [asdict(result) for result in hits.results],
        "status": hits.status,
        "cost": None if hits.cost is None else str(hits.cost),
        "detail": hits.detail,
        "skipped": dict(hits.skipped),
        "retry_after": hits.retry_after,
        "notes": list(hits.notes),
        "failure": hits.failure,
    }


def hits_from_json(data: Mapping[str, Any]) -> Hits:
    """The inverse of `hits_to_json`. Fields that a newer version added are ignored."""
    names = {f.name for f in fields(Result)}
    results = tuple(Result(**{k: v for k, v in row.items() if k in names}) for row in data["results"])
    cost = data.get("cost")
    return Hits(
        results, data["status"], None if cost is None else Decimal(cost), data.get("detail", ""),
        dict(data.get("skipped", {})), data.get("retry_after"), tuple(data.get("notes", ())), data.get("failure", ""),
    )  # fmt: skip


def request_hash(provider: str, request: object) -> str:
    """What stands beside a journal key: the same for the same request, another for any other."""
    canonical = json.dumps([provider, request], sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()
