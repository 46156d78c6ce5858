"""The ladder of structured output: native schema, forced tool, JSON in the text, plain text.

Where a model stands on it is known for some vendors, remembered from an earlier run, or found by a probe: one small
question, asked on one rung after the other until an answer has the form. The memory is one small JSON file.
"""

import json
import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from research_crew.core.errors import CallFailed
from research_crew.models.answer import Unreadable, answer_json
from research_crew.models.failures import is_schema_refused
from research_crew.models.protocol import RUNGS, ChatModel, ModelReply, ModelRequest, Rung, full_name

_VERSION = 1
PROBE_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"box_colour": {"type": "string", "maxLength": 20}, "ball_count": {"type": "integer"}},
    "required": ["box_colour", "ball_count"], "additionalProperties": False,
}  # fmt: skip
_PROBE = ModelRequest(
    "A red box holds 3 balls. Which colour has the box, and how many balls does it hold?",
    schema=PROBE_SCHEMA, max_tokens=200,
)  # fmt: skip


@dataclass(slots=True)
class Rungs:
    """Which rung each model stands on; kept in a file when there is one."""

    path: Path | None = None
    warning: str = ""
    """Why the file was not used, or could not be written; empty when all is well."""
    _known: dict[str, Rung] = field(default_factory=dict)
    _supposed: dict[str, Rung] = field(default_factory=dict)
    _read: bool = False

    def of(self, model: ChatModel) -> Rung | None:
        """The rung that is remembered, or known of the vendor; None when it has to be found out."""
        if not self._read:
            self._load()
        known: Rung | None = getattr(model, "known_rung", None)
        return self._known.get(memory_key(model)) or known or self._supposed.get(memory_key(model))

    def suppose(self, model: ChatModel, rung: Rung) -> None:
        """Take a rung for granted, in this run, unless something better is known."""
        self._supposed[memory_key(model)] = rung

    def learn(self, model: ChatModel, rung: Rung) -> None:
        """Remember a rung, in the file as well."""
        if not self._read:
            self._load()
        if self._known.get(memory_key(model)) == rung:
            return
        self._known[memory_key(model)] = rung
        if self.path is None:
            return
        others = self._stored()  # another process may have learned something meanwhile
        text = json.dumps({"version": _VERSION, "rungs": dict(sorted((others | self._known).items()))}, indent=1)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            draft = self.path.with_name(f"{self.path.name}.{os.getpid()}.new")
            draft.touch(mode=0o600)
            draft.write_text(text, encoding="utf-8")
            draft.replace(self.path)
        except OSError as error:
            self.warning = f"{self.path}: it cannot be written ({error.strerror or error}); models are probed anew each run"

    def snapshot(self) -> dict[str, Rung]:
        """What is known now."""
        if not self._read:
            self._load()
        return dict(self._known)

    @classmethod
    def frozen(cls, known: Mapping[str, Rung]) -> "Rungs":
        """What was known once, without a file: a run that is repeated knows what it knew the first time."""
        return cls(_known=dict(known), _read=True)

    def _load(self) -> None:
        self._read = True
        self._known.update(self._stored())

    def _stored(self) -> dict[str, Rung]:
        """What the file holds. One that cannot be read, or is not ours, is as good as none, and that is said:
        everything in it can be found out again."""
        if self.path is None:
            return {}
        try:
            data = json.loads(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            self.warning = f"{self.path}: it cannot be read ({error}); models are probed anew"
            return {}
        rungs = data.get("rungs") if isinstance(data, dict) and data.get("version") == _VERSION else None
        if not isinstance(rungs, dict):
            self.warning = f"{self.path}: it is not a memory of this version; models are probed anew"
            return {}
        return {str(k): v for k, v in rungs.items() if v in RUNGS}


def memory_key(model: ChatModel) -> str:
    """Under which a model is remembered: one's own servers may serve different things under the same name."""
    base: str = getattr(model, "base_url", "")
    return f"{full_name(model)}@{base}" if base else full_name(model)


def rungs_of(model: ChatModel) -> tuple[Rung, ...]:
    """The rungs that a back end has at all, from the top."""
    return getattr(model, "rungs", ("text", "plain"))


def next_rung(model: ChatModel, rung: Rung) -> Rung | None:
    """The rung below, or None."""
    lower = [other for other in rungs_of(model) if RUNGS.index(other) > RUNGS.index(rung)]
    return lower[0] if lower else None


def as_asked(request: ModelRequest, rung: Rung) -> ModelRequest:
    """The request on one rung; what that means for the prompt is `schema.prompt_of`."""
    return replace(request, rung=None if request.schema is None else rung)


async def probe(
    model: ChatModel, ask: Callable[[ModelRequest, int], Awaitable[ModelReply]], first: Rung | None = None
) -> Rung:
    """The highest rung on which a model gives the form that was asked for; `first` is tried before the others.

    `ask` buys one request (the second argument counts them from 1). A refusal of the form is an answer here; any other
    failure of a call is raised.
    """
    ladder = rungs_of(model)
    if first is not None:
        ladder = (first, *(rung for rung in ladder if rung != first))
    for number, rung in enumerate(ladder, 1):
        if rung == "plain":
            return rung
        try:
            reply = await ask(as_asked(_PROBE, rung), number)
        except CallFailed as failure:
            vague = failure.status in (400, 422) and rung != "text"
            if not vague and not is_schema_refused(failure):
                raise
            continue
        if _has_form(reply, rung):
            return rung
    return "plain"


def _has_form(reply: ModelReply, rung: Rung) -> bool:
    try:
        parsed = answer_json(reply, PROBE_SCHEMA["properties"])
    except Unreadable:
        return False
    value = parsed.value
    strict = rung == "text" or not parsed.notes
    named = isinstance(value, dict) and "box_colour" in value and "ball_count" in value
    return strict and named and "red" in str(value["box_colour"]).lower() and str(value["ball_count"]).strip() == "3"
