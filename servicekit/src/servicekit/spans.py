"""A span while it runs.

The SDK of OpenTelemetry takes 43 µs for a span, this 6 (docs/decisions/0031-spans-of-our-own.md). What writes
and sends them is OpenTelemetry's.
"""

from collections.abc import Iterable, Mapping
from contextvars import ContextVar, Token
from enum import IntEnum
from functools import cache
from itertools import groupby
from operator import itemgetter
from random import getrandbits
from time import time_ns
from types import SimpleNamespace, TracebackType
from typing import Any, NamedTuple, Protocol

Value = str | int | float | tuple[str, ...]
Attributes = Mapping[str, Value]
Entry = tuple[bytes, bytes]
"""Of which service a span is, and the span; as OTLP writes both."""
Prepared = tuple[Any, ...]
"""Attributes as OTLP's classes."""


class Kind(IntEnum):
    """As OTLP numbers them."""

    INTERNAL = 1
    SERVER = 2
    CLIENT = 3
    CONSUMER = 5


class SpanContext(NamedTuple):
    """What others need to know of a span, its ids in hexadecimal digits as they stand in headers and logs.
    `flags`: bit 0 says whether its trace is kept."""

    trace_id: str
    span_id: str
    flags: int

    @classmethod
    def new(cls, flags: int) -> "SpanContext":
        """Of a trace that begins."""
        return cls(f"{getrandbits(128) or 1:032x}", _new_id(), flags)

    @property
    def sampled(self) -> bool:
        return bool(self.flags & 1)

    @property
    def traceparent(self) -> str:
        return f"00-{self.trace_id}-{self.span_id}-{self.flags:02x}"


class Taker(Protocol):
    """Where spans go that have ended. Written already: objects that wait keep the garbage collector busy."""

    def take(self, span: bytes) -> None: ...


class Span:
    """One that is not recorded: its context is passed on, if it has one. Current inside `with`."""

    __slots__ = ("_token", "context")

    def __init__(self, context: SpanContext | None) -> None:
        self.context = context

    def set(self, name: str, value: Value) -> None:
        """Add an attribute."""

    def link(self, context: SpanContext) -> None:
        """Refer to another span."""

    def rename(self, name: str) -> None:
        """Give it another name."""

    def fail(self, reason: str) -> None:
        """It went wrong. A name: messages of errors may hold what users have written."""

    def __enter__(self) -> "Span":
        self._token: Token[Span | None] = _current.set(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _current.reset(self._token)


_current: ContextVar[Span | None] = ContextVar("span", default=None)


def current() -> Span | None:
    """That of the innermost `with`, also in tasks that are begun there."""
    return _current.get()


class Recorded(Span):
    """One that is sent when it has ended."""

    __slots__ = (
        "_fixed",
        "_kind",
        "_links",
        "_parent_id",
        "_started",
        "attributes",
        "ended",
        "failed",
        "name",
        "taker",
    )
    context: SpanContext

    def __init__(
        self,
        taker: Taker,
        parent: SpanContext | None,
        name: str,
        kind: Kind,
        attributes: Attributes,
        fixed: Prepared = (),
    ) -> None:
        """`fixed`: further attributes."""
        if parent is None:
            self.context, self._parent_id = SpanContext.new(1), ""
        else:
            self.context = SpanContext(parent.trace_id, _new_id(), parent.flags)
            self._parent_id = parent.span_id
        self.taker, self.name, self._kind, self._fixed = taker, name, kind, fixed
        self.attributes = dict(attributes)
        self._links: tuple[SpanContext, ...] = ()
        self.failed = False
        self._started = time_ns()
        self.ended = 0

    def set(self, name: str, value: Value) -> None:
        self.attributes[name] = value

    def link(self, context: SpanContext) -> None:
        self._links += (context,)

    def rename(self, name: str) -> None:
        self.name = name

    def fail(self, reason: str) -> None:
        self.failed = True
        self.attributes["error.type"] = reason

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        if isinstance(error, Exception) and not self.failed:
            self.fail(type(error).__qualname__)
        self.ended = time_ns()
        self.taker.take(self._written())

    def _written(self) -> bytes:
        span = _otlp().Span(
            trace_id=bytes.fromhex(self.context.trace_id),
            span_id=bytes.fromhex(self.context.span_id),
            parent_span_id=bytes.fromhex(self._parent_id),
            name=_sayable(self.name),
            kind=self._kind,
            start_time_unix_nano=self._started,
            end_time_unix_nano=self.ended,
            attributes=self._fixed,
            flags=self.context.flags,
        )
        _add(span.attributes, self.attributes)
        for each in self._links:
            span.links.add(trace_id=bytes.fromhex(each.trace_id), span_id=bytes.fromhex(each.span_id))
        if self.failed:
            span.status.code = _otlp().Status.STATUS_CODE_ERROR
        written: bytes = span.SerializeToString()
        return written


def request(entries: Iterable[Entry]) -> bytes:
    """As `ExportTraceServiceRequest`."""
    request = _otlp().ExportTraceServiceRequest()
    for written, of_service in groupby(sorted(entries, key=itemgetter(0)), itemgetter(0)):
        found = request.resource_spans.add()
        found.resource.ParseFromString(written)
        scope = found.scope_spans.add()
        scope.scope.name = "ask.sogis"
        for _, span in of_service:
            scope.spans.add().ParseFromString(span)
    body: bytes = request.SerializeToString()
    return body


def resource(attributes: Attributes) -> bytes:
    """What tells the service, as OTLP writes it."""
    found = _otlp().Resource()
    _add(found.attributes, attributes)
    written: bytes = found.SerializeToString()
    return written


def prepared(attributes: Attributes) -> Prepared:
    """Attributes that many spans have."""
    span = _otlp().Span()
    _add(span.attributes, attributes)
    return tuple(span.attributes)


def _add(pairs: Any, attributes: Attributes) -> None:
    for name, value in attributes.items():
        written = pairs.add(key=name).value
        if isinstance(value, str):
            written.string_value = _sayable(value)
        elif isinstance(value, int):
            written.int_value = value
        elif isinstance(value, float):
            written.double_value = value
        else:
            written.array_value.SetInParent()
            for each in value:
                written.array_value.values.add(string_value=_sayable(each))


def _new_id() -> str:
    return f"{getrandbits(64) or 1:016x}"


def _sayable(text: str) -> str:
    """Without halves of characters, which are in no UTF-8."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


@cache
def _otlp() -> SimpleNamespace:
    """The classes of OTLP. Imported when the first is needed: they take 15 MB, which most never need."""
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
    from opentelemetry.proto.resource.v1.resource_pb2 import Resource
    from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

    return SimpleNamespace(
        ExportTraceServiceRequest=ExportTraceServiceRequest, Resource=Resource, Span=Span, Status=Status
    )
