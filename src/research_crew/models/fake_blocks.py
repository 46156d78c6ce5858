"""The wire of Anthropic (messages) and of Google (generateContent), for the fake provider: answers in blocks.

From their public interface documentation, November 2026; only what a client of text and JSON needs.
"""

import json
from collections.abc import Iterator, Mapping
from decimal import Decimal

from research_crew.core.money import Usage
from research_crew.models.fake_shapes import Asked, Json, Said, Shape, event, pieces, plain


def _anthropic_read(body: Json, n: int, _: Mapping[str, str], headers: Mapping[str, str]) -> Asked:
    turns = tuple((m["role"], plain(m["content"])) for m in body["messages"])
    tools = body.get("tools") or []
    form = (body.get("output_config") or {}).get("format") or body.get("output_format") or {}
    schema = tools[0].get("input_schema") if tools else form.get("schema")
    return Asked(
        "anthropic", body["model"], plain(body.get("system")), turns[-1][1], n, turns, schema, bool(tools),
        body["max_tokens"], body.get("temperature"), bool(body.get("stream")), body, headers.get("x-api-key") or headers.get("Authorization", ""),
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
    yield event({"type": "message_start", "message": message}, "message_start")
    parts, reason = _anthropic_parts(asked, said)
    for index, part in enumerate(parts):
        kind = part["type"]
        blank: dict[str, Json] = {
            "text": {"text": ""}, "thinking": {"thinking": "", "signature": ""}, "tool_use": {"input": {}},
        }  # fmt: skip
        start = {"type": "content_block_start", "index": index, "content_block": {**part, **blank[kind]}}
        yield event(start, "content_block_start")
        whole = json.dumps(part["input"]) if kind == "tool_use" else part[kind]
        name, field = {
            "text": ("text_delta", "text"), "thinking": ("thinking_delta", "thinking"),
            "tool_use": ("input_json_delta", "partial_json"),
        }[kind]  # fmt: skip
        for piece in pieces(whole):
            delta = {"type": "content_block_delta", "index": index, "delta": {"type": name, field: piece}}
            yield event(delta, "content_block_delta")
        yield event({"type": "content_block_stop", "index": index}, "content_block_stop")
    end: Json = {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}}
    if usage is not None:
        end["usage"] = {"output_tokens": usage.output + usage.reasoning}
    yield event(end, "message_delta")
    yield event({"type": "message_stop"}, "message_stop")


def _google_read(body: Json, n: int, match: Mapping[str, str], headers: Mapping[str, str]) -> Asked:
    turns = tuple(
        ("assistant" if c.get("role") == "model" else "user", plain(c.get("parts"))) for c in body["contents"]
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
        "google", name, plain((body.get("systemInstruction") or {}).get("parts")), turns[-1][1], n, turns, schema,
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
        yield event(_google_frame(asked, [{"text": said.reasoning, "thought": True}], "", None))
    if asked.by_tool and said.data is not None:
        yield event(_google_frame(asked, [_google_part(asked, said, "")], "", None))
    else:
        for piece in pieces(said.spoken):
            yield event(_google_frame(asked, [{"text": piece}], "", None))
    yield event(_google_frame(asked, [{"text": ""}], said.finish, usage))


ANTHROPIC = Shape(
    "anthropic",
    "",
    "/v1/messages",
    "/v1/models",
    "request-id",
    _anthropic_read,
    _anthropic_reply,
    _anthropic_events,
    lambda _, text, code: {"type": "error", "error": {"type": code, "message": text}},
    lambda names: {
        "data": [{"id": name, "type": "model", "max_input_tokens": 200_000} for name in names],
        "has_more": False,
    },
)
GOOGLE = Shape(
    "google",
    "",
    "/v1beta/models/{rest:.+}",
    "/v1beta/models",
    "x-request-id",
    _google_read,
    _google_reply,
    _google_events,
    lambda status, text, code: {"error": {"code": status, "message": text, "status": code.upper()}},
    lambda names: {
        "models": [
            {
                "name": f"models/{name}",
                "inputTokenLimit": 1_048_576,
                "outputTokenLimit": 65_536,
                "supportedGenerationMethods": ["generateContent"],
            }
            for name in names
        ]
    },
)
