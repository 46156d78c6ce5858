"""A world as a file: dials and prices, and how sure they are where they were measured.

    {"schema": "research-crew/world/1", "dials": {"recall": 0.41, ...}, "prices": {"plan": 2, ...},
     "intervals": {"recall": [0.36, 0.46]}, "runs": 120, "source": "stored runs of November"}

Only `schema` is needed; what is left out has the default of the scripted world. Written and read back, a world is equal.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from random import Random
from typing import Any

from research_crew.agents.scripted.world import Prices, World
from research_crew.core.errors import InvalidInput

SCHEMA = "research-crew/world/1"
_DIALS = tuple(spec.name for spec in fields(World) if spec.name != "prices")
_PRICES = tuple(spec.name for spec in fields(Prices))
_CHANCES = tuple(name for name in _DIALS if name != "n_facts")
_NARROW = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A world with the 95 % intervals of the dials that were measured."""

    world: World = World()
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """By dial; a dial without one is taken as given."""
    runs: int = 0
    """How many runs it was measured from."""
    source: str = ""

    def __post_init__(self) -> None:
        for name, (low, high) in self.intervals.items():
            if name not in _CHANCES:
                raise InvalidInput("intervals", name, f"use one of {', '.join(_CHANCES)}")
            if not 0 <= low <= getattr(self.world, name) <= high <= 1:
                raise InvalidInput(f"interval of {name}", [low, high], "give two probabilities around the dial's value")

    def drawn(self, rng: Random) -> World:
        """A world that may be the true one: each measured dial drawn from a normal distribution cut at 0 and 1."""
        dials = {}
        for name, (low, high) in sorted(self.intervals.items()):
            drawn = rng.gauss(getattr(self.world, name), (high - low) / 2 / _NARROW)
            dials[name] = min(1.0, max(0.0, drawn))
        return self.world.but(**dials)

    def to_json(self) -> dict[str, object]:
        """The content of the file."""
        dials = {name: getattr(self.world, name) for name in _DIALS}
        return {
            "schema": SCHEMA, "dials": dials, "prices": self.world.prices.to_json(),
            "intervals": {name: list(pair) for name, pair in sorted(self.intervals.items())}, "runs": self.runs,
            "source": self.source,
        }  # fmt: skip

    def save(self, path: Path) -> None:
        """Write the file."""
        path.write_text(json.dumps(self.to_json(), indent=2) + "\n", encoding="utf-8")


def load_world(path: Path) -> Calibrated:
    """Read a world file; raises `InvalidInput` that names the file and what is wrong in it."""
    what = f"world file {path.name}"
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidInput(what, str(path), error.strerror or "it cannot be read") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(what, str(path), f"no JSON: {error}") from None
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise InvalidInput(what, "schema", f'write "schema": "{SCHEMA}"')
    dials, prices = _named(what, data, "dials", _DIALS), _named(what, data, "prices", _PRICES)
    pairs = _named(what, data, "intervals", _CHANCES)
    for name, pair in pairs.items():
        if not (isinstance(pair, list) and len(pair) == 2 and all(type(end) in (int, float) for end in pair)):
            raise InvalidInput(what, f"interval of {name}: {pair}", "write two numbers")
    runs, source = data.get("runs", 0), data.get("source", "")
    if type(runs) is not int or runs < 0 or not isinstance(source, str):
        raise InvalidInput(what, "runs or source", "write a whole number and a text")
    world = World(**dials, prices=Prices(**prices))
    return Calibrated(world, {name: (float(pair[0]), float(pair[1])) for name, pair in pairs.items()}, runs, source)


def _named(what: str, data: Mapping[str, Any], part: str, known: tuple[str, ...]) -> dict[str, Any]:
    """One object of the file, of which every name is known."""
    values = data.get(part, {})
    if not isinstance(values, dict):
        raise InvalidInput(what, part, "write an object")
    for name in values:
        if name not in known:
            raise InvalidInput(what, f"{part}: {name}", f"use {', '.join(known)}")
    return values
