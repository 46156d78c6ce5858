"""The scripted world as one offline HTML file: sliders for every dial, the comparison and all sweeps, computed in it.

The page holds the closed forms of `exact` and `exact_equal` once more, in JavaScript; a test opens it in a browser and
compares every figure. It loads nothing and sends nothing, and its content policy forbids it to. The dials may also be
given behind the address: `world.html#recall=0.5&n=3&over=failures`.
"""

import json
from importlib.resources import files
from pathlib import Path

from research_crew.agents.scripted.world import World
from research_crew.core.errors import InvalidInput
from research_crew.measure.exact import needed_of
from research_crew.measure.statistics import MARGIN
from research_crew.measure.sweep import VALUES

_PLACE = "/*SETUP*/null"


def explore_html(world: World | None = None, n: int = 4, needs: str | int = "all") -> str:
    """The page, its sliders set to a world (the default one, strictness 0.5)."""
    needed_of(needs, n)
    state = {"world": (world or World()).to_json(), "n": n, "needs": str(needs), "repeats": True, "over": "strictness"}
    setup = json.dumps({"state": state, "values": VALUES, "margin": MARGIN})
    page = files("research_crew.measure").joinpath("explore.html").read_text(encoding="utf-8")
    return page.replace(_PLACE, setup.replace("</", "<\\/"))


def write_explore(path: Path, world: World | None = None, n: int = 4, needs: str | int = "all") -> None:
    """Write the page; raises `InvalidInput` when the file cannot be written."""
    page = explore_html(world, n, needs)
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise InvalidInput("--to", str(path), error.strerror or "it cannot be written") from None
