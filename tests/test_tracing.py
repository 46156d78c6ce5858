"""A run as OpenTelemetry spans, read back from the in-memory exporter and from an OTLP collector on loopback."""

import asyncio
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
from brains import honest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from research_crew import Crew, CrewResult, InvalidInput, Settings
from research_crew.core.secret import Secret
from research_crew.models.fake_server import FakeServer
from research_crew.tracing import Tracing

QUESTION = "What does the grey heron eat?"
KEY = Secret("sk-very-secret-key")


@pytest.fixture
def birds(tmp_path: Path) -> Path:
    (tmp_path / "heron.md").write_text("# Heron\n\nThe grey heron eats fish, frogs and small mammals.\n")
    return tmp_path


def attributes(span: ReadableSpan) -> dict[str, object]:
    return dict(span.attributes or {})


def model_run(birds: Path, content: bool) -> tuple[CrewResult, tuple[ReadableSpan, ...]]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))

    async def go() -> CrewResult:
        async with FakeServer(honest) as server:
            spans = Tracing("run-1", QUESTION, provider=provider, content=content)
            crew = Crew(docs=str(birds), base_urls=f"openai={server.base('openai')}", keys={"openai": KEY})
            result = await crew.arun(QUESTION, "1.00", on_event=spans)
            spans.close()
            return result

    return asyncio.run(go()), exporter.get_finished_spans()


def test_a_run_is_one_tree_of_spans_with_tokens_and_costs(birds: Path) -> None:
    result, spans = model_run(birds, content=False)
    by_id = {span.context.span_id: span for span in spans if span.context}
    roots = [span for span in spans if span.parent is None]
    assert [root.name for root in roots] == ["invoke_workflow research-crew"]
    assert attributes(roots[0])["research_crew.run.id"] == "run-1"
    assert attributes(roots[0])["research_crew.spent"] == str(result.total_cost)
    tasks = [span for span in spans if span.name.startswith("invoke_agent")]
    assert sorted(str(attributes(t)["gen_ai.agent.id"]) for t in tasks) == sorted(t.id for t in result.tasks)
    calls = [span for span in spans if span.name.startswith(("chat ", "execute_tool "))]
    assert len(calls) == len(result.ledger)
    for call in calls:
        assert call.parent is not None
        assert by_id[call.parent.span_id].name.startswith("invoke_agent")
    chats = [attributes(call) for call in calls if call.name.startswith("chat ")]
    assert {(c["gen_ai.operation.name"], c["gen_ai.provider.name"]) for c in chats} == {("chat", "openai")}
    entries = [e for e in result.ledger if e.kind == "model"]
    said = sum(int(str(c["gen_ai.usage.input_tokens"])) for c in chats)
    assert said == sum(e.usage.input + e.usage.cached_read + e.usage.cached_write for e in entries)
    assert sorted(str(c["research_crew.amount"]) for c in chats) == sorted(format(e.amount.normalize(), "f") for e in entries)


def test_no_question_no_page_and_no_key_stands_in_the_spans_unless_asked(birds: Path) -> None:
    for content in (False, True):
        _, spans = model_run(birds, content)
        everything = "\n".join(span.to_json() for span in spans)
        assert KEY.reveal() not in everything
        assert ("grey heron" in everything) is content


def test_a_stopped_run_leaves_no_span_open() -> None:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    from research_crew import Budget, Task, TaskGraph, arun

    spans = Tracing("run-2", provider=provider)

    async def never(task: Task, ctx: object) -> None:
        await asyncio.Event().wait()

    async def go() -> None:
        running = asyncio.create_task(arun(TaskGraph([Task("a", "waiter", 1)]), never, Budget(5), on_event=spans))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        spans.close()

    asyncio.run(go())
    assert {(span.name, span.status.is_ok) for span in exporter.get_finished_spans()} == {
        ("invoke_workflow research-crew", False), ("invoke_agent waiter", False),
    }  # fmt: skip


def test_with_the_setting_a_run_sends_its_spans_by_otlp(collector: tuple[str, list[bytes]], birds: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    address, received = collector
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
    assert Crew(docs=str(birds)).run(QUESTION).report is not None
    assert received == []  # off by default
    assert Crew(docs=str(birds), trace="on").run(QUESTION).report is not None
    sent = b"".join(received)
    assert b"invoke_workflow research-crew" in sent
    assert b"invoke_agent researcher" in sent
    assert b"small mammals" not in sent


@pytest.fixture
def collector() -> Iterator[tuple[str, list[bytes]]]:
    received: list[bytes] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            import gzip

            received.append(gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nothing."""

    server = HTTPServer(("127.0.0.1", 0), Collector)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", received
    server.shutdown()
    server.server_close()
    thread.join()


def test_an_unknown_value_is_refused() -> None:
    with pytest.raises(InvalidInput, match="off, on or content"):
        Settings(trace="loud")
