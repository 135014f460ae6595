"""What docs/capacity.md says about dividing streams and Redis, on real servers."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import nats
import pages
import pytest
from contracts import keys, subjects
from contracts.chat import ChatRequest
from contracts.conversations import Conversation
from contracts.feedback import FeedbackRequest
from contracts.messages import ChatRequested
from contracts.shares import SharedMap
from contracts.turns import TurnState, TurnView
from nats.aio.client import Client
from nats.js import api
from redis.asyncio import Redis
from redis.exceptions import ResponseError

from ask.ports import Ports
from edge.conversations import Conversations
from edge.errors import StateUnavailable
from edge.feedback import FeedbackStore
from edge.ledger import Account, Ledger, SharedPlaces
from edge.shares import Shares
from edge.turns import Turns
from orchestrator.arrivals import ChatArrived, begun
from orchestrator.store import RedisTurnStore

from .conftest import ServerProcess, binary

PAGE = pages.ROOT / "docs" / "capacity.md"
PARTITIONS = 4
BENCH_TIMEOUT_S = 240
"""Four whole systems, on a machine of any speed."""


# -- streams ----------------------------------------------------------------------------------------


@pytest.fixture
def mapping_server(tmp_path: Path) -> Iterator[ServerProcess]:
    """The configuration that the page shows."""
    (shown,) = (each.text for each in pages.blocks(PAGE) if "partition(" in each.text)
    program, config = binary("nats-server"), tmp_path / "nats.conf"
    config.write_text(f'jetstream {{ store_dir: "{tmp_path / "store"}" }}\n{shown}')
    server = ServerProcess(
        lambda port: [program, "-a", "127.0.0.1", "-p", str(port), "-c", str(config)], tmp_path / "nats.log"
    )
    server.start()
    yield server
    server.kill()


async def stored(connection: Client) -> list[set[str]]:
    """The turns in each of the streams."""
    js = connection.jetstream()
    found = []
    for n in range(PARTITIONS):
        info = await js.stream_info(f"TURNS-{n}", subjects_filter=">")
        found.append({subject.rpartition(".")[2] for subject in info.state.subjects or {}})
    return found


async def test_a_turn_is_always_mapped_to_the_same_stream(mapping_server: ServerProcess) -> None:
    url = f"nats://bus:secret@127.0.0.1:{mapping_server.port}"
    turns = [f"req-{n:016x}" for n in range(200)]
    async with await nats.connect(url) as connection:
        js = connection.jetstream()
        for n in range(PARTITIONS):
            await js.add_stream(api.StreamConfig(name=f"TURNS-{n}", subjects=[f"turn.*.{n}.*"]))
        for turn in turns:
            await js.publish(subjects.turn_event(turn), b"1")
        before = await stored(connection)
    mapping_server.kill()
    mapping_server.start()
    async with await nats.connect(url) as connection:
        js = connection.jetstream()
        for turn in turns:
            await js.publish(subjects.turn_event(turn), b"2")
            await js.publish(subjects.turn_delta(turn), b"3")
        after = await stored(connection)
        messages = [(await js.stream_info(f"TURNS-{n}")).state.messages for n in range(PARTITIONS)]
    assert after == before
    assert set.union(*before) == set(turns)
    assert sum(map(len, before)) == len(turns)
    assert all(len(each) > len(turns) // PARTITIONS // 2 for each in before)
    assert messages == [3 * len(each) for each in before]


def test_commands_do_not_name_their_turn() -> None:
    """So no mapping can divide them by it."""
    named = {route.subject for route in subjects.ROUTES if route.stream == "COMMANDS"}
    assert named and not any("<requestId>" in subject for subject in named)
    others = {route.subject for route in subjects.ROUTES if route.stream in ("EVENTS", "TURNS")}
    assert others and all(subject.endswith(".<requestId>") for subject in others)


# -- Redis ------------------------------------------------------------------------------------------


@pytest.fixture
async def redis(redis_url: str) -> AsyncIterator[Redis]:
    client = Redis.from_url(redis_url)
    yield client
    await client.aclose()


@pytest.fixture
async def clustered(tmp_path: Path) -> AsyncIterator[Redis]:
    """One member that has all slots: it refuses what lies in several of them, and nothing else."""
    program = binary("redis-server", "valkey-server")
    folder = tmp_path / "clustered"
    folder.mkdir()
    bus_port = Ports().take()
    server = ServerProcess(
        lambda port: [
            *(program, "--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder), "--save", ""),
            *("--cluster-enabled", "yes", "--cluster-port", str(bus_port)),
            *("--cluster-require-full-coverage", "no"),
        ],
        tmp_path / "clustered.log",
    )
    server.start()
    client = Redis.from_url(f"redis://127.0.0.1:{server.port}/0")
    ask: Callable[..., Awaitable[Any]] = client.execute_command
    try:
        await ask("CLUSTER", "ADDSLOTSRANGE", 0, 16_383)
        async with asyncio.timeout(20):
            while "cluster_state:ok" not in str(await ask("CLUSTER", "INFO")):
                await asyncio.sleep(0.05)
        yield client
    finally:
        await client.aclose()
        server.kill()


REQUEST = ChatRequested(
    request_id="req-0123456789abcdef",
    session_id="local.0123",
    deadline=datetime.now(UTC) + timedelta(minutes=1),
    exchange="x",
    reply_to="edge.reply.e",
    user_message="Gehe zur Langendorfstrasse 19b",
)
ARRIVED = ChatArrived(REQUEST, timer="t", seed="s", at=datetime.now(UTC))
SESSION, TURN = REQUEST.session_id, REQUEST.request_id


@asynccontextmanager
async def store_on(redis: Redis) -> AsyncIterator[RedisTurnStore]:
    store = RedisTurnStore(redis, timeout_s=20)
    try:
        yield store
    finally:
        await store.close()


async def begin(redis: Redis) -> None:
    async with store_on(redis) as store:
        await store.begin(ARRIVED)


async def load(redis: Redis) -> None:
    async with store_on(redis) as store:
        await store.load(TURN)


async def save(redis: Redis) -> None:
    async with store_on(redis) as store:
        await store.save(begun(ARRIVED), ())


async def forbid(redis: Redis) -> None:
    async with store_on(redis) as store:
        await store.forbid(TURN)


async def delete_turns(redis: Redis) -> None:
    await redis.lpush(keys.turns(SESSION), TURN)
    async with store_on(redis) as store:
        await store.delete_turns(SESSION)


async def remember(redis: Redis) -> None:
    """It only warns when it could not; what is not there tells."""
    await Turns(redis, 20).remember(TURN, SESSION)
    if not await redis.exists(keys.accepted(TURN)):
        raise ResponseError("nothing remembered: several slots")


async def claim(redis: Redis) -> None:
    turns = Turns(redis, 20)
    try:
        await turns.claim(ChatRequest(session_id=SESSION, user_message="x"), "key", TURN)
    finally:
        await turns.aclose()


async def views(redis: Redis) -> None:
    await Turns(redis, 20).views([TURN, "req-other"])


async def forget(redis: Redis) -> None:
    await Turns(redis, 20).forget(SESSION)


async def enter(redis: Redis) -> None:
    """Its script does not say which keys it uses. Where another member has one of them, it only warns, and
    nobody is counted."""
    places = [SharedPlaces(who, keys.at_work(who, who)) for who in ("session", "owner")]
    with suppress(ResponseError):  # Not a cluster.
        ask: Callable[..., Awaitable[Any]] = redis.execute_command
        await ask("CLUSTER", "DELSLOTS", await ask("CLUSTER", "KEYSLOT", places[1].key))
    await Ledger(redis, 10).enter("permit", Account(places))
    if not await redis.exists(places[0].key):
        raise ResponseError("nothing counted: several slots")


async def judge(redis: Redis) -> None:
    view = TurnView(request_id=TURN, session_id=SESSION, state=TurnState.RUNNING)
    await redis.hset(keys.turn(TURN), "view", view.to_json().decode())
    given = FeedbackRequest(session_id=SESSION, request_id=TURN, verdict="up")
    await FeedbackStore(redis, Turns(redis, 20), timedelta(days=1)).put(given)


async def keep_share(redis: Redis) -> None:
    await Shares(redis, timedelta(days=1), 10_000).keep(SharedMap())


async def keep_conversation(redis: Redis) -> None:
    kept = Conversation(id="c", title="t", at=datetime.now(UTC), content="x")
    await Conversations(redis, timedelta(days=1), 10_000).keep(SESSION, kept)


OPERATIONS: dict[str, tuple[Callable[[Redis], Awaitable[None]], bool]] = {
    "RedisTurnStore.begin": (begin, True),
    "RedisTurnStore.load": (load, True),
    "RedisTurnStore.save": (save, True),
    "RedisTurnStore.forbid": (forbid, True),
    "RedisTurnStore.delete_turns": (delete_turns, True),
    "Turns.remember": (remember, True),
    "Turns.claim": (claim, True),
    "Turns.forget": (forget, True),
    "Turns.views": (views, False),
    "Ledger.enter": (enter, True),
    "FeedbackStore.put": (judge, True),
    "Shares.keep": (keep_share, True),
    "Conversations.keep": (keep_conversation, True),
}
"""What is asked of Redis with several keys at once, and whether a Redis Cluster refuses it."""


@pytest.mark.parametrize("name", OPERATIONS)
async def test_what_a_redis_cluster_refuses(name: str, redis: Redis, clustered: Redis) -> None:
    operation, is_refused = OPERATIONS[name]
    await operation(redis)
    if not is_refused:
        await operation(clustered)
        return
    with pytest.raises((ResponseError, StateUnavailable)) as told:
        await operation(clustered)
    assert "slot" in f"{told.value} {told.value.__cause__}".lower()


def test_the_page_names_what_a_redis_cluster_refuses() -> None:
    rows = pages.table(PAGE, "Redis Cluster", "several keys at once")
    written = {row["several keys at once"].strip("`"): row["refused"] == "yes" for row in rows}
    assert written == {name: refused for name, (_, refused) in OPERATIONS.items()}


# -- cells ------------------------------------------------------------------------------------------


def test_four_cells_share_the_sessions_and_one_of_them_is_killed() -> None:
    """The program checks its own run: nothing is lost, and nothing is where it does not belong."""
    program = pages.ROOT / "bench" / "partitions.py"
    done = subprocess.run(
        (sys.executable, str(program), "--messages", "150", "--rate", "10"),
        capture_output=True,
        text=True,
        timeout=BENCH_TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "150 messages" in done.stdout
