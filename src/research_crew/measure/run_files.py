"""Stored runs as calibration and estimates read them: exported records (`--export DIR`, `export ID --to FILE`)."""

import json
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any

from research_crew.core.errors import InvalidInput
from research_crew.evidence.claim import Claim
from research_crew.measure.estimate import kind_of
from research_crew.measure.promises import Paid
from research_crew.result import SCHEMA
from research_crew.settings import Settings

Record = dict[str, Any]
_KIND = ("lead", "worker", "solo", "researchers", "search_rounds", "loops")


def read_runs(paths: Iterable[Path]) -> list[Record]:
    """The records of some files and folders, each run once. Raises `InvalidInput` for a file that is none."""
    found: dict[str, Record] = {}
    for path in paths:
        files = sorted(path.glob("*.json")) if path.is_dir() else [path]
        for file in files:
            try:
                record = json.loads(file.read_text(encoding="utf-8"))
            except (OSError, ValueError) as error:
                raise InvalidInput("run record", str(file), f"it cannot be read: {error}") from None
            if isinstance(record, dict) and record.get("schema") == SCHEMA:
                found[str(record["id"])] = record
            elif not path.is_dir():
                raise InvalidInput("run record", str(file), f'no {SCHEMA} record; write some with --export DIR')
    return list(found.values())


def supported_claims(record: Record) -> list[Claim]:
    """The claims of a run that passed every check."""
    claims = [Claim.from_json(row) for row in record["claims"]]
    return [c for c in claims if c.check is not None and c.check.verdict == "supported"]


def bills_of(records: Iterable[Record]) -> list[Paid]:
    """What those runs came to, for estimates."""
    bills = []
    for record in records:
        stages: dict[str, tuple[int, float]] = {}
        for entry in record["ledger"]:
            calls, cost = stages.get(entry["role"], (0, 0.0))
            stages[entry["role"]] = (calls + 1, cost + float(entry["amount"]))
        known = {spec.name for spec in fields(Settings)}
        given = {k: v for k, v in record["settings"].items() if k in known and k in _KIND}
        kind = kind_of(record["agents"], Settings(**given), not any(t["role"] == "researcher" for t in record["tasks"]))
        bill = record["bill"]
        wall, ended = float(record["timing"]["wall_s"]), str(record["tasks"][-1]["ended"] or "")
        bills.append(Paid(record["question"], kind, float(bill["spent"]), bill["currency"], wall, stages, ended))
    return bills
