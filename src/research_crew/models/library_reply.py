"""What the model library answered, as a reply of ours: text, usage by rate, cost, and why a call failed.

Nothing here imports the library: its values are read by the names of their fields.
"""

import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from research_crew.core.errors import CallFailed
from research_crew.core.money import Usage
from research_crew.models.protocol import Finish, ModelReply, UsageBasis
from research_crew.models.wire import Flight

if TYPE_CHECKING:
    from research_crew.models.library import LibraryModel

TOOL = "answer"
"""The one tool that a model is given where JSON is asked for as a tool call."""
_FINISH: Mapping[str, Finish] = {"length": "length", "content_filter": "content_filter", "error": "unknown"}
_COST = re.compile(rb'"usage"\s*:.*?"cost"\s*:\s*([0-9][0-9.eE+-]*)', re.S)
_ENDED: Mapping[str, re.Pattern[bytes]] = {
    "openai": re.compile(rb'(?:^|\n)data: ?\[DONE\]|"finish_reason": ?"'),
    "anthropic": re.compile(rb'"type": ?"message_stop"'),
    "google": re.compile(rb'"finishReason": ?"'),
}
"""What stands at the end of a whole stream; text of the model cannot look like it, since its quotes are escaped."""


def reply_of(model: "LibraryModel", response: Any, this: Flight, repeated: str) -> ModelReply:
    """The reply; `repeated` is what it kept repeating when it was stopped for that. Raises `CallFailed` for a stream
    that broke off."""
    texts = [part.content for part in response.parts if part.part_kind == "text"]
    thoughts = [part.content for part in response.parts if part.part_kind == "thinking"]
    calls = [part for part in response.parts if part.part_kind == "tool-call"]
    data, notes = None, []
    if calls:
        arguments = calls[0].args
        if isinstance(arguments, dict):
            data = arguments
        elif arguments:
            texts = [arguments]  # JSON as text, whole or broken: the tolerant reader takes it from here
        if calls[0].tool_name != TOOL:
            notes.append(f"called a tool {calls[0].tool_name!r} that it was not given")
    usage, basis = _usage(response.usage if this.used is None else _counted(this.used))
    finish: Finish = _FINISH.get(response.finish_reason or "stop", "stop")
    if repeated:
        finish, basis, usage = "repetition", "missing", Usage()
        notes.append(f"stopped: it kept repeating {repeated[:40]!r}")
    elif this.streamed and not _ENDED[model.vendor.speaks].search(this.tail):
        raise this.unreadable("the stream broke off in the middle")
    return ModelReply(
        "".join(texts), usage, basis, finish, model.provider, response.model_name or model.name, data,
        "\n".join(thoughts), response.provider_response_id, _cost(this) if model.vendor.names_cost else None, tuple(notes),
    )  # fmt: skip


def _usage(used: Any) -> tuple[Usage, UsageBasis]:
    """Every token once, each under its own rate.

    The library's input includes what was read from and written to a cache; where a server counts them apart, the
    cached tokens are more than the input.
    """
    if used.unmeasured_requests or not (used.input_tokens or used.output_tokens):
        return Usage(), "missing"
    read, written = max(0, used.cache_read_tokens), max(0, used.cache_write_tokens)
    fresh = used.input_tokens - read - written
    thought = next((n for k in ("reasoning_tokens", "thoughts_tokens") if (n := used.details.get(k))), 0)
    spoken = used.output_tokens - thought
    return Usage(
        fresh if fresh >= 0 else used.input_tokens, read, written, spoken if spoken >= 0 else used.output_tokens,
        max(0, thought),
    ), "measured"  # fmt: skip


def _counted(used: Any) -> Any:
    """The usage of OpenAI's protocol under the names of the library, of which no answer is sure to be well formed."""

    def count(*path: str) -> int:
        value = used
        for name in path:
            value = value.get(name) if isinstance(value, dict) else None
        return int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 10**12 else 0

    return SimpleNamespace(
        unmeasured_requests=0, input_tokens=count("prompt_tokens"), output_tokens=count("completion_tokens"),
        cache_read_tokens=count("prompt_tokens_details", "cached_tokens"),
        cache_write_tokens=count("prompt_tokens_details", "cache_write_tokens"),
        details={"reasoning_tokens": count("completion_tokens_details", "reasoning_tokens")},
    )  # fmt: skip


def _cost(this: Flight) -> Decimal | None:
    found = _COST.findall(this.tail)
    try:
        return Decimal(found[-1].decode()) if found else None
    except InvalidOperation:
        return None


def failure_of(this: Flight, error: Exception) -> CallFailed:
    """What the library raised, as what happened."""
    if this.failure is not None:
        return this.failure
    if not this.sent:
        return CallFailed(this.service, None, f"{type(error).__name__}: {error}", sent=False, retryable=False)
    return this.unreadable(f"{type(error).__name__}: {error}")
