"""Spans as OTLP writes them, read by the classes of OpenTelemetry."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span as OtlpSpan
from otlp_receiver import spans_of
from servicekit import spans, tracing
from servicekit.spans import Kind, Recorded, SpanContext, Value

PARENT = SpanContext("ab" + "0" * 30, "cd" + "0" * 14, 3)


class Taken:
    """Keeps what has ended."""

    def __init__(self, service: str = "ask-x") -> None:
        self._resource = spans.resource({"service.name": service})
        self.spans: list[spans.Entry] = []

    def take(self, span: bytes) -> None:
        self.spans.append((self._resource, span))


@pytest.fixture
def taken() -> Taken:
    return Taken()


def read(*found: spans.Entry) -> list[OtlpSpan]:
    parsed = ExportTraceServiceRequest.FromString(spans.request(found))
    return [s for resource in parsed.resource_spans for scope in resource.scope_spans for s in scope.spans]


VALUES = st.one_of(
    st.text(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.lists(st.text(), max_size=3).map(tuple),
)


@given(st.dictionaries(st.text(min_size=1), VALUES, max_size=5), st.text())
def test_whatever_is_in_a_span_arrives(attributes: dict[str, Value], name: str) -> None:
    here = Taken()
    with Recorded(here, None, name, Kind.SERVER, attributes):
        pass
    (found,) = spans_of(spans.request(here.spans))
    arrived = {key: tuple(v) if isinstance(v, list) else v for key, v in found.attributes.items()}
    assert (found.name, arrived) == (name, attributes)


def test_a_lone_surrogate_keeps_no_other_span_from_arriving(taken: Taken) -> None:
    with Recorded(taken, None, "x", Kind.SERVER, {"a": "\ud800"}):
        pass
    assert [s.attributes for s in spans_of(spans.request(taken.spans))] == [{"a": "?"}]


def test_a_span_has_its_place_its_time_and_its_links(taken: Taken) -> None:
    with Recorded(taken, PARENT, "before", Kind.CONSUMER, {"a": 1}, spans.prepared({"b": "c"})) as span:
        span.rename("after")
        span.set("d", 2.5)
        span.link(PARENT)
    (found,) = read(*taken.spans)
    assert (found.name, found.kind) == ("after", OtlpSpan.SPAN_KIND_CONSUMER)
    assert found.trace_id == bytes.fromhex(PARENT.trace_id)
    assert found.parent_span_id == bytes.fromhex(PARENT.span_id)
    assert len(found.span_id) == 8 and found.span_id != found.parent_span_id
    assert 0 < found.start_time_unix_nano <= found.end_time_unix_nano
    assert [attribute.key for attribute in found.attributes] == ["b", "a", "d"]
    (linked,) = found.links
    assert (linked.trace_id, linked.span_id) == (found.trace_id, found.parent_span_id)
    assert (found.flags, found.status.code) == (3, OtlpSpan().status.STATUS_CODE_UNSET)


def test_kinds_are_those_of_otlp() -> None:
    assert {kind.name: int(kind) for kind in Kind}.items() <= {
        name.removeprefix("SPAN_KIND_"): number for name, number in OtlpSpan.SpanKind.items()
    }.items()


def test_what_is_raised_is_told_by_its_name_and_not_by_what_it_says(taken: Taken) -> None:
    with pytest.raises(ValueError), Recorded(taken, None, "x", Kind.INTERNAL, {}):
        raise ValueError("geheim")
    with pytest.raises(ValueError), Recorded(taken, None, "y", Kind.INTERNAL, {}) as span:
        span.fail("timeout")
        raise ValueError("geheim")
    with pytest.raises(asyncio.CancelledError), Recorded(taken, None, "z", Kind.INTERNAL, {}):
        raise asyncio.CancelledError
    sent = spans.request(taken.spans)
    assert [(s.is_error, s.attributes.get("error.type")) for s in spans_of(sent)] == [
        (True, "ValueError"),
        (True, "timeout"),
        (False, None),
    ]
    assert b"geheim" not in sent


def test_each_service_of_a_process_keeps_its_name() -> None:
    one, other = Taken("ask-one"), Taken("ask-other")
    for here in (one, other, one):
        with Recorded(here, None, "x", Kind.INTERNAL, {}):
            pass
    found = spans_of(spans.request([*one.spans, *other.spans]))
    assert sorted(span.service for span in found) == ["ask-one", "ask-one", "ask-other"]


def test_what_is_long_arrives_whole(taken: Taken) -> None:
    with Recorded(taken, None, "n" * 300, Kind.INTERNAL, {"k" * 200: "v" * 70_000}):
        pass
    (found,) = spans_of(spans.request(taken.spans))
    assert (found.name, found.attributes) == ("n" * 300, {"k" * 200: "v" * 70_000})


async def test_a_task_that_outlives_its_span_adds_nothing_to_it(taken: Taken) -> None:
    ended = asyncio.Event()

    async def late() -> None:
        await ended.wait()
        with tracing.span("late", {}):
            assert tracing.traceparent() == context.traceparent

    with Recorded(taken, None, "x", Kind.INTERNAL, {}) as span:
        assert span.context is not None
        context = span.context
        with tracing.span("inside", {}):
            pass
        task = asyncio.create_task(late())
        await asyncio.sleep(0)
    ended.set()
    await task
    assert tracing.traceparent() == ""
    assert [each.name for each in read(*taken.spans)] == ["inside", "x"]
