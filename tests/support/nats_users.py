"""A nats-server with the users and permissions that the repository ships."""

import os
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

import nats
import pages
from contracts import subjects
from nats.aio.client import Client
from servicekit.access import NatsAccess, options
from servicekit.settings import ServiceSettings

from ask.permissions import access_of, password_variable, users
from ask.ports import Ports
from ask.servers import find_nats

PERMISSIONS = pages.ROOT / "deploy" / "nats" / "permissions.conf"
PASSWORDS = {user.name: f"secret0{user.name.replace('-', '')}" for user in users()}
SERVICES = tuple(name for name in PASSWORDS if name != "ask")
_START_TIMEOUT_S = 30.0


def variables() -> dict[str, str]:
    """What the server, and the `ask` command, read from their environment."""
    return {password_variable(user): password for user, password in PASSWORDS.items()}


def command(binary: str, port: int, folder: Path) -> list[str]:
    """The server on one port of this machine, with its files in `folder`."""
    config = folder / "nats.conf"
    relative = os.path.relpath(PERMISSIONS, folder)
    store = folder / "store"
    config.write_text(
        f'listen: "127.0.0.1:{port}"\njetstream {{ store_dir: "{store}" }}\ninclude "{relative}"\n',
        encoding="utf-8",
    )
    return [binary, "-c", str(config)]


def _takes_connections(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


@contextmanager
def serving(folder: Path) -> Iterator[tuple[str, Path]]:
    """Its address and its log, as soon as it takes connections."""
    port, log = Ports().take(), folder / "nats.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command(str(find_nats()), port, folder),
            env={**os.environ, **variables()},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        until = time.monotonic() + _START_TIMEOUT_S
        while not _takes_connections(port) and process.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        yield f"nats://127.0.0.1:{port}", log
    finally:
        process.terminate()
        process.wait()


def access(user: str) -> NatsAccess:
    """As one of the users."""
    return access_of(PASSWORDS, user)


def settings(user: str, nats_url: str) -> ServiceSettings:
    """Of a service that runs as one of the users."""
    given = access(user)
    return ServiceSettings(
        nats_url=nats_url,
        nats_user=given.nats_user,
        nats_password=given.nats_password,
        graceful_timeout_s=2,
    )


def spoken(route: subjects.Route, publisher: str) -> str:
    """A subject of that line of the table, as a user would publish it."""
    family = subjects.TOOL_FAMILIES.get(publisher, ("oereb",))[0]
    return (
        route.subject.replace("<capability>", f"{family}.something")
        .replace("<service>", publisher)
        .replace("<requestId>", "req-1")
        .replace("<edgeId>", "edge-1")
    )


_REFUSED = "ermissions violation"


class Peer:
    """One connection, and what the server has refused it."""

    def __init__(self, connection: Client, refusals: list[str]) -> None:
        self.connection = connection
        self._refusals = refusals

    async def refused(self) -> list[str]:
        """Since the last call. The server answers in order: a ping comes back after all refusals.

        The client sends a ping ahead of what is pending, so only the second one comes after it.
        """
        await self.connection.flush()
        await self.connection.flush()
        found = [line for line in self._refusals if _REFUSED in line.lower()]
        self._refusals.clear()
        return found

    async def may_say(self, subject: str, data: bytes = b"", reply: str = "", **headers: str) -> bool:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        await self.connection.publish(subject, data, reply, headers=given or None)
        return not await self.refused()

    async def may_hear(self, subject: str) -> bool:
        subscription = await self.connection.subscribe(subject)
        refused = await self.refused()
        with suppress(Exception):
            await subscription.unsubscribe()
        return not refused


@asynccontextmanager
async def peers(url: str) -> AsyncIterator[dict[str, Peer]]:
    """A connection as each of the users."""
    found: dict[str, Peer] = {}
    for user in PASSWORDS:
        refusals: list[str] = []

        async def note(error: Exception, refusals: list[str] = refusals) -> None:
            refusals.append(str(error))

        found[user] = Peer(await nats.connect(**options(url, access(user)), error_cb=note), refusals)
    try:
        yield found
    finally:
        for peer in found.values():
            await peer.connection.close()
