"""The one door to the model library (`pydantic_ai.direct`): OpenAI and all that is compatible, Anthropic, Google.

Nothing else imports the library. Its agent loop, its retries and those of the vendors' clients are not used: one `send`
is one HTTP request, or an error. Importing it takes about a second of CPU, so it happens with the first request;
`preload` does it earlier, beside other work.
"""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from research_crew.core.errors import CallFailed, MissingExtra
from research_crew.core.money import Price, Usage
from research_crew.core.secret import Secret
from research_crew.models.protocol import Finish, ModelReply, ModelRequest, OnText, Rung, UsageBasis
from research_crew.models.repetition import Repetition
from research_crew.models.schema import prompt_of
from research_crew.models.vendors import Speaks, Vendor
from research_crew.models.wire import Flight, Wire, flight

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.settings import ModelSettings
    from pydantic_ai.usage import RequestUsage

_FINISH: Mapping[str, Finish] = {"length": "length", "content_filter": "content_filter", "error": "unknown"}
_COST = re.compile(rb'"usage"\s*:.*?"cost"\s*:\s*([0-9][0-9.eE+-]*)', re.S)
_ENDED: Mapping[str, re.Pattern[bytes]] = {
    "openai": re.compile(rb'(?:^|\n)data: ?\[DONE\]|"finish_reason": ?"'),
    "anthropic": re.compile(rb'"type": ?"message_stop"'),
    "google": re.compile(rb'"finishReason": ?"'),
}
"""What stands at the end of a whole stream; text of the model cannot look like it, since its quotes are escaped."""
_TOOL = "answer"
_PLACEHOLDER = "no-key"  # local servers want some key, whatever it is


@dataclass(slots=True)
class LibraryModel:
    """A `ChatModel` of the model library."""

    vendor: Vendor
    name: str
    price: Price
    wire: Wire
    key: Secret = field(default_factory=lambda: Secret(""))
    base_url: str = ""
    window: int | None = None
    rungs: tuple[Rung, ...] = ("native", "tool", "text", "plain")
    known_rung: Rung | None = None
    body: Mapping[str, Any] = field(default_factory=dict)
    """Sent with every request, beside what the protocol knows (OpenAI and compatible servers only)."""
    _model: "Model[Any] | None" = None

    @property
    def provider(self) -> str:
        """See `ChatModel`."""
        return self.vendor.name

    async def send(self, request: ModelRequest, *, timeout: float, on_text: OnText | None = None) -> ModelReply:
        """See `ChatModel.send`; with `on_text` the answer is streamed, and stopped when it repeats itself."""
        model = self._model
        if model is None:
            await self.warm()
            model = self._model = _make(self.vendor, self.name, self.key, self.base_url, self.wire)
        this = Flight(self.provider, secrets=(self.key,))
        token = flight.set(this)
        try:
            async with asyncio.timeout(timeout):
                if on_text is None:
                    response = await _whole(model, request, self)
                    repeated = ""
                else:
                    response, repeated = await _streamed(model, request, self, on_text)
        except TimeoutError:
            raise this.timed_out(timeout) from None
        except CallFailed:
            raise
        except Exception as error:
            raise _failure(this, error) from error
        finally:
            flight.reset(token)
        return _reply(self, response, this, repeated)

    async def warm(self) -> None:
        """Import the library beside other work; the loop goes on meanwhile. Raises `MissingExtra`."""
        await asyncio.to_thread(preload, self.vendor.speaks)

    async def aclose(self) -> None:
        """The connections belong to the wire."""


def preload(speaks: Speaks) -> None:
    """Import what a vendor's models need. Raises `MissingExtra`."""
    try:
        import pydantic_ai.direct

        if speaks == "openai":
            import pydantic_ai.models.openai
            import pydantic_ai.providers.openai
        elif speaks == "anthropic":
            import pydantic_ai.models.anthropic
            import pydantic_ai.providers.anthropic
        else:
            import pydantic_ai.models.google
            import pydantic_ai.providers.google  # noqa: F401
    except ImportError as error:
        raise MissingExtra(error.name or "pydantic_ai", "models") from error


def _make(vendor: Vendor, name: str, key: Secret, base_url: str, wire: Wire) -> "Model[Any]":
    """The library's model, its client on our transport, its retries off."""
    preload(vendor.speaks)
    import httpx2

    from research_crew.models.transport import AiohttpTransport

    http = httpx2.AsyncClient(transport=AiohttpTransport(wire), trust_env=False, timeout=None)
    secret, url = key.reveal() or _PLACEHOLDER, base_url or vendor.base_url
    if vendor.speaks == "openai":
        from openai import AsyncOpenAI
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.profiles.openai import OpenAIModelProfile
        from pydantic_ai.providers.openai import OpenAIProvider

        client = AsyncOpenAI(api_key=secret, base_url=url, http_client=http, max_retries=0, timeout=None)
        # The client takes these from the environment; another vendor has no business with them.
        client.organization = client.project = None
        own = vendor.name == "openai"
        profile = None if own else OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False)
        return OpenAIChatModel(name, provider=OpenAIProvider(openai_client=client), profile=profile)
    if vendor.speaks == "anthropic":
        from anthropic import AsyncAnthropic
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        claude = AsyncAnthropic(api_key=secret, base_url=url, http_client=http, max_retries=0, timeout=600.0)
        return AnthropicModel(name, provider=AnthropicProvider(anthropic_client=claude))
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    return GoogleModel(name, provider=GoogleProvider(api_key=secret, base_url=url, http_client=http))


