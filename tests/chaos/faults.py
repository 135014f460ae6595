"""What goes wrong: each fault begins when its context is entered, and is over when that is left."""

import asyncio
import os
import shutil
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from ask.servers import NATS, REDIS
from ask.services import EDGE, process_names

from .network import Weather
from .world import REPLICAS, Scene, World

FAKETIME = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
PROCESS_STOPS_S = 6.0
"""Longer than a message waits for its acknowledgement."""
CLOCK_OFF_S = 60
Begin = Callable[[World], AbstractAsyncContextManager[None]]


@dataclass(frozen=True)
class Fault:
    """`row`: what it is called in the table; several faults can share one. `detail`: which of them it is."""

    row: str
    begin: Begin
    detail: str = ""
    lasts_s: float = 0.0
    short_s: float | None = None
    """How long in a short run; as long as ever without it."""
    forgets_s: float = 0.0
    """What was answered so shortly before may be gone: what the durability of the scene allows."""
    weight: int = 1
    """How often it comes, where faults come more than once; 0: only once."""


# -- processes ---------------------------------------------------------------------------------------


def killed(*names: str) -> Begin:
    @asynccontextmanager
    async def begin(world: World) -> AsyncIterator[None]:
        world.kill(*names)
        yield

    return begin


def stopped(*names: str) -> Begin:
    """SIGSTOP, and SIGCONT in the end."""

    @asynccontextmanager
    async def begin(world: World) -> AsyncIterator[None]:
        with world.system.frozen(*names):
            yield

    return begin


def away(*names: str) -> Begin:
    return lambda world: world.away(*names)


@asynccontextmanager
async def everything_killed(world: World) -> AsyncIterator[None]:
    world.kill(*world.processes)
    yield


@asynccontextmanager
async def everything_restarted(world: World) -> AsyncIterator[None]:
    await world.restart(*world.processes)
    yield


def another_clock(sign: str) -> Begin:
    """The clock of all replicas of one service is wrong."""

    @asynccontextmanager
    async def begin(world: World) -> AsyncIterator[None]:
        names = world.replicas_of(world.dice.choice(world.scene.services))
        library = (
            f"LD_PRELOAD={FAKETIME}",
            f"FAKETIME={sign}{CLOCK_OFF_S}s",
            "FAKETIME_DONT_FAKE_MONOTONIC=1",
        )
        with world.started_with(*library, names=names):
            await world.restart(*names)
            yield
        await world.restart(*names)

    return begin


@asynccontextmanager
async def an_older_version_beside(world: World) -> AsyncIterator[None]:
    """Half of the processes are of an earlier version, as during an upgrade; then all are of today again."""
    assert world.old_code is not None
    old = [world.replicas_of(service)[0] for service in world.scene.services]
    with world.started_with(f"PYTHONPATH={folders_of(world.old_code)}", names=old):
        await world.restart(*old)
        yield
    await world.restart(*old)


def folders_of(code: Path) -> str:
    return os.pathsep.join(str(folder) for folder in sorted(code.glob("**/src")) if folder.is_dir())


# -- servers -----------------------------------------------------------------------------------------


@asynccontextmanager
async def redis_full(world: World) -> AsyncIterator[None]:
    redis = world.system.redis
    (most,) = (await redis.config_get("maxmemory")).values()
    assert most is not None
    await redis.config_set("maxmemory", 1_000_000)
    try:
        yield
    finally:
        await redis.config_set("maxmemory", most)


@asynccontextmanager
async def redis_loses_a_second(world: World) -> AsyncIterator[None]:
    """Killed, and its file is what it was a second ago."""
    files = sorted((world.stack.data_dir / "redis").glob("**/*.incr.aof"))
    before = {file: file.stat().st_size for file in files}
    await asyncio.sleep(1.0)
    async with world.away(REDIS):
        for file, size in before.items():
            os.truncate(file, size)
        yield


