"""A span while it runs, and how OTLP writes it.

The SDK of OpenTelemetry takes 43 µs for a span, this 7 (docs/decisions/0031-spans-of-our-own.md). What sends
them is the SDK's.
"""

from collections.abc import Iterable, Mapping
from contextvars import ContextVar, Token
from enum import IntEnum
from functools import cache
from itertools import groupby
from operator import itemgetter
from random import getrandbits
from struct import pack
from time import time_ns
from types import TracebackType
from typing import NamedTuple, Protocol

Value = str | int | float | tuple[str, ...]
Attributes = Mapping[str, Value]
Entry = tuple[bytes, bytes]
"""Of which service a span is, and the span; as OTLP writes both."""


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
        fixed: bytes = b"",
    ) -> None:
        """`fixed`: further attributes, already written, see `written`."""
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
        """As `opentelemetry.proto.trace.v1.Span`."""
        name = self.name.encode("utf-8", "replace")
        parts = [
            b"\x0a\x10",
            bytes.fromhex(self.context.trace_id),
            b"\x12\x08",
            bytes.fromhex(self.context.span_id),
            b"\x22\x08" + bytes.fromhex(self._parent_id) if self._parent_id else b"",
            b"\x2a",
            _varint(len(name)),
            name,
            b"\x30" + _ONE_BYTE[self._kind],
            pack("<BQBQ", 0x39, self._started, 0x41, self.ended),
            self._fixed,
            written(self.attributes),
            b"".join(_field(b"\x6a", _link(each)) for each in self._links),
            b"\x7a\x02\x18\x02" if self.failed else b"",
            pack("<BBI", 0x85, 0x01, self.context.flags),
        ]
        return b"".join(parts)


def request(entries: Iterable[Entry]) -> bytes:
    """As `ExportTraceServiceRequest`."""
    by_service = groupby(sorted(entries, key=itemgetter(0)), itemgetter(0))
    return b"".join(_field(b"\x0a", _of_service(resource, of_it)) for resource, of_it in by_service)


def resource(attributes: Mapping[str, Value]) -> bytes:
    """As `opentelemetry.proto.resource.v1.Resource`."""
    return written(attributes, b"\x0a")


def written(attributes: Attributes, tag: bytes = b"\x4a") -> bytes:
    """As a repeated field of `KeyValue`: number 9 of a span."""
    pairs = (_key(name) + _field(b"\x12", _value(value)) for name, value in attributes.items())
    return b"".join(_field(tag, pair) for pair in pairs)


def _of_service(resource: bytes, entries: Iterable[Entry]) -> bytes:
    spans = b"".join(_field(b"\x12", span) for _, span in entries)
    return _field(b"\x0a", resource) + _field(b"\x12", _SCOPE + spans)


def _link(to: SpanContext) -> bytes:
    return b"\x0a\x10" + bytes.fromhex(to.trace_id) + b"\x12\x08" + bytes.fromhex(to.span_id)


def _new_id() -> str:
    return f"{getrandbits(64) or 1:016x}"


@cache
def _key(name: str) -> bytes:
    return _field(b"\x0a", name.encode())


def _value(value: Value) -> bytes:
    """As `AnyValue`."""
    if isinstance(value, str):
        return _field(b"\x0a", value.encode("utf-8", "replace"))
    if isinstance(value, int):
        return b"\x18" + _varint(value & 0xFFFF_FFFF_FFFF_FFFF)
    if isinstance(value, float):
        return pack("<Bd", 0x21, value)
    return _field(b"\x2a", b"".join(_field(b"\x0a", _value(each)) for each in value))


def _field(tag: bytes, content: bytes) -> bytes:
    return tag + _varint(len(content)) + content


def _varint(number: int) -> bytes:
    if number < 0x80:
        return _ONE_BYTE[number]
    parts = bytearray()
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    parts.append(number)
    return bytes(parts)


_ONE_BYTE = [bytes((n,)) for n in range(0x80)]
_SCOPE = _field(b"\x0a", _field(b"\x0a", b"ask.sogis"))
