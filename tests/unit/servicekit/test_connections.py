"""Who gets a place, and who has to go."""

from ipaddress import ip_network
from typing import cast

import pytest
from servicekit.connections import ConnectionLimits, Connections, GuardedProtocol, network_of


class Client:
    """A connection as far as `Connections` knows it."""

    def __init__(self, connections: Connections, host: str) -> None:
        self.connections = connections
        self.reasons: list[str] = []
        self.refused = connections.enter(self.protocol, host)

    @property
    def protocol(self) -> GuardedProtocol:
        return cast(GuardedProtocol, self)

    def cut(self, reason: str) -> None:
        self.reasons.append(reason)
        self.connections.leave(self.protocol)


def test_one_address_has_so_many() -> None:
    connections = Connections(ConnectionLimits(max_connections=10, max_connections_per_address=2))
    first, second, third = (Client(connections, "192.0.2.1") for _ in range(3))
    assert [each.refused for each in (first, second, third)] == [None, None, "address"]
    assert Client(connections, "192.0.2.2").refused is None
    connections.leave(third.protocol)
    assert Client(connections, "192.0.2.1").refused == "address"
    connections.leave(first.protocol)
    assert Client(connections, "192.0.2.1").refused is None


def test_a_proxy_comes_with_the_connections_of_others() -> None:
    limits = ConnectionLimits(max_connections_per_address=1, proxies=(ip_network("192.0.2.0/24"),))
    connections = Connections(limits)
    assert [Client(connections, "192.0.2.1").refused for _ in range(3)] == [None] * 3
    assert [Client(connections, "203.0.113.1").refused for _ in range(2)] == [None, "address"]


def test_who_has_waited_longest_goes_when_all_places_are_taken() -> None:
    connections = Connections(ConnectionLimits(max_connections=3))
    working, waiting, fresh = (Client(connections, f"192.0.2.{n}") for n in range(3))
    connections.works(working.protocol)
    assert Client(connections, "192.0.2.9").refused is None
    assert (working.reasons, waiting.reasons, fresh.reasons) == ([], ["evicted"], [])


def test_nobody_goes_who_is_being_answered() -> None:
    connections = Connections(ConnectionLimits(max_connections=2))
    working = [Client(connections, f"192.0.2.{n}") for n in range(2)]
    for each in working:
        connections.works(each.protocol)
    assert Client(connections, "192.0.2.9").refused == "full"
    connections.waits(working[1].protocol)
    assert Client(connections, "192.0.2.9").refused is None
    assert [each.reasons for each in working] == [[], ["evicted"]]


def test_who_has_left_takes_no_place_any_more() -> None:
    connections = Connections(ConnectionLimits(max_connections=1))
    gone = Client(connections, "192.0.2.1")
    connections.leave(gone.protocol)
    connections.waits(gone.protocol)
    assert list(connections) == []
    assert Client(connections, "192.0.2.1").refused is None
    assert gone.reasons == []


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8::1", "2001:db8::ffff:1", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("fe80::1%eth0", "fe80::2%eth0", True),
    ],
)
def test_of_ipv6_everybody_has_a_network(one: str, other: str, same: bool) -> None:
    assert (network_of(one) == network_of(other)) == same
