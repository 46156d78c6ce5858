"""A run as OpenTelemetry spans: one per run, task and call. Off unless asked for; needs the extra `otel`.

Names and attributes follow the semantic conventions for generative AI, version 1.41 (documents "GenAI agent and
framework spans" and "GenAI spans"; status: development): `invoke_workflow`, `invoke_agent ROLE`, `chat MODEL` and
`execute_tool search`. What they have no name for stands under `research_crew.`. Spans carry no text of questions, pages
or answers unless `content` is true, and never a key.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from research_crew.core.errors import MissingExtra
from research_crew.core.events import Event, OnEvent

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer, TracerProvider

SCOPE = "research_crew"
_TOKENS = {
    "input_tokens": ("input", "cached_read", "cached_write"), "output_tokens": ("output", "reasoning"),
    "cache_read.input_tokens": ("cached_read",), "cache_creation.input_tokens": ("cached_write",),
    "reasoning.output_tokens": ("reasoning",),
}  # fmt: skip
"""The convention counts cached tokens in the input and reasoning in the output; the ledger keeps each apart."""
_FINE = frozenset(("ok", "partial", "complete"))

_CallName = tuple[str, str, object]
"""Task, step and try."""


@dataclass(slots=True)
class _Open:
    """The spans that have begun and not ended."""

    run: "Span | None" = None
    tasks: dict[str, "Span"] = field(default_factory=dict)
    calls: dict[_CallName, "Span"] = field(default_factory=dict)
    texts: dict[_CallName, list[str]] = field(default_factory=dict)


class Tracing:
    """Turns the events of one run into spans; give it as `on_event`, and close it when the run is over."""

    def __init__(
        self, run_id: str, question: str = "", *, provider: "TracerProvider | None" = None, content: bool = False,
        then: OnEvent | None = None,
    ) -> None:  # fmt: skip
        """`provider`: by default the process's own if it has one, else one that sends by OTLP over HTTP to where the
        variables `OTEL_EXPORTER_OTLP_…` say. `then` is told of every event afterwards. Raises `MissingExtra`."""
        self._run_id, self._question, self._content, self._then = run_id, question, content, then
        self._tracer, self._finish = _tracer(provider)
        self._open = _Open()

    def __call__(self, event: Event) -> None:
        """Begin or end the span that an event speaks of."""
        match event.kind:
            case "run-started":
                self._open.run = self._begin("invoke_workflow research-crew", event.at, None, self._run_attributes(event))
            case "task-started":
                name = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": event.role, "gen_ai.agent.id": event.task}
                self._open.tasks[event.task] = self._begin(f"invoke_agent {event.role}", event.at, self._open.run, name)
            case "call-started":
                self._call_started(event)
            case "text":
                if self._content:
                    step = (event.task, str(event.data.get("step")), "")
                    self._open.texts.setdefault(step, []).append(str(event.data.get("text", "")))
            case "reply":
                if self._content:
                    self._open.texts[event.task, str(event.data.get("step")), ""] = [str(event.data.get("text", ""))]
            case "call-ended":
                self._call_ended(event)
            case "task-ended":
                self._end(self._open.tasks.pop(event.task, None), event, "state")
            case "run-ended":
                self._end(self._open.run, event, "status")
                self._open.run = None
            case "waiting" | "degraded" | "warning" | "attempt-failed":
                self._note(event)
            case _:
                pass
        if self._then is not None:
            self._then(event)

    def close(self, at: datetime | None = None) -> None:
        """End what is still open (a run that was cancelled) and send what has not been sent."""
        from opentelemetry.trace import Status, StatusCode

        left = [*self._open.calls.values(), *self._open.tasks.values(), *([self._open.run] if self._open.run else [])]
        for span in left:
            span.set_status(Status(StatusCode.ERROR, "cancelled"))
            span.end(_nano(at) if at else None)
        self._open = _Open()
        self._finish()

    def _run_attributes(self, event: Event) -> dict[str, str]:
        said = {
            "gen_ai.operation.name": "invoke_workflow", "gen_ai.workflow.name": "research-crew",
            "research_crew.run.id": self._run_id, "research_crew.limit": str(event.data.get("limit", "")),
        }  # fmt: skip
        return said | {"gen_ai.input.messages": _message("user", self._question)} if self._content else said

    def _call_started(self, event: Event) -> None:
        data = event.data
        kind, provider, model = str(data["kind"]), str(data["provider"]), str(data["model"])
        said: dict[str, str | int] = {"research_crew.step": str(data["step"]), "research_crew.held": str(data["held"])}
        if isinstance(data["try"], int):
            said["research_crew.try"] = data["try"]
        if kind == "model":
            name = f"chat {model}"
            said |= {"gen_ai.operation.name": "chat", "gen_ai.provider.name": provider, "gen_ai.request.model": model}
        else:
            name = f"execute_tool {kind}"
            said |= {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": kind, "research_crew.provider": provider}
        parent = self._open.tasks.get(event.task, self._open.run)
        self._open.calls[_name(event)] = self._begin(name, event.at, parent, said, client=True)

    def _call_ended(self, event: Event) -> None:
        span = self._open.calls.pop(_name(event), None)
        if span is None:  # answered by the journal or begun before this was listening
            return
        units = event.data.get("units")
        if isinstance(units, Mapping) and event.data.get("kind") == "model":
            for name, parts in _TOKENS.items():
                if any(part in units for part in parts):
                    span.set_attribute(f"gen_ai.usage.{name}", sum(int(units.get(part, 0)) for part in parts))
        text = self._open.texts.pop((event.task, str(event.data.get("step")), ""), None)
        if text:
            span.set_attribute("gen_ai.output.messages", _message("assistant", "".join(text)))
        self._end(span, event, "outcome")

    def _begin(
        self, name: str, at: datetime, parent: "Span | None", attributes: Mapping[str, str | int], client: bool = False
    ) -> "Span":
        from opentelemetry.trace import SpanKind, set_span_in_context

        context = set_span_in_context(parent) if parent is not None else None
        kind = SpanKind.CLIENT if client else SpanKind.INTERNAL
        return self._tracer.start_span(name, context, kind, attributes, start_time=_nano(at))

    def _end(self, span: "Span | None", event: Event, word: str) -> None:
        from opentelemetry.trace import Status, StatusCode

        if span is None:
            return
        came_to = str(event.data.get(word, ""))
        span.set_attribute(f"research_crew.{word}", came_to)
        for name in ("amount", "cost", "spent", "basis"):
            if name in event.data:
                span.set_attribute(f"research_crew.{name}", str(event.data[name]))
        if came_to not in _FINE:
            span.set_attribute("error.type", came_to)
            span.set_status(Status(StatusCode.ERROR, came_to))
        span.end(_nano(event.at))

    def _note(self, event: Event) -> None:
        """An event that is no span of its own; its words may quote a page, so that only content shows them."""
        span = self._open.tasks.get(event.task, self._open.run)
        if span is not None:
            said = {k: v for k, v in event.data.items() if self._content or isinstance(v, (int, float))}
            span.add_event(event.kind, {k: str(v) for k, v in said.items()}, _nano(event.at))


def _tracer(provider: "TracerProvider | None") -> "tuple[Tracer, Callable[[], None]]":
    try:
        from opentelemetry import trace
        from opentelemetry.sdk.trace import TracerProvider as Sdk
    except ModuleNotFoundError:
        raise MissingExtra("opentelemetry-sdk", "otel") from None
    if provider is None:
        known = trace.get_tracer_provider()
        provider = None if isinstance(known, trace.ProxyTracerProvider) else known
    if provider is not None:  # somebody else's: it sends when it likes
        return provider.get_tracer(SCOPE), lambda: None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    except ModuleNotFoundError:
        raise MissingExtra("opentelemetry-exporter-otlp-proto-http", "otel") from None
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    own = Sdk()
    own.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return own.get_tracer(SCOPE), own.shutdown


def _name(event: Event) -> _CallName:
    return event.task, str(event.data.get("step")), event.data.get("try")


def _message(role: str, text: str) -> str:
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}], ensure_ascii=False)


def _nano(at: datetime) -> int:
    return int(at.timestamp()) * 1_000_000_000 + at.microsecond * 1000
