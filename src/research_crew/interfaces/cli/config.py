"""`research-crew config`: the settings in force and where each came from."""

import argparse
import json
from dataclasses import fields

from research_crew.core.secret import without_passwords
from research_crew.settings import load


def options(parser: argparse.ArgumentParser) -> None:
    """Output only: the settings themselves are read, not given."""
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")


def command(arguments: argparse.Namespace) -> int:
    """Print every setting with its origin, and which keys were found (never a key itself)."""
    loaded = load()
    values = {spec.name: without_passwords(getattr(loaded.settings, spec.name)) for spec in fields(loaded.settings)}
    if arguments.json:
        rows = {k: {"value": v if v is None else str(v), "from": loaded.origins[k]} for k, v in values.items()}
        print(json.dumps({"settings": rows, "keys": sorted(loaded.keys)}, indent=2))
        return 0
    width = max(map(len, values))
    for name, value in values.items():
        print(f"{name:<{width}}  {'-' if value is None else value!s:<12}  {loaded.origins[name]}")
    print("keys found: " + (", ".join(sorted(loaded.keys)) or "none"))
    return 0
