"""Servers that do not let a service in, or not yet: what becomes of its process, and what it says."""

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import nats
import nats_users
import pytest
from certificates import self_signed
from contracts import subjects
from cryptography.x509 import DNSName
from forked import Fork, start_service
from nats.js.api import ConsumerConfig
from redis.asyncio import Redis
from servicekit import streams
from servicekit.access import options
from servicekit.errors import BusUnavailable
from typer.testing import CliRunner

from ask.main import app
from ask.ports import Ports

from .conftest import ServerProcess, binary

_PORTS = Ports()
_PATIENCE_S = 60.0


class ServiceProcess:
    """`python -m <service>.app`."""

    def __init__(self, process: asyncio.subprocess.Process | Fork, log: Path, port: int) -> None:
        self.process = process
        self._log = log
        self._port = port

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self._log.read_text().splitlines()]

    async def said(self, event: str) -> dict[str, Any]:
        async with asyncio.timeout(_PATIENCE_S):
            while True:
                for line in self.lines():
                    if line["event"] == event:
                        return line
                assert self.process.returncode is None, self._log.read_text()
                await asyncio.sleep(0.05)

    async def is_ready(self, expected: bool = True) -> None:
        """Until it is, or is not."""
        async with (
            httpx.AsyncClient(base_url=f"http://127.0.0.1:{self._port}") as http,
            asyncio.timeout(_PATIENCE_S),
        ):
            while True:
                try:
                    if ((await http.get("/readyz")).status_code == 200) is expected:
                        return
                except httpx.TransportError:
                    assert self.process.returncode is None, self._log.read_text()
                await asyncio.sleep(0.05)

    async def gives_up(self) -> str:
        """The reason in the last line of its log, once it has ended as who has failed."""
        async with asyncio.timeout(_PATIENCE_S):
            assert await self.process.wait() == 1, self._log.read_text()
        last = self.lines()[-1]
        assert (last["level"], last["event"]) == ("critical", "given up"), self._log.read_text()
        assert "Traceback" not in self._log.read_text()
        return str(last["reason"])


@asynccontextmanager
async def service(
    module: str, folder: Path, script: str | None = None, **settings: str
) -> AsyncIterator[ServiceProcess]:
    """With `script` in the place of its own `main`."""
    port, log = _PORTS.take(), folder / f"{module}.log"
    environment = {**os.environ, "HEALTH_PORT": str(port), "PORT": "0", **settings}
    process: asyncio.subprocess.Process | Fork
    with log.open("wb") as output:
        if script is None:
            process = start_service(f"{module}.app", environment, output)
        else:
            command = (sys.executable, "-c", script)
            process = await asyncio.create_subprocess_exec(*command, env=environment, stderr=output)
    try:
        yield ServiceProcess(process, log, port)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def guarded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, passwords: Mapping[str, str]) -> ServerProcess:
    """nats-server with the users of a deployment, and these passwords; not yet started."""
    for name, value in passwords.items():
        monkeypatch.setenv(name, value)
    program = binary("nats-server")
    return ServerProcess(lambda port: nats_users.command(program, port, tmp_path), tmp_path / "nats.log")


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ServerProcess]:
    server = guarded(tmp_path, monkeypatch, nats_users.variables())
    server.start()
    made = CliRunner().invoke(app, ["bus", "apply", "--nats", f"nats://127.0.0.1:{server.port}"])
    assert made.exit_code == 0, made.output
    yield server
    server.kill()


def known_as(user: str, server: ServerProcess, **more: str) -> dict[str, str]:
    return {
        "NATS_URL": f"nats://127.0.0.1:{server.port}",
        "NATS_USER": user,
        "NATS_PASSWORD": nats_users.PASSWORDS[user],
        **more,
    }


@pytest.mark.parametrize("password", ["wrong", ""])
async def test_a_wrong_password_ends_the_service(
    server: ServerProcess, tmp_path: Path, password: str
) -> None:
    async with service("planner", tmp_path, **known_as("planner", server, NATS_PASSWORD=password)) as planner:
        reason = await planner.gives_up()
    assert "Authorization Violation" in reason and "NATS_PASSWORD" in reason
    assert "wrong" not in reason


