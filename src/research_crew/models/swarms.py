"""The Swarms API: `POST /v1/agent/completions`, one agent, one loop. Works on the base install.

From its public documentation (docs.swarms.ai, November 2026): header `x-api-key`; body `agent_config` (agent_name,
description, system_prompt, model_name, max_tokens, temperature, max_loops, llm_args …), `task`, `history`; reply
`outputs` (messages, the agent's last), `usage` with `input_tokens` and `output_tokens` and sometimes a cost. A gateway
in front of it gives up after 30 seconds; the work behind it goes on and may be billed.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

from research_crew.core.errors import CallFailed
from research_crew.core.money import Price, Usage
from research_crew.core.secret import Secret
from research_crew.models.protocol import Finish, ModelReply, ModelRequest, OnText, Rung, UsageBasis
from research_crew.models.schema import prompt_of
from research_crew.models.unwrap import text_of
from research_crew.models.vendors import VENDORS
from research_crew.models.wire import Wire

GATEWAY_SECONDS = 30.0
_GATEWAY_AGE = GATEWAY_SECONDS - 1.5
_COSTS = (("total_cost",), ("cost",), ("billing_info", "total_cost"), ("cost_breakdown", "total_cost"))
_NAME = "research-crew"


@dataclass(slots=True)
class SwarmsModel:
    """A `ChatModel` over the Swarms API. It does not stream."""

    name: str
    price: Price
    wire: Wire
    key: Secret
    base_url: str = ""
    window: int | None = None
    rungs: tuple[Rung, ...] = ("text", "plain")
    known_rung: Rung | None = "text"
    clock: Callable[[], float] = field(default=time.monotonic)
    """Seconds, to tell how old a refused request was."""

    @property
    def provider(self) -> str:
        """See `ChatModel`."""
        return "swarms"

    async def send(self, request: ModelRequest, *, timeout: float, on_text: OnText | None = None) -> ModelReply:
        """See `ChatModel.send`; the answer comes in one piece."""
        url = (self.base_url or VENDORS["swarms"].base_url).rstrip("/") + "/v1/agent/completions"
        began = self.clock()
        try:
            data, headers = await self.wire.ask(
                "POST", url, service="swarms", timeout=timeout, headers={"x-api-key": self.key.reveal()},
                body=_body(self.name, request), secrets=(self.key,),
            )  # fmt: skip
        except CallFailed as failure:
            age = self.clock() - began
            if failure.status in (502, 503, 504) and age >= _GATEWAY_AGE:
                raise CallFailed(
                    "swarms", failure.status,
                    f"its gateway gave up after {age:.0f} s; use a faster model or a lower max_tokens "
                    f"({request.most_output} now)",
                    sent=True, retryable=False, timed_out=True,
                ) from failure  # fmt: skip
            raise
        reply = _reply(self.name, request, data, headers)
        if on_text is not None and reply.text:
            on_text(reply.text)
        return reply

    async def aclose(self) -> None:
        """The connections belong to the wire."""


def _body(name: str, request: ModelRequest) -> dict[str, Any]:
    arguments: dict[str, Any] = {}
    if request.effort is not None:
        arguments["reasoning_effort"] = "none" if request.effort == "off" else request.effort
    if request.stop:
        arguments["stop"] = list(request.stop)
    config: dict[str, Any] = {
        "agent_name": _NAME, "description": "one request of a research crew", "system_prompt": request.system,
        "model_name": name, "max_tokens": request.most_output, "max_loops": 1,
    }  # fmt: skip
    if request.temperature is not None:
        config["temperature"] = request.temperature
        config["dynamic_temperature_enabled"] = False
    if arguments:
        config["llm_args"] = arguments
    body: dict[str, Any] = {"agent_config": config, "task": prompt_of(request)}
    if request.history:
        body["history"] = [{"role": turn.role, "content": turn.text} for turn in request.history]
    return body


def _reply(name: str, request: ModelRequest, data: Any, headers: Mapping[str, str]) -> ModelReply:
    if not isinstance(data, dict) or data.get("success") is False or "outputs" not in data:
        said = text_of(data.get("detail") or data.get("error") or data.get("message")) if isinstance(data, dict) else ""
        raise CallFailed("swarms", 200, said or "the answer has no outputs", sent=True, retryable=True)
    text = _said(data["outputs"], request)
    usage, basis = _usage(data.get("usage"))
    out = usage.output
    finish: Finish = "length" if basis == "measured" and out >= request.most_output else "stop"
    job = data.get("job_id") or data.get("id") or headers.get("x-request-id")
    return ModelReply(
        text, usage, basis, finish, "swarms", name, request_id=None if job is None else str(job),
        cost=_cost(data.get("usage")),
    )  # fmt: skip


def _said(outputs: Any, request: ModelRequest) -> str:
    """What the agent said last: `outputs` is a list of messages, which may begin with our own, or the text itself."""
    if isinstance(outputs, list):
        spoken = [part for part in outputs if not _ours(part, request)]
        return text_of(spoken[-1]) if spoken else ""
    return text_of(outputs)


def _ours(part: Any, request: ModelRequest) -> bool:
    if not isinstance(part, dict):
        return False
    role = str(part.get("role", "")).lower()
    return role in ("user", "system", "human") or (text_of(part) in (prompt_of(request), request.system) and bool(role))


def _usage(used: Any) -> tuple[Usage, UsageBasis]:
    if not isinstance(used, dict):
        return Usage(), "missing"
    prompt = _count(used.get("input_tokens", used.get("prompt_tokens")))
    output = _count(used.get("output_tokens", used.get("completion_tokens")))
    if prompt is None or output is None or prompt + output == 0:
        return Usage(), "missing"
    cached = min(prompt, _count(used.get("cached_tokens", used.get("cache_read_input_tokens"))) or 0)
    return Usage(prompt - cached, cached, 0, output), "measured"


def _count(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 10**12:
        return None
    return int(value)


def _cost(used: Any) -> Decimal | None:
    """A cost that the reply names, in USD."""
    for path in _COSTS:
        value = used
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        if isinstance(value, (int, float, str)) and not isinstance(value, bool):
            try:
                cost = Decimal(str(value).strip().removeprefix("$"))
            except InvalidOperation:
                continue
            if cost.is_finite() and cost > 0:
                return cost
    return None
