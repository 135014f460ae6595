"""A connection to NATS that is encrypted, and a server whose certificate somebody unknown has signed."""

import os
from collections.abc import Iterator
from ipaddress import IPv4Address
from pathlib import Path

import commands
import pytest
from certificates import self_signed
from cryptography.x509 import IPAddress
from servicekit.access import NatsAccess, options, servers
from servicekit.bus import Bus
from servicekit.settings import ServiceSettings

from ask.errors import Exit

from .conftest import ServerProcess, binary


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    return self_signed(tmp_path, IPAddress(IPv4Address("127.0.0.1")))


@pytest.fixture
def url(tmp_path: Path, certificate: tuple[Path, Path]) -> Iterator[str]:
    program, (cert, key) = binary("nats-server"), certificate
    flags = ["--tls", "--tlscert", str(cert), "--tlskey", str(key)]
    server = ServerProcess(
        lambda port: [program, "-a", "127.0.0.1", "-p", str(port), *flags], tmp_path / "nats.log"
    )
    server.start()
    yield f"tls://127.0.0.1:{server.port}"
    server.kill()


async def test_a_service_trusts_whom_it_is_told_to_trust(url: str, certificate: tuple[Path, Path]) -> None:
    bus = Bus("planner", ServiceSettings(nats_url=url, nats_ca_file=certificate[0]))
    await bus.connect()
    assert await bus.problem() is None
    await bus.broker.stop()


def test_nobody_talks_to_a_server_that_nobody_vouches_for(url: str, certificate: tuple[Path, Path]) -> None:
    # In processes of their own: after a failed handshake the client library leaves its socket open.
    command = ("bus", "apply", "--check", "--nats", url)
    stranger = commands.ask(*command, environment=os.environ)
    assert stranger.returncode == Exit.UNREACHABLE
    assert "CERTIFICATE_VERIFY_FAILED" in stranger.stderr
    trusted = {**os.environ, "NATS_CA_FILE": str(certificate[0])}
    friend = commands.ask(*command, environment=trusted)
    assert "CERTIFICATE_VERIFY_FAILED" not in friend.stderr


def test_a_file_that_is_not_there_ends_the_start() -> None:
    with pytest.raises(OSError, match="No such file"):
        Bus("planner", ServiceSettings(nats_ca_file=Path("/nowhere/ca.crt")))


def test_the_members_of_a_cluster_are_separated_by_commas() -> None:
    assert servers("nats://a:4222, nats://b:4222,") == ["nats://a:4222", "nats://b:4222"]
    assert options("nats://a", NatsAccess(nats_user="edge"))["inbox_prefix"] == "_INBOX.edge"
    assert options("nats://a", NatsAccess()) == {"servers": ["nats://a"], "inbox_prefix": "_INBOX"}
