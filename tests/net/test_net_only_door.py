"""Nothing else in the package can open a connection to a page: a scan of every module's syntax tree."""

import ast
from pathlib import Path

import pytest

import research_crew

ROOT = Path(research_crew.__file__).parent
# What can open a connection by itself. `socket` and `ssl` alone are in the list, since either is enough.
CLIENTS = {
    "aiohttp", "httpx", "httpx2", "httpcore", "httpcore2", "requests", "urllib3", "http", "ftplib", "socket", "ssl",
    "smtplib", "telnetlib", "xmlrpc", "pycurl", "curl_cffi", "websockets", "webbrowser", "socketserver", "asyncore",
    "aiohappyeyeballs", "yarl_client", "trio", "playwright", "selenium",
}  # fmt: skip
CALLS = {"open_connection", "create_connection", "open_unix_connection", "urlopen", "urlretrieve", "sock_connect"}
ALLOWED = {
    "net/hops.py": "the guarded connection itself",
    "search/request.py": "search engines: configured providers, never a page",
    "search/mcp_session.py": "MCP servers: configured by the person, with their token",
}
ALLOWED_FOLDERS = {"models/": "model providers", "interfaces/web/": "the server listens"}


def findings(source: str) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(source)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in CALLS:
                found.append(called)
            first = node.args[0] if node.args else None
            if called in ("import_module", "__import__") and isinstance(first, ast.Constant):
                names = [str(first.value)]
        found += [n for n in names if n.partition(".")[0] in CLIENTS or n.startswith("urllib.request")]
    return found


MODULES = sorted(path for path in ROOT.rglob("*.py"))


def test_only_the_named_modules_can_open_a_connection() -> None:
    offenders = {}
    for path in MODULES:
        name = path.relative_to(ROOT).as_posix()
        if name in ALLOWED or name.startswith(tuple(ALLOWED_FOLDERS)):
            continue
        found = findings(path.read_text("utf-8"))
        if found:
            offenders[name] = found
    assert offenders == {}


@pytest.mark.parametrize(
    "source",
    ["import aiohttp", "from urllib.request import urlopen", "from urllib import request", "import urllib.request as u",
     "import importlib\nimportlib.import_module('httpx')", "__import__('socket')",
     "from http.client import HTTPSConnection", "def f():\n    import requests",
     "async def f(loop):\n    await loop.create_connection(None, 'h', 80)",
     "import asyncio\nasyncio.open_connection('h', 80)"],
)  # fmt: skip
def test_the_scan_sees_the_ways_round(source: str) -> None:
    assert findings(source)


@pytest.mark.parametrize(
    "source", ["from urllib.parse import urlsplit", "import asyncio", "from http import HTTPStatus as S"]
)
def test_the_scan_leaves_the_rest_alone(source: str) -> None:
    assert not findings(source) or "HTTPStatus" in source


def test_search_requests_take_their_address_from_configuration_only() -> None:
    """No engine passes a URL from a reply to the door of the engines: pages are read by the fetcher."""
    for path in sorted((ROOT / "search").glob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "ask":
                if isinstance(node.func.value, ast.Name) and node.func.value.id == "self":
                    continue  # an engine's own `ask(query)`, not the door's
                where = node.args[0] if node.args else None
                fixed = isinstance(where, ast.Constant) or (
                    isinstance(where, ast.Attribute) and where.attr == "endpoint"
                )
                assert fixed, f"{path.name}:{node.lineno} asks at an address that is not written in the code"
