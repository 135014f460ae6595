"""What a connection may cost, on sockets: the server in this process, an application that tells what came."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from prometheus_client import REGISTRY
from servicekit.connections import ConnectionLimits
from servicekit.http import HttpServer

POST = b"POST /echo HTTP/1.1\r\nHost: x\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
GET = b"GET /echo HTTP/1.1\r\nHost: x\r\n"


class Application:
    """`/echo` tells headers and length of the body, `/large` is 8 MB, `/slow` waits, `/half` has begun."""

    def __init__(self) -> None:
        self.let_go = asyncio.Event()
        self.ends: list[str] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        length = 0
        while (message := await receive())["type"] == "http.request":
            length += len(message["body"])
            if not message["more_body"]:
                break
        self.ends.append(message["type"])
        if message["type"] == "http.disconnect":
            return
        if scope["path"] == "/slow":
            await self.let_go.wait()
        names = [name.decode() for name, _ in scope["headers"]]
        body = b"x" * 8_000_000 if scope["path"] == "/large" else json.dumps([names, length]).encode()
        headers = [(b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        if scope["path"] == "/half":
            await send({"type": "http.response.body", "body": body[:1], "more_body": True})
            await self.let_go.wait()
            body = body[1:]
        await send({"type": "http.response.body", "body": body})


class Client:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    def send(self, data: bytes) -> None:
        self.writer.write(data)

    async def answer(self) -> tuple[int, bytes]:
        """Status and body of the next answer."""
        async with asyncio.timeout(20):
            head = await self.reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
            return int(head.split()[1]), await self.reader.readexactly(length)

    async def rest(self) -> bytes:
        """All that comes until the server closes."""
        async with asyncio.timeout(20):
            try:
                return await self.reader.read()
            except ConnectionResetError:
                return b""


@asynccontextmanager
async def served(**limits: Any) -> AsyncIterator[tuple[Application, HttpServer]]:
    application = Application()
    server = HttpServer(application, "127.0.0.1", 0, limits=ConnectionLimits(**limits))
    await server.start()
    try:
        yield application, server
    finally:
        application.let_go.set()
        await server.stop()


@asynccontextmanager
async def connected(server: HttpServer) -> AsyncIterator[Client]:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    try:
        yield Client(reader, writer)
    finally:
        writer.close()


def cut(reason: str) -> float:
    return REGISTRY.get_sample_value("ask_http_cut_total", {"reason": reason}) or 0.0


async def test_headers_are_so_many_and_no_more() -> None:
    def headers(count: int) -> bytes:
        return GET + b"a: b\r\n" * (count - 1) + b"\r\n"

    async with served(max_headers=10) as (_, server), connected(server) as client:
        client.send(headers(10))
        assert (await client.answer())[0] == 200
        client.send(headers(11))
        assert b"431 Request Header Fields Too Large" in await client.rest()


@pytest.mark.parametrize("piece", [700, 100_000])
@pytest.mark.parametrize("large", [b"a: " + b"x" * 90_000, b"a: b\r\n" * 15_000, b"x" * 90_000])
async def test_headers_are_so_large_and_no_larger(large: bytes, piece: int) -> None:
    async with served(max_headers=10) as (application, server), connected(server) as client:
        sent = GET + large
        for start in range(0, len(sent), piece):
            client.send(sent[start : start + piece])
            await asyncio.sleep(0)
        assert (await client.rest())[:13] in (b"HTTP/1.1 431 ", b"HTTP/1.1 400 ", b"")
    assert application.ends == []


async def test_an_address_line_is_no_larger_either() -> None:
    async with served() as (application, server), connected(server) as client:
        client.send(b"GET /" + b"x" * 40_000)
        # What it had no time to read takes the answer with it.
        assert (await client.rest())[:13] in (b"HTTP/1.1 431 ", b"")
    assert application.ends == []


@pytest.mark.parametrize("dripping", [b"", b"G", GET + b"a: b\r\n"])
async def test_headers_that_do_not_come_are_not_waited_for(dripping: bytes) -> None:
    async with served(head_timeout_s=0.1) as (application, server), connected(server) as client:
        client.send(dripping)
        assert (await client.rest()).startswith(b"HTTP/1.1 408 ")
    assert application.ends == []


async def test_headers_of_a_further_request_have_the_same_time() -> None:
    async with served(head_timeout_s=0.1) as (_, server), connected(server) as client:
        client.send(GET + b"\r\n")
        assert (await client.answer())[0] == 200
        client.send(GET)
        assert (await client.rest()).startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize("begun", [CHUNKED, CHUNKED + b"5\r\nhe", POST + b"Content-Length: 9\r\n\r\nhe"])
async def test_a_body_that_does_not_come_is_not_waited_for(begun: bytes) -> None:
    async with served(body_timeout_s=0.1) as (application, server), connected(server) as client:
        client.send(begun)
        assert (await client.rest()).startswith(b"HTTP/1.1 408 ")
    assert application.ends == ["http.disconnect"]


async def test_who_waits_for_an_answer_is_not_late() -> None:
    limits = {"head_timeout_s": 0.1, "body_timeout_s": 0.1, "idle_timeout_s": 1}
    async with served(**limits) as (application, server), connected(server) as client:
        client.send(b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
        await asyncio.sleep(2)
        application.let_go.set()
        assert (await client.answer())[0] == 200


async def test_a_silent_connection_is_closed_without_a_word() -> None:
    async with served(idle_timeout_s=0) as (_, server), connected(server) as client:
        client.send(GET + b"\r\n")
        assert (await client.answer())[0] == 200
        assert await client.rest() == b""


async def test_an_answer_that_nobody_reads_is_given_up() -> None:
    before = cut("unread")
    async with served(send_timeout_s=0.1) as (_, server), connected(server) as client:
        client.writer.transport.pause_reading()  # type: ignore[attr-defined]
        client.send(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
        async with asyncio.timeout(20):
            while cut("unread") == before:
                await asyncio.sleep(0.05)


@pytest.mark.parametrize(
    "framing",
    [
        b"1;" + b"x" * 200_000,
        b"1;a=b\r\nx\r\n" * 20_000,
        b"1\r\nx\r\n" * 40_000,
        b"0\r\n" + b"a: b\r\n" * 40_000,
    ],
    ids=["one extension", "many extensions", "tiny chunks", "trailers"],
)
async def test_framing_is_no_larger_than_what_it_frames(framing: bytes) -> None:
    async with served() as (_, server), connected(server) as client:
        client.send(CHUNKED + framing)
        assert b"200" not in (await client.rest())[:15]


async def test_usual_chunks_are_taken() -> None:
    async with served() as (_, server), connected(server) as client:
        client.send(CHUNKED + b"40;a=b\r\n" + b"x" * 64 + b"\r\n")
        for _ in range(2000):
            client.send(b"40\r\n" + b"x" * 64 + b"\r\n")
        client.send(b"0\r\n\r\n")
        status, told = await client.answer()
    assert (status, json.loads(told)[1]) == (200, 64 * 2001)


async def test_trailers_are_no_headers() -> None:
    async with served() as (_, server), connected(server) as client:
        client.send(CHUNKED + b"1\r\nx\r\n0\r\nAuthorization: nobody\r\n\r\n")
        status, told = await client.answer()
        client.send(GET + b"\r\n")
        assert (status, json.loads(told)[0]) == (200, ["host", "transfer-encoding"])
        assert json.loads((await client.answer())[1])[0] == ["host"]


async def test_some_requests_may_be_sent_ahead_but_not_many() -> None:
    before = cut("pipelined")
    async with served() as (application, server):
        async with connected(server) as client:
            client.send((GET + b"\r\n") * 5)
            assert [(await client.answer())[0] for _ in range(5)] == [200] * 5
        async with connected(server) as client:
            client.send((GET + b"\r\n") * 5000)
            await client.rest()
    assert cut("pipelined") == before + 1
    assert len(application.ends) < 20


async def test_one_address_has_so_many_connections() -> None:
    async with (
        served(max_connections_per_address=2) as (_, server),
        connected(server) as first,
        connected(server) as second,
    ):
        for each in (first, second):
            each.send(GET + b"\r\n")
            assert (await each.answer())[0] == 200
        async with connected(server) as third:
            assert (await third.rest()).startswith(b"HTTP/1.1 429 ")
        first.send(GET + b"Connection: close\r\n\r\n")
        await first.rest()
        async with connected(server) as fourth:
            fourth.send(GET + b"\r\n")
            assert (await fourth.answer())[0] == 200


async def test_a_new_connection_takes_the_place_of_one_that_waits() -> None:
    async with (
        served(max_connections=2) as (_, server),
        connected(server) as silent,
        connected(server) as other,
        connected(server) as fresh,
    ):
        fresh.send(GET + b"\r\n")
        assert (await fresh.answer())[0] == 200
        assert await silent.rest() == b""
        other.send(GET + b"\r\n")
        assert (await other.answer())[0] == 200


async def test_who_is_being_answered_keeps_the_place() -> None:
    async with served(max_connections=1) as (application, server), connected(server) as working:
        working.send(b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
        async with asyncio.timeout(20):
            while not application.ends:
                await asyncio.sleep(0.01)
        async with connected(server) as other:
            assert (await other.rest()).startswith(b"HTTP/1.1 503 ")
        application.let_go.set()
        assert (await working.answer())[0] == 200


@pytest.mark.parametrize(
    "smuggled",
    [
        POST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        POST + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        POST + b"Content-Length: +5\r\n\r\nhello",
        POST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        POST + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        POST + b"Transfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n",
        b"GET /echo HTTP/1.1\nHost: x\n\n",
        GET + b"a\r\n b: c\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ],
)
async def test_what_could_be_read_in_two_ways_is_refused(smuggled: bytes) -> None:
    async with served() as (_, server), connected(server) as client:
        client.send(smuggled + GET + b"\r\n")
        assert b"HTTP/1.1 200" not in await client.rest()


async def test_another_protocol_is_not_spoken() -> None:
    upgrade = b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n"
    async with served() as (_, server), connected(server) as client:
        client.send(GET + upgrade + GET + b"\r\n")
        assert (await client.answer())[0] == 200
        assert await client.rest() == b""


async def test_a_client_that_asks_whether_to_continue_is_told() -> None:
    async with served() as (_, server), connected(server) as client:
        client.send(POST + b"Content-Length: 5\r\nExpect: 100-continue\r\n\r\n")
        assert (await client.reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 100 ")
        client.send(b"hello")
        status, told = await client.answer()
    assert (status, json.loads(told)[1]) == (200, 5)


async def test_nothing_is_written_into_an_answer_that_is_under_way() -> None:
    async with served() as (_, server), connected(server) as client:
        client.send(b"GET /half HTTP/1.1\r\nHost: x\r\n\r\n")
        head = await client.reader.readuntil(b"\r\n\r\n")
        client.send(b"\x00" * 100)
        assert head.startswith(b"HTTP/1.1 200 ")
        assert await client.rest() in (b"[", b"")
