"""How four vendors write a request, an answer, a stream, an error and a list of models on the wire.

From their public interface documentation: OpenAI chat completions, Anthropic messages, Google generateContent, Swarms
agent completions (November 2026). Only what a client of text and JSON needs.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from research_crew.core.money import Usage

Json = dict[str, Any]


def tokens(text: str) -> int:
    """Tokens of a text, as this server counts them: one for every four bytes, begun ones included."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // 4)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a request asked, whatever the shape."""

    shape: str
    model: str
    system: str
    prompt: str
    """The last turn of the user."""
    n: int
    """1, 2, 3 … in the order of arrival."""
    turns: tuple[tuple[str, str], ...] = ()
    schema: Mapping[str, Any] | None = None
    """The JSON schema asked for, natively or as a tool."""
    by_tool: bool = False
    max_tokens: int = 1_000_000
    temperature: float | None = None
    stream: bool = False
    body: Mapping[str, Any] | None = None
    key: str = ""
    step: str = ""

    @property
    def tokens(self) -> int:
        """Prompt tokens as this server counts them."""
        schema = json.dumps(self.schema) if self.schema else ""
        return tokens(self.system + "".join(text for _, text in self.turns) + schema) + 4 * len(self.turns)


@dataclass(frozen=True, slots=True)
class Said:
    """What the script answers: text, or `data` for a request that asks for JSON."""

    text: str = ""
    data: Any = None
    reasoning: str = ""
    finish: str = "stop"

    @property
    def spoken(self) -> str:
        """The answer as text."""
        return self.text if self.data is None else json.dumps(self.data, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Shape:
    """One vendor's way of writing."""

    name: str
    base: str
    """What follows the server's root in the base URL that a client is given."""
    path: str
    listing: str
    id_header: str
    read: Callable[[Json, int, Mapping[str, str], Mapping[str, str]], Asked]
    reply: Callable[[Asked, Said, Usage | None, Decimal], Json]
    events: Callable[[Asked, Said, Usage | None], Iterator[bytes]]
    error: Callable[[int, str, str], Json]
    models: Callable[[Sequence[str]], Json]

    def error_event(self, message: str) -> bytes:
        """An error in the middle of a stream."""
        name = "event: error\n" if self.name == "anthropic" else ""
        return (name + f"data: {json.dumps(self.error(500, message, 'server_error'))}\n\n").encode()


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return str(content or "")


def _pieces(text: str) -> list[str]:
    size = max(1, len(text) // 8) if len(text) < 100_000 else 4_000
    return [text[i : i + size] for i in range(0, len(text), size)]


def _event(data: Json, name: str = "") -> bytes:
    return ((f"event: {name}\n" if name else "") + f"data: {json.dumps(data)}\n\n").encode()


# -- OpenAI ---------------------------------------------------------------------------------------------------------


def _openai_read(body: Json, n: int, _: Mapping[str, str], headers: Mapping[str, str]) -> Asked:
    messages = [(m["role"], _text(m.get("content"))) for m in body["messages"]]
    system = "\n".join(text for role, text in messages if role in ("system", "developer"))
    turns = tuple(turn for turn in messages if turn[0] not in ("system", "developer"))
    schema = ((body.get("response_format") or {}).get("json_schema") or {}).get("schema")
    tools = body.get("tools") or []
    schema = tools[0]["function"].get("parameters") if tools else schema
    most = body.get("max_completion_tokens") or body.get("max_tokens") or 1_000_000
    return Asked(
        "openai", body["model"], system, turns[-1][1] if turns else "", n, turns, schema, bool(tools), most,
        body.get("temperature"), bool(body.get("stream")), body, headers.get("Authorization", ""),
    )  # fmt: skip


def _openai_usage(usage: Usage) -> Json:
    prompt, out = usage.input + usage.cached_read, usage.output + usage.reasoning
    return {
        "prompt_tokens": prompt, "completion_tokens": out, "total_tokens": prompt + out,
        "prompt_tokens_details": {"cached_tokens": usage.cached_read},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
    }  # fmt: skip


def _openai_reply(asked: Asked, said: Said, usage: Usage | None, _: Decimal) -> Json:
    message: Json = {"role": "assistant", "content": said.spoken}
    if said.reasoning:
        message["reasoning_content"] = said.reasoning
    finish = said.finish
    if asked.by_tool and said.finish == "stop" and said.data is not None:
        name = asked.body["tools"][0]["function"]["name"] if asked.body else "answer"
        call = {"id": f"call-{asked.n}", "type": "function", "function": {"name": name, "arguments": said.spoken}}
        message, finish = {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"
    reply: Json = {
        "id": f"req-{asked.n}", "object": "chat.completion", "created": 1_790_000_000, "model": asked.model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
    }  # fmt: skip
    if usage is not None:
        reply["usage"] = _openai_usage(usage)
    return reply


def _openai_events(asked: Asked, said: Said, usage: Usage | None) -> Iterator[bytes]:
    frame = {"id": f"req-{asked.n}", "object": "chat.completion.chunk", "created": 1_790_000_000, "model": asked.model}
    if said.reasoning:
        yield _event({**frame, "choices": [{"index": 0, "delta": {"reasoning_content": said.reasoning}}]})
    if asked.by_tool and said.data is not None and asked.body:
        name = asked.body["tools"][0]["function"]["name"]
        for number, piece in enumerate(_pieces(said.spoken)):
            function = {"name": name, "arguments": piece} if number == 0 else {"arguments": piece}
            call: Json = {"index": 0, "function": function}
            if number == 0:
                call |= {"id": f"call-{asked.n}", "type": "function"}
            yield _event({**frame, "choices": [{"index": 0, "delta": {"tool_calls": [call]}}]})
        end = "tool_calls"
    else:
        end = said.finish
        for piece in _pieces(said.spoken):
            yield _event({**frame, "choices": [{"index": 0, "delta": {"content": piece}}]})
    yield _event({**frame, "choices": [{"index": 0, "delta": {}, "finish_reason": end}]})
    if usage is not None:
        yield _event({**frame, "choices": [], "usage": _openai_usage(usage)})
    yield b"data: [DONE]\n\n"


# -- Anthropic ------------------------------------------------------------------------------------------------------


def _anthropic_read(body: Json, n: int, _: Mapping[str, str], headers: Mapping[str, str]) -> Asked:
    turns = tuple((m["role"], _text(m["content"])) for m in body["messages"])
    tools = body.get("tools") or []
    form = (body.get("output_config") or {}).get("format") or body.get("output_format") or {}
    schema = tools[0].get("input_schema") if tools else form.get("schema")
    return Asked(
        "anthropic", body["model"], _text(body.get("system")), turns[-1][1], n, turns, schema, bool(tools),
        body["max_tokens"], body.get("temperature"), bool(body.get("stream")), body, headers.get("x-api-key", ""),
    )  # fmt: skip


def _anthropic_usage(usage: Usage) -> Json:
    return {
        "input_tokens": usage.input, "cache_read_input_tokens": usage.cached_read,
        "cache_creation_input_tokens": usage.cached_write, "output_tokens": usage.output + usage.reasoning,
    }  # fmt: skip


def _anthropic_parts(asked: Asked, said: Said) -> tuple[list[Json], str]:
    reason = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}.get(said.finish, "end_turn")
    parts: list[Json] = []
    if said.reasoning:
        parts.append({"type": "thinking", "thinking": said.reasoning, "signature": "s"})
    if asked.by_tool and said.data is not None and asked.body:
        name = asked.body["tools"][0]["name"]
        parts.append({"type": "tool_use", "id": f"toolu_{asked.n}", "name": name, "input": said.data})
        return parts, "tool_use"
    if said.spoken:
        parts.append({"type": "text", "text": said.spoken})
    return parts, reason


def _anthropic_reply(asked: Asked, said: Said, usage: Usage | None, _: Decimal) -> Json:
    parts, reason = _anthropic_parts(asked, said)
    reply: Json = {
        "id": f"req-{asked.n}", "type": "message", "role": "assistant", "model": asked.model, "content": parts,
        "stop_reason": reason, "stop_sequence": None,
    }  # fmt: skip
    if usage is not None:
        reply["usage"] = _anthropic_usage(usage)
    return reply


def _anthropic_events(asked: Asked, said: Said, usage: Usage | None) -> Iterator[bytes]:
    message = _anthropic_reply(asked, said, usage, Decimal(0)) | {"content": [], "stop_reason": None}
    if usage is not None:
        message["usage"] = {**_anthropic_usage(usage), "output_tokens": 1}
    yield _event({"type": "message_start", "message": message}, "message_start")
    parts, reason = _anthropic_parts(asked, said)
    for index, part in enumerate(parts):
        kind = part["type"]
        blank: dict[str, Json] = {
            "text": {"text": ""}, "thinking": {"thinking": "", "signature": ""}, "tool_use": {"input": {}},
        }  # fmt: skip
        start = {"type": "content_block_start", "index": index, "content_block": {**part, **blank[kind]}}
        yield _event(start, "content_block_start")
        whole = json.dumps(part["input"]) if kind == "tool_use" else part[kind]
        name, field = {
            "text": ("text_delta", "text"), "thinking": ("thinking_delta", "thinking"),
            "tool_use": ("input_json_delta", "partial_json"),
        }[kind]  # fmt: skip
        for piece in _pieces(whole):
            delta = {"type": "content_block_delta", "index": index, "delta": {"type": name, field: piece}}
            yield _event(delta, "content_block_delta")
        yield _event({"type": "content_block_stop", "index": index}, "content_block_stop")
    end: Json = {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}}
    end["usage"] = {"output_tokens": usage.output + usage.reasoning} if usage is not None else {}
    yield _event(end, "message_delta")
    yield _event({"type": "message_stop"}, "message_stop")


# -- Google ---------------------------------------------------------------------------------------------------------


def _google_read(body: Json, n: int, match: Mapping[str, str], headers: Mapping[str, str]) -> Asked:
    turns = tuple(
        ("assistant" if c.get("role") == "model" else "user", _text(c.get("parts"))) for c in body["contents"]
    )
    config = body.get("generationConfig") or {}
    tools = body.get("tools") or []
    form = (config.get("responseFormat") or {}).get("text") or {}
    schema = config.get("responseJsonSchema") or config.get("responseSchema") or form.get("schema")
    if tools:
        declared = tools[0]["functionDeclarations"][0]
        names = ("parametersJsonSchema", "parameters_json_schema", "parameters")
        schema = next((declared[name] for name in names if declared.get(name)), None)
    name, _, verb = match["rest"].partition(":")
    return Asked(
        "google", name, _text((body.get("systemInstruction") or {}).get("parts")), turns[-1][1], n, turns, schema,
        bool(tools), config.get("maxOutputTokens") or 1_000_000, config.get("temperature"),
        verb.startswith("streamGenerateContent"), body, headers.get("x-goog-api-key", ""),
    )  # fmt: skip


def _google_part(asked: Asked, said: Said, text: str) -> Json:
    if asked.by_tool and said.data is not None and asked.body:
        name = asked.body["tools"][0]["functionDeclarations"][0]["name"]
        return {"functionCall": {"name": name, "args": said.data}}
    return {"text": text}


def _google_frame(asked: Asked, parts: list[Json], finish: str, usage: Usage | None) -> Json:
    candidate: Json = {"index": 0, "content": {"role": "model", "parts": parts}}
    if finish:
        reasons = {"stop": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY"}
        candidate["finishReason"] = reasons.get(finish, "OTHER")
    frame: Json = {"candidates": [candidate], "modelVersion": asked.model, "responseId": f"req-{asked.n}"}
    if usage is not None:
        prompt = usage.input + usage.cached_read
        frame["usageMetadata"] = {
            "promptTokenCount": prompt, "candidatesTokenCount": usage.output, "thoughtsTokenCount": usage.reasoning,
            "cachedContentTokenCount": usage.cached_read,
            "totalTokenCount": prompt + usage.output + usage.reasoning,
        }  # fmt: skip
    return frame


def _google_reply(asked: Asked, said: Said, usage: Usage | None, _: Decimal) -> Json:
    thought = [{"text": said.reasoning, "thought": True}] if said.reasoning else []
    return _google_frame(asked, [*thought, _google_part(asked, said, said.spoken)], said.finish, usage)


def _google_events(asked: Asked, said: Said, usage: Usage | None) -> Iterator[bytes]:
    if said.reasoning:
        yield _event(_google_frame(asked, [{"text": said.reasoning, "thought": True}], "", None))
    if asked.by_tool and said.data is not None:
        yield _event(_google_frame(asked, [_google_part(asked, said, "")], "", None))
    else:
        for piece in _pieces(said.spoken):
            yield _event(_google_frame(asked, [{"text": piece}], "", None))
    yield _event(_google_frame(asked, [{"text": ""}], said.finish, usage))


# -- Swarms ---------------------------------------------------------------------------------------------------------


def _swarms_read(body: Json, n: int, _: Mapping[str, str], headers: Mapping[str, str]) -> Asked:
    config = body["agent_config"]
    history = [(str(m["role"]), str(m["content"])) for m in body.get("history") or []]
    turns = (*history, ("user", str(body["task"])))
    return Asked(
        "swarms", config["model_name"], config.get("system_prompt") or "", str(body["task"]), n, turns, None, False,
        config["max_tokens"], config.get("temperature"), False, body, headers.get("x-api-key", ""),
    )  # fmt: skip


def _swarms_reply(asked: Asked, said: Said, usage: Usage | None, _: Decimal) -> Json:
    name = asked.body["agent_config"]["agent_name"] if asked.body else "agent"
    outputs = [{"role": "user", "content": asked.prompt}, {"role": name, "content": said.spoken}]
    reply: Json = {"job_id": f"req-{asked.n}", "success": True, "name": name, "outputs": outputs, "timestamp": ""}
    if usage is not None:
        out = usage.output + usage.reasoning
        prompt = usage.input + usage.cached_read
        reply["usage"] = {"input_tokens": prompt, "output_tokens": out, "total_tokens": prompt + out}
    return reply


def _no_events(asked: Asked, said: Said, usage: Usage | None) -> Iterator[bytes]:
    raise NotImplementedError("this shape does not stream")


SHAPES: Mapping[str, Shape] = {
    shape.name: shape
    for shape in (
        Shape(
            "openai", "/v1", "/v1/chat/completions", "/v1/models", "x-request-id", _openai_read, _openai_reply,
            _openai_events,
            lambda status, text, code: {"error": {"message": text, "type": code, "code": code, "status": status}},
            lambda names: {"object": "list", "data": [{"id": name, "object": "model"} for name in names]},
        ),
        Shape(
            "anthropic", "", "/v1/messages", "/v1/models", "request-id", _anthropic_read, _anthropic_reply,
            _anthropic_events,
            lambda _, text, code: {"type": "error", "error": {"type": code, "message": text}},
            lambda names: {"data": [{"id": name, "type": "model", "max_input_tokens": 200_000} for name in names],
                           "has_more": False},
        ),
        Shape(
            "google", "", "/v1beta/models/{rest:.+}", "/v1beta/models", "x-request-id", _google_read, _google_reply,
            _google_events,
            lambda status, text, code: {"error": {"code": status, "message": text, "status": code.upper()}},
            lambda names: {"models": [{"name": f"models/{name}", "inputTokenLimit": 1_048_576,
                                       "outputTokenLimit": 65_536,
                                       "supportedGenerationMethods": ["generateContent"]} for name in names]},
        ),
        Shape(
            "swarms", "", "/v1/agent/completions", "/v1/models/available", "x-request-id", _swarms_read, _swarms_reply,
            _no_events,
            lambda _, text, __: {"detail": text},
            lambda names: {"success": True, "models": list(names)},
        ),
    )
}  # fmt: skip
"""Vendor → its shape. Base URLs on the server: see `FakeServer.base`."""
