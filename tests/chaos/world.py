"""The system under test: its processes, the network between them, and the disks of its servers."""

import asyncio
import os
import random
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
import nats
import nats.errors
import nats.js.errors
from nats.js import JetStreamContext
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import ConstantBackoff
from servicekit.access import NatsAccess, options
from servicekit.settings import ServiceSettings
from servicekit.streams import declare_consumers_on, declare_on
from tests.e2e.running import CLIENT_TIMEOUT_S, SECRET, System, until

from ask.backoff import Backoff
from ask.outside import declare_streams
from ask.permissions import ADMIN, access_of, configuration, password_variable, users
from ask.ports import Ports
from ask.probes import nats_ready
from ask.process import Process
from ask.servers import NATS, REDIS, Durability, find_nats
from ask.services import COMPACT, EDGE, SERVICES, compacted, needed, process_names
from ask.stack import Stack

from . import disks
from .disks import Disk
from .network import Proxy

_READY_S = 40.0
NO_LEADER = (TimeoutError, nats.errors.Error, nats.js.errors.Error)
"""How a cluster that still elects one answers."""
_AWAY = ("/bin/sleep", "3600")
REPLICAS = 2
"""Processes of each service."""
MEMBERS = 3


@dataclass(frozen=True)
class Scene:
    """A system of one shape."""

    name: str
    compact: bool = False
    durability: Durability = "process"
    cluster: bool = False
    """Three NATS servers; without it there is one."""

    @property
    def services(self) -> tuple[str, ...]:
        if self.compact:
            return (COMPACT,)
        return tuple(service.name for service in needed(SERVICES, {}) if service.scalable)


@dataclass
class World:
    scene: Scene
    system: System
    dice: random.Random
    old_code: Path | None
    """A checkout of an earlier version."""
    disks: dict[str, Disk] = field(default_factory=dict)
    proxies: dict[str, dict[str, Proxy]] = field(default_factory=dict)
    """By process and server."""
    members: list["Member"] = field(default_factory=list)

    @property
    def stack(self) -> Stack:
        return self.system.stack

    @property
    def processes(self) -> dict[str, Process]:
        return self.stack.processes

    def replicas_of(self, service: str) -> list[str]:
        if service == EDGE:
            return [EDGE]
        return process_names(service, REPLICAS)

    def through(self, server: str, *names: str) -> list[Proxy]:
        """The ways to a server, of some processes or of all."""
        return [ways[server] for name, ways in self.proxies.items() if not names or name in names]

    # -- processes ---------------------------------------------------------------------------------

    def kill(self, *names: str, number: signal.Signals = signal.SIGKILL) -> None:
        for name in names:
            self.stack.kill(name, number)

    @asynccontextmanager
    async def away(self, *names: str) -> AsyncIterator[None]:
        """Killed, and not started again for a while."""
        real = {name: self.processes[name].program for name in names}
        for name, program in real.items():
            self.processes[name].program = replace(program, argv=_AWAY)
        killed = [(self.processes[name], self.processes[name].pid) for name in names]
        self.kill(*names)
        async with asyncio.timeout(_READY_S):
            while any(process.pid == pid for process, pid in killed):
                await asyncio.sleep(0.01)
        try:
            yield
        finally:
            for name, program in real.items():
                self.processes[name].program = program
            await self.started(*names)
            self.kill(*names)
            await self.ready(*names)

    async def started(self, *names: str) -> None:
        """Until there are processes, ready or not."""
        async with asyncio.timeout(_READY_S):
            while any(self.processes[name].pid is None for name in names):
                await asyncio.sleep(0.02)

    async def ready(self, *names: str) -> None:
        """Raises `AssertionError` with the log of who does not come back."""
        for name in names or tuple(self.processes):
            try:
                await self.stack.wait_ready(name, _READY_S)
            except TimeoutError:
                logs = {of: self.processes[of].log for of in (name, NATS) if of in self.processes}
                said = "\n".join(f"{of}:\n{_end_of(log)}" for of, log in logs.items())
                raise AssertionError(f"{name} has not come back.\n{said}") from None

    async def declared(self) -> None:
        """Streams and consumers exist, as after `ask bus apply`."""
        await declare_streams(self.stack.nats_url, self.stack._passwords, {})

    def rested(self) -> None:
        """As if the last crash were long ago: a pause of the supervisor is no part of a recovery."""
        for process in self.processes.values():
            process._backoff = Backoff()

    async def restart(self, *names: str) -> None:
        """One after the other, as an upgrade does."""
        for name in names:
            self.kill(name, number=signal.SIGTERM)
            await self.ready(name)

    @contextmanager
    def started_with(self, *prefix: str, names: Sequence[str]) -> Iterator[None]:
        """From their next start on, processes are what `env` makes of them with these words."""
        real = {name: self.processes[name].program for name in names}
        for name, program in real.items():
            self.processes[name].program = replace(program, argv=("/usr/bin/env", *prefix, *program.argv))
        try:
            yield
        finally:
            for name, program in real.items():
                self.processes[name].program = program


