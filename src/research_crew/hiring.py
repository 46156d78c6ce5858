"""Which agents answer a run, and with which models: chosen by what was asked for and which keys were found."""

import asyncio
import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from research_crew.core.errors import InvalidInput, MissingExtra
from research_crew.core.secret import Secret
from research_crew.settings import Settings, rungs_file

if TYPE_CHECKING:
    from research_crew.agents.model.team import Caps, Team
    from research_crew.core.events import OnEvent
    from research_crew.models.ladder import Rungs
    from research_crew.models.metered import Asker
    from research_crew.models.names import Kit
    from research_crew.models.protocol import ChatModel, Effort
    from research_crew.models.wire import Wire

_LIBRARY = "pydantic_ai"
_NO_LIBRARY = ("swarms", "recorded")
"""Vendors that work on the base install."""
_PAIRS = ("swarms", "openai", "anthropic", "google", "openrouter", "deepseek")
"""Vendors whose key chooses the agents, in this order."""
SMALLEST_WINDOW = 1_000


@dataclass(frozen=True, slots=True)
class Choice:
    """What answers, decided before anything is opened."""

    agents: Literal["extractive", "model"]
    lead: str = ""
    worker: str = ""
    search: str = ""
    notes: tuple[str, ...] = ()


def choose(settings: Settings, keys: Mapping[str, Secret]) -> Choice:
    """The agents of a run: what the settings name, otherwise by the first vendor whose key was found.

    Raises `InvalidInput` for model agents without a model.
    """
    named = settings.lead or settings.worker or settings.solo
    if settings.agents == "extractive" or (settings.agents is None and named is None and not _vendor(keys)):
        return Choice("extractive", search=settings.search or "")
    search = settings.search or ("" if settings.docs is not None else "exa" if "exa" in keys else "wikipedia,duckduckgo")
    if named is not None:
        lead = settings.lead or settings.solo or settings.worker or named
        return Choice("model", lead, settings.worker or lead, search)
    vendor = _vendor(keys)
    if not vendor:
        raise InvalidInput("--agents", "model", "name a model with --lead vendor:name, or set the key of a vendor")
    from research_crew.models.vendors import VENDORS

    if vendor not in _NO_LIBRARY and find_spec(_LIBRARY) is None and settings.agents is None:
        note = f"a key for {vendor} was found, but the package {_LIBRARY!r} is missing: pip install 'research-crew[models]'"
        return Choice("extractive", search=settings.search or "", notes=(note,))
    pair = VENDORS[vendor]
    return Choice("model", f"{vendor}:{pair.lead}", f"{vendor}:{pair.worker}", search)


def _vendor(keys: Mapping[str, Secret]) -> str:
    return next((vendor for vendor in _PAIRS if vendor in keys), "")


@dataclass(slots=True)
class Hired:
    """An opened team, and what has to be closed with it."""

    team: "Team"
    wire: "Wire"
    rungs: "Rungs"
    header: Mapping[str, object] = field(default_factory=dict)
    """Of the recording that is played back, if one is: the run repeats its date."""
    warming: "list[asyncio.Task[None]]" = field(default_factory=list)

    def warm(self) -> None:
        """Begin to import what the models need, in a thread beside whatever comes before the first question."""
        team = self.team
        models = (team.lead, team.worker, team.critic, team.solo, team.writer, team.citer)
        needed = {getattr(model, "vendor", None): model for model in models if hasattr(model, "warm")}
        for model in needed.values():
            task = asyncio.ensure_future(model.warm())  # type: ignore[union-attr]
            # What is missing is said by the first question, which waits for the same import.
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
            self.warming.append(task)

    async def close(self) -> None:
        """Close connections."""
        for task in self.warming:
            task.cancel()
        await self.wire.aclose()


@dataclass(frozen=True, slots=True)
class Frozen:
    """What a run that can be repeated hires with: the same each time."""

    secret: bytes
    """Marks the fences around text from outside."""
    now: Callable[[], datetime]
    """The time of its beginning, by which prices are looked up."""
    rungs: Mapping[str, str] | None = None
    """How each model was known to be asked for JSON; None the first time."""


