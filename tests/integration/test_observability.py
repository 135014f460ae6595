"""What an operator sees: a log line a message, metrics, and one trace through several services."""

import asyncio
import json
import logging
import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from contracts import subjects
from contracts.messages import PlanReady, PlanRequested
from contracts.plan import Plan
from opentelemetry import trace
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from servicekit.bus import Bus
from servicekit.health import Health
from servicekit.settings import ServiceSettings
from servicekit.telemetry import Tracing, configure_logging


def requested() -> PlanRequested:
    deadline = datetime.now(UTC) + timedelta(seconds=30)
    return PlanRequested(request_id="req-1", session_id="sitzung-1", deadline=deadline, user_message="geheim")


async def hop(nats_url: str, tracing: Tracing | None = None) -> None:
    """One message to a planner, its answer to an orchestrator."""
    settings = ServiceSettings(nats_url=nats_url, graceful_timeout_s=2)
    planner, orchestrator = (
        Bus("planner", settings, tracing),
        Bus("orchestrator", settings, tracing),
    )
    arrived = asyncio.Event()

    @planner.subscriber(subjects.PLAN_REQUESTED)
    async def on_plan_requested(command: PlanRequested) -> None:
        common = {"request_id": command.request_id, "session_id": command.session_id}
        await planner.publish(PlanReady(**common, deadline=command.deadline, plan=Plan()))

    @orchestrator.subscriber(subjects.PLAN_READY)
    async def on_plan_ready(event: PlanReady) -> None:
        arrived.set()

    buses = (planner, orchestrator)
    for bus in buses:
        await bus.connect()
        await bus.broker.start()
    await orchestrator.publish(requested())
    await asyncio.wait_for(arrived.wait(), 5)
    for bus in buses:
        with suppress(Exception):
            await bus.broker.stop()


@pytest.fixture
def clean_logging() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.mark.usefixtures("clean_logging")
async def test_every_message_handled_is_one_json_line_with_its_ids(
    nats_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    configure_logging("planner", "INFO")
    await hop(nats_url)
    output = capsys.readouterr().err
    lines = [json.loads(line) for line in output.splitlines()]
    handled = [line for line in lines if line["event"] == "handled"]
    # Who answers says so when it has acknowledged, and the answer may be handled by then.
    assert sorted(line["kind"] for line in handled) == ["plan.ready", "plan.requested"]
    for line in handled:
        assert (line["request_id"], line["session_id"]) == ("req-1", "sitzung-1")
        assert (line["level"], line["service"], line["outcome"]) == ("info", "planner", "ok")
        assert line["ms"] > 0
    assert "geheim" not in output


async def test_messages_are_counted_and_timed(nats_url: str) -> None:
    await hop(nats_url)
    status, content_type, body = await Health("planner").respond("/metrics")
    assert status == 200
    assert content_type.startswith("text/plain")
    metrics = body.decode()
    assert 'ask_messages_handled_total{kind="plan.requested",outcome="ok"}' in metrics
    assert 'ask_message_seconds_count{kind="plan.ready"}' in metrics
    assert 'ask_messages_published_total{kind="plan.ready"}' in metrics
    assert 'ask_messages_in_flight{consumer="planner"} 0.0' in metrics


class Collector:
    """Takes traces as an OpenTelemetry collector does."""

    def __init__(self) -> None:
        self.spans: list[tuple[str, str, str]] = []
        """(trace id, name, parent span id)"""
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                    for scope in resource.scope_spans:
                        for span in scope.spans:
                            found = (span.trace_id.hex(), span.name, span.parent_span_id.hex())
                            collector.spans.append(found)
                self.send_response(200)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                """Silent."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


async def test_a_trace_goes_through_the_services(nats_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    collector = Collector()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    tracing = Tracing("test", enabled=True, sample_ratio=1.0)
    try:
        await hop(nats_url, tracing)
    finally:
        tracing.stop()
        collector.stop()
    names = [name for _, name, _ in collector.spans]
    assert sorted(names) == ["plan.ready", "plan.requested", "publish plan.ready", "publish plan.requested"]
    assert len({trace_id for trace_id, _, _ in collector.spans}) == 1
    roots = [name for _, name, parent in collector.spans if not parent]
    assert roots == ["publish plan.requested"]


async def test_without_tracing_no_context_is_sent(nats_url: str) -> None:
    headers: dict[str, str] = {}
    Tracing("test", enabled=False, sample_ratio=1.0).inject(headers)
    assert headers == {}
    assert not trace.get_current_span().get_span_context().is_valid


async def test_readiness_names_what_is_wrong() -> None:
    health = Health("planner")

    async def fine() -> None:
        return None

    async def broken() -> str | None:
        raise ConnectionError

    health.ready_when("nats", fine)
    assert (await health.respond("/readyz"))[0] == 200
    health.ready_when("redis", broken)
    status, _, body = await health.respond("/readyz")
    assert status == 503
    assert json.loads(body)["failures"] == {"redis": "ConnectionError"}
    assert (await health.respond("/healthz"))[0] == 200
    assert (await health.respond("/elsewhere"))[0] == 404
