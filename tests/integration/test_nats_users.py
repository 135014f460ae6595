"""What users of NATS can and cannot do, on a real server with the configuration that is shipped."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import nats
import nats_users
import pytest
from contracts import subjects
from contracts.messages import ToolCalled
from contracts.subjects import CONSUMERS, ROUTES, Route
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.js.api import ConsumerConfig
from nats.js.errors import NoStreamResponseError
from nats_users import PASSWORDS, SERVICES, Peer, access, spoken
from servicekit.access import NatsAccess, options
from servicekit.bus import Bus
from servicekit.streams import declare_on, fullness
from typer.testing import CliRunner

from ask.errors import AskError
from ask.main import app
from ask.outside import declare_streams
from ask.permissions import access_of

from .conftest import ServerProcess, binary


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ServerProcess]:
    for name, value in nats_users.variables().items():
        monkeypatch.setenv(name, value)
    program = binary("nats-server")
    server = ServerProcess(
        lambda port: nats_users.command(program, port, tmp_path), tmp_path / "nats-server.log"
    )
    server.start()
    yield server
    server.kill()


@pytest.fixture
def url(server: ServerProcess) -> str:
    """With all streams and consumers, made as in a cluster."""
    found = f"nats://127.0.0.1:{server.port}"
    made = CliRunner().invoke(app, ["bus", "apply", "--nats", found])
    assert made.exit_code == 0, made.output
    return found


@pytest.fixture
async def peers(url: str) -> AsyncIterator[dict[str, Peer]]:
    async with nats_users.peers(url) as found:
        yield found


@pytest.mark.parametrize("given", [NatsAccess(), access_of({"edge": "wrong"}, "edge")])
async def test_nobody_gets_in_without_the_right_password(url: str, given: NatsAccess) -> None:
    async def ignore(_: Exception) -> None:
        pass

    client = Client()
    with pytest.raises(nats.errors.Error):
        await client.connect(**options(url, given), error_cb=ignore, allow_reconnect=False)
    await client.close()


async def test_ask_says_that_a_password_is_wrong(url: str) -> None:
    with pytest.raises(AskError, match="Authorization Violation"):
        await declare_streams(url, {"ask": "wrong"}, {})


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.subject}-{route.carries}")
async def test_only_those_named_in_the_table_publish(peers: dict[str, Peer], route: Route) -> None:
    named = {p for each in ROUTES if each.subject == route.subject for p in each.publishers}
    able = {user for user, peer in peers.items() if await peer.may_say(spoken(route, user))}
    expected = set(SERVICES if "tools" in named else ()) & set(subjects.TOOL_FAMILIES)
    assert able == expected | (named - {"tools"})


async def test_the_cases_that_matter_most(peers: dict[str, Peer]) -> None:
    for tools in subjects.TOOL_FAMILIES:
        assert not await peers[tools].may_say("plan.requested")
        assert not await peers[tools].may_say("tool.call.geolocation.geocode")
    assert [user for user, peer in peers.items() if await peer.may_say("chat.requested")] == ["edge"]
    for user, peer in peers.items():
        for subject in (
            "tool.call.>",
            "chat.requested",
            "plan.requested",
            "tool.result.*.*",
            "dead.>",
            "$KV.>",
            ">",
        ):
            assert not await peer.may_hear(subject), (user, subject)


async def test_nobody_hears_the_answers_to_another(peers: dict[str, Peer]) -> None:
    for user, peer in peers.items():
        for pattern in ("_INBOX.>", "_INBOX.*.*", "_INBOX.abc.>"):
            assert not await peer.may_hear(pattern)
        for other in PASSWORDS:
            assert await peer.may_hear(f"_INBOX.{other}.>") is (user == other)


READERS = {("edge", "TURNS"), ("orchestrator", "EVENTS"), ("orchestrator", "TURNS")}
"""The orchestrator writes the log, and looks for what it has written."""


async def test_a_service_cannot_read_what_is_stored_for_another(peers: dict[str, Peer]) -> None:
    for user in SERVICES:
        peer = peers[user]
        for consumer in CONSUMERS:
            where = f"{consumer.stream}.{consumer.service}"
            own = consumer.service == user
            assert await peer.may_say(f"$JS.API.CONSUMER.MSG.NEXT.{where}", b"?") is own
            # Its own neither: the filter is in the body, and so would be the service's own choice.
            assert not await peer.may_say(f"$JS.API.CONSUMER.DURABLE.CREATE.{where}")
            assert not await peer.may_say(f"$JS.API.CONSUMER.CREATE.{where}")
            assert not await peer.may_say(f"$JS.API.CONSUMER.DELETE.{where}")
        for stream in ("COMMANDS", "EVENTS", "TURNS", "DEAD"):
            for request in ("MSG.GET", "UPDATE", "DELETE", "SNAPSHOT", "MSG.DELETE"):
                assert not await peer.may_say(f"$JS.API.STREAM.{request}.{stream}")
            reads = await peer.may_say(f"$JS.API.DIRECT.GET.{stream}")
            assert reads is ((user, stream) in READERS)
            erases = await peer.may_say(f"$JS.API.STREAM.PURGE.{stream}", b"?")
            assert erases is (user == "orchestrator" and stream != "COMMANDS")
            looks = await peer.may_say(f"$JS.API.STREAM.INFO.{stream}")
            assert looks is ((user, stream) == ("edge", "COMMANDS"))


async def test_the_edge_sees_how_full_the_queue_of_the_turns_is(peers: dict[str, Peer]) -> None:
    assert await fullness(peers["edge"].connection, subjects.COMMANDS) == 0
    await peers["edge"].connection.publish("chat.requested", b"{}")

    async with asyncio.timeout(30):
        while not await fullness(peers["edge"].connection, subjects.COMMANDS):
            await asyncio.sleep(0.05)


async def test_only_the_operator_deletes_dead_letters_and_the_commands_they_are_about(
    peers: dict[str, Peer],
) -> None:
    for stream in ("COMMANDS", "EVENTS", "TURNS", "DEAD"):
        request = f"$JS.API.STREAM.MSG.DELETE.{stream}"
        able = {user for user, peer in peers.items() if await peer.may_say(request, b"?")}
        assert able == ({"ask"} if stream in ("COMMANDS", "DEAD") else set())


async def test_a_service_waits_for_its_consumer_and_works_with_one_that_differs(
    server: ServerProcess,
) -> None:
    url = f"nats://127.0.0.1:{server.port}"
    operator = await nats.connect(**options(url, access("ask")))
    js = operator.jetstream()
    await declare_on(js)
    bus = Bus("tools-oereb", nats_users.settings("tools-oereb", url))
    sender = Bus("orchestrator", nats_users.settings("orchestrator", url))
    called: asyncio.Queue[str] = asyncio.Queue()

    @bus.subscriber("tool.call.oereb.>")
    async def on_call(message: ToolCalled) -> None:
        await called.put(message.request_id)

    await bus.connect()
    bus.jetstream._timeout = 0.3  # how long it takes to notice a refusal
    starting = asyncio.create_task(bus.broker.start())
    await asyncio.sleep(1)
    assert not starting.done()
    # Neither the filter nor the ack wait that the service would have chosen.
    config = ConsumerConfig(durable_name="tools-oereb", filter_subject="tool.call.oereb.a", ack_wait=3)
    await js.add_consumer("COMMANDS", config)
    await asyncio.wait_for(starting, 30)

    await sender.connect()
    deadline = datetime.now(UTC) + timedelta(seconds=30)
    await sender.publish(
        ToolCalled(request_id="r1", session_id="s", deadline=deadline, step=0, capability="oereb.a", args={})
    )
    assert await asyncio.wait_for(called.get(), 30) == "r1"
    for each in (bus, sender):
        await each.broker.stop()
    await operator.close()


async def test_a_service_makes_no_stream(peers: dict[str, Peer]) -> None:
    js = peers["planner"].connection.jetstream(timeout=0.5)
    with pytest.raises((TimeoutError, NoStreamResponseError)):
        await js.add_stream(name="MINE", subjects=["plan.requested"])


async def test_replies_come_from_the_orchestrator_and_only_edges_hear_them(peers: dict[str, Peer]) -> None:
    heard: list[Msg] = []

    async def note(msg: Msg) -> None:
        heard.append(msg)

    await peers["edge"].connection.subscribe("edge.reply.e1", cb=note)
    assert await peers["edge"].refused() == []
    assert await peers["orchestrator"].may_say("edge.reply.e1", b"1")
    assert not await peers["responder"].may_say("edge.reply.e1")
    assert not await peers["responder"].may_hear("edge.reply.*")
    async with asyncio.timeout(30):
        while not heard:
            await asyncio.sleep(0.01)
    assert [msg.data for msg in heard] == [b"1"]