def hire(
    choice: Choice, settings: Settings, keys: Mapping[str, Secret], question: str, now: Callable[[], datetime],
    alone: bool, on_event: "OnEvent | None", shown: bool = False, frozen: Frozen | None = None,
) -> Hired:  # fmt: skip
    """Make the models of a run. `shown`: whether somebody looks at the answers as they arrive.

    Raises `InvalidInput`, `UnknownPrice` or `MissingExtra` for a model that cannot be had, before anything is bought.
    """
    from research_crew.agents.model.team import Team
    from research_crew.models.ladder import Rungs
    from research_crew.models.metered import Asker
    from research_crew.models.names import make_model, parse_name
    from research_crew.models.recorded import RecordedModel, Recorder
    from research_crew.models.vendors import VENDORS
    from research_crew.models.wire import Wire

    wire = Wire()
    small = settings.profile == "small"
    kit = kit_of(settings, keys, wire, now() if frozen is None else frozen.now())
    made: dict[str, ChatModel] = {}
    header: Mapping[str, object] = {}

    def model(name: str) -> "ChatModel":
        nonlocal header
        if name not in made:
            vendor = parse_name(name).vendor
            if vendor in VENDORS and vendor not in _NO_LIBRARY and find_spec(_LIBRARY) is None:
                raise MissingExtra(_LIBRARY, "models")
            made[name] = make_model(name, kit)
            if isinstance(made[name], RecordedModel):
                header = made[name].header  # type: ignore[attr-defined]
            if recorder is not None:
                made[name] = recorder.of(made[name])
        return made[name]

    recorder = Recorder(Path(settings.record), {"today": now().date().isoformat()}) if settings.record else None
    # The marks of fences: unknown to whoever wrote a page, the same when a run is repeated.
    own_secret = hashlib.sha256(f"{question}\0{settings.seed}\0{choice.lead}".encode()).digest()
    secret = own_secret if frozen is None else frozen.secret
    known = None if frozen is None else frozen.rungs
    rungs = Rungs(rungs_file()) if known is None else Rungs.frozen(known)  # type: ignore[arg-type]

    def own(name: str | None) -> "ChatModel | None":
        return model(name) if name else None

    team = Team(
        model(choice.lead), model(choice.worker), Asker(now, rungs=rungs, timeout=settings.timeout, on_event=on_event), secret,
        own(settings.critic), own(settings.solo), own(settings.writer), own(settings.citer), alone,
        caps_of(settings.output_tokens), efforts_of(settings.effort), settings.chars_per_result, settings.temperature, small,
    )  # fmt: skip
    if small:
        _know_small(team.asker, made.values())
    # A model on one's own machine is streamed even when nobody looks: small ones repeat themselves without end.
    vendors = {parse_name(name).vendor for name in made}
    local = any(vendor in VENDORS and VENDORS[vendor].local for vendor in vendors)
    team.asker.streams = settings.stream == "on" or (settings.stream == "auto" and (shown or local))
    return Hired(team, wire, rungs, header)


def _know_small(asker: "Asker", models: "Iterable[ChatModel]") -> None:
    """What is taken for granted of small models: a schema binds them, since their server makes it a grammar (no probe is
    bought; a server that refuses one is asked in words), and their prompts are counted by pieces, not by bytes."""
    from research_crew.models.bound import by_pieces
    from research_crew.models.protocol import full_name

    asker.bounds.grammars = True
    asker.bounds.counters = {full_name(model): by_pieces for model in models}
    for model in models:
        asker.rungs.suppose(model, "native")


def kit_of(settings: Settings, keys: Mapping[str, Secret], wire: "Wire", at: datetime) -> "Kit":
    """What the models of a run are made from; `at` says which day's prices hold. Raises `InvalidInput`."""
    from research_crew.models.names import Kit
    from research_crew.models.prices import given_prices

    prices = given_prices(part.strip() for part in (settings.price or "").split(",") if part.strip())
    return Kit(
        wire, keys, addresses(settings.base_urls), prices, windows=windows_of(settings.windows),
        repeatable=settings.profile == "small", now=at,
    )  # fmt: skip


def addresses(text: str | None) -> dict[str, str]:
    """Base URLs as a person writes them: `openai=http://127.0.0.1:8089/v1,ollama=…`."""
    found: dict[str, str] = {}
    for part in (text or "").split(","):
        vendor, equals, url = part.strip().partition("=")
        if part.strip() and not equals:
            raise InvalidInput("--base-urls", part, "write VENDOR=URL, such as ollama=http://127.0.0.1:11434/v1")
        if vendor:
            found[vendor.strip()] = url.strip()
    return found


