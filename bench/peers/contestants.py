"""Who takes part: how each is started, asked, killed and started again. All listen on this machine only."""

import asyncio
import json
import os
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack
from itertools import cycle
from pathlib import Path
from typing import Any, Self

import nats
import postgres_servers

import chain
from ask import servers
from ask.ports import Ports
from ask.services import SERVICES, Service
from ask.stack import Stack
from drivers import ChainDriver
from peers.clients import ChainClient, Client, HttpClient, Paths
from peers.processes import Program, Usage

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ACK_WAIT_S = 10
"""After this time work of a killed process is done again: the default of ask.sogis, for the chain too."""
_KEPT = {"edge", "orchestrator", "actionplanner"}
_PORTS = Ports()


class Contestant:
    """One system. `kinds` are those of `clients.Work` that it can do."""

    name: str
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

    def counted(self) -> dict[str, int]:
        """How often each effect was had."""
        found: dict[str, int] = {}
        if self.effects.exists():
            for key in self.effects.read_text().split():
                found[key] = found.get(key, 0) + 1
        return found


class Ours(Contestant):
    name = "ask.sogis"

    @property
    def settings(self) -> str:
        sync = "sync_interval always, appendfsync always" if self._is_synced() else "sync 2 min, everysec"
        return f"one process a service, nats-server and Valkey: {sync}"

    async def start(self) -> None:
        planner = (sys.executable, str(HERE / "ours.py"), "planner")
        tools = (sys.executable, str(HERE / "ours.py"), "tools")
        kept = [service for service in SERVICES if service.name in _KEPT]
        self._services = [*kept, Service("planner", planner), Service("tools-bench", tools)]
        environment = {
            "DURABILITY": self.durability,
            "EFFECTS": str(self.effects),
            "MAX_CONNECTIONS_PER_ADDRESS": "2000",
        }
        os.environ["DURABILITY"] = self.durability
        self._system = await self._stack.enter_async_context(
            Stack(self.folder / "stack", services=self._services, environment=environment)
        )

    async def client(self) -> HttpClient:
        return await HttpClient.at(self._system.port, Paths())

    @property
    def usage(self) -> Usage:
        return Usage({name: p.pid for name, p in self._system.processes.items() if p.pid is not None})

    async def crash(self) -> None:
        for service in self._services:
            self._system.kill(service.name)

    def _is_synced(self) -> bool:
        """As it is written in the files of the servers: an older `Stack` knows no durability."""
        written = [self.folder / "stack" / name for name in ("nats/nats-server.conf", "redis/redis.conf")]
        return all("always" in file.read_text() for file in written)


class Chain(Contestant):
    name = "raw chain"
    kinds = ("one",)

    @property
    def settings(self) -> str:
        return f"four processes, nats-server: sync_interval {'always' if self.synced else '2 min'}"

    async def start(self) -> None:
        port = _PORTS.take()
        config = self.folder / "nats.conf"
        sync = ", sync_interval: always" if self.synced else ""
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
        roles = ["conductor", *(str(n) for n in range(1, chain.WORKERS + 1))]
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


class Served(Contestant):
    """Workers that listen on a port each, with Python and packages of their own."""

    package: str
    workers = 2
    paths = Paths()

    @property
    def python(self) -> Path:
        return ROOT / ".venv" / f"bench-{self.package}" / "bin" / "python"

    async def start(self) -> None:
        servers_of_it, environment = await self.start_servers()
        self._servers = servers_of_it
        self._programs = []
        for n in range(self.workers):
            port = _PORTS.take()
            worker = Program(
                f"{self.name} worker {n}",
                self.command(port),
                port=port,
                environment={
                    "PYTHONPATH": f"{HERE.parent}{os.pathsep}{HERE / self.package}",
                    "EFFECTS": str(self.effects),
                    "WORKER": f"worker-{n}",
                    **environment,
                },
                folder=self.folder,
            )
            self._stack.push_async_callback(worker.stop)
            await worker.start()
            self._programs.append(worker)
        self._next: Iterator[int] = cycle([worker.port for worker in self._programs if worker.port])

    async def start_servers(self) -> tuple[Mapping[str, int], Mapping[str, str]]:
        """Process ids by name, and what the workers have to know."""
        return {}, {}

    def command(self, port: int) -> list[str | Path]:
        where = ["--host", "127.0.0.1", "--port", str(port)]
        return [self.python, "-m", "uvicorn", "app:app", *where, "--log-level", "warning", "--no-access-log"]

    async def client(self) -> HttpClient:
        return await HttpClient.at(next(self._next), self.paths)

    @property
    def usage(self) -> Usage:
        return Usage({**self._servers, **{each.name: each.pid for each in self._programs}})

    async def crash(self) -> None:
        await crashed(self._programs)