async def test_the_user_of_another_service_ends_it(server: ServerProcess, tmp_path: Path) -> None:
    async with service("planner", tmp_path, **known_as("responder", server)) as planner:
        reason = await planner.gives_up()
    assert "consumer.info.commands.planner" in reason.lower()
    assert "ask bus permissions" in reason


@pytest.mark.parametrize("url", ["nats://127.0.0.1:notaport", "nats://", " , "])
async def test_an_address_that_is_none_ends_the_service(tmp_path: Path, url: str) -> None:
    async with service("planner", tmp_path, NATS_URL=url) as planner:
        assert "NATS_URL" in await planner.gives_up()


async def test_a_certificate_that_nobody_vouches_for_ends_the_service(tmp_path: Path) -> None:
    cert, key = self_signed(tmp_path, DNSName("localhost"))
    program, flags = binary("nats-server"), ["--tls", "--tlscert", str(cert), "--tlskey", str(key)]
    server = ServerProcess(
        lambda port: [program, "-a", "127.0.0.1", "-p", str(port), *flags], tmp_path / "nats.log"
    )
    server.start()
    try:
        async with service("planner", tmp_path, NATS_URL=f"tls://127.0.0.1:{server.port}") as planner:
            assert "NATS_CA_FILE" in await planner.gives_up()
    finally:
        server.kill()


async def test_a_server_that_comes_up_later_is_waited_for(nats_server: ServerProcess, tmp_path: Path) -> None:
    url = f"nats://127.0.0.1:{nats_server.port}"
    nats_server.kill()
    async with service("planner", tmp_path, NATS_URL=url) as planner:
        assert "ConnectionRefused" in (await planner.said("waiting for NATS"))["reason"]
        await planner.is_ready(False)
        nats_server.start()
        # So are streams that are declared later.
        assert (await planner.said("waiting for streams"))["reason"] == "not declared"
        await streams.declare(url)
        await planner.is_ready()


async def test_a_silent_server_is_waited_for(nats_server: ServerProcess, tmp_path: Path) -> None:
    url = f"nats://127.0.0.1:{nats_server.port}"
    await streams.declare(url)
    nats_server.send_signal(signal.SIGSTOP)
    try:
        async with service("planner", tmp_path, NATS_URL=url) as planner:
            assert "Timeout" in (await planner.said("waiting for NATS"))["reason"]
            nats_server.send_signal(signal.SIGCONT)
            await planner.is_ready()
    finally:
        nats_server.send_signal(signal.SIGCONT)


