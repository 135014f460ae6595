"""Free ports."""

import socket
from collections.abc import Iterator

import pytest

from ask.ports import FIRST, LAST, Ports, is_free, is_local


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def test_a_port_that_somebody_listens_on_is_not_free(taken: int) -> None:
    assert not is_free(taken)


def test_ports_are_free_and_differ() -> None:
    ports = Ports()
    given = [ports.take() for _ in range(50)]
    assert len(set(given)) == 50
    assert all(FIRST <= port <= LAST and is_free(port) for port in given)


def test_ports_stay_below_those_that_the_kernel_gives_to_clients() -> None:
    # A client that reconnects to a port of that range can be given the same port for itself.
    assert LAST < 32_768


def test_the_preferred_port_is_given_if_it_is_free(taken: int) -> None:
    wanted = Ports().take()
    ports = Ports()
    assert ports.take(preferred=wanted) == wanted
    assert ports.take(preferred=wanted) != wanted
    assert ports.take(preferred=taken) != taken


def test_a_foreign_address_is_an_error_and_no_taken_port() -> None:
    with pytest.raises(OSError, match="assign"):
        is_free(8080, "192.0.2.1")


@pytest.mark.parametrize(
    ("host", "local"),
    [
        *((host, True) for host in ("127.0.0.1", "127.8.8.8", "::1", "[::1]", "localhost", "LOCALHOST")),
        *((host, False) for host in ("0.0.0.0", "::", "", "192.0.2.1", "example", "127.0.0.1.example")),
    ],
)
def test_only_loopback_is_for_this_machine_alone(host: str, local: bool) -> None:
    assert is_local(host) is local
