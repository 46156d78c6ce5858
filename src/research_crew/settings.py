"""Every setting, in one frozen value, read in one place.

Arguments stand over the environment, over `.env` in the working directory, over `research-crew.toml`, over the
defaults below. This module is the only reader of the environment and of configuration files; whoever makes a back end
gets its key as an argument. `research-crew config` prints what is in force and where each value came from.
"""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from research_crew.core.errors import InvalidInput, UserError
from research_crew.core.money import to_decimal
from research_crew.core.secret import Secret

CONFIG_FILE = "research-crew.toml"
ENV_FILE = ".env"
PREFIX = "RESEARCH_CREW_"

KEYS: Mapping[str, str] = {
    "swarms": "SWARMS_API_KEY",
    "openai": "OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "google": "GEMINI_API_KEY",
    "openrouter": "OPENROUTER_API_KEY",
    "deepseek": "DEEPSEEK_API_KEY",
    "exa": "EXA_API_KEY",
    "tavily": "TAVILY_API_KEY",
    "brave": "BRAVE_API_KEY",
    "openalex": "OPENALEX_API_KEY",
}
"""Vendor → the environment variable that holds its key."""

PROFILES: Mapping[str, Mapping[str, Any]] = {
    "small": {
        "researchers": 2, "search_rounds": 2, "queries_per_round": 3, "results_per_search": 5, "pages_per_round": 3,
        "chars_per_result": 350, "pages": 12, "prompt_tokens": 500, "timeout": 300.0,
        "output_tokens": "planner=120,researcher=120,critic=120,writer=120,citer=120",
    },
}  # fmt: skip
"""Named sets of defaults. `small` is for models of about 1 to 3 billion parameters on one's own machine: short prompts
and answers of their own kind, and at most 8 calls (plan, 2 researchers x 2 rounds, critique, answer, citations)."""
_MCP_TOKEN = re.compile(r"MCP_([A-Z0-9_]+)_TOKEN")
"""The variable that holds the token of an MCP server: `MCP_MINE_TOKEN` for `mcp:mine`."""

MOST_RESEARCHERS = 1000
_OPTIONS = {"researchers": "-n (researchers)", "strictness": "--critic-strictness"}
"""Settings whose option on the command line has another name."""
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "output": ("final", "all", "markdown", "json"), "stream": ("auto", "on", "off"), "trace": ("off", "on", "content"),
    "retrieval": ("lexical", "semantic", "hybrid"), "support": ("lexical", "semantic"),
    "agents": ("scripted", "extractive", "model"),
}  # fmt: skip


def _setting(default: Any, what: str, low: float | None = None, high: float | None = None) -> Any:
    return field(default=default, metadata={"what": what, "low": low, "high": high})


