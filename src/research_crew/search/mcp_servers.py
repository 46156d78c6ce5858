"""The MCP servers of the settings: on the command line `mine=https://mcp.example.org` or `mine=python -m server`, parted
by semicolons, in `research-crew.toml` a table with more to say:

    [mcp.mine]
    command = "python -m server"        # or url = "https://mcp.example.org/mcp"
    search_tool = "web_search"          # when it has several
    read_tool = "fetch_page"            # then it reads the pages too
    price = 0.01                        # of a search, in USD

A token is no setting, since settings are kept with every run: it is the variable `MCP_MINE_TOKEN`, sent to an address
as a bearer token and given to a command in its environment.
"""

import json
import shlex
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from research_crew.core.errors import InvalidInput
from research_crew.core.money import to_decimal
from research_crew.core.secret import Secret
from research_crew.search.mcp_session import McpServer

_FIELDS = ("command", "url", "search_tool", "read_tool", "price")
_WAY_OUT = "write NAME=https://ADDRESS or NAME=COMMAND, parted by semicolons"


def mcp_servers(text: str | None, keys: Mapping[str, Secret]) -> dict[str, McpServer]:
    """Name → server, from the setting `mcp` and the tokens found (`mcp:NAME`); raises `InvalidInput`."""
    text = (text or "").strip()
    return {name: _server(name, spec, keys.get(f"mcp:{name}")) for name, spec in _specs(text).items()}


def _specs(text: str) -> dict[str, Mapping[str, Any]]:
    if text.startswith("{"):
        try:
            table = json.loads(text)
        except ValueError as error:
            raise InvalidInput("--mcp", text, f"it is no table of servers: {error}") from None
        return {str(name): spec if isinstance(spec, dict) else _place(str(spec)) for name, spec in table.items()}
    found: dict[str, Mapping[str, Any]] = {}
    for part in filter(None, (part.strip() for part in text.split(";"))):
        name, equals, place = (piece.strip() for piece in part.partition("="))
        if not equals or not name or not place:
            raise InvalidInput("--mcp", part, _WAY_OUT)
        found[name] = _place(place)
    return found


def _place(text: str) -> dict[str, Any]:
    return {"url" if text.startswith(("http://", "https://")) else "command": text}


def _server(name: str, spec: Mapping[str, Any], token: Secret | None) -> McpServer:
    label = f"mcp server {name}"
    unknown = [key for key in spec if key not in _FIELDS]
    if unknown:
        raise InvalidInput(label, unknown[0], f"known are {', '.join(_FIELDS)}")
    if ("url" in spec) == ("command" in spec):
        raise InvalidInput(label, dict(spec), "give it either a url or a command")
    command, url = spec.get("command", ""), str(spec.get("url", ""))
    try:
        words = tuple(shlex.split(command)) if isinstance(command, str) else tuple(map(str, command))
    except ValueError as error:
        raise InvalidInput(label, command, f"the command cannot be read: {error}") from None
    if url and not url.startswith(("http://", "https://")):
        raise InvalidInput(label, url, "an address begins with https://")
    price = spec.get("price", 0)
    amount = to_decimal(str(price) if isinstance(price, float) else price, f"{label}: price")
    if amount < 0:
        raise InvalidInput(f"{label}: price", price, "give an amount of 0 or more")
    variable = f"MCP_{name.upper().replace('-', '_')}_TOKEN"
    environment = {variable: token.reveal()} if token is not None and words else {}
    return McpServer(
        words, url, environment, token if url else None, str(spec.get("search_tool", "")),
        str(spec.get("read_tool", "")), Decimal(amount),
    )  # fmt: skip