class Member:
    """One of three NATS servers; it comes back only when it is told to."""

    def __init__(
        self, folder: Path, number: int, ports: list[int], routes: list[int], environment: dict[str, str]
    ):
        self.port = ports[number]
        self.log = folder / f"nats-{number}.log"
        self._environment = {**os.environ, **environment}
        to_others = ", ".join(f"nats-route://127.0.0.1:{port}" for port in routes)
        text = (
            f'server_name: "nats-{number}"\nlisten: "127.0.0.1:{self.port}"\n'
            f'jetstream {{ store_dir: "{folder}/store-{number}", sync_interval: 1s }}\n'
            f'cluster {{ name: ask, listen: "127.0.0.1:{routes[number]}", routes: [{to_others}] }}\n'
        )
        self._config = folder / f"nats-{number}.conf"
        self._config.write_text(text + configuration(further=(ADMIN,)))
        self.start()

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [str(find_nats()), "-c", str(self._config)], env=self._environment, stderr=log, stdout=log
            )

    def send(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@asynccontextmanager
async def cluster(folder: Path, passwords: dict[str, str]) -> AsyncIterator[list[Member]]:
    ports = Ports()
    free = [ports.take() for _ in range(2 * MEMBERS)]
    variables = {password_variable(user): password for user, password in passwords.items()}
    members = [Member(folder, n, free[:MEMBERS], free[MEMBERS:], variables) for n in range(MEMBERS)]
    try:
        for member in members:
            try:
                await until(nats_ready(member.port), _READY_S)
            except TimeoutError:
                raise AssertionError(member.log.read_text(errors="replace")[-2000:]) from None
        await until(lambda: _agree(members, passwords), _READY_S)
        yield members
    finally:
        for member in members:
            member.kill()


async def _agree(members: list[Member], passwords: dict[str, str]) -> bool:
    """Whether they have chosen who decides about streams."""
    access = options(f"nats://127.0.0.1:{members[0].port}", access_of(passwords, ADMIN.name))
    try:
        connection = await nats.connect(**access, allow_reconnect=False, error_cb=_expected)
        try:
            await connection.jetstream().account_info()
        finally:
            await connection.close()
    except (nats.errors.Error, nats.js.errors.Error, OSError):
        return False
    return True


@asynccontextmanager
async def living(
    scene: Scene, folder: Path, dice: random.Random, old_code: Path | None = None
) -> AsyncIterator[World]:
    """A system of that shape, with a network and disks that can be made worse."""
    services = needed(SERVICES, {})
    async with AsyncExitStack() as exits:
        data = folder / "data"
        found: dict[str, Disk] = {}
        if disks.available() and not scene.cluster:
            for name in ("nats", "redis"):
                disk = found[name] = Disk(folder / f"{name}.img", data / name)
                await disk.mount_new()
                exits.push_async_callback(disk.unmount)
        members: list[Member] = []
        passwords: dict[str, str] = {}
        given: dict[str, Any] = {}
        if scene.cluster:
            passwords = {user.name: f"s{dice.getrandbits(96):x}" for user in (*users(), ADMIN)}
            members = await exits.enter_async_context(cluster(folder, passwords))
            given = {
                "nats_url": ",".join(f"nats://127.0.0.1:{m.port}" for m in members),
                "passwords": passwords,
            }
        own = Stack(
            data,
            edge_secret=SECRET,
            environment={"CHOICE_TTL_S": "7200"},
            services=compacted(services) if scene.compact else services,
            workers=dict.fromkeys(scene.services, REPLICAS),
            durability=scene.durability,
            start_timeout_s=_READY_S,
            **given,
        )
        stack = await exits.enter_async_context(own)
        http = await exits.enter_async_context(
            httpx.AsyncClient(base_url=stack.url, timeout=CLIENT_TIMEOUT_S, limits=httpx.Limits())
        )
        admin = access_of(passwords, ADMIN.name) if scene.cluster else NatsAccess()
        connection = await nats.connect(
            **options(stack.nats_url, admin),
            max_reconnect_attempts=-1,
            reconnect_time_wait=1,
            error_cb=_expected,
        )
        exits.push_async_callback(connection.close)
        if scene.cluster:
            await declare_on(connection.jetstream(), MEMBERS)
            await until(lambda: _replicated(connection.jetstream()), _READY_S)
        redis = Redis.from_url(stack.redis_url, retry=Retry(ConstantBackoff(0.2), retries=150))
        exits.push_async_callback(redis.aclose)
        system = System(stack, http, connection.jetstream(), redis)
        world = World(scene, system, dice, old_code, found, members=members)
        if not scene.cluster:
            await _behind_proxies(world, exits)
        for disk in found.values():
            await disk.settle()
        yield world


async def _replicated(js: JetStreamContext) -> bool:
    """Whether every stream, and every consumer that stays, is on all members."""
    try:
        return not (
            await declare_on(js, MEMBERS, check=True)
            or await declare_consumers_on(js, ServiceSettings(), replicas=MEMBERS, check=True)
        )
    except NO_LEADER:
        return False


async def _behind_proxies(world: World, exits: AsyncExitStack) -> None:
    """Every service gets its own way to each server."""
    stack = world.stack
    ports = {NATS: _port(stack.nats_url), REDIS: _port(stack.redis_url)}
    for name, process in world.processes.items():
        if name in ports:
            continue
        ways = world.proxies[name] = {}
        variables = dict(process.program.environment)
        for server, variable in ((NATS, "NATS_URL"), (REDIS, "REDIS_URL")):
            proxy = ways[server] = Proxy(ports[server], world.dice, is_nats=server == NATS)
            await proxy.start()
            exits.push_async_callback(proxy.stop)
            variables[variable] = variables[variable].replace(f":{ports[server]}", f":{proxy.port}")
        process.program = replace(process.program, environment=variables)
    world.kill(*world.proxies, number=signal.SIGTERM)
    await world.ready()


def _end_of(log: Path) -> str:
    lines = [line for line in log.read_text(errors="replace").splitlines() if "Violation" not in line]
    return "\n".join(lines[-60:])


async def _expected(error: Exception) -> None:
    """Servers that go away are what this is about."""


def _port(url: str) -> int:
    port = httpx.URL(url).port
    assert port is not None
    return port