@dataclass(frozen=True, slots=True)
class Settings:
    """What a run is done with. Names are those of the command line (`--search-rounds`), of the environment
    (`RESEARCH_CREW_SEARCH_ROUNDS`) and of the configuration file (`search_rounds`)."""

    agents: str | None = _setting(None, "scripted, extractive or model; by default what the keys found allow")
    docs: str | None = _setting(None, "folder of documents to search; alone it means no network")
    lead: str | None = _setting(None, "model of the lead, the writer and the citer, as vendor:name")
    worker: str | None = _setting(None, "model of researchers and critic, as vendor:name")
    critic: str | None = _setting(None, "model of the critic; by default the worker's")
    writer: str | None = _setting(None, "model of the writer; by default the lead's")
    citer: str | None = _setting(None, "model of the citer; by default the lead's")
    solo: str | None = _setting(None, "model of the one agent alone; by default the lead's")
    search: str | None = _setting(None, "search engines, separated by commas")
    retrieval: Literal["lexical", "semantic", "hybrid"] = _setting("lexical", "how local documents are searched: lexical, semantic or hybrid")
    filters: str | None = _setting(None, "limits of searches: since=DAY,until=DAY,language=de,domain=who.int,not=quora.com")
    mcp: str | None = _setting(None, "MCP servers, as NAME=URL or NAME=COMMAND, parted by semicolons; a table in the file")
    base_urls: str | None = _setting(None, "addresses of vendors, as VENDOR=URL,VENDOR=URL")
    price: str | None = _setting(None, "prices, as INPUT/OUTPUT per million tokens or MODEL=INPUT/OUTPUT,...")
    database: str | None = _setting(None, "Postgres database of batches over several machines, as postgresql://user@host/name")
    rates: str | None = _setting(None, "most calls of providers, as PROVIDER=500/min,PROVIDER=5/s")
    windows: str | None = _setting(None, "tokens that models take in and give out together, as TOKENS or MODEL=TOKENS,...")
    profile: str | None = _setting(None, "small: for a small model on this machine; sets other defaults, prompts and answers")
    record: str | None = _setting(None, "file into which every answer of a model is written")
    researchers: int = _setting(5, "most researchers", 1, MOST_RESEARCHERS)
    search_rounds: int = _setting(2, "search rounds of a researcher", 1, 10)
    queries_per_round: int = _setting(3, "new queries in a round", 1, 20)
    results_per_search: int = _setting(10, "results of a search", 1, 100)
    pages_per_round: int = _setting(6, "pages that a researcher reads in a round", 1, 100)
    chars_per_result: int = _setting(2000, "characters kept of each result", 100, 100_000)
    loops: int = _setting(1, "plan-research-write loops", 1, 10)
    pages: int = _setting(40, "pages read in a run", 1, 10_000)
    prompt_tokens: int = _setting(24_000, "largest prompt, in tokens", 500, 2_000_000)
    timeout: float = _setting(120.0, "seconds before a call is given up", 0.01, 86_400)
    tries: int = _setting(3, "tries of a paid call", 1, 20)
    strictness: float = _setting(0.5, "how much the critic cuts, 0 to 1", 0.0, 1.0)
    output_tokens: str | None = _setting(None, "longest answers in tokens by role, as planner=1500,writer=4000")
    effort: str | None = _setting(None, "how long models think: off to high, or by role as writer=high (off)")
    stream: str = _setting("auto", "answers piece by piece: auto (where they are shown, and local models), on or off")
    support: str = _setting("lexical", "how quotes are held to claims: lexical, or semantic (extra semantic; see docs/measured.md)")
    temperature: float = _setting(0.0, "temperature of models, where they allow one", 0.0, 2.0)
    budget: Decimal | None = _setting(None, "limit of a run, in its currency")
    deadline: float | None = _setting(None, "seconds after which a run stops", 0.001, 10_000_000)
    max_calls: int | None = _setting(None, "most paid calls", 1, None)
    max_tokens: int | None = _setting(None, "most tokens, prompts and answers together", 1, None)
    concurrency: int = _setting(32, "tasks side by side", 1, 10_000)
    language: str | None = _setting(None, "language of the report; by default the question's")
    allow_mixed: bool = _setting(False, "whether words from documents may go to engines of the network")
    seed: int = _setting(1, "seed of everything drawn by chance", None, None)
    store: str | None = _setting(None, "file of stored runs; off stores none; by default one in the platform's data folder")
    durable: bool = _setting(False, "whether every step of a stored run waits for the disk, against loss of power")
    output: str = _setting("final", "final, all, markdown or json")
    trace: str = _setting("off", "OpenTelemetry spans: off, on, or content (with questions and answers in them)")

    def __post_init__(self) -> None:
        for spec in fields(self):
            value = getattr(self, spec.name)
            low, high = spec.metadata["low"], spec.metadata["high"]
            if value is None or not isinstance(value, (int, float)) or isinstance(value, bool):
                continue
            out = math.isnan(value) or (low is not None and value < low) or (high is not None and value > high)
            if out:
                span = f"from {low} to {high}" if high is not None else f"of at least {low}"
                raise InvalidInput(_OPTIONS.get(spec.name, f"--{spec.name.replace('_', '-')}"), value, f"use a value {span}")
        if self.profile not in (None, *PROFILES):
            raise InvalidInput("--profile", self.profile, f"use {' or '.join(PROFILES)}, or leave it out")
        for name, known in _CHOICES.items():
            if (given := getattr(self, name)) is not None and given not in known:
                raise InvalidInput(f"--{name}", given, f"use {', '.join(known[:-1])} or {known[-1]}")
        if self.budget is not None and self.budget <= 0:
            raise InvalidInput("--budget", str(self.budget), "give an amount of more than 0")


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings in force, where each came from, and the keys that were found."""

    settings: Settings
    origins: Mapping[str, str]
    """Setting → `argument`, `environment NAME`, `.env`, `research-crew.toml`, `profile NAME` or `default`."""
    keys: Mapping[str, Secret]
    """Vendor → its key, for the vendors whose key was found."""


def load(
    arguments: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Loaded:
    """Read the settings in force.

    `arguments` are named like the settings; those that are None were not given. `environ` and `folder` default to
    the process's own. Raises `InvalidInput` for an unknown name or a value that cannot be read.
    """
    import os

    environ = os.environ if environ is None else environ
    folder = folder or Path()
    layers: tuple[tuple[str, dict[str, Any]], ...] = (
        ("argument", {k: v for k, v in (arguments or {}).items() if v is not None}),
        ("environment", _from_environment(environ)),
        (ENV_FILE, _from_environment(dotenv := _read_env(folder / ENV_FILE))),
        (CONFIG_FILE, _read_toml(folder / CONFIG_FILE)),
    )
    named = next((str(layer["profile"]) for _, layer in layers if layer.get("profile")), "")
    if named in PROFILES:
        layers = (*layers, (f"profile {named}", dict(PROFILES[named])))
    types = {spec.name: getattr(spec.type, "__name__", str(spec.type)) for spec in fields(Settings)}
    values: dict[str, Any] = {}
    origins = dict.fromkeys(types, "default")
    for origin, layer in reversed(layers):
        for name, value in layer.items():
            if name not in types:
                raise InvalidInput(f"setting in {origin}", name, f"known are {', '.join(types)}")
            values[name] = _read(name, value, types[name], origin)
            origins[name] = origin
    keys = {
        vendor: Secret(found)
        for vendor, variable in KEYS.items()
        if (found := environ.get(variable, "") or dotenv.get(variable, ""))
    }
    for name, token in {**dotenv, **environ}.items():
        if token and (server := _MCP_TOKEN.fullmatch(name)):
            keys[f"mcp:{server[1].lower().replace('_', '-')}"] = Secret(token)
    return Loaded(Settings(**values), origins, keys)


def _from_environment(environ: Mapping[str, str]) -> dict[str, str]:
    names = {spec.name for spec in fields(Settings)}
    found = {name: environ[PREFIX + name.upper()] for name in names if environ.get(PREFIX + name.upper())}
    return dict(sorted(found.items()))


def _read(name: str, value: object, type_: str, origin: str) -> object:
    """A value from wherever it stood, in the setting's own type."""
    label = f"{name.replace('_', '-')} ({origin})"
    try:
        if type_.startswith("int"):
            if isinstance(value, bool) or (isinstance(value, float) and value != int(value)):
                raise ValueError
            return int(value)  # type: ignore[call-overload]
        if type_.startswith("float"):
            return float(value)  # type: ignore[arg-type]
    except (ValueError, TypeError, OverflowError):
        raise InvalidInput(label, value, "use a number") from None
    if type_ == "bool":
        if isinstance(value, bool) or str(value).lower() in ("1", "true", "yes", "0", "false", "no"):
            return str(value).lower() in ("1", "true", "yes")
        raise InvalidInput(label, value, "use true or false")
    if "Decimal" in type_:
        return to_decimal(str(value) if isinstance(value, float) else value, label)  # type: ignore[arg-type]
    if isinstance(value, Mapping):  # a table of the file: `[output_tokens]`, `writer = 4000`
        return json.dumps(value) if name == "mcp" else ",".join(f"{key}={part}" for key, part in value.items())
    return str(value)


