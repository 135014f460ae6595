"""OpenTelemetry: the spans of a service, and their context in the headers of messages.

Attributes follow the semantic conventions of OpenTelemetry. None of them holds what users write.
"""

import re
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import Any

from opentelemetry import trace
from opentelemetry.context import Context, attach, create_key, detach, get_current
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased
from opentelemetry.trace import (
    INVALID_SPAN,
    Link,
    NonRecordingSpan,
    Span,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
)

__all__ = ["INVALID_SPAN", "OFF", "Span", "SpanKind", "Tracing", "fail", "kept", "link", "span"]

TRACEPARENT = "traceparent"
_TRACEPARENT = re.compile(r"(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?")
_TRACER = create_key("ask-tracer")
_MAX_SPANS_WAITING = 8_192
_NOTHING: AbstractContextManager[Span] = nullcontext(INVALID_SPAN)

Attributes = Mapping[str, str | int | float | bool]


class Tracing:
    """The spans of one service. Does nothing unless enabled.

    A message that is handled is a span under the span in which it was sent; publishing has none of its own.
    """

    def __init__(self, service: str, *, enabled: bool, sample_ratio: float) -> None:
        self.enabled = enabled
        self._tracer: trace.Tracer = trace.NoOpTracer()
        self._base = Context()
        self._provider: TracerProvider | None = None
        if enabled:
            self._provider = TracerProvider(
                resource=Resource.create({"service.name": f"ask-{service}"}),
                sampler=ParentBased(TraceIdRatioBased(sample_ratio)),
            )
            self._provider.add_span_processor(_Exporting.take())
            self._tracer = self._provider.get_tracer("ask.sogis")
            self._base = Context({_TRACER: self._tracer})

    def serving(
        self, method: str, path: str, caller: str | None, *, trust: bool
    ) -> AbstractContextManager[Span]:
        """A span around an HTTP request. `caller`: its `traceparent`.

        A trace begins here, with a link to that of the caller; that of a caller to be trusted goes on.
        """
        if not self.enabled:
            return _NOTHING
        parent = parsed(caller)
        attributes = {"http.request.method": method, "url.path": path, "url.scheme": "http"}
        if parent is None or trust:
            return self._under(parent, method, SpanKind.SERVER, attributes)
        return self._under(None, method, SpanKind.SERVER, attributes, [Link(parent)])

    def handling(
        self, subject: str, headers: Mapping[str, str], request_id: str, attempt: int
    ) -> AbstractContextManager[Span]:
        """A span around a delivery. A further one has a link to the span in which the message was sent."""
        if not self.enabled:
            return _NOTHING
        parent = parsed(headers.get(TRACEPARENT))
        attributes = _processing("nats", subject, request_id)
        links = None
        if attempt > 1:
            attributes["ask.attempt"] = attempt
            links = [Link(parent)] if parent is not None else None
        return self._under(parent, f"process {kind_of(subject)}", SpanKind.CONSUMER, attributes, links)

    def handed_over(self, kind: str, request_id: str) -> AbstractContextManager[Span]:
        """The same for a message that a neighbour has given: its span is the current one."""
        if not self.enabled:
            return _NOTHING
        sender = trace.get_current_span().get_span_context()
        parent = sender if sender.is_valid else None
        attributes = _processing("memory", kind, request_id)
        return self._under(parent, f"process {kind}", SpanKind.CONSUMER, attributes)

    def inject(self, headers: dict[str, str]) -> None:
        """Add `traceparent` to the headers of a message about to be published."""
        if self.enabled and (current := traceparent()):
            headers[TRACEPARENT] = current

    def _under(
        self,
        parent: SpanContext | None,
        name: str,
        kind: SpanKind,
        attributes: Attributes,
        links: list[Link] | None = None,
    ) -> AbstractContextManager[Span]:
        if parent is None:
            return _Open(self._tracer, self._base, name, kind, attributes, links)
        if not parent.trace_flags.sampled:
            return _Silent(parent, self._base)
        above = trace.set_span_in_context(NonRecordingSpan(parent), self._base)
        return _Open(self._tracer, above, name, kind, attributes, links)

    def stop(self) -> None:
        """Send what is not sent yet."""
        if self._provider is not None:
            self._provider = None
            _Exporting.give_back()


OFF = Tracing("", enabled=False, sample_ratio=0)


