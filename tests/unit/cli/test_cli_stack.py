"""A whole stack: real servers, tiny services."""

import asyncio
import json
import os
import socket
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from contracts.subjects import STREAMS
from contracts.urls import without_password
from nats import connect
from redis.asyncio import Redis
from redis.exceptions import AuthenticationError

from ask import folder
from ask.errors import AskError
from ask.ports import Ports
from ask.services import Service
from ask.stack import Stack

Fake = Callable[..., Service]


async def test_every_process_runs_on_its_own_and_nothing_is_left(
    tmp_path: Path, fake: Fake, nothing_left: Callable[..., None]
) -> None:
    async with Stack(tmp_path / "data", services=[fake("geo"), fake("edge")], workers={"geo": 2}) as stack:
        assert set(stack.processes) == {"nats-server", "redis-server", "geo", "geo-2", "edge"}
        assert len(stack.processes) == stack.expected
        pids = {process.pid for process in stack.processes.values()}
        assert len(pids) == 5
        family = [psutil.Process(pid) for pid in pids]
        assert stack.url == f"http://127.0.0.1:{stack.port}"
    nothing_left(family, timeout_s=0)


async def test_a_port_of_its_own_choice_is_another_where_somebody_has_taken_it(
    tmp_path: Path, fake: Fake
) -> None:
    stack = Stack(tmp_path / "data", services=[fake("edge")])
    async with stack:
        first = stack.port
    with socket.create_server(("127.0.0.1", first)):
        async with stack:
            assert stack.port not in (0, first)


async def test_the_port_of_the_edge_is_given_to_nobody_else(tmp_path: Path) -> None:
    port = Ports().take()
    async with Stack(tmp_path / "data", services=[], port=port) as stack:
        assert stack._ports.take(port) != port


async def test_the_streams_are_there_before_the_services(tmp_path: Path) -> None:
    async with Stack(tmp_path / "data", services=[]) as stack:
        connection = await connect(stack.nats_url)
        for stream in STREAMS:
            await connection.jetstream().stream_info(stream.name)
        await connection.close()


async def test_servers_come_back_after_a_kill_with_their_data_and_on_the_same_port(tmp_path: Path) -> None:
    async with Stack(tmp_path / "data", services=[]) as stack:
        urls = (stack.nats_url, stack.redis_url)
        connection = await connect(stack.nats_url)
        await connection.jetstream().publish("plan.ready.req-1", b"kept")
        await connection.close()
        redis = Redis.from_url(stack.redis_url)
        await redis.set("kept", "yes")
        await redis.aclose()
        for name in ("nats-server", "redis-server"):
            stack.kill(name)
            await stack.wait_ready(name)
        assert (stack.nats_url, stack.redis_url) == urls
        connection = await connect(stack.nats_url)
        assert (await connection.jetstream().get_msg("EVENTS", 1)).data == b"kept"
        await connection.close()
        redis = Redis.from_url(stack.redis_url)
        assert await redis.get("kept") == b"yes"
        await redis.aclose()


async def test_the_next_stack_in_a_folder_has_the_ports_and_data_of_the_last(tmp_path: Path) -> None:
    async with Stack(tmp_path / "data", services=[]) as first:
        redis = Redis.from_url(first.redis_url)
        await redis.set("kept", "yes")
        await redis.aclose()
    async with Stack(tmp_path / "data", services=[]) as second:
        assert second.nats_url == first.nats_url
        assert second.redis_url == first.redis_url
        redis = Redis.from_url(second.redis_url)
        assert await redis.get("kept") == b"yes"
        await redis.aclose()


async def _greeted(nats_url: str, credentials: dict[str, str]) -> str:
    """What NATS says to a client that presents itself so, after its introduction."""
    port = int(nats_url.rpartition(":")[2])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        await reader.readline()
        writer.write(f"CONNECT {json.dumps(credentials | {'verbose': False})}\r\nPING\r\n".encode())
        return (await reader.readline()).decode()
    finally:
        writer.close()
        await writer.wait_closed()


async def test_the_servers_let_nobody_in_without_a_password(tmp_path: Path) -> None:
    async with Stack(tmp_path / "data", services=[]) as stack:
        for credentials in ({}, {"user": "admin"}, {"user": "planner", "pass": "wrong"}):
            assert "Authorization Violation" in await _greeted(stack.nats_url, credentials)
        redis = Redis.from_url(without_password(stack.redis_url))
        with pytest.raises(AuthenticationError):
            await redis.get("anything")
        await redis.aclose()


async def test_the_data_folder_is_for_its_owner_only_also_one_that_was_open(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o755)
    async with Stack(data, services=[]):
        pass
    modes = {file.name: file.stat().st_mode & 0o777 for file in data.iterdir() if file.suffix == ".json"}
    assert modes == {"up.json": 0o600, "credentials.json": 0o600}
    assert data.stat().st_mode & 0o777 == 0o700


