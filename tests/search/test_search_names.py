"""Engines are chosen by name; a stranger's comes in by the same door as ours."""

import asyncio
import subprocess
import sys
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from research_crew.core.errors import InvalidInput
from research_crew.core.secret import Secret
from research_crew.search import names
from research_crew.search.merge import Several
from research_crew.search.names import BUILT_IN, KEYLESS, Kit, make_engine
from research_crew.search.protocol import Hits, Query, SearchEngine
from research_crew.search.request import Http


@pytest.fixture
def kit() -> Kit:
    return Kit(Http(), {"exa": Secret("k")}, {"searxng": "https://search.example.org"})


def name_of(engine: SearchEngine) -> str:
    return str(getattr(engine, "name", ""))


def test_one_name_is_one_engine(kit: Kit) -> None:
    assert name_of(make_engine("exa", kit)) == "exa"
    assert name_of(make_engine(" Wikipedia ", kit)) == "wikipedia"


def test_several_names_are_searched_together(kit: Kit) -> None:
    engine = make_engine("exa, wikipedia,arxiv", kit)
    assert isinstance(engine, Several) and list(engine.engines) == ["exa", "wikipedia", "arxiv"]


@pytest.mark.parametrize(
    ("spec", "hint"),
    [
        ("wikpedia", "did you mean wikipedia?"),
        ("duckduck", "did you mean duckduckgo?"),
        ("exa,tavly", "did you mean tavily?"),
        ("zzzz", "known are exa, tavily"),
        ("", "name an engine"),
        (" , ", "name an engine"),
        ("exa,exa", "twice"),
        ("searxng:nonsense", "name your instance"),
        ("docs", "--docs DIR"),
        ("mcp:none", "none is configured"),
        ("tavily", "TAVILY_API_KEY"),
    ],
)
def test_a_name_that_cannot_be_used_says_the_way_out(kit: Kit, spec: str, hint: str) -> None:
    with pytest.raises(InvalidInput) as mistake:
        make_engine(spec, kit)
    assert hint in str(mistake.value)


def test_an_address_can_stand_behind_the_name(kit: Kit) -> None:
    assert name_of(make_engine("searxng:https://other.example.org", kit)) == "searxng"


def test_every_name_of_ours_leads_to_a_maker() -> None:
    for name, value in BUILT_IN.items():
        assert callable(EntryPoint(name, value, names.GROUP).load())
    assert set(KEYLESS) <= set(BUILT_IN)


class Mine:
    name = "mine"

    def __init__(self, argument: str) -> None:
        self.argument = argument

    async def search(self, query: Query) -> Hits:
        return Hits((), "empty", notes=(self.argument,))


def make_mine(argument: str, kit: Kit) -> Mine:
    return Mine(argument)


def test_a_strangers_engine_comes_in_by_the_entry_point(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    points = EntryPoints([EntryPoint("mine", f"{__name__}:make_mine", names.GROUP)])
    monkeypatch.setattr(names, "entry_points", lambda group: points)
    engine = make_engine("mine:here", kit)
    assert asyncio.run(engine.search(Query("q"))).notes == ("here",)
    assert "mine" in names.known_names()
    with pytest.raises(InvalidInput, match="did you mean mine"):
        make_engine("mines", kit)


def test_a_stranger_cannot_take_the_name_of_ours(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    points = EntryPoints([EntryPoint("exa", f"{__name__}:make_mine", names.GROUP)])
    monkeypatch.setattr(names, "entry_points", lambda group: points)
    with pytest.raises(InvalidInput, match="another package"):
        make_engine("exa", kit)


def test_docs_alone_loads_no_http_client() -> None:
    code = (
        "import sys\n"
        "from research_crew.search.names import Kit, make_engine\n"
        "from research_crew.documents.index import DocumentIndex\n"
        "from research_crew.search.local import LocalSearch\n"
        "engine = make_engine('docs', Kit(documents=LocalSearch(DocumentIndex())))\n"
        "assert engine.name == 'docs'\n"
        "print([m for m in ('aiohttp', 'httpx', 'httpx2', 'mcp', 'selectolax') if m in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=Path.cwd(), check=False)
    assert done.stdout.strip() == "[]", done.stderr
