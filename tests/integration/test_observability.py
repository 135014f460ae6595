"""What an operator sees: a log line a message, metrics, and one trace through several services."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest
from contracts import subjects
from contracts.messages import PlanReady, PlanRequested
from contracts.plan import Plan
from misbehaving import MisbehavingServer, healthy, status
from nats.js.errors import NotFoundError
from otlp_receiver import OtlpReceiver
from prometheus_client import REGISTRY
from servicekit.bus import Bus
from servicekit.health import Health
from servicekit.lag import Lag
from servicekit.outbound import Outbound, SourceError
from servicekit.settings import OutboundSettings, ServiceSettings
from servicekit.streams import consumer_config
from servicekit.telemetry import configure_logging, tool_called
from servicekit.tracing import OFF, Tracing, kept, parsed, span


def requested() -> PlanRequested:
    deadline = datetime.now(UTC) + timedelta(seconds=30)
    return PlanRequested(request_id="req-1", session_id="sitzung-1", deadline=deadline, user_message="geheim")


async def hop(nats_url: str, tracing: Tracing | None = None) -> None:
    """One message to a planner, its answer to an orchestrator."""
    settings = ServiceSettings(nats_url=nats_url, graceful_timeout_s=2, ack_wait_s=30)
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
    await asyncio.wait_for(arrived.wait(), 30)
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


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[OtlpReceiver]:
    started = OtlpReceiver()
    for name, value in started.environment.items():
        monkeypatch.setenv(name, value)
    yield started
    started.stop()


async def test_a_trace_goes_through_the_services(nats_url: str, receiver: OtlpReceiver) -> None:
    tracing = Tracing("test", enabled=True, sample_ratio=1.0)
    try:
        await hop(nats_url, tracing)
    finally:
        tracing.stop()
    # Publishing is no span of its own: who publishes outside of one begins no trace.
    asked, answered = sorted(receiver.spans, key=lambda span: span.ns)
    assert (asked.name, answered.name) == ("process plan.requested", "process plan.ready")
    assert (asked.parent_id, answered.parent_id) == ("", asked.span_id)
    assert asked.trace_id == answered.trace_id
    assert answered.attributes == {
        "messaging.system": "nats",
        "messaging.operation.type": "process",
        "messaging.operation.name": "process",
        "messaging.destination.name": "plan.ready.req-1",
        "ask.request_id": "req-1",
    }


async def test_each_attempt_is_a_span_that_says_by_a_name_what_went_wrong(
    nats_url: str, receiver: OtlpReceiver
) -> None:
    tracing = Tracing("test", enabled=True, sample_ratio=1.0)
    settings = ServiceSettings(nats_url=nats_url, graceful_timeout_s=2, ack_wait_s=30)
    bus = Bus("planner", settings, tracing)
    arrived: list[int] = []
    done = asyncio.Event()

    @bus.subscriber(subjects.PLAN_REQUESTED)
    async def on_plan_requested(command: PlanRequested) -> None:
        arrived.append(1)
        if len(arrived) == 1:
            raise ValueError(f"cannot read {command.user_message}")
        done.set()

    await bus.connect()
    await bus.broker.start()
    try:
        with tracing.serving("POST", None, trust=False):
            await bus.publish(requested())
        await asyncio.wait_for(done.wait(), 20)
    finally:
        with suppress(Exception):
            await bus.broker.stop()
        tracing.stop()
    root, first, second = sorted(receiver.spans, key=lambda span: span.ns)
    assert {span.trace_id for span in receiver.spans} == {root.trace_id}
    assert (first.parent_id, second.parent_id) == (root.span_id, root.span_id)
    assert (first.is_error, first.attributes["error.type"], first.links) == (True, "retry", ())
    assert (second.is_error, second.attributes["ask.attempt"]) == (False, 2)
    assert second.links == ((root.trace_id, root.span_id),)
    assert b"geheim" not in b"".join(receiver.bodies)


CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.mark.parametrize("ratio", [0.0, 1.0])
@pytest.mark.parametrize("trust", [False, True])
async def test_only_a_caller_to_be_trusted_decides_whether_a_trace_is_kept(
    receiver: OtlpReceiver, ratio: float, *, trust: bool
) -> None:
    tracing = Tracing("edge", enabled=True, sample_ratio=ratio)
    headers: dict[str, str] = {}
    with tracing.serving("POST", CALLER, trust=trust):
        tracing.inject(headers)
    tracing.stop()
    assert (headers["traceparent"][3:35] == CALLER[3:35]) is trust
    assert int(headers["traceparent"][-1]) & 1 == (trust or ratio)
    assert len(receiver.spans) == (1 if trust or ratio else 0)
    for sent in receiver.spans:
        assert (sent.parent_id == CALLER[36:52]) is trust
        assert sent.links == (() if trust else ((CALLER[3:35], CALLER[36:52]),))


async def test_what_is_not_kept_is_passed_on_and_sent_nowhere(receiver: OtlpReceiver) -> None:
    tracing = Tracing("planner", enabled=True, sample_ratio=1.0)
    before, after = {"traceparent": CALLER[:-1] + "0"}, dict[str, str]()
    with tracing.handling("plan.requested", before, "req-1", 1), tracing.handed_over("tool.call", "req-1"):
        with span("execute_tool x", {}):
            assert kept() is None
        tracing.inject(after)
    tracing.stop()
    assert after == before
    assert receiver.bodies == []


@pytest.mark.parametrize(
    "header",
    [
        "",
        "00",
        CALLER.upper(),
        CALLER.replace("0af7", "+af7"),
        f"ff{CALLER[2:]}",
        f"00-{'0' * 32}{CALLER[35:]}",
    ],
)
async def test_what_is_no_traceparent_is_none(header: str) -> None:
    assert parsed(header) is None
    assert parsed(CALLER) is not None


@pytest.fixture
async def server() -> AsyncIterator[MisbehavingServer]:
    async with MisbehavingServer() as started:
        yield started


async def test_calls_of_sources_are_spans_without_what_is_asked(
    server: MisbehavingServer, receiver: OtlpReceiver
) -> None:
    outbound = Outbound(OutboundSettings(outbound_max_retries=0), [server.url])
    tracing = Tracing("tools-geo", enabled=True, sample_ratio=1.0)
    server.behave(healthy(b"{}"), status(500))
    try:
        # Nobody's work: no trace begins at a source.
        with tracing.handling("tool.call.geolocation.geocode", {}, "req-1", 1):
            await outbound.get(f"{server.url}/search", source="Die Suche", params={"q": "geheim"})
            with pytest.raises(SourceError):
                await outbound.get(f"{server.url}/search", source="Die Suche", params={"q": "geheim"})
        server.behave(healthy(b"{}"))
        await outbound.get(f"{server.url}/search", source="Die Suche")
    finally:
        await outbound.close()
        tracing.stop()
    ok, failed, above = receiver.spans
    assert {ok.parent_id, failed.parent_id} == {above.span_id}
    assert (ok.name, ok.kind, ok.is_error, failed.is_error) == ("GET", 3, False, True)
    assert ok.attributes == {
        "http.request.method": "GET",
        "server.address": "127.0.0.1",
        "http.response.status_code": 200,
    }
    assert failed.attributes["error.type"] == "failed"
    assert b"geheim" not in b"".join(receiver.bodies)


async def test_examples_of_metrics_lead_to_traces_for_those_who_understand_them(
    receiver: OtlpReceiver,
) -> None:
    tracing = Tracing("tools-geo", enabled=True, sample_ratio=1.0)
    with tracing.handling("tool.call.geolocation.geocode", {}, "req-1", 1):
        tool_called("geolocation.example", "ok", 0.02)
        found = kept()
    tracing.stop()
    assert found is not None
    status, content_type, body = await Health("tools-geo").respond("/metrics", "application/openmetrics-text")
    assert (status, content_type.partition(";")[0]) == (200, "application/openmetrics-text")
    (bucket,) = (
        line for line in body.decode().splitlines() if "# {" in line and "geolocation.example" in line
    )
    assert f'trace_id="{found.trace_id}"' in bucket and f'span_id="{found.span_id}"' in bucket
    for accepted in ("", "text/plain", "*/*"):
        _, content_type, body = await Health("tools-geo").respond("/metrics", accepted)
        assert content_type.startswith("text/plain") and b"trace_id" not in body


async def test_without_tracing_no_context_is_sent(nats_url: str) -> None:
    headers: dict[str, str] = {}
    OFF.inject(headers)
    with OFF.handling("plan.requested", {"traceparent": CALLER}, "req-1", 1):
        OFF.inject(headers)
    assert headers == {}


async def test_what_waits_is_measured_and_forgotten_when_nobody_knows(nats_url: str) -> None:
    bus = Bus("orchestrator", ServiceSettings(nats_url=nats_url, graceful_timeout_s=2))
    lag = Lag(bus)
    await bus.connect()
    js = bus.jetstream
    planner = next(c for c in subjects.CONSUMERS if c.service == "planner")
    await js.add_consumer("COMMANDS", consumer_config(planner, ServiceSettings()))
    await bus.publish(requested())
    where = {"stream": "COMMANDS", "consumer": "planner"}

    async def measured(pending: int, unacknowledged: int) -> None:
        """As soon as it is so: a consumer may hear of a message after it was stored."""
        names = ("ask_consumer_pending", "ask_consumer_unacknowledged")
        async with asyncio.timeout(30):
            while True:
                await lag.measure()
                if [REGISTRY.get_sample_value(name, where) for name in names] == [pending, unacknowledged]:
                    return
                await asyncio.sleep(0.02)

    try:
        await measured(1, 0)
        taken = await js.pull_subscribe_bind("planner", "COMMANDS")
        await taken.fetch(1)
        await measured(0, 1)
        await js.delete_stream("COMMANDS")
        with pytest.raises(NotFoundError):
            await lag.measure()
        assert REGISTRY.get_sample_value("ask_consumer_pending", where) is None
    finally:
        await bus.broker.stop()


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
