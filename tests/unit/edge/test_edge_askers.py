"""From where somebody asks."""

from ipaddress import ip_network
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.askers import Askers

PROXIES = (ip_network("10.0.0.0/8"), ip_network("fd00::/8"))


def address(peer: str | None, *forwarded: str, trusted: Any = PROXIES) -> str:
    headers = [(b"x-forwarded-for", each.encode()) for each in forwarded]
    client = None if peer is None else (peer, 1234)
    scope = {"type": "http", "method": "POST", "client": client, "headers": headers}
    return Askers(trusted, 100).of(scope).address


@pytest.mark.parametrize(
    ("peer", "forwarded", "expected"),
    [
        ("192.0.2.1", (), "192.0.2.1"),
        # Nobody else's word counts.
        ("192.0.2.1", ("198.51.100.7",), "192.0.2.1"),
        ("10.1.1.1", ("198.51.100.7",), "198.51.100.7"),
        # The last one that is no proxy; what stands before it, the client may have written.
        ("10.1.1.1", ("203.0.113.9, 198.51.100.7, 10.2.2.2",), "198.51.100.7"),
        ("10.1.1.1", ("203.0.113.9", "198.51.100.7"), "198.51.100.7"),
        ("10.1.1.1", ("198.51.100.7:4711",), "198.51.100.7"),
        ("10.1.1.1", ("198.51.100.7, nonsense",), "10.1.1.1"),
        ("10.1.1.1", (), "10.1.1.1"),
        ("::ffff:192.0.2.1", (), "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", (), "2001:db8:1:2::/64"),
        ("fd00::1", ("[2001:db8:1:2::9]:443",), "2001:db8:1:2::/64"),
        (None, (), "unknown"),
    ],
)
def test_the_last_address_that_is_no_trusted_proxy_counts(
    peer: str | None, forwarded: tuple[str, ...], expected: str
) -> None:
    assert address(peer, *forwarded) == expected


def test_without_trusted_proxies_the_peer_counts() -> None:
    assert address("10.1.1.1", "198.51.100.7", trusted=()) == "10.1.1.1"


@given(st.text(st.characters(max_codepoint=255), max_size=80))
def test_no_header_breaks_it_or_hides_who_is_behind_a_real_proxy(told: str) -> None:
    scope = {
        "type": "http",
        "method": "GET",
        "client": ("10.0.0.1", 1),
        "headers": [(b"x-forwarded-for", told.encode("latin-1") + b", 198.51.100.7")],
    }
    assert Askers(PROXIES, 100).of(scope).address == "198.51.100.7"


@pytest.mark.parametrize(
    ("method", "headers", "size"),
    [
        ("POST", [(b"content-length", b"42")], 42),
        ("POST", [(b"transfer-encoding", b"chunked")], 100),
        ("GET", [], 0),
    ],
)
def test_a_body_of_unknown_size_counts_as_the_largest(
    method: str, headers: list[tuple[bytes, bytes]], size: int
) -> None:
    scope = {"type": "http", "method": method, "client": None, "headers": headers}
    assert Askers((), 100).of(scope).body_bytes == size


@pytest.mark.parametrize(
    ("path", "interface"),
    [
        ("/api/chat", "chat"),
        ("/chat", "chat"),
        ("/api/chat/stream", "stream"),
        ("/api/chat/req-1/stream", "stream"),
        ("/api/ag-ui/map", "agui"),
        ("/mcp", "mcp"),
        ("/api/identify", "identify"),
        ("/api/layers/x", "layers"),
        ("/what/others/make/up", "other"),
    ],
)
def test_there_are_a_few_interfaces(path: str, interface: str) -> None:
    scope: dict[str, object] = {"type": "http", "method": "POST", "client": None, "headers": [], "path": path}
    assert Askers((), 100).of(scope).interface == interface
