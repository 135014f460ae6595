"""Bodies that cost more than they weigh, sent to a running system."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from hostile_bodies import ASKED, CHAT, PLACES, RUN, VIEW, keys, nested, repeated, texts
from hostile_client import Hostile, counted, head, watched
from tests.e2e.running import System, running

from .conftest import Told

pytestmark = pytest.mark.asyncio(loop_scope="module")

MAP, CHATS, MCP = "/api/ag-ui/map", "/api/chat", "/mcp"
STATE = (f'{ASKED},"state":', "}")
MAP_LAYERS = (f'{CHAT},{VIEW},"layers":[', "]}}")
CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":'
REFUSED = {"400", "413", "422", "429", "503", "cut off"}
MB = 1_000_000

ONE_BY_ONE = {
    "690,000 empty messages, 2 MB": (MAP, repeated("{}", (f'{RUN},"messages":[', "]}"), 2_070_000)),
    "174,000 empty messages, 512 KB": (MAP, repeated("{}", (f'{RUN},"messages":[', "]}"), 524_288)),
    "21,800 empty layers, 64 KB": (CHATS, repeated("{}", (f'{CHAT},"mapLayers":[', "]}"), 65_480)),
    "21,800 empty layers of a map": (CHATS, repeated("{}", MAP_LAYERS, 65_480)),
    "51 layers of a map": (CHATS, repeated('{"id":"a","label":"b"}', MAP_LAYERS, 65_480, 51)),
    "a map that is nowhere": (CHATS, f'{CHAT},"map":{{"center":[1e999,1]}}}}'.encode()),
    "a map with no scale": (CHATS, f'{CHAT},{VIEW[:-1]}NaN}}}}'.encode()),
    "a tower of 100 layers": (CHATS, nested(100, 65_000, MAP_LAYERS, ("[", "]"))),
    "16,000 empty results, 64 KB": (CHATS, repeated("{}", (f'{CHAT},"mapResults":[', "]}"), 65_480, 16_000)),
    "6,000 unknown keys": (CHATS, keys(65_000, (f"{CHAT},", "}"))),
    "1,000 wrong parts of a message": (MAP, repeated("{}", PLACES[5], 524_288, 990)),
    "1,000 wrong tool calls": (MAP, repeated("{}", PLACES[6], 524_288, 990)),
    "500,000 opening brackets": (MAP, b"[" * 500_000),
    "towers of 100 lists": (MAP, nested(100, 524_288, (f'{STATE[0]}[', "]}"), ("[", "]"))),
    "an integer of 500,000 digits": (MAP, f"{STATE[0]}{'1' * 500_000}}}".encode()),
    "1e999": (MAP, f"{STATE[0]}1e999}}".encode()),
    "NaN": (MAP, f"{STATE[0]}NaN}}".encode()),
    "no UTF-8": (MAP, b'{"threadId":"\xff\xfe"}'),
    "half a surrogate pair": (CHATS, b'{"sessionId":"\\ud800","userMessage":"x"}'),
    "MCP: 20,000 empty arguments": (MCP, repeated("{}", (f'{CALL}{{"message":[', "]}}}"), 65_000)),
    "MCP: 60,000 opening brackets": (MCP, (CALL + "[" * 60_000).encode()),
    "MCP: towers of 90 lists": (MCP, nested(90, 65_000, (f'{CALL}{{"message":[', "]}}}"), ("[", "]"))),
    "MCP: 200 KB": (MCP, (CALL + '{"message":"' + "x" * 200_000 + '"}}}').encode()),
}  # fmt: skip
"""All of them are refused."""

HEAVIEST = (
    (MAP, repeated("{}", (f'{STATE[0]}[', "]}"), 524_288, 32_000)),
    (MAP, repeated('{"a":{"a":{"a":{}}}}', (f'{STATE[0]}[', "]}"), 524_288, 6_000)),
    (MAP, nested(27, 524_288, (f'{STATE[0]}[', "]}"), ('{"a":', "}"))[:500_000].ljust(524_288)),
    (MAP, repeated('{"id":"1","role":"user","content":[{}]}', (f'{RUN},"messages":[', "]}"), 524_288, 1_000)),
    (MAP, repeated('{"id":"1","role":"assistant","toolCalls":[{}]}', PLACES[4], 524_288, 1_000)),
    (MAP, repeated("{}", PLACES[6], 524_288, 990)),
    (MAP, next(iter(texts(524_000)))),
    (CHATS, repeated("{}", (f'{CHAT},"mapLayers":[', "]}"), 65_480)),
    (CHATS, keys(600, (f"{CHAT},", "}")).ljust(65_480)),
    (MCP, repeated("{}", (f'{CALL}{{"message":[', "]}}}"), 65_000, 990)),
)  # fmt: skip
"""What costs most of what is not refused at once."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def system(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[System]:
    async with running(tmp_path_factory.mktemp("system")) as started:
        # Who comes first pays for the SDK, which is no attack.
        first = await Hostile.connect(started.stack.port)
        assert await first.post(MCP, b"{}") in REFUSED
        first.close()
        yield started


def edge_of(system: System) -> int:
    pid = system.stack.processes["edge"].pid
    assert pid is not None
    return pid


async def test_no_single_body_costs_more_than_30_mb(system: System, attack: Told) -> None:
    for what, (path, body) in ONE_BY_ONE.items():
        async with watched(edge_of(system)) as memory:
            client = await Hostile.connect(system.stack.port)
            status = await client.post(path, body)
            client.close()
        attack(what, f"{status}, {memory}")
        assert status in REFUSED, what
        assert memory.grown_bytes < 30 * MB, what
    await system.conversation().say("Zoome auf Solothurn")


async def test_ten_who_send_the_worst_keep_nobody_out(system: System, attack: Told, scale: int) -> None:
    ended = asyncio.Event()

    async def sending(n: int) -> int:
        sent = 0
        path, body = HEAVIEST[n % len(HEAVIEST)]
        while not ended.is_set():
            client = await Hostile.connect(system.stack.port)
            await client.post(path, body)
            client.close()
            sent += 1
        return sent

    async with watched(edge_of(system)) as memory:
        hostile = [asyncio.create_task(sending(n)) for n in range(10)]
        try:
            for _ in range(5 * scale):
                await system.conversation().say("Zoome auf Solothurn")
        finally:
            ended.set()
            sent = sum(await asyncio.gather(*hostile))
    attack(f"ten connections send the heaviest bodies, {sent} of them", f"all others are answered, {memory}")
    assert sent >= 10
    assert memory.grown_bytes < 100 * MB


async def test_bodies_that_are_never_complete_fill_no_memory(
    system: System, attack: Told, scale: int
) -> None:
    async def sending(n: int) -> Hostile:
        client = await Hostile.connect(system.stack.port, f"127.0.1.{n % 200 + 1}")
        if await client.send(head(MAP, 524_288) + b'{"state":"'):
            await client.send(b"x" * 500_000)
        return client

    async with watched(edge_of(system)) as memory:
        clients = await asyncio.gather(*(sending(n) for n in range(200 * scale)))
        try:
            await system.conversation().say("Zoome auf Solothurn")
            for client in clients:
                client.stop_sending()
            outcomes = await counted([client.end() for client in clients])
        finally:
            for client in clients:
                client.close()
    attack(
        f"{len(clients)} bodies of 500 KB that are never complete, {len(clients) // 2} MB",
        f"{outcomes}, {memory}",
    )
    assert memory.grown_bytes < 80 * MB
