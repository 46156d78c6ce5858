"""The wire of OpenAI (chat completions) and of Swarms (agent completions), for the fake provider.

From their public interface documentation, November 2026; only what a client of text and JSON needs.
"""

from collections.abc import Iterator, Mapping
from decimal import Decimal

from research_crew.core.money import Usage
from research_crew.models.fake_shapes import Asked, Json, Said, Shape, event, pieces, plain


def _openai_read(body: Json, n: int, _: Mapping[str, str], headers: Mapping[str, str]) -> Asked:
    messages = [(m["role"], plain(m.get("content"))) for m in body["messages"]]
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
        yield event({**frame, "choices": [{"index": 0, "delta": {"reasoning_content": said.reasoning}}]})
    if asked.by_tool and said.data is not None and asked.body:
        name = asked.body["tools"][0]["function"]["name"]
        for number, piece in enumerate(pieces(said.spoken)):
            function = {"name": name, "arguments": piece} if number == 0 else {"arguments": piece}
            call: Json = {"index": 0, "function": function}
            if number == 0:
                call |= {"id": f"call-{asked.n}", "type": "function"}
            yield event({**frame, "choices": [{"index": 0, "delta": {"tool_calls": [call]}}]})
        end = "tool_calls"
    else:
        end = said.finish
        for piece in pieces(said.spoken):
            yield event({**frame, "choices": [{"index": 0, "delta": {"content": piece}}]})
    yield event({**frame, "choices": [{"index": 0, "delta": {}, "finish_reason": end}]})
    if usage is not None:
        yield event({**frame, "choices": [], "usage": _openai_usage(usage)})
    yield b"data: [DONE]\n\n"


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


OPENAI = Shape(
    "openai",
    "/v1",
    "/v1/chat/completions",
    "/v1/models",
    "x-request-id",
    _openai_read,
    _openai_reply,
    _openai_events,
    lambda status, text, code: {"error": {"message": text, "type": code, "code": code, "status": status}},
    lambda names: {"object": "list", "data": [{"id": name, "object": "model"} for name in names]},
)
SWARMS = Shape(
    "swarms",
    "",
    "/v1/agent/completions",
    "/v1/models/available",
    "x-request-id",
    _swarms_read,
    _swarms_reply,
    _no_events,
    lambda _, text, __: {"detail": text},
    lambda names: {"success": True, "models": list(names)},
)
