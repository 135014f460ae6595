"""The peers: workers that listen on ports, with packages of their own (`bench/peers/*/app.py`)."""

import asyncio
import json
import os
import urllib.request
from collections.abc import Iterator, Mapping
from itertools import cycle
from pathlib import Path
from typing import Any

import postgres_servers

from peers.clients import HttpClient, Paths
from peers.contestants import HERE, PORTS, ROOT, Contestant, crashed
from peers.processes import Program, Usage


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
            port = PORTS.take()
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
    """Its server knows one address for all workers, so they are children of one process."""

    name = "Restate"
    package = "restate_server"
    workers = 1
    children = 2
    paths = Paths("/turn/{key}/chat", "/turn/{key}/choose")

    @property
    def settings(self) -> str:
        sync = "on" if self.synced else "off"
        return f"server on one node, {self.children} hypercorn workers: WAL fsync {sync}"

    async def start(self) -> None:
        await super().start()
        for worker in self._programs:
            await asyncio.to_thread(self._register, f"http://127.0.0.1:{worker.port}")

    async def start_servers(self) -> tuple[Mapping[str, int], Mapping[str, str]]:
        self._ingress, self._admin = PORTS.take(), PORTS.take()
        without_sync = str(not self.synced).lower()
        environment = {
            "RESTATE_LISTEN_MODE": "tcp",
            "RESTATE_BIND_ADDRESS": f"127.0.0.1:{PORTS.take()}",
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
        where = ["--bind", f"127.0.0.1:{port}", "--worker-class", "uvloop", "--workers", str(self.children)]
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
    """It keeps nothing, so there is nothing to sync."""

    name = "plain FastAPI"
    classes = ("process",)
    package = "plain_fastapi"

    @property
    def settings(self) -> str:
        return f"{self.workers} uvicorn workers, nothing is kept"


def _restate_server() -> Path:
    found = (ROOT / ".venv" / "bench-restate_server").glob("node_modules/@restatedev/*/bin/restate-server")
    return next(found)
