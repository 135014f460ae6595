"""Tools: announced, called, their failures answered, forgotten when nobody offers them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import nats
import pytest
from contracts import subjects
from contracts.items import Height, ItemBase, Parcel
from contracts.messages import Outcome, ToolCalled, ToolResult
from contracts.status import Status
from contracts.vocabulary import PlaceName, Vocabulary
from nats.aio.msg import Msg
from nats.js import JetStreamContext
from nats.js.kv import KeyValue
from pydantic import BaseModel, Field
from servicekit import streams
from servicekit.announcing import ModelAnnouncement
from servicekit.bus import Bus
from servicekit.catalogue import ToolCatalogue, _age_s
from servicekit.errors import DuplicateTool, InvalidTool
from servicekit.settings import ServiceSettings
from servicekit.streams import declare_on
from servicekit.testing import MemoryBus
from servicekit.tools import Toolbox

from .conftest import ServerProcess
from .orchestrator_harness import run, until


class HeightArgs(BaseModel):
    x: float = Field(ge=2_480_000)
    y: float


def offer(bus: Any, capability: str = "terrain.height_by_xy") -> Toolbox:
    toolbox = Toolbox(bus)

    @toolbox.tool(capability, returns=(Height,), phrases=("wie hoch",))
    async def height(args: HeightArgs) -> Outcome:
        """Height above sea level at a point."""
        if args.y == 13:
            raise RuntimeError("no luck")
        if args.y == 14:
            return Outcome(message="x" * 2_000_000)
        return Outcome(items=(Height(id="h", label="432 m", height_m=432),))

    return toolbox


def call(args: dict[str, Any], request_id: str = "r1") -> ToolCalled:
    return ToolCalled(
        request_id=request_id,
        session_id="s",
        deadline=datetime.now(UTC) + timedelta(seconds=30),
        step=0,
        capability="terrain.height_by_xy",
        args=args,
    )


@pytest.fixture
async def buses(nats_url: str) -> AsyncIterator[tuple[Bus, Bus]]:
    settings = ServiceSettings(nats_url=nats_url, ack_wait_s=10, graceful_timeout_s=2)
    pair = (Bus("tools-test", settings), Bus("orchestrator", settings))
    yield pair
    for bus in pair:
        with suppress(Exception):
            await bus.broker.stop()


@pytest.mark.parametrize(
    ("args", "status"),
    [
        ({"x": 2_600_000, "y": 1_200_000}, Status.OK),
        ({"x": 1, "y": 1_200_000}, Status.ERROR),
        ({}, Status.ERROR),
        ({"x": 2_600_000, "y": 13}, Status.ERROR),
        ({"x": 2_600_000, "y": 14}, Status.ERROR),
    ],
)
async def test_every_call_is_answered(buses: tuple[Bus, Bus], args: dict[str, Any], status: Status) -> None:
    tools, orchestrator = buses
    offer(tools)
    results: asyncio.Queue[ToolResult] = asyncio.Queue()

    @orchestrator.subscriber(subjects.TOOL_RESULT)
    async def on_result(result: ToolResult) -> None:
        await results.put(result)

    await run(tools)
    await run(orchestrator)
    await orchestrator.publish(call(args))
    result = await asyncio.wait_for(results.get(), 30)
    assert result.outcome.status is status
    assert (result.round, result.step, result.call) == (0, 0, 0)
    assert bool(result.outcome.message) == (status is Status.ERROR)


async def test_a_tool_appears_with_its_worker_and_vanishes_without(
    buses: tuple[Bus, Bus], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subjects, "TOOL_TTL_S", 1.0)
    monkeypatch.setattr(subjects, "TOOL_REFRESH_S", 0.2)
    tools, reader = buses
    catalogue = ToolCatalogue(reader)
    await run(reader)
    assert catalogue.tools() == ()
    toolbox = offer(tools)
    await run(tools)
    await asyncio.sleep(1.5)
    await seen(catalogue, "terrain.height_by_xy")
    (found,) = catalogue.tools()
    assert found.capability == "terrain.height_by_xy"
    assert found.service == "tools-test"
    assert found.parameters["required"] == ["x", "y"]
    assert found.result_types == ("height",)
    assert found.description == "Height above sea level at a point."
    await toolbox.stop()
    await seen(catalogue)
    assert catalogue.find("terrain.height_by_xy") is None
    await catalogue.stop()


async def test_which_models_are_used_is_known_as_long_as_their_services_live(
    buses: tuple[Bus, Bus], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subjects, "TOOL_TTL_S", 1.0)
    monkeypatch.setattr(subjects, "TOOL_REFRESH_S", 0.2)
    judging, reader = buses
    catalogue = ToolCatalogue(reader)
    ModelAnnouncement(reader, "plan", "gpt-5-mini")
    ModelAnnouncement(judging, "judge", None)
    await run(reader)
    await run(judging)
    await asyncio.sleep(1.5)

    def used() -> list[tuple[str, str | None]]:
        return [(each.use, each.model) for each in catalogue.models()]

    await until(lambda: used() == [("judge", None), ("plan", "gpt-5-mini")])
    assert catalogue.tools() == ()
    await judging.leave()
    await until(lambda: used() == [("plan", "gpt-5-mini")])
    await catalogue.stop()


async def test_a_failed_announcement_is_repeated_soon(
    buses: tuple[Bus, Bus], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subjects, "TOOL_REFRESH_S", 0.01)
    tools, _ = buses
    toolbox = offer(tools)
    await run(tools)
    announced = asyncio.Event()

    bucket_of = streams.tools_bucket

    def fail_once(js: JetStreamContext) -> KeyValue:
        monkeypatch.setattr(subjects, "TOOL_REFRESH_S", 3_600)
        monkeypatch.setattr("servicekit.bus.tools_bucket", succeed)
        raise TimeoutError

    def succeed(js: JetStreamContext) -> KeyValue:
        announced.set()
        return bucket_of(js)

    monkeypatch.setattr("servicekit.bus.tools_bucket", fail_once)
    async with asyncio.timeout(30):
        await announced.wait()
    await toolbox.stop()


async def seen(catalogue: ToolCatalogue, *capabilities: str) -> None:
    """Until these are the tools alive, long before anything is forgotten."""
    async with asyncio.timeout(20):
        while {tool.capability for tool in catalogue.tools()} != set(capabilities):
            await asyncio.sleep(0.01)


async def test_a_tool_is_gone_at_once_when_its_last_worker_stops_cleanly(
    buses: tuple[Bus, Bus], nats_url: str
) -> None:
    tools, reader = buses
    catalogue = ToolCatalogue(reader)
    sister = Bus("tools-test", ServiceSettings(nats_url=nats_url, graceful_timeout_s=2))
    for bus in (tools, sister):
        offer(bus)
        await run(bus)
    await run(reader)
    await seen(catalogue, "terrain.height_by_xy")

    await tools.leave()
    await tools.broker.stop()
    bucket = await reader.jetstream.key_value(subjects.TOOLS_BUCKET)
    assert (await bucket.get("terrain.height_by_xy")).value
    assert catalogue.find("terrain.height_by_xy") is not None

    await sister.leave()
    await seen(catalogue)
    await sister.broker.stop()
    await catalogue.stop()


async def test_tools_of_a_family_come_and_go_and_are_called_like_others(buses: tuple[Bus, Bus]) -> None:
    tools, reader = buses
    catalogue = ToolCatalogue(reader)
    results: asyncio.Queue[ToolResult] = asyncio.Queue()

    @reader.subscriber(subjects.TOOL_RESULT)
    async def on_result(result: ToolResult) -> None:
        await results.put(result)

    toolbox = Toolbox(tools, family="terrain")
    await run(tools)
    await run(reader)
    assert catalogue.tools() == ()

    here = {"x": 2_600_000, "y": 1_200_000}
    await toolbox.offer([offer(MemoryBus())["terrain.height_by_xy"]])
    await seen(catalogue, "terrain.height_by_xy")
    await reader.publish(call(here, "r1"))
    assert (await asyncio.wait_for(results.get(), 30)).outcome.status is Status.OK

    await toolbox.offer([])
    await seen(catalogue)
    await reader.publish(call(here, "r2"))
    refused = (await asyncio.wait_for(results.get(), 30)).outcome
    assert (refused.status, bool(refused.message)) == (Status.ERROR, True)
    await toolbox.stop()
    await catalogue.stop()


async def test_of_two_offers_at_once_the_later_one_stands(buses: tuple[Bus, Bus]) -> None:
    tools, reader = buses
    catalogue = ToolCatalogue(reader)
    toolbox = Toolbox(tools, family="terrain")
    await run(tools)
    await run(reader)
    names = [f"terrain.height_{n}" for n in range(5)]
    several = [offer(MemoryBus(), name)[name] for name in names]
    await asyncio.gather(toolbox.offer(several), toolbox.offer([]))
    # What is seen after this one is all that was told before.
    await toolbox.offer([offer(MemoryBus())["terrain.height_by_xy"]])
    await seen(catalogue, "terrain.height_by_xy")
    await toolbox.stop()
    await catalogue.stop()


async def test_what_another_process_offers_is_not_withdrawn(buses: tuple[Bus, Bus], nats_url: str) -> None:
    tools, reader = buses
    catalogue = ToolCatalogue(reader)
    sister = Bus("tools-test", ServiceSettings(nats_url=nats_url, graceful_timeout_s=2))
    both = [Toolbox(bus, family="terrain") for bus in (tools, sister)]
    for bus in (tools, sister, reader):
        await run(bus)
    for toolbox in both:
        await toolbox.offer([offer(MemoryBus())["terrain.height_by_xy"]])
    await seen(catalogue, "terrain.height_by_xy")
    await both[0].offer([])
    bucket = await reader.jetstream.key_value(subjects.TOOLS_BUCKET)
    assert (await bucket.get("terrain.height_by_xy")).value
    await both[1].offer([])
    await seen(catalogue)
    for toolbox in both:
        await toolbox.stop()
    await sister.broker.stop()
    await catalogue.stop()


async def test_the_catalogue_follows_again_after_the_server_was_killed(
    buses: tuple[Bus, Bus], nats_server: ServerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subjects, "TOOL_REFRESH_S", 0.2)
    tools, reader = buses
    catalogue = ToolCatalogue(reader)
    await run(reader)
    nats_server.kill()
    nats_server.start()
    async with asyncio.timeout(30):
        while not reader.connection.is_connected:
            await asyncio.sleep(0.05)
    toolbox = offer(tools)
    await run(tools)
    async with asyncio.timeout(30):
        while not catalogue.tools():
            await asyncio.sleep(0.05)
    await toolbox.stop()
    await catalogue.stop()


async def test_what_a_member_of_a_cluster_does_not_know_yet_is_read_a_little_later(
    buses: tuple[Bus, Bus], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subjects, "TOOL_REFRESH_S", 3_600)
    tools, reader = buses
    toolbox = offer(tools)
    await run(tools)
    catalogue = ToolCatalogue(reader)
    asked, late = catalogue._asked, iter((True,))
    monkeypatch.setattr(catalogue, "_asked", lambda: remembered([]) if next(late, False) else asked())
    await run(reader)
    assert catalogue.tools() == ()
    await seen(catalogue, "terrain.height_by_xy")
    await toolbox.stop()
    await catalogue.stop()


async def test_what_a_member_of_a_cluster_still_knows_does_not_come_back(
    buses: tuple[Bus, Bus], monkeypatch: pytest.MonkeyPatch
) -> None:
    tools, reader = buses
    catalogue = ToolCatalogue(reader)
    toolbox = offer(tools)
    await run(tools)
    await run(reader)
    await catalogue.stop()
    old = await catalogue._asked()
    await tools.leave()
    await seen(catalogue)
    monkeypatch.setattr(catalogue, "_asked", lambda: remembered(old))
    await catalogue._read()
    assert catalogue.tools() == ()
    await toolbox.stop()
    await catalogue.stop()


async def remembered(stored: list[Msg]) -> list[Msg]:
    return stored


def test_of_two_entries_within_a_second_it_is_known_which_is_older() -> None:
    ages = [_age_s(f"2026-11-28T10:40:00{fraction}Z") for fraction in ("", ".25", ".500000001")]
    assert [round(ages[0] - age, 1) for age in ages] == [0.0, 0.2, 0.5]


def test_a_capability_is_declared_once() -> None:
    bus = MemoryBus()
    toolbox = offer(bus)
    with pytest.raises(DuplicateTool):

        @toolbox.tool("terrain.height_by_xy", returns=(Height,))
        async def again(args: HeightArgs) -> Outcome:
            """Twice."""
            return Outcome()


def test_a_tool_needs_a_typed_argument_and_a_description() -> None:
    toolbox = Toolbox(MemoryBus())  # type: ignore[arg-type]
    returns: tuple[type[ItemBase], ...] = (Height,)
    with pytest.raises(InvalidTool):

        @toolbox.tool("a.b", returns=returns)
        async def undescribed(args: HeightArgs) -> Outcome:
            return Outcome()

    with pytest.raises(InvalidTool):

        @toolbox.tool("a.c", returns=returns)
        async def untyped(args: dict[str, Any]) -> Outcome:
            """Takes anything."""
            return Outcome()


def test_a_changed_tool_has_another_version() -> None:
    one, two = (offer(MemoryBus(), capability) for capability in ("a.b", "a.c"))
    again = offer(MemoryBus(), "a.b")
    assert one.descriptors[0].version == again.descriptors[0].version
    assert one.descriptors[0].version != two.descriptors[0].version


async def test_a_bucket_that_the_client_library_has_made_is_taken_over(nats_url: str) -> None:
    connection = await nats.connect(nats_url)
    js = connection.jetstream()
    await js.delete_key_value(subjects.TOOLS_BUCKET)
    await js.create_key_value(bucket=subjects.TOOLS_BUCKET, ttl=60)
    await declare_on(js)
    assert await declare_on(js, check=True) == []
    await connection.close()


KNOWN = Vocabulary(places=(PlaceName(name="Aubonnes", kind="municipality"),), postal_codes=("9901",))


async def knows(catalogue: ToolCatalogue, *names: str) -> None:
    """Until these are the places that are known."""
    async with asyncio.timeout(20):
        while tuple(place.name for place in catalogue.vocabulary().places) != names:
            await asyncio.sleep(0.01)


async def test_what_a_service_knows_by_name_stands_beside_its_tools(
    buses: tuple[Bus, Bus], nats_url: str
) -> None:
    tools, reader = buses
    catalogue, late = ToolCatalogue(reader), Bus("planner", ServiceSettings(nats_url=nats_url))
    toolbox = offer(tools)
    toolbox.knows(KNOWN)
    await run(reader)
    assert catalogue.vocabulary() == Vocabulary()
    await run(tools)
    await knows(catalogue, "Aubonnes")
    await seen(catalogue, "terrain.height_by_xy")
    assert catalogue.vocabulary() is catalogue.vocabulary()

    afterwards = ToolCatalogue(late)
    await run(late)
    await knows(afterwards, "Aubonnes")
    await tools.leave()
    await knows(catalogue)
    await knows(afterwards)
    for each in (catalogue, afterwards):
        await each.stop()
    await late.broker.stop()


async def test_names_are_forgotten_with_the_service_that_knew_them(
    buses: tuple[Bus, Bus], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subjects, "TOOL_TTL_S", 0.5)
    monkeypatch.setattr(subjects, "TOOL_REFRESH_S", 0.1)
    tools, reader = buses
    catalogue = ToolCatalogue(reader)
    await run(reader)
    toolbox = offer(tools)
    await run(tools)
    # Known only later: then with the next announcement.
    toolbox.knows(KNOWN)
    await knows(catalogue, "Aubonnes")
    await toolbox.stop()
    await knows(catalogue)
    await catalogue.stop()


def test_what_is_called_for_each_item_takes_one() -> None:
    class HeightsArgs(HeightArgs):
        parcel: dict[str, Any]

    toolbox = Toolbox(MemoryBus())  # type: ignore[arg-type]

    @toolbox.tool("a.b", returns=(Height,), internal=True, for_each=Parcel)
    async def takes_one(args: HeightsArgs) -> Outcome:
        """Of every parcel."""
        return Outcome()

    (described,) = toolbox.descriptors
    assert (described.for_each, described.internal) == ("parcel", True)
    with pytest.raises(InvalidTool):

        @toolbox.tool("a.c", returns=(Height,), for_each=Parcel)
        async def takes_none(args: HeightArgs) -> Outcome:
            """Of every parcel."""
            return Outcome()


def test_no_tool_can_pass_for_a_vocabulary() -> None:
    with pytest.raises(InvalidTool):
        offer(MemoryBus("tools-test"), "vocabulary.tools-geo")
