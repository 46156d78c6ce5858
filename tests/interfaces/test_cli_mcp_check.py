"""`research-crew mcp-check NAME` and `--search mcp:NAME` against real MCP servers: on their streams and over HTTP."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from research_crew.core.errors import InvalidInput
from research_crew.core.secret import Secret
from research_crew.interfaces.cli.app import main
from research_crew.search.mcp_servers import mcp_servers
from research_crew.settings import load

pytest.importorskip("mcp.server", reason="the extra mcp is not installed")

SERVER = '''
import os, sys
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

made = MCPServer("herons")

@made.tool(description="Search all of the web.")
def web_search(query: str, count: int = 5) -> list[dict[str, str]]:
    token = os.environ.get("MCP_HERONS_TOKEN", "")
    if token == "wrong":
        raise ToolError("the token was not accepted")
    return [
        {"title": "Herons\\u001b[31m", "url": "https://herons.example/a", "snippet": f"Grey herons nest in colonies near rivers. {token}"},
        {"title": "no address"},
    ]

@made.tool(description="Fetch a page.")
def fetch_page(url: str) -> dict[str, str]:
    return {"title": "Herons", "text": "Grey herons nest in colonies near rivers. They eat fish and frogs."}

if len(sys.argv) > 1:
    made.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
else:
    made.run()
'''


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "server.py"
    file.write_text(SERVER)
    monkeypatch.chdir(tmp_path)
    return file


@pytest.fixture
def address(script: Path) -> Iterator[str]:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    server = subprocess.Popen([sys.executable, str(script), str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", port), 0.5).close()
                break
            except OSError:
                assert server.poll() is None, "the server ended"
                time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        server.kill()
        server.wait()


def test_a_server_on_its_streams_is_checked(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mcp-check", "herons", "--mcp", f"herons={sys.executable} {script}", "--probe", "grey herons"]) == 0
    out = capsys.readouterr().out
    assert "mcp:herons: works, by its tool web_search" in out
    assert "tried     call web_search(query='grey herons', count=3)" in out
    assert "to mend   its description does not say what it returns" in out
    assert "now       Search all of the web." in out
    assert "proposed  Search all of the web. Takes query (string, required); count (integer, optional, default 5). Returns a list of results, each with title, url, snippet." in out


def test_a_server_over_http_is_checked(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mcp-check", "mcp:herons", "--mcp", f"herons={address}", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["ok"] and found["tool"] == "web_search" and "read its answer: 2 result(s)" in found["tried"]


def test_a_server_that_refuses_is_told_apart(script: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCP_HERONS_TOKEN", "wrong")
    assert main(["mcp-check", "herons", "--mcp", f"herons={sys.executable} {script}"]) == 1
    out = capsys.readouterr().out
    assert "mcp:herons: does not work" in out and "the token was not accepted" in out
    assert main(["mcp-check", "herons", "--mcp", "herons=http://127.0.0.1:9/mcp", "--timeout", "5"]) == 1
    assert "no connection" in capsys.readouterr().out


def test_a_server_that_is_not_configured_is_the_persons_mistake(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mcp-check", "mine", "--mcp", "other=x"]) == 2
    assert "configured are other" in capsys.readouterr().err
    assert main(["mcp-check", "mine", "--mcp", "other"]) == 2
    assert "write NAME=https://ADDRESS or NAME=COMMAND" in capsys.readouterr().err


def test_a_question_is_searched_and_read_through_a_configured_server(script: Path, tmp_path: Path) -> None:
    config = f'[mcp.herons]\ncommand = ["{sys.executable}", "{script}"]\nread_tool = "fetch_page"\nprice = 0.01\n'
    (tmp_path / "research-crew.toml").write_text(config)
    words = [sys.executable, "-m", "research_crew", "Where do grey herons nest?", "--search", "mcp:herons", "--agents", "extractive", "--json"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, env={**os.environ, "MCP_HERONS_TOKEN": "secret-token"}, check=False)
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert "pages: read by mcp:herons" in done.stderr
    assert "colonies near rivers" in record["report"]["markdown"]
    assert record["sources"][0]["url"] == "https://herons.example/a"
    searches = [entry for entry in record["ledger"] if entry["kind"] == "search"]
    assert searches and all(entry["provider"] == "mcp:herons" for entry in searches)
    assert "secret-token" not in done.stdout.replace("rivers. secret-token", "") and record["settings"]["mcp"].count("token") == 0


def test_servers_are_read_from_one_line_and_from_a_table(tmp_path: Path) -> None:
    (tmp_path / "research-crew.toml").write_text(
        '[mcp]\nshort = "python -m short"\n[mcp.long-name]\nurl = "https://m.example/mcp"\nsearch_tool = "find"\nprice = 0.01\n'
    )
    loaded = load({}, {"MCP_LONG_NAME_TOKEN": "t", "MCP_SHORT_TOKEN": "s"}, tmp_path)
    servers = mcp_servers(loaded.settings.mcp, loaded.keys)
    assert servers["short"].command == ("python", "-m", "short") and servers["short"].environment == {"MCP_SHORT_TOKEN": "s"}
    long = servers["long-name"]
    assert (long.url, long.search_tool, str(long.price), long.token) == ("https://m.example/mcp", "find", "0.01", Secret("t"))
    both = mcp_servers("a=https://a.example; b=npx -y some-server --flag=x", {})
    assert both["a"].url == "https://a.example" and both["b"].command == ("npx", "-y", "some-server", "--flag=x")


@pytest.mark.parametrize(
    "text",
    ["{", '{"a": {"url": "ftp://x"}}', '{"a": {}}', '{"a": {"url": "https://x", "command": "y"}}', '{"a": {"port": 1}}',
     '{"a": {"command": "x", "price": -1}}', "a='x", "=x"],
)  # fmt: skip
def test_a_server_that_cannot_be_read_is_refused_by_name(text: str) -> None:
    with pytest.raises(InvalidInput):
        mcp_servers(text, {})
