"""A tool whose source fails, or that takes too long, still answers in time and in words."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import cast

import misbehaving
import pytest
from contracts import subjects
from contracts.items import Place
from contracts.messages import Outcome, ToolCalled, ToolResult
from contracts.research import ErrorType
from contracts.status import Status
from in_memory import AnnouncingBus
from misbehaving import MisbehavingServer, status
from pydantic import BaseModel
from servicekit import deadline
from servicekit.bus import Bus
from servicekit.errors import SourceError, SourceErrorKind
from servicekit.outbound import Outbound
from servicekit.tools import Toolbox

SOURCE = "Die Adresssuche von geo.so.ch"
LATER = "Versuche es in ein paar Minuten noch einmal."


class NoArgs(BaseModel):
    """Takes anything."""


def toolbox_with(work: Callable[[], Awaitable[object]]) -> Toolbox:
    bus = AnnouncingBus("test")
    toolbox = Toolbox(cast(Bus, bus))

    @toolbox.tool("test.work", returns=(Place,))
    async def tool(args: NoArgs) -> Outcome:
        """Does the work."""
        await work()
        return Outcome(message="done")

    return toolbox


async def outcome_of(work: Callable[[], Awaitable[object]], seconds: float | None = None) -> Outcome:
    until = None if seconds is None else datetime.now(UTC) + timedelta(seconds=seconds)
    return await toolbox_with(work)["test.work"].call({}, "de", until)


def failing(error: Exception) -> Callable[[], Awaitable[object]]:
    async def work() -> None:
        raise error

    return work


@pytest.mark.parametrize(
    ("kind", "code", "message"),
    [
        ("unreachable", None, "ist zurzeit nicht erreichbar. Versuche es in ein paar Minuten noch einmal."),
        ("timeout", None, "hat nicht rechtzeitig geantwortet. Versuche es in ein paar Minuten noch einmal."),
        (
            "overloaded",
            503,
            "ist zurzeit überlastet (HTTP 503). Versuche es in ein paar Minuten noch einmal.",
        ),
        ("failed", 500, "antwortete nicht erfolgreich (HTTP 500)."),
        ("failed", None, "antwortete nicht erfolgreich."),
        ("unreadable", 200, "hat eine Antwort geschickt, die nicht verarbeitet werden konnte."),
        ("too_large", 200, "hat eine zu grosse Antwort geschickt. Bitte grenze die Frage ein."),
        ("forbidden", 302, "verweist auf eine Adresse, die nicht abgefragt werden darf."),
        ("paused", None, f"ist zurzeit gestört und wird einen Moment lang nicht abgefragt. {LATER}"),
    ],
)
async def test_each_failure_of_a_source_has_its_sentence(kind: str, code: int | None, message: str) -> None:
    error = SourceError(SourceErrorKind(kind), SOURCE, code)
    outcome = await outcome_of(failing(error))
    assert (outcome.status, outcome.message) == (Status.ERROR, f"{SOURCE} {message}")
    assert outcome.error_type == ("timeout" if kind == "timeout" else "server_error")


async def test_every_kind_has_a_sentence_in_every_language() -> None:
    for kind in SourceErrorKind:
        tool = toolbox_with(failing(SourceError(kind, SOURCE)))["test.work"]
        for language in ("de", "fr", "xx"):
            assert (await tool.call({}, language)).message.startswith(SOURCE)


async def test_a_defect_is_a_failure_of_the_server() -> None:
    outcome = await outcome_of(failing(KeyError("bug")), 30)
    assert (outcome.status, outcome.error_type) == (Status.ERROR, ErrorType.SERVER_ERROR)
    assert "unerwarteten Fehler" in outcome.message


async def test_a_timeout_of_its_own_is_no_lack_of_time() -> None:
    outcome = await outcome_of(failing(TimeoutError()), 30)
    assert outcome.error_type is ErrorType.SERVER_ERROR


async def test_a_tool_that_hangs_is_ended() -> None:
    cancelled = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(True)
            raise

    outcome = await outcome_of(work, 0.1)
    assert (outcome.status, outcome.error_type, cancelled) == (Status.ERROR, ErrorType.TIMEOUT, [True])
    assert outcome.message == "Das hat zu lange gedauert. Bitte versuche es noch einmal."


@pytest.mark.parametrize(("seconds", "at_most"), [(30, 29), (5, 4), (2, 1.6), (0, 0)])
async def test_a_tool_leaves_time_for_the_way_back(seconds: float, at_most: float) -> None:
    left: list[float | None] = []

    async def work() -> None:
        left.append(deadline.remaining_s())

    await outcome_of(work, seconds)
    (left_s,) = left
    assert left_s is not None
    assert at_most / 2 <= left_s <= at_most


async def test_without_a_deadline_a_tool_takes_its_time() -> None:
    async def work() -> None:
        assert deadline.remaining_s() is None

    assert (await outcome_of(work)).message == "done"


async def test_a_slow_source_is_named(
    make_outbound: Callable[..., Outbound], server: MisbehavingServer
) -> None:
    server.behave(misbehaving.slow_headers)
    outbound = make_outbound()
    outcome = await outcome_of(lambda: outbound.get(server.url, source=SOURCE), 1)
    assert outcome.message.startswith(f"{SOURCE} hat nicht rechtzeitig geantwortet")
    assert outcome.error_type is ErrorType.TIMEOUT


async def test_a_hanging_call_is_answered_over_the_bus(server: MisbehavingServer) -> None:
    bus = AnnouncingBus("test")
    toolbox = Toolbox(cast(Bus, bus))

    @toolbox.tool("test.hang", returns=(Place,))
    async def hang(args: NoArgs) -> Outcome:
        """Never ends."""
        await asyncio.Event().wait()
        return Outcome()

    @toolbox.tool("test.quick", returns=(Place,))
    async def quick(args: NoArgs) -> Outcome:
        """Ends at once."""
        return Outcome(message="done")

    results: dict[str, ToolResult] = {}

    @bus.subscriber(subjects.TOOL_RESULT)
    async def on_result(result: ToolResult) -> None:
        results[result.capability] = result

    await bus.start()
    until = datetime.now(UTC) + timedelta(seconds=0.5)
    for step, capability in enumerate(("test.hang", "test.quick")):
        call = ToolCalled(
            request_id="r", session_id="s", deadline=until, step=step, capability=capability, args={}
        )
        await bus.publish(call)
    await bus.settle()
    await toolbox.stop()
    assert results["test.quick"].outcome == Outcome(message="done")
    assert results["test.hang"].outcome.error_type is ErrorType.TIMEOUT


async def test_an_http_failure_becomes_words(
    make_outbound: Callable[..., Outbound], server: MisbehavingServer
) -> None:
    server.behave(status(500))
    outbound = make_outbound(max_retries=0)
    outcome = await outcome_of(lambda: outbound.get(server.url, source=SOURCE), 30)
    assert outcome.message == f"{SOURCE} antwortete nicht erfolgreich (HTTP 500)."