@asynccontextmanager
async def nats_loses_its_disk(world: World) -> AsyncIterator[None]:
    """It comes back empty; whoever runs it declares the streams again, as docs/runbook.md says."""
    async with world.away(NATS):
        shutil.rmtree(world.stack.data_dir / "nats" / "store")
    await world.ready(NATS)
    await world.declared()
    yield


@asynccontextmanager
async def redis_disk_full(world: World) -> AsyncIterator[None]:
    """It takes nothing until there is room, and then by itself again."""
    disk = world.disks["redis"]
    await disk.fill()
    try:
        yield
    finally:
        disk.free()


@asynccontextmanager
async def jetstream_disk_full(world: World) -> AsyncIterator[None]:
    """Whoever makes room restarts the server: that has switched JetStream off."""
    disk = world.disks["nats"]
    await disk.fill()
    try:
        yield
    finally:
        disk.free()
        world.kill(NATS)
        await world.ready(NATS)


@asynccontextmanager
async def power_lost(world: World) -> AsyncIterator[None]:
    """Every process is gone, and what was not synced. `ask up` declares the streams whenever it starts."""
    async with world.away(NATS, REDIS):
        world.kill(*(name for name in world.processes if name not in (NATS, REDIS)))
        for disk in world.disks.values():
            await disk.lose_power()
    await world.declared()
    yield


def member(number: signal.Signals | None) -> Begin:
    """One of three NATS servers is lost, or with a signal stands still."""

    @asynccontextmanager
    async def begin(world: World) -> AsyncIterator[None]:
        victim = world.dice.choice(world.members)
        if number is None:
            victim.kill()
            yield
            victim.start()
        else:
            victim.send(number)
            yield
            victim.send(signal.SIGCONT)

    return begin


# -- network -----------------------------------------------------------------------------------------


def weather(server: str, bad: Weather, *, one: bool = False) -> Begin:
    @asynccontextmanager
    async def begin(world: World) -> AsyncIterator[None]:
        names = [world.dice.choice(sorted(world.proxies))] if one else []
        ways = world.through(server, *names)
        for proxy in ways:
            proxy.weather = bad
        yield
        for proxy in ways:
            proxy.weather = Weather()

    return begin


def half_open(server: str) -> Begin:
    """Connections that are there stay, and nothing comes through them; new ones work."""

    @asynccontextmanager
    async def begin(world: World) -> AsyncIterator[None]:
        for proxy in world.through(server):
            proxy.forget()
        yield

    return begin


def partitioned(server: str) -> Begin:
    """One process does not reach a server."""

    @asynccontextmanager
    async def begin(world: World) -> AsyncIterator[None]:
        ways = world.through(server, world.dice.choice(sorted(world.proxies)))
        for proxy in ways:
            proxy.is_partitioned = True
            proxy.forget()
        yield
        for proxy in ways:
            proxy.is_partitioned = False
            proxy.cut()

    return begin


@asynccontextmanager
async def connections_cut(world: World) -> AsyncIterator[None]:
    for server in (NATS, REDIS):
        for proxy in world.through(server):
            proxy.cut()
    yield


# -- what there is in a scene ------------------------------------------------------------------------


def of_processes(scene: Scene) -> Iterator[Fault]:
    for service in scene.services:
        replicas = process_names(service, REPLICAS)
        yield Fault("one replica killed", killed(service), service)
        yield Fault("all replicas killed", killed(*replicas), service)
        yield Fault("one replica stopped for 6 s", stopped(service), service, PROCESS_STOPS_S, 4.0)
        yield Fault("all replicas stopped for 6 s", stopped(*replicas), service, PROCESS_STOPS_S, 4.0)
    yield Fault("edge killed", killed(EDGE))
    yield Fault("edge stopped for 6 s", stopped(EDGE), lasts_s=PROCESS_STOPS_S, short_s=2.0)
    yield Fault("every process killed at once", everything_killed)
    yield Fault("everything restarted, one after the other", everything_restarted)


