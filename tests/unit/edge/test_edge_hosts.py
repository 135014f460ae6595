"""Which names are ours."""

import pytest

from edge.errors import HostInvalid
from edge.hosts import Hosts

HOSTS = Hosts(("127.0.0.1", "localhost", "[::1]", "Ask.Example.CH", "*.karten.example"))


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "127.0.0.1:8080", "localhost", "LOCALHOST:1", "[::1]", "[::1]:8080"),
        *("ask.example.ch", "ASK.example.ch:443", "a.karten.example", "b.a.karten.example:8443"),
    ],
)
def test_our_names_have_any_port_and_any_case(host: str) -> None:
    assert HOSTS.include(host)


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "localhost.evil.example", "evil-localhost", "127.0.0.1.evil.example", "localhost."),
        *("karten.example", "xkarten.example", "ask.example.ch.evil.example", "[::2]", "127.0.0.2"),
    ],
)
def test_other_names_are_none_of_ours(host: str) -> None:
    assert not HOSTS.include(host)


@pytest.mark.parametrize(
    "host",
    [
        *("", " ", "localhost:", "localhost:x", "localhost:123456", "a@localhost", "http://localhost"),
        *("localhost/x", "localhost,evil.example", "localhost evil", "[::1", "::1", "lo\ncalhost", "ü", "*"),
        "a" * 254,
    ],
)
def test_what_can_be_no_host_is_invalid(host: str) -> None:
    with pytest.raises(HostInvalid):
        HOSTS.include(host)


@pytest.mark.parametrize(
    ("origin", "is_ours"),
    [
        ("http://localhost:3000", True),
        ("https://a.karten.example", True),
        ("https://evil.example", False),
        ("null", False),
        ("file://", False),
        ("https://localhost@evil.example", False),
        ("https://localhost/x", False),
        ("ftp://localhost", False),
    ],
)
def test_pages_of_ours_come_from_our_names(origin: str, is_ours: bool) -> None:
    assert HOSTS.serve(origin) is is_ours
