"""The checks that open no connection: keys, models and engines by name, folders, disk, database, fonts, packages."""

import os
import platform
import re
import shutil
from collections.abc import Iterator
from datetime import datetime
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from research_crew.core.errors import MissingExtra, ResearchCrewError, UserError
from research_crew.core.money import show
from research_crew.core.secret import without_passwords
from research_crew.doctor.check import Check
from research_crew.hiring import Choice, addresses, choose, kit_of
from research_crew.models.ladder import Rungs, rungs_of
from research_crew.models.names import make_model, parse_name
from research_crew.models.protocol import ChatModel
from research_crew.models.wire import Wire
from research_crew.search import names as engines
from research_crew.search.metered import engine_price
from research_crew.search.protocol import Query, SearchEngine
from research_crew.search.request import Http
from research_crew.settings import KEYS, Loaded, cache_folder, rungs_file, store_file

LEAST_FREE = 200_000_000
"""Bytes of free disk below which an index of documents may not fit."""
_EXTRAS = {
    "models": ("pydantic_ai", "models of all vendors but swarms"), "sim": ("numpy", "fast simulations"),
    "mcp": ("mcp", "MCP servers as search engines"), "pdf": ("weasyprint", "reports as PDF"),
    "web": ("starlette", "the web page"), "semantic": ("onnxruntime", "search by meaning"),
    "workers": ("psycopg", "batches over several machines"), "otel": ("opentelemetry", "traces"),
}  # fmt: skip
_FONT_FOLDERS = (
    "/usr/share/fonts", "/usr/local/share/fonts", "~/.fonts", "~/.local/share/fonts", "/System/Library/Fonts",
    "/Library/Fonts", "~/Library/Fonts", "C:/Windows/Fonts",
)  # fmt: skip
_CJK = re.compile(
    r"cjk|sourcehan|source-?han|droidsansfallback|wqy|wenquanyi|ipaexg|ipag|takao|simsun|simhei|msyh|msgothic|yugoth"
    r"|pingfang|hiragino|malgun|nanum|applesdgothic|arialuni|unifont",
    re.I,
)


class Parts:
    """What the checks make once: the models and engines that a run would use."""

    def __init__(self, loaded: Loaded, now: datetime, http: Http, wire: Wire) -> None:
        self.loaded, self.http, self.wire = loaded, http, wire
        self.rungs = Rungs(rungs_file())
        self.choice: Choice | None = None
        self.models: dict[str, ChatModel] = {}
        self.engines: dict[str, SearchEngine] = {}
        self.kit = kit_of(loaded.settings, loaded.keys, wire, now)


def checks_here(parts: Parts, fonts: tuple[str, ...] = _FONT_FOLDERS) -> Iterator[Check]:
    """Every check that needs no connection, in the order in which they are read."""
    yield Check("program", "ok", f"research-crew {version('research-crew')}, Python {platform.python_version()}")
    yield from _agents(parts)
    yield _keys(parts)
    yield from _models(parts)
    yield from _engines(parts)
    yield from _documents(parts)
    yield from _places()
    yield _runs(parts)
    yield from _database(parts)
    yield _fonts(fonts)
    yield from _extras()


def _agents(parts: Parts) -> Iterator[Check]:
    try:
        parts.choice = choice = choose(parts.loaded.settings, parts.loaded.keys)
    except UserError as error:
        yield Check("agents", "bad", str(error))
        return
    for note in choice.notes:
        yield Check("agents", "note", note)
    if choice.agents == "extractive":
        says = "extractive: verbatim sentences, without a model"
        way_out = "" if parts.loaded.settings.agents else f"for a model, set one of {', '.join(_of_models())}"
        yield Check("agents", "ok" if parts.loaded.settings.agents else "note", says, way_out)
    else:
        yield Check("agents", "ok", f"model: lead {choice.lead}, researchers {choice.worker}")


def _of_models() -> list[str]:
    from research_crew.models.vendors import VENDORS

    return [variable for vendor, variable in KEYS.items() if vendor in VENDORS]


def _keys(parts: Parts) -> Check:
    found = [KEYS[vendor] for vendor in KEYS if vendor in parts.loaded.keys]
    if found:
        return Check("keys", "ok", f"found {', '.join(found)}")
    return Check("keys", "note", "none found", "put NAME=key into .env in this folder, or export it")


