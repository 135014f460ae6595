"""Connections that ask for more than an answer, opened to a running system."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import httpx
import pytest
import pytest_asyncio
from hostile_client import Hostile, counted, watched
from tests.e2e.running import System, running

from .conftest import Told

pytestmark = pytest.mark.asyncio(loop_scope="module")

GET = b"GET /api/tools HTTP/1.1\r\nHost: 127.0.0.1\r\n"
POST = b"POST /api/chat HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
PLACES, PLACES_OF_ONE = 120, 40
MB = 1_000_000


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def system(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[System]:
    limits = {
        "MAX_CONNECTIONS": str(PLACES),
        "MAX_CONNECTIONS_PER_ADDRESS": str(PLACES_OF_ONE),
        "HEAD_TIMEOUT_S": "2",
        "BODY_TIMEOUT_S": "2",
        "SEND_TIMEOUT_S": "2",
    }
    async with running(tmp_path_factory.mktemp("system"), **limits) as started:
        yield started


def edge_of(system: System) -> int:
    pid = system.stack.processes["edge"].pid
    assert pid is not None
    return pid


async def flooded(client: Hostile, begun: bytes, unit: bytes, size: int) -> str:
    """Send until the server has enough; what it says then."""
    taken = await client.send(begun)
    while taken and client.sent_bytes < size:
        taken = await client.send(unit)
    return await client.end()


@pytest.mark.parametrize(
    ("what", "begun", "unit", "size"),
    [
        ("2,000,000 headers", GET, b"a: b\r\n" * 2_000, 12_000_000),
        ("a header of 50 MB", GET + b"a: ", b"x" * 50_000, 50_000_000),
        ("an address of 50 MB", b"GET /", b"x" * 50_000, 50_000_000),
        ("an extension of a chunk, 50 MB", CHUNKED + b"1;", b"x" * 50_000, 50_000_000),
        ("a million chunks of one byte", CHUNKED, b"1\r\nx\r\n" * 2_000, 6_000_000),
        ("a million trailers", CHUNKED + b"0\r\n", b"a: b\r\n" * 2_000, 6_000_000),
        ("a million requests at once", b"", (GET + b"\r\n") * 500, 50_000_000),
        ("a body of 50 MB", CHUNKED, b"c350\r\n" + b" " * 50_000 + b"\r\n", 50_000_000),
        ("a body of 50 MB for a GET", GET + b"Content-Length: 50000000\r\n\r\n", b" " * 50_000, 49_000_000),
    ],
)
async def test_what_has_no_end_is_cut_off(
    system: System, attack: Told, what: str, begun: bytes, unit: bytes, size: int
) -> None:
    async with watched(edge_of(system)) as memory:
        client = await Hostile.connect(system.stack.port)
        said = await flooded(client, begun, unit, size)
        client.close()
    attack(what, f"{said} after {client.sent_bytes / 1000:,.0f} KB, {memory}")
    assert memory.grown_bytes < 30 * MB
    assert client.sent_bytes < size or "GET" in what


@pytest.mark.parametrize(
    ("what", "begun", "drop"),
    [
        ("never a byte", b"", b""),
        ("headers that drip", GET, b"a: b\r\n"),
        ("a body that drips", POST + b"Content-Length: 9999\r\n\r\n", b" "),
        ("a body in chunks that drips", CHUNKED, b"1\r\n \r\n"),
        ("a further request that drips", GET + b"\r\n" + GET, b"a: b\r\n"),
        ("silence after an answer", GET + b"\r\n", b""),
    ],
)
async def test_who_is_slow_is_not_waited_for(
    system: System, attack: Told, scale: int, what: str, begun: bytes, drop: bytes
) -> None:
    async def dripping(n: int) -> str:
        client = await Hostile.connect(system.stack.port, f"127.0.1.{n % 3 + 1}")
        ended = asyncio.ensure_future(client.end())
        await client.send(begun)
        while not ended.done():
            await client.send(drop)
            await asyncio.sleep(0.2)
        client.close()
        return await ended

    outcomes = await counted([dripping(n) for n in range(PLACES_OF_ONE)])
    attack(f"{PLACES_OF_ONE} connections: {what}", f"closed: {outcomes}")
    await system.conversation().say("Zoome auf Solothurn")


async def comes_in(system: System) -> None:
    """Within three tries: of connections that were not read yet, the edge cannot know the honest one."""
    for _ in range(3):
        with contextlib.suppress(httpx.TransportError):
            await system.conversation().say("Zoome auf Solothurn")
            return
    raise AssertionError("who is honest does not come in")


async def test_who_opens_connections_closes_only_their_own(system: System, attack: Told, scale: int) -> None:
    """More than there are places, from several addresses, all the time; an honest client comes in between."""
    ended = asyncio.Event()

    async def opening(host: str) -> int:
        opened: list[Hostile] = []
        while not ended.is_set():
            with contextlib.suppress(OSError):
                opened.append(await Hostile.connect(system.stack.port, host))
            if len(opened) > 2 * PLACES_OF_ONE:
                opened.pop(0).close()
            # As fast as many machines, and this one still has other things to do.
            await asyncio.sleep(0.005)
        for client in opened:
            client.close()
        return len(opened)

    hosts = [f"127.0.2.{n + 1}" for n in range(6)]
    flood = [asyncio.create_task(opening(host)) for host in hosts]
    try:
        await asyncio.sleep(1)
        for _ in range(5 * scale):
            await comes_in(system)
    finally:
        ended.set()
        opened = sum(await asyncio.gather(*flood))
    attack(f"six addresses hold {opened} connections, {PLACES} have a place", "all others are answered")
    assert opened > PLACES


async def test_one_address_has_its_places_and_no_more(system: System, attack: Told) -> None:
    async def opening() -> str:
        client = await Hostile.connect(system.stack.port, "127.0.3.1")
        said = await client.end()
        client.close()
        return said

    outcomes = await asyncio.gather(*(opening() for _ in range(3 * PLACES_OF_ONE)))
    attack(f"{len(outcomes)} connections from one address", f"{outcomes.count('429')} × 429, the others wait")
    # Some that are slow to come find the places of the first ones free again.
    assert outcomes.count("429") >= PLACES_OF_ONE


async def test_answers_that_nobody_reads_are_given_up(system: System, attack: Told) -> None:
    page = b"GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    async with watched(edge_of(system)) as memory:
        clients = [await Hostile.connect(system.stack.port, "127.0.4.1") for _ in range(PLACES_OF_ONE)]
        for client in clients:
            client.writer.transport.pause_reading()  # type: ignore[attr-defined]
            # One after the other: each answer waits for the one before.
            for _ in range(8):
                await client.send(page)
        await asyncio.sleep(6)
        async with asyncio.timeout(30):
            while True:
                fresh = await Hostile.connect(system.stack.port, "127.0.4.1")
                said = await fresh.post("/api/chat", b"{}")
                fresh.close()
                if said == "422":
                    break
                await asyncio.sleep(0.5)
        for client in clients:
            client.close()
    attack(f"{PLACES_OF_ONE} connections ask for 8 large answers and read none", f"closed, {memory}")
    assert memory.grown_bytes < 60 * MB