class OnPostgres(Served):
    @property
    def settings(self) -> str:
        commit = "on" if self.synced else "off"
        return f"{self.workers} uvicorn workers, PostgreSQL of its own: synchronous_commit {commit}"

    async def start_servers(self) -> tuple[Mapping[str, int], Mapping[str, str]]:
        found = postgres_servers.installations()
        if not found:
            raise RuntimeError(postgres_servers.MISSING)
        settings = {"synchronous_commit": "on" if self.synced else "off", "max_connections": "200"}
        server = self._stack.enter_context(postgres_servers.served(found[0], settings))
        return {"PostgreSQL": server.pid}, {"DATABASE_URL": self.database(server.url)}

    def database(self, url: str) -> str:
        return url


class LangGraph(OnPostgres):
    name = "LangGraph"
    package = "langgraph_postgres"


class Dbos(OnPostgres):
    name = "DBOS"
    package = "dbos_postgres"


class Restate(Served):
    name = "Restate"
    package = "restate_server"
    workers = 1
    paths = Paths("/turn/{key}/chat", "/turn/{key}/choose")

    @property
    def settings(self) -> str:
        return (
            f"server on one node, {self.workers} hypercorn worker: WAL fsync {'on' if self.synced else 'off'}"
        )

    async def start(self) -> None:
        await super().start()
        for worker in self._programs:
            await asyncio.to_thread(self._register, f"http://127.0.0.1:{worker.port}")

    async def start_servers(self) -> tuple[Mapping[str, int], Mapping[str, str]]:
        self._ingress, self._admin = _PORTS.take(), _PORTS.take()
        without_sync = str(not self.synced).lower()
        environment = {
            "RESTATE_LISTEN_MODE": "tcp",
            "RESTATE_BIND_ADDRESS": f"127.0.0.1:{_PORTS.take()}",
            "RESTATE_INGRESS__BIND_ADDRESS": f"127.0.0.1:{self._ingress}",
            "RESTATE_ADMIN__BIND_ADDRESS": f"127.0.0.1:{self._admin}",
            "RESTATE_BASE_DIR": str(self.folder / "data"),
            "RESTATE_DISABLE_TELEMETRY": "true",
            "RESTATE_LOG_FILTER": "warn",
            "RESTATE_LOG_SERVER__ROCKSDB_DISABLE_WAL_FSYNC": without_sync,
            "DO_NOT_TRACK": "1",
        }
        server = Program(
            "restate-server",
            [_restate_server(), "--no-logo"],
            port=self._ingress,
            environment=environment,
            folder=self.folder,
        )
        self._stack.push_async_callback(server.stop)
        await server.start()
        return {server.name: server.pid}, {}

    def command(self, port: int) -> list[str | Path]:
        where = ["--bind", f"127.0.0.1:{port}", "--worker-class", "uvloop"]
        return [self.python, "-m", "hypercorn", *where, "app:app"]

    async def client(self) -> HttpClient:
        return await HttpClient.at(self._ingress, self.paths)

    def _register(self, uri: str) -> dict[str, Any]:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self._admin}/deployments",
            json.dumps({"uri": uri}).encode(),
            {"content-type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=30) as response:
            found: dict[str, Any] = json.load(response)
        return found


class Plain(Served):
    name = "plain FastAPI"
    package = "plain_fastapi"

    @property
    def settings(self) -> str:
        return f"{self.workers} uvicorn workers, nothing is kept"


ALL: tuple[type[Contestant], ...] = (Ours, Chain, LangGraph, Dbos, Restate, Plain)


async def crashed(programs: list[Program]) -> None:
    """All are dead before the first is started again; nobody waits until they are ready."""
    for program in programs:
        program.kill()
    for program in programs:
        program.spawn()


def _restate_server() -> Path:
    found = (ROOT / ".venv" / "bench-restate_server").glob("node_modules/@restatedev/*/bin/restate-server")
    return next(found)
