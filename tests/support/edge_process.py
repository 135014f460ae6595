"""An edge as a process of its own, next to whatever else runs."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
from forked import Fork, start_service

from ask.ports import Ports

free_port = Ports().take


class EdgeProcess:
    def __init__(self, process: Fork, port: int, log: Path) -> None:
        self.process = process
        self.url = f"http://127.0.0.1:{port}"
        self.log = log

    async def end(self) -> int:
        """Ask it to stop; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(45):
            return await self.process.wait()

    async def kill(self) -> None:
        """Without any warning, and for good."""
        self.process.kill()
        await self.process.wait()

    def lines(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]


@asynccontextmanager
async def edge_process(
    nats_url: str, redis_url: str, log: Path, *, port: int | None = None, **settings: str
) -> AsyncIterator[EdgeProcess]:
    """Ready, or ended: why is in its log. Takes a free port unless one is given."""
    port = port or free_port()
    environment = {**os.environ, "NATS_URL": nats_url, "REDIS_URL": redis_url, "PORT": str(port), **settings}
    with log.open("wb") as output:
        started = start_service("edge.app", environment, output)
    running = EdgeProcess(started, port, log)
    try:
        async with httpx.AsyncClient(base_url=running.url) as http, asyncio.timeout(60):
            while started.returncode is None:
                try:
                    if (await http.get("/readyz")).status_code == 200:
                        break
                except httpx.TransportError:
                    pass
                await asyncio.sleep(0.05)
        yield running
    finally:
        if started.returncode is None:
            await running.kill()