async def test_passwords_that_are_changed_at_a_restart_of_nats_end_the_service(
    server: ServerProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with service("planner", tmp_path, **known_as("planner", server)) as planner:
        await planner.is_ready()
        server.kill()
        monkeypatch.setenv("NATS_PASSWORD_PLANNER", "anewone")
        server.start()
        assert "Authorization Violation" in await planner.gives_up()


async def test_a_user_that_is_taken_away_ends_the_service_that_has_it(
    server: ServerProcess, tmp_path: Path
) -> None:
    # The client library does not even try again after that.
    async with service("planner", tmp_path, **known_as("planner", server)) as planner:
        await planner.is_ready()
        config = tmp_path / "nats.conf"
        users = nats_users.PERMISSIONS.read_text().replace('user: "planner"', 'user: "gone"')
        (tmp_path / "permissions.conf").write_text(users)
        lines = config.read_text().splitlines()
        config.write_text("\n".join((*lines[:-1], 'include "permissions.conf"')))
        server.send_signal(signal.SIGHUP)
        assert "NATS" in await planner.gives_up()


async def test_a_consumer_that_the_stream_does_not_take_ends_the_service(
    nats_server: ServerProcess, tmp_path: Path
) -> None:
    url = f"nats://127.0.0.1:{nats_server.port}"
    await streams.declare(url)
    async with await nats.connect(url) as connection:
        other = ConsumerConfig(durable_name="somebody", filter_subject="plan.requested")
        await connection.jetstream().add_consumer("COMMANDS", other)
    async with service("planner", tmp_path, NATS_URL=url) as planner:
        reason = await planner.gives_up()
    assert "planner of COMMANDS" in reason and "ask bus apply" in reason


async def test_a_restart_of_nats_does_not_end_a_service(server: ServerProcess, tmp_path: Path) -> None:
    async with service("planner", tmp_path, **known_as("planner", server)) as planner:
        await planner.is_ready()
        server.kill()
        await planner.is_ready(False)
        server.start()
        await planner.is_ready()
        server.send_signal(signal.SIGSTOP)
        await planner.is_ready(False)
        server.send_signal(signal.SIGCONT)
        await planner.is_ready()
        planner.process.send_signal(signal.SIGTERM)
        assert await planner.process.wait() == 0


SLOW_START = """
import asyncio, logging
from planner.app import build

service = build()

async def start():
    logging.getLogger("ask").warning("being slow")
    {}
    while service.bus.is_connected:
        await asyncio.sleep(0.01)

service.on_start(start)
service.on_stop(lambda: asyncio.sleep(0.5))
service.run()
"""
"""It goes on when its connection is closed already, and before the end."""


async def test_what_is_given_up_early_in_a_slow_start_is_said(nats_url: str, tmp_path: Path) -> None:
    script = SLOW_START.format("service.give_up('no use')")
    async with service("planner", tmp_path, script, NATS_URL=nats_url) as planner:
        assert await planner.gives_up() == "no use"


async def test_who_is_ended_in_a_slow_start_ends_quietly(nats_url: str, tmp_path: Path) -> None:
    async with service("planner", tmp_path, SLOW_START.format("pass"), NATS_URL=nats_url) as planner:
        await planner.said("being slow")
        planner.process.send_signal(signal.SIGTERM)
        assert await planner.process.wait() == 0
        assert planner.lines()[-1]["level"] == "info"


@pytest.mark.parametrize("module", ["edge", "orchestrator"])
async def test_a_redis_that_does_not_let_it_in_ends_the_service(
    nats_url: str, redis_url: str, redis_server: ServerProcess, tmp_path: Path, module: str
) -> None:
    async with Redis.from_url(redis_url) as redis:
        await redis.config_set("requirepass", "secret")
    url = f"redis://:wrong@127.0.0.1:{redis_server.port}/0"
    async with service(module, tmp_path, NATS_URL=nats_url, REDIS_URL=url) as started:
        reason = await started.gives_up()
    assert "Redis does not let it in" in reason and "REDIS_URL" in reason
    assert "wrong@" not in reason


async def test_a_new_edge_needs_new_permissions_which_the_server_reads_as_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, redis_url: str
) -> None:
    new = nats_users.PERMISSIONS.read_text(encoding="utf-8")
    file = tmp_path / "permissions.conf"
    # Those of a version whose edge did not yet look at COMMANDS; only `ask` did.
    inside, shared, outside = new.partition("exports: [")
    old = (line for line in outside.splitlines(keepends=True) if "API.STREAM.INFO.COMMANDS" not in line)
    file.write_text(inside + shared + "".join(old), encoding="utf-8")
    monkeypatch.setattr(nats_users, "PERMISSIONS", file)
    server = guarded(tmp_path, monkeypatch, nats_users.variables())
    server.start()
    try:
        apply = "bus", "apply", "--nats", f"nats://127.0.0.1:{server.port}"
        made = await asyncio.to_thread(CliRunner().invoke, app, apply)
        assert made.exit_code == 0, made.output
        edge_settings = known_as("edge", server, REDIS_URL=redis_url)
        async with service("planner", tmp_path, **known_as("planner", server)) as planner:
            await planner.is_ready()
            begun = len(planner.lines())
            async with service("edge", tmp_path, **edge_settings) as edge:
                reason = await edge.gives_up()
            assert "NATS does not permit what it needs" in reason and "stream.info.commands" in reason
            file.write_text(new, encoding="utf-8")
            server.send_signal(signal.SIGHUP)
            await _edges_may_look(server)
            async with service("edge", tmp_path, **edge_settings) as edge:
                await edge.is_ready()
            await planner.is_ready()
            assert not [line for line in planner.lines()[begun:] if line["level"] != "info"]
            await _is_taken(server)
    finally:
        server.kill()


