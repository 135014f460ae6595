"""A local HTTP server that misbehaves on purpose. It is made of raw sockets: it may break any rule.

    async with MisbehavingServer() as server:
        server.behave(status(503), healthy(b"{}"))      # the last behaviour goes on for ever
        ...
        assert len(server.requests) == 2

A behaviour is a function of the `Exchange`: it writes what it likes, and where it should seem to hang it
waits for the client to go away. A connection stays open only after a complete, honest answer (`respond`).
"""

import asyncio
import contextlib
import gzip
import socket
import ssl
import struct
import zlib
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from http import HTTPStatus
from types import TracebackType
from typing import Self
from urllib.parse import parse_qs, urlsplit

JSON = "application/json"


@dataclass(frozen=True)
class Received:
    """A request as the server saw it."""

    method: str
    path: str
    query: Mapping[str, list[str]]
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes


@dataclass
class Exchange:
    """One request and the connection to answer on."""

    request: Received
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    speaks: str = JSON
    keep_open: bool = field(default=False)

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def head(self, code: int, headers: Mapping[str, str], body: bytes = b"") -> None:
        lines = [f"HTTP/1.1 {code} {HTTPStatus(code).phrase}"]
        lines += [f"{name}: {self.speaks if value == JSON else value}" for name, value in headers.items()]
        await self.send("\r\n".join([*lines, "", ""]).encode("latin-1") + body)

    async def chunk(self, data: bytes) -> None:
        await self.send(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    async def respond(self, code: int, headers: Mapping[str, str], body: bytes) -> None:
        """An honest answer."""
        length = {} if code in (204, 304) else {"content-length": str(len(body))}
        await self.head(code, {**headers, **length}, body)
        self.keep_open = True

    async def hang(self) -> None:
        """Until the client gives up."""
        await self.reader.read()


Behaviour = Callable[[Exchange], Awaitable[None]]


def healthy(body: bytes, content_type: str = "application/json", **headers: str) -> Behaviour:
    """A correct answer. Underscores in the names of headers become hyphens."""
    return status(200, body, content_type, **headers)


def status(
    code: int, body: bytes = b'{"message":"x"}', content_type: str = "application/json", **headers: str
) -> Behaviour:
    """An answer with a status, e.g. `status(503, retry_after="1")`."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    if code != 204:
        named["content-type"] = content_type

    async def behave(exchange: Exchange) -> None:
        await exchange.respond(code, named, b"" if code == 204 else body)

    return behave


def redirect(location: str, code: int = 302) -> Behaviour:
    return status(code, b"", location=location)


METADATA_SERVICE = "http://169.254.169.254/latest/meta-data/"
"""A private address that a redirect must not reach."""


async def slow_headers(exchange: Exchange) -> None:
    """Takes the request and says nothing."""
    await exchange.hang()


async def slow_body(exchange: Exchange) -> None:
    """One byte after the other for ever, each soon enough for a timeout between bytes."""
    await exchange.head(200, {"content-type": "application/json", "transfer-encoding": "chunked"})
    gone = asyncio.create_task(exchange.hang())
    try:
        while not gone.done():
            await exchange.chunk(b" ")
            await asyncio.wait({gone}, timeout=0.01)
    finally:
        gone.cancel()


async def stalled_body(exchange: Exchange) -> None:
    """Begins the answer and stops."""
    await exchange.head(200, {"content-type": "application/json", "content-length": "1000"}, b'{"results":[')
    await exchange.hang()


async def html(exchange: Exchange) -> None:
    """An error page with the status of a success."""
    page = "<!DOCTYPE html><title>Wartung</title><p>Wir sind gleich zurück."
    await exchange.respond(200, {"content-type": "text/html; charset=utf-8"}, page.encode())


async def truncated_json(exchange: Exchange) -> None:
    """A complete answer, but not a complete document."""
    await exchange.respond(200, {"content-type": "application/json"}, b'{"results":[{"feature":{"bbox":[26')


async def wrong_content_type(exchange: Exchange) -> None:
    """JSON that pretends to be something else."""
    await exchange.respond(200, {"content-type": "application/octet-stream"}, b'{"results":[]}')


def endless_body(size: int = 50_000_000) -> Behaviour:
    """So many bytes in chunks, made while they are sent."""

    async def behave(exchange: Exchange) -> None:
        await exchange.head(200, {"content-type": "application/json", "transfer-encoding": "chunked"})
        block = b" " * 50_000
        for _ in range(size // len(block)):
            await exchange.chunk(block)
        await exchange.chunk(b"")

    return behave


def large_announced(size: int = 50_000_000) -> Behaviour:
    """Says in its headers how much will come, and waits."""

    async def behave(exchange: Exchange) -> None:
        await exchange.head(200, {"content-type": "application/json", "content-length": str(size)})
        await exchange.hang()

    return behave


def gzip_bomb(size: int = 50_000_000) -> Behaviour:
    """A few kilobytes that unpack to so many bytes."""

    async def behave(exchange: Exchange) -> None:
        headers = {"content-type": "application/json", "content-encoding": "gzip"}
        await exchange.respond(200, headers, _packed(size))

    return behave


@cache
def _packed(size: int) -> bytes:
    packer = zlib.compressobj(9, wbits=zlib.MAX_WBITS | 16)
    packed = b"".join(packer.compress(b" " * 1_000_000) for _ in range(size // 1_000_000))
    return packed + packer.flush()


async def broken_gzip(exchange: Exchange) -> None:
    """Packed, and damaged."""
    packed = bytearray(gzip.compress(b'{"results":[]}'))
    packed[12] ^= 0xFF
    headers = {"content-type": "application/json", "content-encoding": "gzip"}
    await exchange.respond(200, headers, bytes(packed))


async def short_of_content_length(exchange: Exchange) -> None:
    """Announces more than it sends before it hangs up."""
    await exchange.head(200, {"content-type": "application/json", "content-length": "1000"})
    await exchange.send(b'{"results":[]}')


async def beyond_content_length(exchange: Exchange) -> None:
    """Announces less than it sends."""
    await exchange.head(200, {"content-type": "application/json", "content-length": "2"})
    await exchange.send(b"{}" + b" " * 10_000_000)


async def connection_reset(exchange: Exchange) -> None:
    """Takes the request and tears the connection down."""
    _reset(exchange)


async def reset_in_body(exchange: Exchange) -> None:
    """Tears the connection down in the middle of the answer."""
    await exchange.head(200, {"content-type": "application/json", "content-length": "1000"})
    await exchange.send(b'{"results":[')
    _reset(exchange)


def _reset(exchange: Exchange) -> None:
    sock = exchange.writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    exchange.writer.transport.abort()


async def no_http(exchange: Exchange) -> None:
    """Another protocol altogether."""
    await exchange.send(b"220 mail.example ESMTP\r\n")


XML_BOMB = b"""<?xml version="1.0"?>
<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">
<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]>
<r>&c;</r>"""
EXTERNAL_ENTITY = b"""<?xml version="1.0"?>
<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r>&x;</r>"""
EXTERNAL_DTD = b"""<?xml version="1.0"?><!DOCTYPE r SYSTEM "http://127.0.0.1:9/r.dtd"><r/>"""
SERVICE_EXCEPTION = b"""<?xml version="1.0" encoding="UTF-8"?>
<ServiceExceptionReport version="1.3.0" xmlns="http://www.opengis.net/ogc">
<ServiceException code="LayerNotDefined">The layer is not known.</ServiceException>
</ServiceExceptionReport>"""

xml_bomb = healthy(XML_BOMB, "application/xml")
external_entity = healthy(EXTERNAL_ENTITY, "application/xml")
external_dtd = healthy(EXTERNAL_DTD, "application/xml")
service_exception = healthy(SERVICE_EXCEPTION, "text/xml")
"""How a WMS says that it has failed: with HTTP 200."""

FAILURES: Mapping[str, Behaviour] = {
    "slow headers": slow_headers,
    "slow body": slow_body,
    "stalled body": stalled_body,
    "500": status(500),
    "502": status(502),
    "503": status(503),
    "503 with Retry-After": status(503, retry_after="0"),
    "429": status(429),
    "404": status(404),
    "HTML": html,
    "truncated JSON": truncated_json,
    "wrong content type": wrong_content_type,
    "50 MB": endless_body(),
    "50 MB announced": large_announced(),
    "gzip bomb": gzip_bomb(),
    "broken gzip": broken_gzip,
    "too short": short_of_content_length,
    "redirect to a private address": redirect(METADATA_SERVICE),
    "redirect to a file": redirect("file:///etc/passwd"),
    "connection reset": connection_reset,
    "reset in the body": reset_in_body,
    "no HTTP": no_http,
    "XML bomb": xml_bomb,
    "external entity": external_entity,
    "external DTD": external_dtd,
    "service exception": service_exception,
}
"""Every way to fail, for tests of a source's client as a whole; `refused` is the one that has no server."""


