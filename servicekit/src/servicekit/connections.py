"""What a connection may cost: how much, how many, how long. Around the HTTP protocol of uvicorn, which has no
such limits (docs/decisions/0015-limits-of-connections.md)."""

import asyncio
import resource
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any

import httptools
import prometheus_client
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

CUT = prometheus_client.Counter("ask_http_cut_total", "Connections that were refused or cut off.", ["reason"])

SWEEP_PERIOD_S = 0.5
"""How late a connection may be noticed. One look at all of them costs less than a timer for each request."""
_PIECE_BYTES = 16_384
"""What is parsed before limits are looked at again: the transport hands over up to 256 KB at once."""
_MAX_PIPELINED = 8
"""Requests that wait behind one that is being answered. Browsers send none."""
_OWN_FILES = 256
"""Left for what the process opens itself."""


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """Of one server."""

    max_connections: int = 2048
    max_connections_per_address: int = 512
    proxies: tuple[IPv4Network | IPv6Network, ...] = ()
    """Who comes with the connections of others: only the number of all of them counts."""
    max_headers: int = 100
    max_head_bytes: int = 16_384
    """Of the request line and the headers. A body may come with as much framing beside its own size."""
    head_timeout_s: float = 10.0
    """From the connection, or from the first byte of a further request, to the end of its headers."""
    body_timeout_s: float = 20.0
    """From the end of the headers to the end of the body."""
    idle_timeout_s: int = 5
    """Between two requests."""
    send_timeout_s: float = 30.0
    """A client that takes nothing for so long is gone."""


