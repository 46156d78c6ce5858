"""`research-crew mcp-check NAME`: tries the search tool of an MCP server and says what would make it work better."""

import argparse
import asyncio
from dataclasses import asdict

from research_crew.core.errors import ResearchCrewError
from research_crew.interfaces.cli.ask import as_json
from research_crew.search.mcp import McpEngine, make
from research_crew.search.mcp_check import PROBE, McpCheck, check
from research_crew.search.mcp_servers import mcp_servers
from research_crew.search.names import Kit
from research_crew.settings import Loaded, load


def options(parser: argparse.ArgumentParser) -> None:
    """The server, where it is, and what to ask it."""
    parser.add_argument("name", help="the server, as in mcp:NAME")
    parser.add_argument("--mcp", metavar="NAME=URL;...", help="where servers are: an address, or a command that speaks on its streams")
    parser.add_argument("--probe", default=PROBE, metavar="TEXT", help=f"what to search for ({PROBE})")
    parser.add_argument("--timeout", type=float, default=30.0, metavar="SECONDS", help="how long to wait for each answer (30)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")


def command(arguments: argparse.Namespace) -> int:
    """Check one server; exit code 0 when its tool gave results that can be used."""
    loaded = load({"mcp": arguments.mcp})
    found = asyncio.run(_check(arguments, loaded))
    print(as_json(asdict(found)) if arguments.json else text_of(found))
    return 0 if found.ok else ResearchCrewError.exit_code


async def _check(arguments: argparse.Namespace, loaded: Loaded) -> McpCheck:
    servers = mcp_servers(loaded.settings.mcp, loaded.keys)
    engine = make(arguments.name.removeprefix("mcp:"), Kit(mcp=servers))
    engine = McpEngine(arguments.name.removeprefix("mcp:"), engine.server, arguments.timeout)
    try:
        return await check(engine, arguments.probe)
    finally:
        await engine.close()


def text_of(found: McpCheck) -> str:
    """The check for a person to read. What a server says of itself comes from outside: controls are taken out."""
    lines = [f"{found.name}: {'works' if found.ok else 'does not work'}{f', by its tool {found.tool}' if found.tool else ''}"]
    lines += [f"  tried     {step}" for step in found.tried]
    lines += [f"  {'to mend' if found.ok else 'failed '}   {what}" for what in found.failed]
    if found.description:
        lines.append(f"  now       {found.description}")
    if found.proposal:
        lines.append(f"  proposed  {found.proposal}")
    return "\n".join("".join(c if c.isprintable() else " " for c in line) for line in lines)
