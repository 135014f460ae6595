"""Takes traces as an OpenTelemetry collector does: OTLP over HTTP, in protobuf."""

import threading
from collections import Counter
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue


@dataclass(frozen=True)
class Received:
    """One span."""

    service: str
    trace_id: str
    span_id: str
    parent_id: str
    name: str
    kind: int
    attributes: dict[str, Any]
    links: tuple[tuple[str, str], ...]
    """(trace id, span id)"""
    is_error: bool
    ns: tuple[int, int]
    """From when to when."""


class OtlpReceiver:
    """Keeps all that it gets, also as it came."""

    def __init__(self) -> None:
        self.spans: list[Received] = []
        self.bodies: list[bytes] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                if self.path != "/v1/traces" or self.headers["content-type"] != "application/x-protobuf":
                    self.send_error(400)
                    return
                receiver.bodies.append(body)
                receiver.spans += spans_of(body)
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                """Silent."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    @property
    def environment(self) -> dict[str, str]:
        """What has a system send all of its traces here, and soon."""
        return {
            "OTEL_ENABLED": "true",
            "OTEL_SAMPLE_RATIO": "1",
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{self._server.server_port}",
            "OTEL_BSP_SCHEDULE_DELAY": "100",
            "NO_PROXY": "127.0.0.1",
        }

    def of_turn(self, request_id: str) -> list[Received]:
        """All spans of the traces that a turn has a span in."""
        traces = {span.trace_id for span in self.named("ask.request_id", request_id)}
        return [span for span in tuple(self.spans) if span.trace_id in traces]

    def named(self, attribute: str, value: object) -> list[Received]:
        return [span for span in tuple(self.spans) if span.attributes.get(attribute) == value]

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def spans_of(body: bytes) -> list[Received]:
    return [
        Received(
            service=_values(resource.resource.attributes)["service.name"],
            trace_id=span.trace_id.hex(),
            span_id=span.span_id.hex(),
            parent_id=span.parent_span_id.hex(),
            name=span.name,
            kind=span.kind,
            attributes=_values(span.attributes),
            links=tuple((link.trace_id.hex(), link.span_id.hex()) for link in span.links),
            is_error=span.status.code == span.status.STATUS_CODE_ERROR,
            ns=(span.start_time_unix_nano, span.end_time_unix_nano),
        )
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]


def _values(attributes: Any) -> dict[str, Any]:
    return {each.key: _value(each) for each in attributes}


def _value(attribute: KeyValue) -> Any:
    value = attribute.value
    field = value.WhichOneof("value")
    if field == "array_value":
        return [getattr(each, str(each.WhichOneof("value"))) for each in value.array_value.values]
    return getattr(value, str(field))


def orphans(spans: list[Received]) -> list[Received]:
    """Those whose parent is not among them."""
    known = {span.span_id for span in spans}
    return [span for span in spans if span.parent_id and span.parent_id not in known]


def hops(spans: list[Received]) -> Counter[tuple[str, str]]:
    """How often a service has a span of a name."""
    return Counter((span.service, span.name) for span in spans)
