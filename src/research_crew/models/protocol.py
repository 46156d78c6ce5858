"""What a language model is here: one method, and the frozen values that go in and come out.

A request does not name its model, so that the same request can be sent to any (and a recording of one model can be
played back in its place). Both values go to JSON and back unchanged: the journal stores replies, a recording stores
both.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal
from typing import Any, Literal, Protocol

from research_crew.core.money import Price, Usage, show

Finish = Literal["stop", "length", "content_filter", "repetition", "unknown"]
"""Why the answer ended. `length` is a cut at the limit, not a syntax error; `repetition` is our own stop."""
Rung = Literal["native", "tool", "text", "plain"]
"""How JSON is asked for: the provider's own schema mode, a forced tool call, JSON in the text, or not at all."""
Effort = Literal["off", "minimal", "low", "medium", "high"]
"""How long a reasoning model thinks. What it thinks is billed as output and counts against `max_tokens`."""
UsageBasis = Literal["measured", "estimated", "missing", "reused"]
OnText = Callable[[str], None]
"""Called with each piece of text as it arrives."""

RUNGS: tuple[Rung, ...] = ("native", "tool", "text", "plain")
REASONING_ROOM: Mapping[Effort | None, int] = {
    None: 0, "off": 0, "minimal": 1_024, "low": 2_048, "medium": 10_000, "high": 24_576,
}  # fmt: skip
"""Tokens of reasoning that an effort may take; vendors that want a budget are given these."""


@dataclass(frozen=True, slots=True)
class Message:
    """One earlier turn."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request. `prompt` is the last turn of the user, after `history`."""

    prompt: str
    system: str = ""
    history: tuple[Message, ...] = ()
    schema: Mapping[str, Any] | None = None
    """JSON schema of an object; None asks for prose."""
    schema_name: str = "answer"
    max_tokens: int = 2_000
    """Most tokens of the visible answer."""
    reasoning_tokens: int | None = None
    """Room for reasoning on top of `max_tokens`, reserved and billed like output; None: what `effort` needs."""
    temperature: float | None = 0.0
    """Left out where the model does not take one."""
    effort: Effort | None = None
    """None leaves it to the provider, which for some models means to reason."""
    stop: tuple[str, ...] = ()
    rung: Rung | None = None
    """How `schema` is asked for; None lets the caller's memory of the model decide. A back end sends
    `schema.prompt_of(request)`, which asks for JSON in words where nothing else does."""

    @property
    def most_output(self) -> int:
        """Most tokens that the answer can have, reasoning included: what is sent as the limit and reserved."""
        room = REASONING_ROOM[self.effort] if self.reasoning_tokens is None else self.reasoning_tokens
        return self.max_tokens + room

    def hash(self) -> str:
        """32 hexadecimal digits that change with anything in the request."""
        return digest(self.to_json())

    def to_json(self) -> dict[str, Any]:
        """The request as JSON values."""
        data = {f.name: getattr(self, f.name) for f in fields(self)}
        data["history"] = [[m.role, m.text] for m in self.history]
        data["stop"] = list(self.stop)
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "ModelRequest":
        """The inverse of `to_json`."""
        history = tuple(Message(role, text) for role, text in data["history"])
        return cls(**{**data, "history": history, "stop": tuple(data["stop"])})


@dataclass(frozen=True, slots=True)
class ModelReply:
    """One answer."""

    text: str
    """What was said, as it was said (reasoning tags included: `answer.py` takes them out)."""
    usage: Usage = field(default_factory=Usage)
    usage_basis: UsageBasis = "missing"
    """`missing` until somebody estimates it: unknown is not zero."""
    finish: Finish = "stop"
    provider: str = ""
    model: str = ""
    """The model's name as the reply gives it."""
    data: Any = None
    """The answer as JSON values when it came as a tool call, None otherwise."""
    reasoning: str = ""
    """Reasoning that the provider sent apart from the text; never printed, never parsed."""
    request_id: str | None = None
    cost: Decimal | None = None
    """The price that the reply itself names; it wins over the price table."""
    notes: tuple[str, ...] = ()
    """What was odd about it, for the reader of the bill."""

    @property
    def empty(self) -> bool:
        """Nothing was answered (it may have been billed all the same)."""
        return self.data is None and not self.text.strip()

    def storable(self) -> "ModelReply":
        """The reply without what no store takes: NUL characters, and halves of surrogate pairs."""
        return replace(
            self, text=_storable(self.text), reasoning=_storable(self.reasoning), data=_storable(self.data),
            model=_storable(self.model), request_id=_storable(self.request_id),
        )  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """The reply as JSON values; the amount is a string."""
        data = {f.name: getattr(self, f.name) for f in fields(self)}
        data.update(usage=self.usage.units(), cost=None if self.cost is None else show(self.cost))
        data["notes"] = list(self.notes)
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "ModelReply":
        """The inverse of `to_json`."""
        cost = None if data["cost"] is None else Decimal(data["cost"])
        return cls(**{**data, "usage": Usage.from_units(data["usage"]), "cost": cost, "notes": tuple(data["notes"])})


class ChatModel(Protocol):
    """Anything with these is a language model. A back end of a stranger's may leave out `rungs` and `aclose`."""

    @property
    def provider(self) -> str:
        """Vendor, as in the name before the colon."""
        ...

    @property
    def name(self) -> str:
        """The vendor's name of the model, after the colon."""
        ...

    @property
    def window(self) -> int | None:
        """Most tokens of prompt and answer together; None when it is not known."""
        ...

    @property
    def price(self) -> Price:
        """What it costs."""
        ...

    async def send(self, request: ModelRequest, *, timeout: float, on_text: OnText | None = None) -> ModelReply:
        """One request, one answer; never retried in here.

        `timeout` in seconds bounds the whole of it. Raises `CallFailed`, whose `sent`, `retryable`, `retry_after` and
        `timed_out` are true to what happened.
        """
        ...


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        if value.isascii() and "\0" not in value:
            return value
        return value.replace("\0", "").encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_storable(key): _storable(part) for key, part in value.items()}
    return [_storable(part) for part in value] if isinstance(value, list) else value


def full_name(model: ChatModel) -> str:
    """`vendor:name`."""
    return f"{model.provider}:{model.name}"


def digest(value: object) -> str:
    """32 hexadecimal digits (SHA-256, shortened) of JSON values, whatever the order of their keys."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
