"""The example engine of the documentation runs, is as short as it says, and the table names every engine."""

import asyncio
import json
import re
import sys
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from types import ModuleType

import pytest
from search_sites import fake, free_limits, status

from research_crew.core.secret import Secret
from research_crew.search import names
from research_crew.search.names import BUILT_IN, GROUP, Kit, make_engine
from research_crew.search.prices import PRICES
from research_crew.search.protocol import Hits, Query
from research_crew.search.request import Http

PAGE = (Path(__file__).parents[2] / "docs" / "search-engines.md").read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.S)


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = ModuleType("example_crossref")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(BLOCKS[0], "docs/search-engines.md", "exec"), module.__dict__)
    return module


def run(example: ModuleType, code: int, body: str, query: Query, monkeypatch: pytest.MonkeyPatch) -> tuple[Hits, str]:
    points = EntryPoints([EntryPoint("crossref", f"{example.__name__}:make", GROUP)])
    monkeypatch.setattr(names, "entry_points", lambda group: points)

    async def go() -> tuple[Hits, str]:
        async with fake(status(code, body)) as (address, asked), Http(limits=free_limits()) as http:
            engine = make_engine("crossref", Kit(http, base_urls={"crossref": address}))
            hits = await engine.search(query)
            return hits, str(asked)

    return asyncio.run(go())


def test_the_example_is_an_engine(example: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    items = [
        {"URL": "https://doi.org/10.1/a", "title": ["Tulips"], "abstract": "<jats:p>Tulips are red.</jats:p>"},
        {"title": ["no address"]},
    ]
    body = json.dumps({"status": "ok", "message": {"items": items}})
    hits, asked = run(example, 200, body, Query("tulips " * 100, language="de"), monkeypatch)
    assert [(r.url, r.title, r.snippet) for r in hits.results] == [
        ("https://doi.org/10.1/a", "Tulips", "Tulips are red.")
    ]
    assert hits.skipped == {"no url": 1}
    assert hits.notes == ("query shortened to 300 characters", "crossref has no language filter")
    assert "/works" in asked


@pytest.mark.parametrize(
    ("code", "body", "failure"),
    [(503, "", "outage"), (429, "", "throttled"), (200, "{}", "unreadable"), (200, "<html>", "unreadable")],
)
def test_the_example_fails_as_an_engine_should(
    example: ModuleType, monkeypatch: pytest.MonkeyPatch, code: int, body: str, failure: str
) -> None:
    assert run(example, code, body, Query("q"), monkeypatch)[0].failure == failure


def test_the_example_takes_one_file_of_forty_lines() -> None:
    assert len([line for line in BLOCKS[0].splitlines() if line.strip()]) <= 40


def test_the_use_from_python_compiles_and_uses_what_is_there() -> None:
    compile(BLOCKS[1], "docs/search-engines.md", "exec")
    engine = make_engine("wikipedia,arxiv", Kit(Http()))
    assert getattr(engine, "name", "") == "wikipedia,arxiv"


def test_the_table_names_every_engine_and_its_price() -> None:
    rows = {m[1]: m[0] for m in re.finditer(r"^\| `([a-z]+)[^`]*` \|.*$", PAGE, re.M)}
    assert set(rows) == set(BUILT_IN)
    for name, price in PRICES.items():
        assert str(price.each) in rows[name]


def test_engines_of_the_table_that_need_a_key_say_so() -> None:
    keys = {name: Secret("k") for name in ("exa", "tavily", "brave")}
    for name in keys:
        assert f"`{name.upper()}_API_KEY`" in PAGE
        assert getattr(make_engine(name, Kit(Http(), keys)), "name", "") == name
