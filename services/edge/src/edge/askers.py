"""Who asks, and from where."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any

from contracts.languages import Language
from starlette.types import Scope

from edge import languages
from edge.limits import announced_bytes
from edge.principals import LOCAL, Principal, principal_of

_IPV6_PREFIX = 64
"""What one customer of a provider gets; within it addresses can be changed at will."""
_NOBODY = "unknown"
_INTERFACES = {
    "/api/chat": "chat",
    "/chat": "chat",
    "/api/ag-ui": "agui",
    "/mcp": "mcp",
    "/api/identify": "identify",
    "/api/layers": "layers",
}

Network = IPv4Network | IPv6Network


@dataclass(frozen=True, slots=True)
class Asker:
    """On whose account a request goes."""

    principal: Principal = LOCAL
    address: str = _NOBODY
    body_bytes: int = 0
    language: Language | None = None
    """What they read; None when they have not said it."""
    interface: str = "other"
    """Which interface they have called, by one of a few names."""


class Askers:
    """`trusted`: the proxies whose word counts about where a request comes from."""

    def __init__(self, trusted: Sequence[Network], max_body_bytes: int) -> None:
        self._trusted = tuple(trusted)
        self._max_body_bytes = max_body_bytes

    def of(self, scope: Scope) -> Asker:
        """Who sent the request being answered."""
        # A body that tells its size only at its end counts as a large one.
        announced = announced_bytes(scope)
        size = self._max_body_bytes if announced is None else announced
        body_bytes = size if scope["method"] == "POST" else 0
        interface, language = _interface(scope.get("path", "")), languages.wanted(scope)
        return Asker(principal_of(scope), self.address(scope), body_bytes, language, interface)

    def address(self, scope: Scope) -> str:
        """Where it comes from: an IPv4 address, or a network of IPv6."""
        client: Any = scope.get("client")
        found = _of_peer(client[0]) if client else None
        told = b",".join(value for name, value in scope["headers"] if name == b"x-forwarded-for")
        hops = told.decode("latin-1").split(",") if told else []
        while hops and found is not None and any(found in network for network in self._trusted):
            before = _read(hops.pop())
            if before is None:
                break
            found = before
        return _NOBODY if found is None else _group(found)


def _interface(path: str) -> str:
    if path.endswith("/stream"):
        return "stream"
    return next((interface for folder, interface in _INTERFACES.items() if path.startswith(folder)), "other")


@lru_cache(1_024)
def _of_peer(host: str) -> Any:
    return _read(host)


def _read(text: str) -> Any:
    """An address as proxies write it, perhaps with a port; None for anything else."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        found = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return mapped or found


def _group(address: Any) -> str:
    if isinstance(address, IPv6Address):
        return str(IPv6Network((address, _IPV6_PREFIX), strict=False))
    return str(address)
