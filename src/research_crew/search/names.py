"""Engines by name: `exa`, or `exa,wikipedia,docs`, or `searxng:https://search.example.org`, or `mcp:NAME`.

Ours and a stranger's come in by the same door: an entry point of the group `research_crew.search` whose value names a
maker, `package.module:make`. Ours are listed here as what they would be in `pyproject.toml`; nothing is imported before
its engine is asked for.
"""

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from typing import TYPE_CHECKING, Protocol

from research_crew.core.errors import InvalidInput
from research_crew.core.secret import Secret
from research_crew.search.protocol import SearchEngine
from research_crew.search.request import Http

if TYPE_CHECKING:
    from research_crew.search.mcp import McpServer

GROUP = "research_crew.search"
BUILT_IN: Mapping[str, str] = {
    "exa": "research_crew.search.exa:make",
    "tavily": "research_crew.search.tavily:make",
    "brave": "research_crew.search.brave:make",
    "searxng": "research_crew.search.searxng:make",
    "wikipedia": "research_crew.search.wikipedia:make",
    "arxiv": "research_crew.search.arxiv:make",
    "openalex": "research_crew.search.openalex:make",
    "duckduckgo": "research_crew.search.duckduckgo:make",
    "docs": "research_crew.search.names:make_docs",
    "mcp": "research_crew.search.mcp:make",
}
KEYLESS = ("wikipedia", "duckduckgo", "openalex", "arxiv")
"""The engines of the web that work without a key, the broadest first."""


@dataclass(frozen=True, slots=True)
class Kit:
    """What makers make engines from. Keys come as arguments: no engine reads the environment."""

    http: Http = field(default_factory=Http)
    keys: Mapping[str, Secret] = field(default_factory=dict)
    base_urls: Mapping[str, str] = field(default_factory=dict)
    """Engine → address, where it is not the usual one: tests point at loopback, a company at its proxy."""
    documents: SearchEngine | None = None
    """What `docs` is: the engine over the open index."""
    mcp: Mapping[str, "McpServer"] = field(default_factory=dict)
    """Name → MCP server, for `mcp:NAME`."""


class Maker(Protocol):
    """Makes an engine. `argument` is what stands after the colon in `name:argument`; usually nothing does.

    Raises `InvalidInput` or `MissingExtra` for what is missing, before anything is sent.
    """

    def __call__(self, argument: str, kit: Kit) -> SearchEngine:
        """Make it."""
        ...


def known_names() -> tuple[str, ...]:
    """All names that can be asked for, ours first."""
    strangers = {point.name for point in _installed(entry_points)} - set(BUILT_IN)
    return (*BUILT_IN, *sorted(strangers))


def make_engine(spec: str, kit: Kit) -> SearchEngine:
    """The engine of one name, or several names joined by commas, which are then searched side by side.

    Raises `InvalidInput` for an unknown or repeated name (with the nearest known one), a missing key or address.
    """
    specs = [part.strip() for part in spec.split(",") if part.strip()]
    if not specs:
        raise InvalidInput("--search", spec, f"name an engine: {', '.join(known_names())}")
    twice = [name for name in specs if specs.count(name) > 1]
    if twice:
        raise InvalidInput("--search", spec, f"{twice[0]} stands there twice")
    engines = {name: _maker(name)(name.partition(":")[2], kit) for name in specs}
    if len(engines) == 1:
        return next(iter(engines.values()))
    from research_crew.search.merge import Several

    return Several(engines)


@cache
def _installed(find: Callable[..., EntryPoints]) -> tuple[EntryPoint, ...]:
    """The engines that installed packages offer; read once, since it takes milliseconds."""
    return tuple(find(group=GROUP))


def _maker(spec: str) -> Maker:
    name = spec.partition(":")[0].lower()
    points = [point for point in _installed(entry_points) if point.name == name]
    if name in BUILT_IN:
        ours = BUILT_IN[name]
        stranger = next((point.value for point in points if point.value != ours), None)
        if stranger is not None:
            raise InvalidInput("--search", name, f"another package also calls an engine so ({stranger}); uninstall it")
        points = [EntryPoint(name, ours, GROUP)]
    if not points:
        near = difflib.get_close_matches(name, known_names(), 1, 0.5)
        hint = f"did you mean {near[0]}? " if near else ""
        raise InvalidInput("--search", name, f"{hint}known are {', '.join(known_names())}")
    maker: Maker = points[0].load()
    return maker


def make_docs(argument: str, kit: Kit) -> SearchEngine:  # noqa: ARG001
    """The engine `docs`: that of the opened documents. It opens no connection."""
    if kit.documents is None:
        raise InvalidInput("--search", "docs", "name a folder with --docs DIR")
    return kit.documents