def _read_env(path: Path) -> dict[str, str]:
    """`NAME=value` lines; quotes around a value and `export` before a name are dropped, `#` begins a comment."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path} cannot be read: {error}") from None
    found: dict[str, str] = {}
    for line in text.splitlines():
        name, equals, value = line.strip().removeprefix("export ").partition("=")
        if not equals or name.startswith("#"):
            continue
        value = value.strip()
        if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
            value = value[1:-1]
        else:
            value = value.split(" #", 1)[0].rstrip()
        found[name.strip()] = value
    return found


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error}") from None
    import tomllib

    try:
        table = tomllib.loads(raw.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path} cannot be read: {error}") from None
    return {name.replace("-", "_"): value for name, value in table.items()}


def index_file(docs: str | None) -> Path | None:
    """Where the index of a folder is kept between runs: the platform's cache folder; None when it cannot be written."""
    from hashlib import sha256

    name = sha256(str(Path(docs).expanduser().resolve()).encode()).hexdigest()[:16] if docs is not None else "sample"
    folder = cache_folder() / "index"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        probe = folder / f".{name}.probe"
        probe.touch()
        probe.unlink()
    except OSError:  # a read-only home: the index is made anew each time, in memory
        return None
    return folder / f"{name}.sqlite"


def editor() -> str:
    """The command that a person edits texts with, or an empty string."""
    import os

    return os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""


def cache_folder() -> Path:
    """The platform's folder for what can be made again."""
    from platformdirs import user_cache_path

    return user_cache_path("research-crew")


def store_file(settings: Settings) -> Path | None:
    """Where runs are stored: the platform's data folder unless another file is named; None when none are."""
    if settings.store is None:
        from platformdirs import user_data_path

        return user_data_path("research-crew") / "runs.sqlite"
    return None if settings.store == "off" else Path(settings.store).expanduser()


def rungs_file() -> Path:
    """Where it is kept between runs how each model takes a JSON schema."""
    return cache_folder() / "models" / "rungs.json"