class Connections:
    """The open connections of a server: who has how many, and who has waited for how long."""

    def __init__(self, limits: ConnectionLimits) -> None:
        self.limits = limits
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        spare = limits.max_connections if files == resource.RLIM_INFINITY else max(1, files - _OWN_FILES)
        self._max = min(limits.max_connections, spare)
        self._of_address: Counter[str] = Counter()
        self._open: dict[GuardedProtocol, str] = {}
        self._waiting: dict[GuardedProtocol, None] = {}

    def __iter__(self) -> Iterator["GuardedProtocol"]:
        return iter(tuple(self._open))

    def enter(self, connection: "GuardedProtocol", host: str) -> str | None:
        """None, or why there is no place. When all are taken, who has waited longest for its client goes."""
        address = network_of(host)
        if self._of_address[address] >= self.limits.max_connections_per_address and not self._is_proxy(host):
            return "address"
        if len(self._open) >= self._max:
            oldest = next(iter(self._waiting), None)
            if oldest is None:
                return "full"
            oldest.cut("evicted")
        self._of_address[address] += 1
        self._open[connection] = address
        self._waiting[connection] = None
        return None

    def _is_proxy(self, host: str) -> bool:
        return any(ip_address(host.partition("%")[0]) in network for network in self.limits.proxies)

    def leave(self, connection: "GuardedProtocol") -> None:
        """Also for one that never had a place."""
        address = self._open.pop(connection, None)
        self._waiting.pop(connection, None)
        if address is not None:
            self._of_address[address] -= 1
            if not self._of_address[address]:
                del self._of_address[address]

    def waits(self, connection: "GuardedProtocol") -> None:
        """It has nothing to do until its client asks again."""
        if connection in self._open:
            self._waiting[connection] = None

    def works(self, connection: "GuardedProtocol") -> None:
        """A request has come."""
        self._waiting.pop(connection, None)

    async def watch(self) -> None:
        """Cut off whoever is late, until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(SWEEP_PERIOD_S)
            now = loop.time()
            for connection in self:
                connection.look(now)


def network_of(host: str) -> str:
    """Whom an address belongs to: of IPv6 everybody has a /64 at least."""
    if ":" not in host:
        return host
    address = ip_address(host.partition("%")[0])
    assert isinstance(address, IPv6Address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(IPv6Address(int(address) >> 64 << 64))


class GuardedProtocol(HttpToolsProtocol):
    """One connection, within limits.

    What is too large is answered with 431 or 400, what takes too long with 408, who has too many connections
    with 429 or 503; then the connection is closed. While an answer is under way it is only closed.
    """

    def __init__(self, connections: Connections, **options: Any) -> None:
        super().__init__(**options)
        self._connections = connections
        self._limits = connections.limits
        self._now = 0.0
        self._in_head = True
        self._head_bytes = 0
        self._wire_bytes = 0
        """Received since the end of the headers."""
        self._body_bytes = 0
        self._due: float | None = None
        """When the head or the body that is awaited has to be there."""
        self._sent_by: float | None = None
        """When the client has to have taken something, or all when the connection is closing."""

    # -- the life of a connection ----------------------------------------------------------------------

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        refused = self._connections.enter(self, self.client[0] if self.client else "")
        if refused == "address":
            self._refuse("address", "429 Too Many Requests", "Too many connections.", 1)
        elif refused:
            self._refuse("full", "503 Service Unavailable", "Too many connections.", 1)
        self._due = self.loop.time() + self._limits.head_timeout_s

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.leave(self)
        super().connection_lost(exc)

    def look(self, now: float) -> None:
        """Is it late? Called now and then."""
        if self._sent_by is not None:
            if now > self._sent_by:
                self.cut("unread")
        elif self.transport.is_closing():
            self._sent_by = now + self._limits.send_timeout_s
        elif self._due is not None and now > self._due:
            self._refuse("slow", "408 Request Timeout", "The request took too long.")

    def cut(self, reason: str) -> None:
        """End it without a word. Its place is free at once."""
        CUT.labels(reason).inc()
        self._connections.leave(self)
        self.transport.abort()

    def _refuse(self, reason: str, status: str, says: str, retry_after_s: int | None = None) -> None:
        self._due = None
        if self.cycle is not None and self.cycle.response_started and not self.cycle.response_complete:
            # What is written now would be taken for a part of that answer.
            self.cut(reason)
            return
        CUT.labels(reason).inc()
        head = [
            f"HTTP/1.1 {status}",
            "content-type: text/plain; charset=utf-8",
            f"content-length: {len(says)}",
        ]
        if retry_after_s is not None:
            head.append(f"retry-after: {retry_after_s}")
        self.transport.write("\r\n".join((*head, "connection: close", "", says)).encode())
        if self.cycle is not None and not self.cycle.response_complete:
            # Who waits for the body need not wait for the connection to be gone.
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.close()

    # -- what is received ------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        self._unset_keepalive_if_required()
        self._now = self.loop.time()
        if self._in_head and self._due is None:
            self._due = self._now + self._limits.head_timeout_s
        if len(data) <= _PIECE_BYTES:
            self._take(data)
            return
        pieces = memoryview(data)
        for start in range(0, len(data), _PIECE_BYTES):
            if self.transport.is_closing():
                return
            self._take(pieces[start : start + _PIECE_BYTES])

    def _take(self, piece: bytes | memoryview) -> None:
        if self._in_head:
            self._head_bytes += len(piece)
        else:
            self._wire_bytes += len(piece)
        try:
            self.parser.feed_data(piece)
        except httptools.HttpParserUpgrade:
            # Nothing else is spoken here. What follows the request would be in the other protocol.
            self.cycle.keep_alive = False
        except httptools.HttpParserError:
            if not self.transport.is_closing():
                self._refuse("malformed", "400 Bad Request", "Invalid HTTP request received.")
            return
        if self.transport.is_closing():
            return
        if self._in_head and self._head_bytes > self._limits.max_head_bytes:
            self._refuse_head()
        elif self._wire_bytes > 2 * self._body_bytes + self._limits.max_head_bytes:
            # Extensions and trailers are no part of the body, and tiny chunks cost more than they carry.
            self._refuse("framing", "400 Bad Request", "Too much framing for so small a body.")

    def on_headers_complete(self) -> None:
        if len(self.headers) > self._limits.max_headers:
            self._refuse_head()
            raise ValueError("too many headers")
        if len(self.pipeline) >= _MAX_PIPELINED:
            self.cut("pipelined")
            raise ValueError("too many requests at once")
        self._in_head = False
        self._head_bytes = self._wire_bytes = self._body_bytes = 0
        self._due = self._now + self._limits.body_timeout_s
        self._connections.works(self)
        super().on_headers_complete()
        # Trailers would become headers of a request that is being answered.
        self.headers = []

    def on_body(self, body: bytes) -> None:
        self._body_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._in_head = True
        self._wire_bytes = self._body_bytes = 0
        self._due = None
        super().on_message_complete()

    def _refuse_head(self) -> None:
        self._refuse("head", "431 Request Header Fields Too Large", "The headers are too large.")

    # -- what is sent ----------------------------------------------------------------------------------

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self.pipeline:
            self._connections.waits(self)

    def pause_writing(self) -> None:
        self._sent_by = self.loop.time() + self._limits.send_timeout_s
        super().pause_writing()

    def resume_writing(self) -> None:
        self._sent_by = None
        super().resume_writing()
