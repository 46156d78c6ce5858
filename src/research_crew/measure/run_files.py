"""Stored runs as calibration and estimates read them: exported records (`--export DIR`, `export ID --to FILE`)."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from research_crew.core.errors import InvalidInput
from research_crew.evidence.claim import Claim
from research_crew.result import SCHEMA

Record = dict[str, Any]


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