async def test_a_service_is_a_user_of_its_own_and_may_do_only_what_the_table_says(
    tmp_path: Path, fake: Fake
) -> None:
    async with Stack(tmp_path / "data", services=[fake("planner")]) as stack:
        told = stack.processes["planner"].program.environment
        assert told["NATS_URL"] == without_password(stack.nats_url)
        refused: asyncio.Future[str] = asyncio.get_running_loop().create_future()

        async def note(error: Exception) -> None:
            refused.set_result(str(error).lower())

        connection = await connect(
            told["NATS_URL"], user=told["NATS_USER"], password=told["NATS_PASSWORD"], error_cb=note
        )
        await connection.publish("chat.requested", b"{}")
        assert "permissions violation" in await asyncio.wait_for(refused, timeout=10)
        await connection.close()


async def test_a_service_that_the_table_does_not_know_gets_in_too(tmp_path: Path, fake: Fake) -> None:
    async with Stack(tmp_path / "data", services=[fake("mine")]) as stack:
        told = stack.processes["mine"].program.environment
        assert "NATS_USER" not in told
        await (await connect(told["NATS_URL"])).close()


async def test_consumers_are_made_as_the_services_are_told_to_want_them(tmp_path: Path) -> None:
    async with Stack(tmp_path / "data", services=[], environment={"ACK_WAIT_S": "7"}) as stack:
        connection = await connect(stack.nats_url)
        found = await connection.jetstream().consumer_info("COMMANDS", "planner")
        assert found.config.ack_wait == 7
        await connection.close()


async def test_a_credentials_file_that_cannot_be_read_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "credentials.json").write_text('{"nats": ')
    async with Stack(tmp_path / "data", services=[]) as stack:
        await (await connect(stack.nats_url)).close()


async def test_given_servers_are_used_and_survive(tmp_path: Path, fake: Fake) -> None:
    async with Stack(tmp_path / "one", services=[]) as servers:
        async with Stack(
            tmp_path / "two",
            services=[fake("edge")],
            nats_url=servers.nats_url,
            redis_url=servers.redis_url,
        ) as stack:
            assert set(stack.processes) == {"edge"}
            assert stack.expected == 1
        assert all(process.is_ready for process in servers.processes.values())


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("nats://me:secret@127.0.0.1:9", None), "NATS unter nats://127.0.0.1:9 .*NATS_URL"),
        ((None, "redis://:secret@127.0.0.1:9/0"), "Redis unter redis://127.0.0.1:9/0 .*REDIS_URL"),
    ],
)
async def test_a_given_server_that_is_silent_is_named_without_its_password(
    tmp_path: Path, given: tuple[str | None, str | None], words: str
) -> None:
    stack = Stack(tmp_path / "data", services=[], nats_url=given[0], redis_url=given[1])
    with pytest.raises(AskError, match=words) as error:
        await stack.start()
    assert "secret" not in str(error.value)
    assert all(process.pid is None for process in stack.processes.values())


async def test_a_taken_port_is_named_before_anything_starts(tmp_path: Path) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        stack = Stack(tmp_path / "data", services=[], port=port)
        with pytest.raises(AskError, match=f"Port {port} ist belegt.*PORT={port + 1}"):
            await stack.start()
    assert stack.processes == {}


async def test_a_host_that_is_not_this_machine_is_named(tmp_path: Path) -> None:
    with pytest.raises(AskError, match=r"192\.0\.2\.1:8080.*HOST"):
        await Stack(tmp_path / "data", services=[], host="192.0.2.1", port=8080).start()


async def test_a_service_that_cannot_start_ends_everything_and_its_last_word_is_shown(
    tmp_path: Path, fake: Fake, remaining: Callable[[], list[int]]
) -> None:
    stack = Stack(tmp_path / "data", services=[fake("geo"), fake("planner", "broken")])
    words = r"planner startet nicht \(Exit-Code 1\): this cannot work .*planner\.log"
    with pytest.raises(AskError, match=words):
        await stack.start()
    assert all(process.pid is None for process in stack.processes.values())
    assert remaining() == []


async def test_two_stacks_in_one_folder_are_refused(tmp_path: Path) -> None:
    async with Stack(tmp_path / "data", services=[]):
        with pytest.raises(AskError, match=f"läuft ask.sogis schon .PID {os.getpid()}"):
            await Stack(tmp_path / "data", services=[]).start()


async def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(AskError, match=r"file.*ASK_DATA_DIR"):
        await Stack(tmp_path / "file", services=[]).start()


async def test_a_start_that_is_given_up_leaves_nothing(
    tmp_path: Path, fake: Fake, remaining: Callable[[], list[int]]
) -> None:
    stack = Stack(tmp_path / "data", services=[fake("geo"), fake("edge", "stubborn")], stop_grace_s=0.2)
    start = asyncio.create_task(stack.start())
    while "geo" not in stack.processes:
        await asyncio.sleep(0.005)
    assert remaining() != []
    start.cancel()
    with pytest.raises(asyncio.CancelledError):
        await start
    assert all(process.pid is None for process in stack.processes.values())
    assert remaining() == []


async def test_other_commands_find_a_running_stack_and_only_a_running_one(tmp_path: Path) -> None:
    assert folder.running(tmp_path / "data") is None
    async with Stack(tmp_path / "data", services=[]) as stack:
        note = folder.running(tmp_path / "data")
        assert note is not None
        assert (note.url, note.nats_url, note.redis_url) == (stack.url, stack.nats_url, stack.redis_url)
    assert folder.running(tmp_path / "data") is None
