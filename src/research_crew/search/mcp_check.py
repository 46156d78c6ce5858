"""Tries the tool behind `mcp:NAME`, reports what failed, and proposes a clearer description of it.

By rules, without a model: the proposal says what the tool takes (from its schema) and what it gave back (from the try),
which is what its author's description most often leaves out.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from research_crew.search.mcp import McpEngine, arguments, choose, rows_in
from research_crew.search.mcp_session import McpTool
from research_crew.search.protocol import Query
from research_crew.search.request import EngineTrouble

PROBE = "history of tulips"


@dataclass(frozen=True, slots=True)
class McpCheck:
    """What came of the try."""

    name: str
    ok: bool
    tool: str = ""
    """The tool that would be used."""
    tried: tuple[str, ...] = ()
    """Each step that was taken, in words."""
    failed: tuple[str, ...] = ()
    description: str = ""
    """As the server gives it."""
    proposal: str = ""
    """A clearer one; empty when there was no tool to describe."""


async def check(engine: McpEngine, probe: str = PROBE) -> McpCheck:
    """Connect, list the tools, choose one, search twice (the probe, and an empty query), and say what was found."""
    tried, wrong = [f"connect to {engine.name}"], list[str]()
    try:
        tools = await engine.session.tools()
        tried.append(f"list its tools: {', '.join(tool.name for tool in tools)[:300] or 'none'}")
        tool = choose(tools, "search", engine.server.search_tool)
        tried.append(f"choose {tool.name}")
        given = arguments(tool, probe, 3)
    except EngineTrouble as trouble:
        return McpCheck(engine.name, False, "", tuple(tried), (trouble.detail,))
    shown, count = await _try(engine, tool, given, tried, wrong)
    hits = await engine.search(Query(probe, 3))
    usable = len(hits.results)
    if count and not usable:
        reasons = ", ".join(f"{n} {reason}" for reason, n in hits.skipped.items())
        wrong.append(f"none of its {count} results can be used ({reasons or hits.detail})")
    wrong += _gaps(tool)
    ok = usable > 0
    return McpCheck(engine.name, ok, tool.name, tuple(tried), tuple(wrong), tool.description, _proposal(tool, shown))


async def _try(
    engine: McpEngine, tool: McpTool, given: Mapping[str, object], tried: list[str], wrong: list[str]
) -> tuple[tuple[str, ...], int]:
    """Call the tool; the fields of its results and how many there were."""
    tried.append(f"call {tool.name}({', '.join(f'{k}={v!r}' for k, v in given.items())})")
    try:
        reply = await engine.session.call(tool.name, given)
    except EngineTrouble as trouble:
        wrong.append(trouble.detail)
        return (), 0
    if reply.is_error:
        wrong.append(f"the call failed: {' '.join(reply.text.split())[:200]}")
        return (), 0
    rows = rows_in(reply)
    tried.append(f"read its answer: {len(rows)} result(s)")
    if not rows:
        wrong.append("no list of results in its answer, and no address in its text")
    first = next((row for row in rows if isinstance(row, Mapping)), {})
    return tuple(str(key) for key in first), len(rows)


def _gaps(tool: McpTool) -> list[str]:
    found = []
    if len(tool.description.split()) < 4:
        found.append("it has no description to speak of")
    elif "return" not in tool.description.lower():
        found.append("its description does not say what it returns")
    bare = [name for name, spec in tool.properties.items() if not spec.get("description")]
    if bare:
        found.append(f"no description of its argument(s) {', '.join(bare)[:200]}")
    return found


def _proposal(tool: McpTool, fields: tuple[str, ...]) -> str:
    lead = tool.description.split("\n")[0].strip().rstrip(".") or f"{tool.name.replace('_', ' ').capitalize()}"
    takes = []
    for name, spec in tool.properties.items():
        kind = spec.get("type", "any")
        need = "required" if name in tool.required else f"optional, default {spec.get('default')!r}"
        about = f": {spec['description']}" if spec.get("description") else ""
        takes.append(f"{name} ({kind}, {need}){about}")
    gives = f"Returns a list of results, each with {', '.join(fields)}." if fields else "Returns text."
    none = "Returns an empty list when nothing matches; fails with a message when the service cannot be reached."
    return f"{lead}. Takes {'; '.join(takes)}. {gives} {none}" if takes else f"{lead}. {gives} {none}"
