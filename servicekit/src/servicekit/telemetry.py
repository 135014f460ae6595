"""JSON logs, Prometheus metrics and OpenTelemetry traces."""

import json
import logging
import sys
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from functools import cache
from typing import Any

from contracts.subjects import Header
from opentelemetry import propagate, trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased
from prometheus_client import Counter, Gauge, Histogram

HANDLED = Counter("ask_messages_handled_total", "Messages handled.", ["kind", "outcome"])
SECONDS = Histogram(
    "ask_message_seconds",
    "Time from delivery to acknowledgement.",
    ["kind"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)
IN_FLIGHT = Gauge("ask_messages_in_flight", "Messages being handled.", ["consumer"])
PUBLISHED = Counter("ask_messages_published_total", "Messages published.", ["kind"])

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message"}


@cache
def handled(kind: str, outcome: str) -> tuple[Counter, Histogram]:
    """Counter and clock of one kind of message; looking them up by label costs more than using them."""
    return HANDLED.labels(kind, outcome), SECONDS.labels(kind)


@cache
def published(kind: str) -> Counter:
    """The counter of one kind of published message."""
    return PUBLISHED.labels(kind)


class _JsonFormatter(logging.Formatter):
    def __init__(self, service: str) -> None:
        super().__init__()
        self._service = service

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "service": self._service,
            "event": record.getMessage(),
        }
        for key, value in vars(record).items():
            if value is not None and key not in _STANDARD:
                line[key] = value
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


def configure_logging(service: str, level: str) -> None:
    """One JSON object a line on standard error; `extra=` becomes keys."""
    # Nobody reads these from our lines, and to look them up for each costs as much as to write it.
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonFormatter(service))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for chatty in (
        "httpx",
        "httpx2",
        "httpcore",
        "httpcore2",
        "openai",
        "uvicorn.error",
        "faststream",
        "nats",
    ):
        logging.getLogger(chatty).setLevel(logging.WARNING)


class Tracing:
    """Spans around handlers, and their context in the headers of messages. Does nothing unless enabled."""

    def __init__(self, service: str, *, enabled: bool, sample_ratio: float) -> None:
        self.enabled = enabled
        self._provider: TracerProvider | None = None
        if enabled:
            # Imported here: the exporter costs 15 MB that nobody pays who does not trace.
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

            self._provider = TracerProvider(
                resource=Resource.create({"service.name": f"ask-{service}"}),
                sampler=ParentBased(TraceIdRatioBased(sample_ratio)),
            )
            self._provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
            trace.set_tracer_provider(self._provider)
        self._tracer = trace.get_tracer("ask.sogis")

    def publishing(self, name: str) -> AbstractContextManager[object]:
        """A span around publishing: the root of the trace where there is none yet."""
        if not self.enabled:
            return nullcontext()
        return self._tracer.start_as_current_span(f"publish {name}", kind=trace.SpanKind.PRODUCER)

    def inject(self, headers: dict[str, str]) -> None:
        """Add `traceparent` to the headers of a message about to be published."""
        if self.enabled:
            propagate.inject(headers)

    def span(self, name: str, headers: dict[str, str]) -> AbstractContextManager[object]:
        """A span under the trace that the headers name."""
        if not self.enabled:
            return nullcontext()
        return self._tracer.start_as_current_span(
            name,
            context=propagate.extract(headers),
            kind=trace.SpanKind.CONSUMER,
            attributes={"ask.request_id": headers.get(Header.REQUEST_ID, "")},
        )

    def stop(self) -> None:
        if self._provider is not None:
            self._provider.shutdown()