def _processing(system: str, destination: str, request_id: str) -> dict[str, str | int]:
    # Ids of messages have tickets in them, which are nobody's business (docs/bus.md).
    return {
        "messaging.system": system,
        "messaging.operation.type": "process",
        "messaging.operation.name": "process",
        "messaging.destination.name": destination,
        "ask.request_id": request_id,
    }


class _Exporting:
    """One queue and one thread for all services of a process."""

    _processor: BatchSpanProcessor | None = None
    _users = 0

    @classmethod
    def take(cls) -> BatchSpanProcessor:
        if cls._processor is None:
            # Imported here: the exporter costs 15 MB that nobody pays who does not trace.
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

            cls._processor = BatchSpanProcessor(OTLPSpanExporter(), max_queue_size=_MAX_SPANS_WAITING)
        cls._users += 1
        return cls._processor

    @classmethod
    def give_back(cls) -> None:
        cls._users -= 1
        if not cls._users and cls._processor is not None:
            cls._processor.shutdown()  # type: ignore[no-untyped-call]
            cls._processor = None


class _Open(AbstractContextManager[Span]):
    """A span that is current inside. Leaner than that of the library, and it tells no messages of errors."""

    __slots__ = ("_above", "_arguments", "_span", "_token", "_tracer")

    def __init__(self, tracer: trace.Tracer, above: Context, *arguments: Any) -> None:
        self._tracer, self._above, self._arguments = tracer, above, arguments

    def __enter__(self) -> Span:
        name, kind, attributes, links = self._arguments
        self._span = self._tracer.start_span(name, self._above, kind, attributes, links)
        self._token = attach(trace.set_span_in_context(self._span, self._above))
        return self._span

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace_: TracebackType | None
    ) -> None:
        detach(self._token)
        if isinstance(error, Exception) and "error.type" not in getattr(self._span, "attributes", ()):
            fail(self._span, type(error).__qualname__)
        self._span.end()


class _Silent(AbstractContextManager[Span]):
    """The context of a trace that is not kept, passed on."""

    __slots__ = ("_base", "_parent", "_token")

    def __init__(self, parent: SpanContext, base: Context) -> None:
        self._parent, self._base = parent, base

    def __enter__(self) -> Span:
        span = NonRecordingSpan(self._parent)
        self._token = attach(trace.set_span_in_context(span, self._base))
        return span

    def __exit__(self, *_: object) -> None:
        detach(self._token)


def span(
    name: str, attributes: Attributes | None = None, kind: SpanKind = SpanKind.INTERNAL
) -> AbstractContextManager[Span]:
    """A span under the current one, of the same service. Nothing where none is being recorded."""
    above = get_current()
    tracer = above.get(_TRACER)
    if tracer is None or not trace.get_current_span(above).is_recording():
        return _NOTHING
    assert isinstance(tracer, trace.Tracer)
    return _Open(tracer, above, name, kind, attributes, None)


def fail(span: Span, reason: str) -> None:
    """Say that it went wrong, by a name: messages of errors may hold what users have written."""
    span.set_attribute("error.type", reason)
    span.set_status(Status(StatusCode.ERROR))


def traceparent() -> str:
    """The current span, as headers name it; empty where there is none."""
    found = trace.get_current_span().get_span_context()
    if not found.is_valid:
        return ""
    return f"00-{found.trace_id:032x}-{found.span_id:016x}-{found.trace_flags:02x}"


def parsed(header: str | None) -> SpanContext | None:
    """What a `traceparent` names; None for what is none."""
    found = _TRACEPARENT.fullmatch(header) if header else None
    if found is None:
        return None
    trace_id, span_id, flags = (int(part, 16) for part in found.groups())
    context = SpanContext(trace_id, span_id, is_remote=True, trace_flags=trace.TraceFlags(flags))
    return context if context.is_valid else None


def link(headers: Iterable[str]) -> None:
    """Link the current span to others, as `traceparent` names them."""
    span = trace.get_current_span()
    if span.is_recording():
        for context in filter(None, map(parsed, headers)):
            span.add_link(context)


def kept() -> SpanContext | None:
    """The current span, if its trace is kept."""
    found = trace.get_current_span().get_span_context()
    return found if found.trace_flags.sampled else None


def kind_of(subject: str) -> str:
    """What its messages are: `tool.call` for `tool.call.geolocation.geocode`."""
    return ".".join(subject.split(".", 2)[:2])