def of_servers() -> Iterator[Fault]:
    yield Fault("NATS killed", killed(NATS))
    yield Fault("NATS stopped for 6 s", stopped(NATS), lasts_s=PROCESS_STOPS_S, short_s=4.0)
    yield Fault("Redis killed", killed(REDIS))
    yield Fault("Redis stopped for 6 s", stopped(REDIS), lasts_s=PROCESS_STOPS_S, short_s=4.0)


def of_storage() -> Iterator[Fault]:
    yield Fault("NATS away for 180 s", away(NATS), lasts_s=180.0, short_s=8.0, weight=0)
    yield Fault("NATS away for 20 s", away(NATS), lasts_s=20.0, short_s=3.0)
    yield Fault("NATS loses its disk", nats_loses_its_disk, forgets_s=float("inf"))
    yield Fault("Redis away for 30 s", away(REDIS), lasts_s=30.0, short_s=3.0)
    yield Fault("Redis full for 10 s", redis_full, lasts_s=10.0, short_s=3.0)
    yield Fault("Redis loses its last second", redis_loses_a_second, forgets_s=3.0)


def of_disks() -> Iterator[Fault]:
    yield Fault("disk of Redis full for 10 s", redis_disk_full, lasts_s=10.0, short_s=4.0)
    yield Fault("disk of JetStream full for 10 s", jetstream_disk_full, lasts_s=10.0, short_s=4.0)


def of_the_network() -> Iterator[Fault]:
    slow = Weather(latency_s=0.05, bytes_per_s=200_000)
    for name, server in (("NATS", NATS), ("Redis", REDIS)):
        yield Fault(f"slow network to {name}", weather(server, slow), lasts_s=10.0, short_s=4.0)
        yield Fault(f"half-open connections to {name}", half_open(server), lasts_s=10.0, short_s=4.0)
        yield Fault(
            f"one process cut off from {name} for 15 s", partitioned(server), lasts_s=15.0, short_s=5.0
        )
    yield Fault("all connections cut", connections_cut)
    late = Weather(late=0.2)
    yield Fault("deliveries late and in another order", weather(NATS, late), lasts_s=10.0, short_s=4.0)
    yield Fault("deliveries twice", weather(NATS, Weather(twice=0.5)), lasts_s=10.0, short_s=4.0)
    lost = Weather(lost_acks=0.3)
    yield Fault("acknowledgements lost", weather(NATS, lost), lasts_s=10.0, short_s=4.0)


SERVICES = Scene("services")
COMPACT = Scene("one process", compact=True)
SYNCED = Scene("services, synced", durability="power")
CLUSTER = Scene("three NATS servers", cluster=True)
SCENES = (SERVICES, COMPACT, SYNCED, CLUSTER)


def of(scene: Scene, *, old_code: bool, has_disks: bool) -> list[Fault]:
    """All faults of a scene that this machine can make."""
    if scene is CLUSTER:
        return [
            Fault("one of three NATS servers lost for 30 s", member(None), lasts_s=30.0, short_s=5.0),
            Fault(
                "one of three NATS servers stopped for 15 s",
                member(signal.SIGSTOP),
                lasts_s=15.0,
                short_s=5.0,
            ),
        ]
    power = Fault("power lost", power_lost, forgets_s=3.0 if scene.durability == "process" else 0.0)
    found = [*of_processes(scene), *of_servers()]
    if scene is SYNCED:
        found = [Fault("every process killed at once", everything_killed)]
    elif scene is SERVICES:
        found += [*of_storage(), *of_the_network()]
        if has_disks:
            found += of_disks()
        if FAKETIME is not None:
            found.append(Fault("clock of a service 60 s fast", another_clock("+"), lasts_s=6.0, short_s=3.0))
            found.append(Fault("clock of a service 60 s slow", another_clock("-"), lasts_s=6.0, short_s=3.0))
        if old_code:
            found.append(Fault("an older version beside", an_older_version_beside, lasts_s=10.0, short_s=4.0))
    if has_disks:
        found.append(power)
    return found
