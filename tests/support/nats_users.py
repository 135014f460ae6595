"""A nats-server with the users and permissions that the repository ships."""

import os
from pathlib import Path

import pages
from contracts import subjects
from servicekit.access import NatsAccess
from servicekit.settings import ServiceSettings

from ask.permissions import access_of, password_variable, users

PERMISSIONS = pages.ROOT / "deploy" / "nats" / "permissions.conf"
PASSWORDS = {user.name: f"secret0{user.name.replace('-', '')}" for user in users()}
SERVICES = tuple(name for name in PASSWORDS if name != "ask")


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