def _arguments(
    model: "Model[Any]", request: ModelRequest, ours: LibraryModel
) -> "tuple[list[ModelMessage], ModelSettings, ModelRequestParameters]":
    """The request in the library's words."""
    from pydantic_ai import messages as m
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.settings import ModelSettings
    from pydantic_ai.tools import ToolDefinition

    turns: list[m.ModelMessage] = []
    for turn in request.history:
        if turn.role == "user":
            turns.append(m.ModelRequest(parts=[m.UserPromptPart(turn.text)]))
        else:
            turns.append(m.ModelResponse(parts=[m.TextPart(turn.text)]))
    turns.append(m.ModelRequest(parts=[m.UserPromptPart(prompt_of(request))], instructions=request.system or None))
    settings = ModelSettings(max_tokens=request.most_output, max_retries=0)
    if request.stop:
        settings["stop_sequences"] = list(request.stop)
    if ours.body:
        settings["extra_body"] = dict(ours.body)
    _think(settings, model, request, ours.vendor)
    if request.schema is None or request.rung not in ("native", "tool"):
        return turns, settings, ModelRequestParameters()
    schema = dict(request.schema)
    if request.rung == "native":
        form = OutputObjectDefinition(json_schema=schema, name=request.schema_name)
        return turns, settings, ModelRequestParameters(output_mode="native", output_object=form)
    tool = ToolDefinition(name=_TOOL, parameters_json_schema=schema, description="Gives the answer.", kind="output")
    return turns, settings, ModelRequestParameters(output_mode="tool", output_tools=[tool], allow_text_output=False)


def _think(settings: "ModelSettings", model: "Model[Any]", request: ModelRequest, vendor: Vendor) -> None:
    """Effort and temperature, as far as the model takes them: the library warns about what it has to drop."""
    profile: Mapping[str, Any] = model.profile
    thinks = bool(profile.get("supports_thinking"))
    always, default = bool(profile.get("thinking_always_enabled")), bool(profile.get("thinking_enabled_by_default"))
    active = thinks and (always or default)
    if request.effort is not None and thinks:
        active = always or request.effort != "off"
        settings["thinking"] = False if request.effort == "off" else request.effort
    elif request.effort not in (None, "off") and vendor.speaks == "openai":
        settings["openai_reasoning_effort"] = request.effort  # type: ignore[typeddict-unknown-key]
    fixed = active if vendor.speaks != "google" else False
    if request.temperature is not None and not fixed and not profile.get("anthropic_disallows_sampling_settings"):
        settings["temperature"] = request.temperature


async def _whole(model: "Model[Any]", request: ModelRequest, ours: LibraryModel) -> "ModelResponse":
    from pydantic_ai.direct import model_request

    turns, settings, parameters = _arguments(model, request, ours)
    return await model_request(model, turns, model_settings=settings, model_request_parameters=parameters)


async def _streamed(
    model: "Model[Any]", request: ModelRequest, ours: LibraryModel, on_text: OnText
) -> "tuple[ModelResponse, str]":
    """The answer, and what it kept repeating when it was stopped for that."""
    from pydantic_ai.direct import model_request_stream
    from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta

    turns, settings, parameters = _arguments(model, request, ours)
    watch = Repetition()
    async with model_request_stream(
        model, turns, model_settings=settings, model_request_parameters=parameters
    ) as stream:
        async for event in stream:
            piece = ""
            if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
                piece = event.part.content
            elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
                piece = event.delta.content_delta
            if piece:
                on_text(piece)
                watch.feed(piece)
                if watch.found:
                    break
        return stream.get(), watch.found


def _reply(model: LibraryModel, response: "ModelResponse", this: Flight, repeated: str) -> ModelReply:
    from pydantic_ai.messages import TextPart, ThinkingPart, ToolCallPart

    texts = [part.content for part in response.parts if isinstance(part, TextPart)]
    thoughts = [part.content for part in response.parts if isinstance(part, ThinkingPart)]
    calls = [part for part in response.parts if isinstance(part, ToolCallPart)]
    data, notes = None, []
    if calls:
        arguments = calls[0].args
        if isinstance(arguments, dict):
            data = arguments
        elif arguments:
            texts = [arguments]  # JSON as text, whole or broken: the tolerant reader takes it from here
        if calls[0].tool_name != _TOOL:
            notes.append(f"called a tool {calls[0].tool_name!r} that it was not given")
    usage, basis = _usage(response.usage)
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


def _usage(used: "RequestUsage") -> tuple[Usage, UsageBasis]:
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


def _cost(this: Flight) -> Decimal | None:
    found = _COST.findall(this.tail)
    try:
        return Decimal(found[-1].decode()) if found else None
    except InvalidOperation:
        return None


def _failure(this: Flight, error: Exception) -> CallFailed:
    """What the library raised, as what happened."""
    if this.failure is not None:
        return this.failure
    if not this.sent:
        return CallFailed(this.service, None, f"{type(error).__name__}: {error}", sent=False, retryable=False)
    return this.unreadable(f"{type(error).__name__}: {error}")