async def _is_taken(server: ServerProcess) -> None:
    """Until the planner has taken a message that is none."""
    url = f"nats://127.0.0.1:{server.port}"
    speaker = await nats.connect(**options(url, nats_users.access("orchestrator")))
    await speaker.publish("plan.requested", b"{}")
    await speaker.close()
    looker = await nats.connect(**options(url, nats_users.access("ask")))
    async with asyncio.timeout(_PATIENCE_S):
        while True:
            state = (await looker.jetstream().stream_info("COMMANDS")).state
            if state.last_seq and not state.messages:
                break
            await asyncio.sleep(0.05)
    await looker.close()


async def _edges_may_look(server: ServerProcess) -> None:
    """Until they may look at COMMANDS: the server has read its permissions again."""

    async def ignore(_: Exception) -> None:
        pass

    url = f"nats://127.0.0.1:{server.port}"
    edge = await nats.connect(**options(url, nats_users.access("edge")), error_cb=ignore)
    async with asyncio.timeout(_PATIENCE_S):
        while True:
            with contextlib.suppress(BusUnavailable):
                await streams.fullness(edge, subjects.COMMANDS)
                break
    await edge.close()


@pytest.mark.skipif(
    os.environ.get("ASK_TEST_SERVERS") == "containers",
    reason="whoever asks first has the one place; with a container that need not be this test",
)
async def test_a_server_without_a_place_is_asked_again(tmp_path: Path) -> None:
    config, log = tmp_path / "nats.conf", tmp_path / "nats.log"
    config.write_text(f'max_connections: 1\njetstream {{ store_dir: "{tmp_path / "store"}" }}\n')
    program = binary("nats-server")
    server = ServerProcess(lambda port: [program, "-c", str(config), "-a", "127.0.0.1", "-p", str(port)], log)
    server.start()
    url, refused = f"nats://127.0.0.1:{server.port}", "maximum connections exceeded"
    try:
        await streams.declare(url)
        async with service("planner", tmp_path, NATS_URL=url) as planner:
            await planner.is_ready()
            planner.process.send_signal(signal.SIGSTOP)
            server.kill()
            server.start()
            async with await nats.connect(url):
                before = log.read_text().count(refused)
                planner.process.send_signal(signal.SIGCONT)
                # Its own log need not say so: a connection can be reset before the reason is read.
                async with asyncio.timeout(_PATIENCE_S):
                    while log.read_text().count(refused) < before + 3:
                        await asyncio.sleep(0.05)
            await planner.is_ready()
    finally:
        server.kill()


async def test_a_redis_that_wants_a_password_from_now_on_ends_the_service(
    nats_url: str, redis_url: str, tmp_path: Path
) -> None:
    async with (
        service("orchestrator", tmp_path, NATS_URL=nats_url, REDIS_URL=redis_url) as started,
        Redis.from_url(redis_url) as redis,
    ):
        await started.is_ready()
        await redis.config_set("requirepass", "secret")
        await redis.client_kill_filter(_type="normal", skipme=True)
        assert "Redis does not let it in" in await started.gives_up()


async def test_a_redis_that_comes_up_later_is_waited_for(
    nats_url: str, redis_url: str, redis_server: ServerProcess, tmp_path: Path
) -> None:
    redis_server.kill()
    async with service("orchestrator", tmp_path, NATS_URL=nats_url, REDIS_URL=redis_url) as started:
        await started.said("ready")
        await started.is_ready(False)
        redis_server.start()
        await started.is_ready()
        redis_server.send_signal(signal.SIGSTOP)
        try:
            await started.is_ready(False)
        finally:
            redis_server.send_signal(signal.SIGCONT)
        await started.is_ready()
