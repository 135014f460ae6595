"""OpenTelemetry: the spans of a service, and their context in the headers of messages.

Attributes follow the semantic conventions of OpenTelemetry. None of them holds what users write.
"""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from random import getrandbits
from typing import Any

from servicekit import spans
from servicekit.spans import Attributes, Kind, Prepared, Recorded, Span, SpanContext

__all__ = ["NOTHING", "OFF", "TRACEPARENT", "Kind", "Span", "Tracing", "kept", "link", "span", "traceparent"]

TRACEPARENT = "traceparent"
_TRACEPARENT = re.compile(r"(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?")
_BATCHES = {"OTEL_BSP_MAX_QUEUE_SIZE": "8192", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "2048"}
"""Four times as many as those of the SDK, unless somebody has set them: each request has its price."""


class _Nothing(Span):
    """What is current stays it."""

    def __enter__(self) -> Span:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing was begun."""


NOTHING = _Nothing(None)


class Tracing:
    """The spans of one service. Does nothing unless enabled.

    A message that is handled is a span under the span in which it was sent; publishing has none of its own.
    """

    def __init__(self, service: str, *, enabled: bool, sample_ratio: float) -> None:
        self.enabled = enabled
        self._below = round(sample_ratio * 2**64)
        if enabled:
            self._resource = _resource(f"ask-{service}")
            self._sender = _Sender.shared()

    def serving(self, method: str, caller: str | None, *, trust: bool) -> Span:
        """A span around an HTTP request. `caller`: its `traceparent`.

        A trace begins here, with a link to that of the caller; that of a caller to be trusted goes on.
        """
        if not self.enabled:
            return NOTHING
        theirs = parsed(caller)
        attributes = {"http.request.method": method, "url.scheme": "http"}
        span = self._under(theirs if trust else None, method, Kind.SERVER, attributes)
        if theirs is not None and not trust:
            span.link(theirs)
        return span

    def handling(self, subject: str, headers: Mapping[str, str], request_id: str, attempt: int) -> Span:
        """A span around a delivery. A further one has a link to the span in which the message was sent."""
        if not self.enabled:
            return NOTHING
        sender = parsed(headers.get(TRACEPARENT))
        attributes = {"messaging.destination.name": subject, "ask.request_id": request_id}
        name = f"process {kind_of(subject)}"
        span = self._under(sender, name, Kind.CONSUMER, attributes, _processing("nats"))
        if attempt > 1:
            span.set("ask.attempt", attempt)
            if sender is not None:
                span.link(sender)
        return span

    def handed_over(self, kind: str, request_id: str) -> Span:
        """The same for a message that a neighbour has given: its span is the current one."""
        if not self.enabled:
            return NOTHING
        above = spans.current()
        attributes = {"messaging.destination.name": kind, "ask.request_id": request_id}
        sender = above.context if above is not None else None
        return self._under(sender, f"process {kind}", Kind.CONSUMER, attributes, _processing("memory"))

    def _under(
        self,
        parent: SpanContext | None,
        name: str,
        kind: Kind,
        attributes: Attributes,
        fixed: Prepared = (),
    ) -> Span:
        if parent is None and getrandbits(64) >= self._below:
            return Span(SpanContext.new(0))
        if parent is not None and not parent.sampled:
            return Span(parent)
        return Recorded(self, parent, name, kind, attributes, fixed)

    def take(self, span: bytes) -> None:
        """See `spans.Taker`."""
        self._sender.take((self._resource, span))

    def inject(self, headers: dict[str, str]) -> None:
        """Add `traceparent` to the headers of a message about to be published."""
        if self.enabled and (current := traceparent()):
            headers[TRACEPARENT] = current

    def stop(self) -> None:
        """Send what is not sent yet."""
        if self.enabled:
            self.enabled = False
            _Sender.give_back()


OFF = Tracing("", enabled=False, sample_ratio=0)


class _Sender:
    """One queue and one thread for all services of a process: those of the SDK, with its variables."""

    _shared: "_Sender | None" = None

    def __init__(self) -> None:
        # Imported here: that costs 15 MB which nobody pays who does not trace.
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        class Exporter(OTLPSpanExporter):
            def export(self, entries: Any) -> Any:
                return self._client.export(spans.request(entries))

        for name, value in _BATCHES.items():
            os.environ.setdefault(name, value)
        self.users = 0
        self._processor = BatchSpanProcessor(Exporter())
        # Its own `on_end` takes spans of the SDK only.
        self.take: Callable[[Any], None] = self._processor._batch_processor.emit

    @classmethod
    def shared(cls) -> "_Sender":
        cls._shared = cls._shared or cls()
        cls._shared.users += 1
        return cls._shared

    @classmethod
    def give_back(cls) -> None:
        assert cls._shared is not None
        cls._shared.users -= 1
        if not cls._shared.users:
            cls._shared._processor.shutdown()  # type: ignore[no-untyped-call]
            cls._shared = None


def _resource(name: str) -> bytes:
    from opentelemetry.sdk.resources import Resource

    known = Resource.create({"service.name": name}).attributes
    return spans.resource({key: str(value) for key, value in known.items()})


@cache
def _processing(system: str) -> Prepared:
    # Ids of messages are not told: they have tickets in them (docs/bus.md).
    return spans.prepared(
        {
            "messaging.system": system,
            "messaging.operation.type": "process",
            "messaging.operation.name": "process",
        }
    )


def span(name: str, attributes: Attributes, kind: Kind = Kind.INTERNAL) -> Span:
    """A span under the current one, of the same service. Nothing where none is being recorded."""
    above = spans.current()
    if not isinstance(above, Recorded) or above.ended:
        return NOTHING
    return Recorded(above.taker, above.context, name, kind, attributes)


def traceparent() -> str:
    """The current span, as headers name it; empty where there is none."""
    above = spans.current()
    return above.context.traceparent if above is not None and above.context is not None else ""


def parsed(header: str | None) -> SpanContext | None:
    """What a `traceparent` names; None for what is none."""
    found = _TRACEPARENT.fullmatch(header) if header else None
    if found is None:
        return None
    trace_id, span_id, flags = found.groups()
    if not trace_id.strip("0") or not span_id.strip("0"):
        return None
    return SpanContext(trace_id, span_id, int(flags, 16))


def link(headers: Iterable[str]) -> None:
    """Link the current span to others, as `traceparent` names them."""
    above = spans.current()
    if above is not None:
        for context in filter(None, map(parsed, headers)):
            above.link(context)


def kept() -> SpanContext | None:
    """The current span, if its trace is kept."""
    above = spans.current()
    context = above.context if above is not None else None
    return context if context is not None and context.sampled else None


def kind_of(subject: str) -> str:
    """What its messages are: `tool.call` for `tool.call.geolocation.geocode`."""
    return ".".join(subject.split(".", 2)[:2])