_CAPS = {"planner": "plan", "researcher": "research", "critic": "critique", "writer": "write", "citer": "cite"}
_EFFORTS = ("off", "minimal", "low", "medium", "high")


def by_role(text: str | None, option: str) -> dict[str, str]:
    """What a person wrote for each role: `writer=4000,planner=1500`; under the empty string what stands without one."""
    found: dict[str, str] = {}
    for part in (text or "").split(","):
        role, equals, value = (piece.strip().lower() for piece in part.rpartition("="))
        if not value:
            continue
        if equals and role not in (*_CAPS, "investigator"):
            raise InvalidInput(option, part.strip(), f"roles are {', '.join(_CAPS)} and investigator")
        found[role] = value
    return found


def caps_of(text: str | None) -> "Caps":
    """The longest answers as a person wrote them; raises `InvalidInput`."""
    from dataclasses import replace

    from research_crew.agents.model.team import Caps

    caps = Caps()
    for role, value in by_role(text, "--output-tokens").items():
        if role not in _CAPS or not value.isdecimal() or not 50 <= int(value) <= 200_000:
            raise InvalidInput("--output-tokens", f"{role}={value}", "write ROLE=TOKENS with 50 to 200000, such as writer=4000")
        caps = replace(caps, **{_CAPS[role]: int(value)})
    return caps


def efforts_of(text: str | None) -> "dict[str, Effort]":
    """How long the model of each role thinks; raises `InvalidInput`."""
    found = by_role(text, "--effort")
    for value in found.values():
        if value not in _EFFORTS:
            raise InvalidInput("--effort", value, f"use {', '.join(_EFFORTS)}, or ROLE=EFFORT")
    everybody = found.pop("", "off")
    return {role: found.get(role, everybody) for role in (*_CAPS, "investigator")}  # type: ignore[misc]


def windows_of(text: str | None) -> dict[str, int]:
    """Windows as a person writes them: `32000` for every model, `ollama:qwen3=8192` for one. Raises `InvalidInput`."""
    found: dict[str, int] = {}
    for part in (text or "").split(","):
        name, _, size = part.strip().rpartition("=")
        if not part.strip():
            continue
        if not size.strip().isdecimal() or not SMALLEST_WINDOW <= int(size) <= 10**9:
            raise InvalidInput("--windows", part, f"write TOKENS (at least {SMALLEST_WINDOW}) or MODEL=TOKENS")
        found[name.strip()] = int(size)
    return found


def caps_for(team: "Team", limit: Decimal, prompt_tokens: int) -> None:
    """Fit the caps to the smallest window, and those of the ending to the budget: it may be set aside at most half of
    it, as long as that can be. An answer may take a third of a window (a report) or a quarter (everything else)."""
    from dataclasses import replace

    caps, most = team.caps, team.caps.write
    models = (team.lead, team.worker, team.critic, team.solo, team.writer, team.citer)
    known = [model.window for model in models if model is not None and model.window is not None]
    window = min(known, default=10**9)
    team.caps = replace(
        caps, plan=min(caps.plan, window // 4), research=min(caps.research, window // 4),
        critique=min(caps.critique, window // 4), cite=min(caps.cite, window // 4),
    )  # fmt: skip
    for prompt, write in (
        (prompt_tokens, most), (12_000, most), (8000, most), (6000, most), (6000, 3000), (4000, 2000), (2500, 1200),
    ):  # fmt: skip
        ending, write = min(prompt, prompt_tokens), min(write, most, window // 3)
        team.caps = replace(team.caps, prompt=prompt_tokens, ending_prompt=ending, write=write)
        if sum(ending_prices(team).values(), Decimal(0)) <= limit / 2:
            return


def ending_prices(team: "Team") -> dict[str, Decimal]:
    """What critique (1 try), write (2 tries) and cite (1 try) can cost at their caps."""
    from research_crew.agents.roles import CITER, CRITIC, WRITER

    caps = team.caps
    return {
        "critique": team.worst(CRITIC, caps.ending_prompt, caps.critique),
        "write": 2 * team.worst(WRITER, caps.ending_prompt, caps.write),
        "cite": team.worst(CITER, caps.ending_prompt + caps.write, caps.cite),
    }
