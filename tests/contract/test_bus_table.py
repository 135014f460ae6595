"""docs/bus.md says the same as the code."""

from collections.abc import Callable
from typing import Any

import pages
import pytest
from contracts import subjects
from contracts.subjects import Header
from servicekit.handler import backoff_s
from servicekit.settings import ServiceSettings
from servicekit.testing import MemoryBus

from actionplanner import handlers as actionplanner
from orchestrator import handlers as orchestrator
from planner import handlers as planner
from responder import handlers as responder

PAGE = pages.ROOT / "docs" / "bus.md"
PROSE = " ".join(pages.prose(PAGE).split())


def duration(seconds: float) -> str:
    for unit, size in (("d", 86_400), ("h", 3_600)):
        # A day is written in hours, as everybody says it.
        if seconds >= size and (unit != "d" or seconds > size):
            return f"{seconds / size:g} {unit}"
    return f"{seconds:g} s"


def test_the_streams_are_those_of_the_code() -> None:
    written = [
        (
            row["stream"],
            pages.names(row["subjects"]),
            row["retention"],
            row["age"],
            row["messages"],
            row["MiB"],
        )
        for row in pages.table(PAGE, "Streams", "retention")
    ]
    assert written == [
        (
            stream.name,
            stream.subjects,
            stream.retention.replace("_", " "),
            duration(stream.max_age_s),
            "–" if stream.max_msgs == -1 else f"{stream.max_msgs:,}",
            f"{stream.max_bytes // subjects.MIB:,}",
        )
        for stream in subjects.STREAMS
    ]


def test_the_routes_are_those_of_the_code() -> None:
    written = [
        (
            row["subject"].strip("`"),
            row["stream"],
            pages.names(row["published by"]),
            pages.names(row["consumed by"]),
            row["carries"].strip("`"),
        )
        for row in pages.table(PAGE, "Who says what to whom", "carries")
    ]
    assert written == [(r.subject, r.stream, r.publishers, r.consumers, r.carries) for r in subjects.ROUTES]


class Listening(MemoryBus):
    """Remembers what handlers ask for."""

    def __init__(self) -> None:
        super().__init__()
        self.wanted: list[tuple[str, tuple[str, ...], int]] = []

    def subscriber(self, *wanted: str, **options: Any) -> Any:
        stream = subjects.stream_of(wanted[0]).name
        self.wanted.append((stream, wanted, options.get("max_ack_pending", 1_000)))
        return super().subscriber(*wanted, **options)


REGISTER: dict[str, Callable[[Any], object]] = {
    "orchestrator": lambda bus: orchestrator.register(bus, None),  # type: ignore[arg-type]
    "planner": lambda bus: planner.register(bus, None, None),  # type: ignore[arg-type]
    "actionplanner": actionplanner.register,
    "responder": lambda bus: responder.register(bus, None, 0.04),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("service", REGISTER)
def test_the_consumers_are_those_of_the_handlers(service: str) -> None:
    bus = Listening()
    REGISTER[service](bus)
    declared = [(c.stream, c.subjects, c.max_ack_pending) for c in subjects.CONSUMERS if c.service == service]
    assert declared == bus.wanted


def test_the_consumers_are_those_of_the_code() -> None:
    written = [
        (
            row["durable"],
            row["stream"],
            pages.names(row["filter"]),
            -1
            if row["ack pending at most"] == "no limit"
            else int(row["ack pending at most"].replace(",", "")),
        )
        for row in pages.table(PAGE, "Consumers", "durable")
    ]
    declared = [(c.service, c.stream, c.subjects, c.max_ack_pending) for c in subjects.CONSUMERS]
    assert written == declared


def test_all_headers_are_explained() -> None:
    rows = pages.table(PAGE, "Message ids and headers", "header")
    written = {name for row in rows for name in pages.names(row["header"])}
    assert written == {value for name, value in vars(Header).items() if name.isupper()} | {"traceparent"}


def test_the_figures_in_the_text_are_those_of_the_code() -> None:
    settings = ServiceSettings.model_fields
    assert (
        f"An entry lives {subjects.TOOL_TTL_S:g} s and is renewed every {subjects.TOOL_REFRESH_S:g} s."
        in PROSE
    )
    assert f"Ack wait is {settings['ack_wait_s'].default:g} s" in PROSE
    assert f"`max_deliver` is {settings['max_deliver'].default}" in PROSE
    first = ", ".join(f"{backoff_s(attempt):g} s" for attempt in (1, 2, 3))
    assert f"delay {first}, … at most {backoff_s(99):g} s" in PROSE
