"""What a contestant is, and our own two: how each is started, asked, killed and started again.

All listen on this machine only.
"""

import sys
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Self

import nats

import chain
from ask import servers
from ask.ports import Ports
from ask.services import COMPACT, EDGE, SERVICES, Service
from ask.stack import Stack
from drivers import ChainDriver
from peers.clients import ChainClient, Client, HttpClient, Paths
from peers.processes import Program, Usage

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ACK_WAIT_S = 2
"""After this time work of a killed process is done again: the default of ask.sogis, for the chain too."""
_KEPT = {"edge", "orchestrator", "actionplanner"}
PORTS = Ports()


class Contestant:
    """One system. `kinds` are those of `clients.Work` that it can do, `classes` those of its durability."""

    name: str
    classes: tuple[str, ...] = ("process", "power")
    kinds: tuple[str, ...] = ("one", "choice", "ten")

    def __init__(self, durability: str, folder: Path) -> None:
        self.durability = durability
        self.folder = folder
        folder.mkdir(parents=True)
        self.effects = folder / "effects"
        self._stack = AsyncExitStack()

    @property
    def synced(self) -> bool:
        return self.durability == "power"

    @property
    def settings(self) -> str:
        """What it runs with, in a sentence."""
        raise NotImplementedError

    async def __aenter__(self) -> Self:
        try:
            await self.start()
        except BaseException:
            await self._stack.aclose()
            raise
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._stack.aclose()

    async def start(self) -> None:
        raise NotImplementedError

    async def client(self) -> Client:
        raise NotImplementedError

    @property
    def usage(self) -> Usage:
        """Of all its processes, servers too."""
        raise NotImplementedError

    async def crash(self) -> None:
        """Kill the processes of the application, not its servers, and start them again at once."""
        raise NotImplementedError

    def forget(self) -> None:
        """Effects are counted from here on."""
        self.effects.unlink(missing_ok=True)

    def counted(self) -> dict[str, int]:
        """How often each effect was had."""
        found: dict[str, int] = {}
        if self.effects.exists():
            for key in self.effects.read_text().split():
                found[key] = found.get(key, 0) + 1
        return found


class Ours(Contestant):
    name = "ask.sogis"
    shape = "one process a service"

    @property
    def settings(self) -> str:
        sync = "sync_interval always, appendfsync always" if self.synced else "sync 1 s, everysec"
        return f"{self.shape}, nats-server and Valkey: {sync}"

    def services(self) -> list[Service]:
        """The real ones, with the planner and the tool of the common work."""
        roles = {"planner": "planner", "tools-bench": "tools"}
        kept = [service for service in SERVICES if service.name in _KEPT]
        return [*kept, *(own(name, role) for name, role in roles.items())]

    async def start(self) -> None:
        self._services = self.services()
        environment = {"EFFECTS": str(self.effects), "MAX_CONNECTIONS_PER_ADDRESS": "2000"}
        self._system = await self._stack.enter_async_context(
            Stack(
                self.folder / "stack",
                services=self._services,
                environment=environment,
                durability="power" if self.synced else "process",
            )
        )

    async def client(self) -> HttpClient:
        return await HttpClient.at(self._system.port, Paths())

    @property
    def usage(self) -> Usage:
        return Usage({name: p.pid for name, p in self._system.processes.items() if p.pid is not None})

    async def crash(self) -> None:
        for service in self._services:
            self._system.kill(service.name)


class Compact(Ours):
    """The same with all services but the edge in one process."""

    name = "ask.sogis compact"
    shape = "one process beside the edge"

    def services(self) -> list[Service]:
        edge = next(service for service in SERVICES if service.name == EDGE)
        return [edge, own(COMPACT, COMPACT)]


def own(name: str, role: str) -> Service:
    """One of ours, see `ours.py`."""
    return Service(name, (sys.executable, str(HERE / "ours.py"), role))


class Chain(Contestant):
    name = "raw chain"
    kinds = ("one",)

    @property
    def settings(self) -> str:
        return f"four processes, nats-server: sync_interval {'always' if self.synced else '1 s'}"

    async def start(self) -> None:
        port = PORTS.take()
        config = self.folder / "nats.conf"
        sync = f", sync_interval: {'always' if self.synced else '1s'}"
        config.write_text(
            f'listen: "127.0.0.1:{port}"\njetstream {{ store_dir: "{self.folder / "store"}"{sync} }}\n'
        )
        self._server = Program(
            "nats-server", [servers.find_nats(), "-c", config], port=port, environment={}, folder=self.folder
        )
        self._stack.push_async_callback(self._server.stop)
        await self._server.start()
        url = f"nats://127.0.0.1:{port}"
        connection = await nats.connect(url)
        self._stack.push_async_callback(connection.close)
        js = connection.jetstream()
        await chain.declare(js)
        environment = {"NATS_URL": url, "ACK_WAIT_S": str(ACK_WAIT_S), "EFFECTS": str(self.effects)}
        roles = ["coordinator", *(str(n) for n in range(1, chain.WORKERS + 1))]
        self._programs = [
            Program(
                f"chain {role}",
                [sys.executable, HERE.parent / "chain.py", role],
                port=None,
                environment=environment,
                folder=self.folder,
            )
            for role in roles
        ]
        for program in self._programs:
            self._stack.push_async_callback(program.stop)
            await program.start()
        self._driver = ChainDriver(connection, js)
        await self._driver.open()

    async def client(self) -> ChainClient:
        return ChainClient(self._driver)

    @property
    def usage(self) -> Usage:
        return Usage({each.name: each.pid for each in (self._server, *self._programs)})

    async def crash(self) -> None:
        await crashed(self._programs)


async def crashed(programs: list[Program]) -> None:
    """All are dead before the first is started again; nobody waits until they are ready."""
    for program in programs:
        program.kill()
    for program in programs:
        program.spawn()