def _models(parts: Parts) -> Iterator[Check]:
    settings, choice = parts.loaded.settings, parts.choice
    if choice is None or choice.agents != "model":
        return
    roles = {
        "lead": choice.lead, "worker": choice.worker, "critic": settings.critic, "writer": settings.writer,
        "citer": settings.citer, "solo": settings.solo,
    }  # fmt: skip
    by_name: dict[str, list[str]] = {}
    for role, name in roles.items():
        if name:
            by_name.setdefault(name, []).append(role)
    for name, used in by_name.items():
        about = f"model {name}"
        try:
            model = make_model(name, parts.kit)
            if parse_name(name).vendor not in ("swarms", "recorded") and find_spec("pydantic_ai") is None:
                raise MissingExtra("pydantic_ai", "models")
        except UserError as error:
            yield Check(about, "bad", str(error))
            continue
        parts.models[name] = model
        price = model.price
        cost = "no price" if price.input is None or price.output is None else (
            f"{show((price.input * price.factor).normalize())} / {show((price.output * price.factor).normalize())} USD per million"
        )  # fmt: skip
        window = f"window {model.window:,}" if model.window else "window not known: --windows sets one"
        rung = parts.rungs.of(model)
        form = f"JSON by {rung}" if rung else f"JSON by one of {', '.join(rungs_of(model))}: found out at its first use"
        yield Check(about, "ok", f"{', '.join(used)}; {cost}; {window}; {form}")
    if parts.rungs.warning:
        yield Check("memory of models", "note", parts.rungs.warning)


def _engines(parts: Parts) -> Iterator[Check]:
    settings, choice = parts.loaded.settings, parts.choice
    spec = (choice.search if choice is not None else settings.search) or "docs"
    kit = engines.Kit(parts.http, parts.loaded.keys, addresses(settings.base_urls))
    for name in dict.fromkeys(part.strip() for part in spec.split(",") if part.strip()):
        if name == "docs":
            yield Check("search docs", "ok", "documents on this machine, without a network")
            continue
        try:
            engine = engines.make_engine(name, kit)
        except ResearchCrewError as error:
            yield Check(f"search {name}", "bad", str(error))
            continue
        parts.engines[name] = engine
        price = engine_price(engine, Query("?", settings.results_per_search))
        yield Check(f"search {name}", "ok", f"{show(price)} USD a search" if price else "free")


def _documents(parts: Parts) -> Iterator[Check]:
    docs = parts.loaded.settings.docs
    if docs is None:
        return
    folder = Path(docs).expanduser()
    if not folder.is_dir():
        yield Check("documents", "bad", f"{docs}: there is no such folder", "name another with --docs")
        return
    try:
        entries = sum(1 for _ in folder.iterdir())
    except OSError as error:
        yield Check("documents", "bad", f"{docs}: {error.strerror}", "allow this user to read it")
        return
    state = "ok" if entries else "bad"
    yield Check("documents", state, f"{docs}: {entries} entries", "" if entries else "put documents into it")  # type: ignore[arg-type]


def _places() -> Iterator[Check]:
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        probe = folder / ".doctor"
        probe.touch(mode=0o600)
        probe.unlink()
    except OSError as error:
        says = f"{folder} cannot be written ({error.strerror}): documents are indexed anew each time"
        yield Check("cache", "note", says, "allow this user to write it, or set XDG_CACHE_HOME")
        return
    yield Check("cache", "ok", str(folder))
    free = shutil.disk_usage(folder).free
    enough = free >= LEAST_FREE
    yield Check("disk", "ok" if enough else "bad", f"{free / 1e9:.1f} GB free", "" if enough else f"make room in {folder}")


def _runs(parts: Parts) -> Check:
    file = store_file(parts.loaded.settings)
    if file is None:
        return Check("runs", "note", "none are stored: a run that is stopped cannot be resumed", "leave out --store off")
    place = next(folder for folder in (file, *file.parents) if folder.exists())
    if not os.access(place, os.W_OK) or (place != file and not place.is_dir()):
        return Check("runs", "bad", f"{file} cannot be written", "allow this user to write it, or name another with --store")
    return Check("runs", "ok", f"stored in {file}" + ("" if file.exists() else ", which the first run makes"))


def _database(parts: Parts) -> Iterator[Check]:
    url = parts.loaded.settings.database
    if url is None:
        return
    if find_spec("psycopg") is None:
        yield Check("database", "bad", str(MissingExtra("psycopg", "workers")))
    else:
        yield Check("database", "ok", f"{without_passwords(url)}; --live tries to connect")


def _fonts(folders: tuple[str, ...]) -> Check:
    for name in folders:
        folder = Path(name).expanduser()
        if folder.is_dir():
            for file in folder.rglob("*.[ot]t[fc]"):
                if _CJK.search(file.name):
                    return Check("fonts", "ok", f"Chinese, Japanese and Korean can be printed ({file.name})")
    return Check(
        "fonts", "note", "no font with Chinese, Japanese or Korean signs was found",
        "for PDF reports in these languages install one, such as Noto Sans CJK; other reports need none",
    )  # fmt: skip


def _extras() -> Iterator[Check]:
    there = [name for name, (package, _) in _EXTRAS.items() if find_spec(package) is not None]
    missing = {name: what for name, (_, what) in _EXTRAS.items() if name not in there}
    says = f"installed: {', '.join(there) or 'none'}"
    if not missing:
        yield Check("extras", "ok", says)
        return
    ways = "; ".join(f"research-crew[{name}] for {what}" for name, what in missing.items())
    yield Check("extras", "note", says, f"pip install what you want: {ways}")