@contextlib.contextmanager
def refused() -> Iterator[str]:
    """A URL that nobody answers; nobody else can take the port meanwhile."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{sock.getsockname()[1]}"


@contextlib.contextmanager
def deaf() -> Iterator[str]:
    """A URL where connecting takes for ever: the queue of who wants to is full (as Linux does it)."""
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(4):
            queued = stack.enter_context(socket.socket())
            queued.setblocking(False)
            queued.connect_ex(listener.getsockname())
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


class MisbehavingServer:
    """Listens on a free port of 127.0.0.1 while it is entered.

    `speaks` is the type of what behaves like JSON otherwise: a truncated body can be one of XML too.
    """

    def __init__(self, speaks: str = JSON, tls: ssl.SSLContext | None = None) -> None:
        self.speaks = speaks
        self._tls = tls
        self.url = ""
        self.requests: list[Received] = []
        self.connections = 0
        self._script: list[Behaviour] = []
        self._server: asyncio.Server | None = None
        self._running: set[asyncio.Task[None]] = set()

    def behave(self, *script: Behaviour) -> None:
        """One behaviour a request; the last one goes on. Requests seen so far are forgotten."""
        self._script = list(script)
        self.requests.clear()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(
            # Clients that keep their connections do not keep the test from ending.
            *(self._serve, "127.0.0.1", 0),
            ssl=self._tls,
            ssl_shutdown_timeout=0.1 if self._tls else None,
        )
        host, port = self._server.sockets[0].getsockname()
        self.url = f"{'https' if self._tls else 'http'}://{host}:{port}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.current_task()
        assert task is not None
        self._running.add(task)
        try:
            await self._answer_all(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            # The client is gone, or the test is over.
            pass
        finally:
            self._running.discard(task)
            writer.close()
            with contextlib.suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()

    async def _answer_all(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            exchange = Exchange(await _receive(reader), reader, writer, self.speaks)
            self.requests.append(exchange.request)
            behaviour = self._script.pop(0) if len(self._script) > 1 else self._script[0]
            await behaviour(exchange)
            if not exchange.keep_open:
                return


async def _receive(reader: asyncio.StreamReader) -> Received:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.rstrip("\r\n").split("\r\n")
    method, target, _ = first.split(" ", 2)
    headers = {
        name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)
    }
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    parts = urlsplit(target)
    return Received(method, parts.path, parse_qs(parts.query, keep_blank_values=True), headers, body)
