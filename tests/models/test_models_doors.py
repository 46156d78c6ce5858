"""One door to the model library, one way to a provider, and what the two cost is not hidden anywhere else."""

import ast
from pathlib import Path

import research_crew

ROOT = Path(research_crew.__file__).parent
LIBRARY = {"pydantic_ai", "openai", "anthropic", "google"}


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add((node.module or "").partition(".")[0])
    return found


def test_only_one_file_knows_the_model_library_and_one_its_client() -> None:
    knowing = {path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py") if imports(path) & LIBRARY}
    assert knowing == {"models/library.py"}
    client = {path.name for path in (ROOT / "models").glob("*.py") if "httpx2" in imports(path)}
    assert client == {"library.py", "transport.py"}


def test_only_back_ends_open_connections_to_providers() -> None:
    opening = {path.name for path in (ROOT / "models").glob("*.py") if "aiohttp" in imports(path)}
    assert opening == {"wire.py", "transport.py", "lean_chat.py", "fake_server.py"}


def test_nobody_but_the_asker_sends() -> None:
    """A `.send(` outside of the back ends and of the asker would be a call that no ledger knows."""
    sending = set()
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            called = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "send"
            if called and any(keyword.arg == "timeout" for keyword in node.keywords):  # type: ignore[attr-defined]
                sending.add(path.relative_to(ROOT).as_posix())
    assert sending == {"models/metered.py", "models/recorded.py"}


def test_no_file_reads_the_environment() -> None:
    for path in (ROOT / "models").glob("*.py"):
        text = path.read_text("utf-8")
        assert "environ" not in text or path.name in (
            "vendors.py",
            "wire.py",
            "library.py",
            "names.py",
            "fake_server.py",
        ), path
        assert "os.environ" not in text and "getenv" not in text, path
