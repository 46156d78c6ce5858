"""The shape of the package: what may import what."""

import ast
import sys
from functools import cache
from pathlib import Path

import pytest

SRC = Path(__file__).parents[1] / "src" / "research_crew"
FLOORS: dict[str, float] = {
    "core": 1, "evidence": 2, "documents": 2.5, "net": 2.5, "settings": 3, "tracing": 3, "rates": 3, "models": 3, "search": 3, "stores": 3,
    "agents": 4, "library": 5, "prices": 5, "backends": 5, "closing": 5, "hiring": 5, "session": 5, "one_run": 5, "shared_store": 5, "again": 5, "past_library": 5, "record": 5, "restoring": 5, "fitting": 5, "exporting": 5, "live": 5, "options": 5, "steps": 5, "result": 5, "flow": 5, "crew": 5, "measure": 6, "distribute": 6, "doctor": 6,
    "interfaces": 7, "__main__": 8, "samples": 8,
}  # fmt: skip
"""Documents and net stand above evidence on one floor, and do not know each other."""
LONG: dict[str, str] = {
    "models/json_text.py": "one reader of broken JSON, a method for each kind of value",
}
STDLIB_ONLY = ("core", "agents/scripted", "measure/exact.py", "measure/runs.py", "measure/score.py", "measure/moments.py")


def modules() -> list[Path]:
    """Every module of the package."""
    return sorted(SRC.rglob("*.py"))


def name_of(file: Path) -> str:
    """`core/budget.py`."""
    return file.relative_to(SRC).as_posix()


def part_of(dotted: str) -> str:
    """The folder, or the top file, that a dotted name within the package belongs to."""
    return dotted.split(".")[1]


@cache
def imports(file: Path, top_only: bool = False) -> tuple[str, ...]:
    """Full names of what a module imports; `top_only` leaves out functions and what only the type checker sees."""
    found: list[str] = []

    def visit(node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                found.extend(alias.name for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                assert child.level == 0, f"{name_of(file)}: relative imports hide the floors"
                found.extend(f"{child.module}.{alias.name}" for alias in child.names)
            elif (top_only and isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef))) or (top_only and isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test)):
                continue
            else:
                visit(child)

    visit(ast.parse(file.read_text(encoding="utf-8")))
    return tuple(found)


def home_of(dotted: str) -> Path | None:
    """The file that a full name of this package lives in."""
    parts = dotted.split(".")[1:]
    for end in (len(parts), len(parts) - 1):
        base = SRC.joinpath(*parts[:end])
        if base.with_suffix(".py").is_file():
            return base.with_suffix(".py")
        if end and (base / "__init__.py").is_file():
            return base / "__init__.py"
    return None


def test_a_module_imports_only_from_floors_below_or_its_own_folder() -> None:
    wrong = []
    for file in modules():
        here = name_of(file)
        part = here.split("/")[0].removesuffix(".py")
        if part == "__init__":
            continue
        for target in imports(file):
            if not target.startswith("research_crew."):
                continue
            there = part_of(target)
            if there != part and not FLOORS[there] < FLOORS[part]:
                wrong.append(f"{here} imports {target}")
    top = {"exporting", "session", "one_run", "shared_store", "again", "past_library", "record", "restoring", "fitting", "live", "options", "steps", "result", "flow", "crew", "library", "prices", "backends", "closing", "hiring"}  # one floor of single files: an order, not a folder
    assert [w for w in wrong if not (w.split(".py")[0] in top and part_of(w.split()[-1]) in top)] == []


def test_the_root_is_imported_by_nobody_inside() -> None:
    assert [name_of(f) for f in modules() if any(i == "research_crew" for i in imports(f))] == []


def test_there_are_no_import_circles() -> None:
    edges = {f: [h for i in imports(f, top_only=True) if i.startswith("research_crew.") and (h := home_of(i))] for f in modules()}
    state: dict[Path, int] = {}
    path: list[Path] = []

    def visit(file: Path) -> None:
        state[file] = 1
        path.append(file)
        for target in edges.get(file, []):
            if target == file:
                continue
            assert state.get(target) != 1, " -> ".join(map(name_of, [*path[path.index(target) :], target]))
            if target not in state:
                visit(target)
        path.pop()
        state[file] = 2

    for file in edges:
        if file not in state:
            visit(file)


def test_the_sets_of_agents_do_not_know_each_other() -> None:
    sets = ("model", "extractive", "scripted")
    for file in modules():
        here = name_of(file).split("/")
        if here[0] == "agents" and here[1] in sets:
            others = [i for i in imports(file) for s in sets if s != here[1] and i.startswith(f"research_crew.agents.{s}")]
            assert others == [], name_of(file)


@pytest.mark.parametrize("place", STDLIB_ONLY)
def test_core_and_the_scripted_world_need_the_standard_library_only(place: str) -> None:
    files = [SRC / place] if place.endswith(".py") else sorted((SRC / place).rglob("*.py"))
    assert files
    for file in files:
        foreign = {i.split(".")[0] for i in imports(file)} - {"research_crew"} - sys.stdlib_module_names
        assert foreign == set(), name_of(file)


def test_graph_never_imports_budget_and_the_two_columns_meet_in_the_runner() -> None:
    work = {"graph", "books", "events"}
    money = {"money", "budget", "ledger", "meter"}
    for name in work:
        found = {part for i in imports(SRC / "core" / f"{name}.py") if (part := i.split(".")[2:3][0] if i.startswith("research_crew.core") else "")}
        assert not found & (money - {"money"}), name


def test_only_the_settings_read_the_environment() -> None:
    allowed = {"settings.py", "documents/reading.py"}
    for file in modules():
        text = file.read_text(encoding="utf-8")
        if name_of(file) not in allowed:
            assert "os.environ" not in text and "os.getenv" not in text, name_of(file)


def test_only_net_search_and_models_speak_http() -> None:
    doors = ("net/", "search/", "models/")
    clients = ("aiohttp", "httpx", "httpx2", "urllib.request", "http.client", "requests", "socket")
    for file in modules():
        if not name_of(file).startswith(doors):
            assert [i for i in imports(file) if i.startswith(clients)] == [], name_of(file)


def test_files_are_small_and_named_after_what_is_in_them() -> None:
    for file in modules():
        lines = file.read_text(encoding="utf-8").count("\n")
        assert lines <= 300 or name_of(file) in LONG, f"{name_of(file)}: {lines} lines"
        assert file.stem not in ("utils", "helpers", "common", "misc"), name_of(file)
    assert [name for name in LONG if not (SRC / name).is_file()] == []


def test_nothing_names_a_path_of_one_machine() -> None:
    roots = [Path(__file__).parents[1] / name for name in ("src", "tests", "benchmarks", "docs", "examples")]
    marks = ("/" + "work/", "/" + "root/", "/" + "home/")
    for folder in roots:
        for file in folder.rglob("*"):
            if file.suffix in (".py", ".md", ".toml", ".txt", ".sh", ".json", ".jsonl", ".html", ".tsv"):
                text = file.read_text(encoding="utf-8", errors="replace")
                assert not any(mark in text for mark in marks), file
