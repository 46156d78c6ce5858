"""The one door to the model library (`pydantic_ai.direct`): OpenAI and all that is compatible, Anthropic, Google.

Nothing else imports the library. Its agent loop, its retries and those of the vendors' clients are not used: one `send`
is one HTTP request, or an error. Importing it takes about a second of CPU, so it happens with the first request;
`preload` does it earlier, beside other work.
"""

import asyncio
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from research_crew.core.errors import CallFailed, MissingExtra
from research_crew.core.money import Price
from research_crew.core.secret import Secret
from research_crew.models.lean_chat import LeanChat, LeanCompletions
from research_crew.models.library_reply import TOOL, failure_of, reply_of
from research_crew.models.protocol import ModelReply, ModelRequest, OnText, Rung, digest
from research_crew.models.repetition import Repetition
from research_crew.models.schema import prompt_of
from research_crew.models.vendors import Speaks, Vendor
from research_crew.models.wire import Flight, Wire, flight

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

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
            model = self._model = _make(self.vendor, self.name, self.key, self.base_url)
        this = Flight(self.provider, secrets=(self.key,), wire=self.wire)
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
            raise failure_of(this, error) from error
        finally:
            flight.reset(token)
        return reply_of(self, response, this, repeated)

    async def warm(self) -> None:
        """Import the library and make its model beside other work; the loop goes on. Raises `MissingExtra`."""
        await asyncio.to_thread(_make, self.vendor, self.name, self.key, self.base_url)

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


@lru_cache(maxsize=64)
def _make(vendor: Vendor, name: str, key: Secret, base_url: str) -> "Model[Any]":
    """The library's model, its client on our connections, its retries off; one for all runs of the process."""
    preload(vendor.speaks)
    import httpx2

    from research_crew.models.transport import AiohttpTransport

    http = httpx2.AsyncClient(transport=AiohttpTransport(), trust_env=False, timeout=None)
    secret, url = key.reveal() or _PLACEHOLDER, base_url or vendor.base_url
    if vendor.speaks == "openai":
        from openai import AsyncOpenAI, NotGiven, Omit
        from openai.types.chat import ChatCompletion
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.profiles.openai import OpenAIModelProfile
        from pydantic_ai.providers.openai import OpenAIProvider

        client = AsyncOpenAI(api_key=secret, base_url=url, http_client=http, max_retries=0, timeout=None)
        # The client takes these from the environment; another vendor has no business with them.
        client.organization = client.project = None
        theirs, address = client.chat.completions, url.rstrip("/") + "/chat/completions"
        lean = LeanCompletions(theirs, address, secret, ChatCompletion.construct, (Omit, NotGiven))
        vars(client)["chat"] = LeanChat(lean)
        own = vendor.name == "openai"
        profile = None if own else OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False)
        with _without_price_table():
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


@contextmanager
def _without_price_table() -> Iterator[None]:
    """The library reads its table of prices (12 MB, a quarter of a second) whenever it makes a model, lest it be read
    later. Ours have their price already and are counted by `library_reply`; a stream still reads it when it needs it."""
    from genai_prices import data_snapshot

    if "genai_prices.data" in sys.modules or getattr(data_snapshot, "_custom_snapshot", None) is not None:
        yield
        return
    data_snapshot.set_custom_snapshot(data_snapshot.DataSnapshot(providers=[], from_auto_update=False))
    try:
        yield
    finally:
        data_snapshot.set_custom_snapshot(None)


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
    settings = ModelSettings(max_tokens=request.most_output)
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
        native = ModelRequestParameters(output_mode="native", output_object=form)
        if ours.vendor.speaks != "openai":
            return turns, settings, native
        key = (ours.vendor.name, ours.name, digest([request.schema_name, schema]))
        settings["extra_body"] = {**ours.body, "response_format": _format(model, native, key)}
        return turns, settings, ModelRequestParameters()
    tool = ToolDefinition(name=TOOL, parameters_json_schema=schema, description="Gives the answer.", kind="output")
    return turns, settings, ModelRequestParameters(output_mode="tool", output_tools=[tool], allow_text_output=False)


_FORMATS: dict[tuple[str, str, str], dict[str, Any]] = {}
"""(vendor, model, digest of a schema) → the schema as that model takes it; the library would rewrite it for every request."""


def _format(model: "Model[Any]", native: "ModelRequestParameters", key: tuple[str, str, str]) -> dict[str, Any]:
    """`response_format` of OpenAI's protocol. Raises the library's error where the model takes no schema."""
    made = _FORMATS.get(key)
    if made is None:
        _, prepared = model.prepare_request(None, native)
        form = prepared.output_object
        assert form is not None
        named: dict[str, Any] = {"name": form.name, "schema": form.json_schema}
        profile: Mapping[str, Any] = model.profile
        if profile.get("openai_supports_strict_tool_definition", True):
            named["strict"] = form.strict
        made = _FORMATS[key] = {"type": "json_schema", "json_schema": named}
    return made


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
