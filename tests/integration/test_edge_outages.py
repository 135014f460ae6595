"""NATS or Redis away, silent, broken, full: what a client of the edge sees, and how quickly."""

import asyncio
import signal
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import httpx
import nats
import pytest
from contracts import subjects
from contracts.messages import ChatRequested
from nats.js import api
from servicekit import bus, rediswatch, turnlog
from servicekit.rediswatch import ANSWER_S, LOOK_PERIOD_S, RedisWatch
from tests.chaos import disks
from tests.chaos.disks import Disk

from edge import examples, stores

from .conftest import ServerProcess
from .edge_harness import Orchestrator, RunningEdge, problem, response_to, running, staged

SEEN_S = 20.0
"""On a slow machine. That it is known within the 5 s that are promised follows from constants."""
PATIENCE_S = 60.0
"""Of every setting that could keep a request waiting: who has to wait for one of them is noticed."""


async def only_reply(orchestrator: Orchestrator, request: ChatRequested) -> None:
    """Without Redis."""
    await orchestrator.reply(request, response=response_to(request))


async def failures(edge: RunningEdge, *expected: str) -> dict[str, str]:
    """What `/readyz` says, as soon as it is that these checks fail."""
    async with asyncio.timeout(SEEN_S):
        while True:
            # It always answers.
            answered = await edge.http.get("/readyz", timeout=10)
            found: dict[str, str] = answered.json()["failures"]
            assert (answered.status_code == 503) is bool(found)
            if found.keys() == {*expected}:
                return found
            await asyncio.sleep(0.05)


@dataclass(frozen=True)
class Loss:
    """A store that is lost: which one, how it is lost and comes back, what is said of it."""

    store: str
    lose: Callable[[ServerProcess], None]
    find: Callable[[ServerProcess], None]
    failures: dict[str, str]
    code: str

    def __str__(self) -> str:
        return f"{self.store}-{'silent' if self.lose is silence else 'killed'}"


def silence(server: ServerProcess) -> None:
    server.send_signal(signal.SIGSTOP)


def wake(server: ServerProcess) -> None:
    server.send_signal(signal.SIGCONT)


LOSSES = (
    Loss("redis", ServerProcess.kill, ServerProcess.start, {"redis": "no answer"}, "state_unavailable"),
    Loss("redis", silence, wake, {"redis": "no answer"}, "state_unavailable"),
    Loss(
        "nats",
        ServerProcess.kill,
        ServerProcess.start,
        {"nats": "connection lost", "streams": "no answer"},
        "bus_unavailable",
    ),
    Loss("nats", silence, wake, {"nats": "no answer", "streams": "no answer"}, "bus_unavailable"),
)


async def asked_for(edge: RunningEdge) -> list[httpx.Response]:
    """All that begins a turn."""
    message = {"sessionId": "s-1", "userMessage": "zu früh"}
    run: dict[str, Any] = {
        "threadId": "s-1",
        "runId": "r-1",
        "messages": [{"id": "m", "role": "user", "content": "zu früh"}],
        "state": {},
        "tools": [],
        "context": [],
        "forwardedProps": {},
    }
    return [
        await edge.say("zu früh"),
        await edge.say("zu früh", headers={"Idempotency-Key": "k"}),
        await edge.choose("req-0123456789abcdef.0.0"),
        await edge.http.post("/api/chat/stream", json=message),
        await edge.http.post("/api/ag-ui/map", json=run),
    ]


@pytest.mark.parametrize("loss", LOSSES, ids=str)
async def test_a_lost_store_is_told_and_turns_are_refused_at_once_until_it_is_back(
    nats_url: str,
    redis_url: str,
    nats_server: ServerProcess,
    redis_server: ServerProcess,
    loss: Loss,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Otherwise it depends on the machine whether its connection is still thought to be one.
    monkeypatch.setattr(bus, "PING_PERIOD_S", PATIENCE_S)
    server = redis_server if loss.store == "redis" else nats_server
    slow = {"publish_timeout_s": PATIENCE_S, "redis_timeout_s": PATIENCE_S}
    async with staged(nats_url, redis_url, **slow) as (edge, orchestrator):
        await failures(edge)
        loss.lose(server)
        try:
            told = await failures(edge, *loss.failures)
            started = monotonic()
            refused = await asked_for(edge)
            took_s = monotonic() - started
            alive, tools = await edge.http.get("/healthz"), await edge.http.get("/api/tools")
        finally:
            loss.find(server)
        await failures(edge)
        answered = await edge.say("jetzt")
    assert told == loss.failures
    for each in refused:
        assert (each.status_code, problem(each)["code"]) == (503, loss.code)
        assert int(each.headers["retry-after"]) >= 1
    assert took_s < PATIENCE_S / 2
    assert (alive.status_code, tools.status_code) == (200, 200)
    assert answered.status_code == 200
    assert "zu früh" not in {request.user_message for request in orchestrator.requests}


async def test_a_redis_that_was_restarted_between_two_looks_was_never_lost(
    redis_url: str, redis_server: ServerProcess
) -> None:
    watch = RedisWatch(rediswatch.client(redis_url), pytest.fail)
    await watch.look()
    redis_server.kill()
    redis_server.start()
    await watch.look()
    await watch.stop()
    assert watch.answers


async def test_who_was_held_up_himself_has_not_lost_redis(
    redis_url: str, redis_server: ServerProcess
) -> None:
    watch = RedisWatch(rediswatch.client(redis_url), pytest.fail)
    await watch.look()
    redis_server.send_signal(signal.SIGSTOP)
    looking = asyncio.create_task(watch.look())
    await asyncio.sleep(0.1)
    redis_server.send_signal(signal.SIGCONT)
    sleep(ANSWER_S)  # noqa: ASYNC251  # nothing of this process runs
    await looking
    await watch.stop()
    assert watch.answers


async def test_who_waits_for_nats_is_told_as_soon_as_it_is_known(
    nats_url: str, redis_url: str, nats_server: ServerProcess
) -> None:
    async with staged(nats_url, redis_url, publish_timeout_s=PATIENCE_S) as (edge, _):
        nats_server.kill()
        started = monotonic()
        refused = await edge.say("zu früh")
        took_s = monotonic() - started
        nats_server.start()
    assert (refused.status_code, problem(refused)["code"]) == (503, "bus_unavailable")
    assert took_s < PATIENCE_S / 2


async def test_without_redis_what_is_kept_there_is_refused_at_once_and_without_nats_it_is_not(
    nats_url: str,
    redis_url: str,
    nats_server: ServerProcess,
    redis_server: ServerProcess,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(turnlog, "_GET_TIMEOUT_S", PATIENCE_S)
    slow = {"redis_timeout_s": PATIENCE_S}
    async with staged(nats_url, redis_url, **slow) as (edge, _):
        answered = await edge.say("hallo")
        nats_server.kill()
        await failures(edge, "nats", "streams")
        without_nats = [
            await edge.http.post("/api/shares", json=examples.SHARED_MAP),
            await edge.http.get(f"/api/chat/{answered.json()['requestId']}"),
        ]
        started = monotonic()
        log = await edge.http.get(f"/api/chat/{answered.json()['requestId']}/stream", timeout=PATIENCE_S)
        log_took_s = monotonic() - started
        nats_server.start()
        await failures(edge)
        redis_server.send_signal(signal.SIGSTOP)
        try:
            await failures(edge, "redis")
            started = monotonic()
            without_redis = [
                await edge.http.post("/api/shares", json=examples.SHARED_MAP),
                await edge.http.get(f"/api/chat/{answered.json()['requestId']}"),
                await edge.http.request("DELETE", "/api/chat", json={"sessionId": "s-1"}),
            ]
            took_s = monotonic() - started
        finally:
            redis_server.send_signal(signal.SIGCONT)
    assert [each.status_code for each in without_nats] == [201, 200]
    assert (log.status_code, problem(log)["code"]) == (503, "bus_unavailable")
    assert log_took_s < PATIENCE_S / 2
    for each in without_redis:
        assert (each.status_code, problem(each)["code"]) == (503, "state_unavailable")
    assert took_s < PATIENCE_S / 2


async def test_a_short_restart_of_nats_is_waited_for(
    nats_url: str, redis_url: str, nats_server: ServerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Short is what ends before it is known; here nobody looks, however slow the machine is.
    monkeypatch.setattr(stores, "LOOK_PERIOD_S", PATIENCE_S)
    async with staged(nats_url, redis_url, publish_timeout_s=PATIENCE_S) as (edge, _):
        nats_server.kill()
        waiting = asyncio.create_task(edge.say("hallo", timeout=PATIENCE_S))
        await asyncio.sleep(0.3)
        nats_server.start()
        answered = await waiting
    assert answered.status_code == 200


async def test_a_reply_that_is_lost_in_a_restart_of_nats_is_looked_up_at_once(
    nats_url: str, redis_url: str, nats_server: ServerProcess
) -> None:
    async def behaviour(orchestrator: Orchestrator, request: ChatRequested) -> None:
        nats_server.kill()
        await orchestrator.finish(request, reply=False)
        nats_server.start()

    # Nobody looks at another time: an answer that is not looked up then comes never.
    slow = {"look_period_s": 600, "publish_timeout_s": PATIENCE_S}
    async with staged(nats_url, redis_url, **slow) as (edge, orchestrator):
        orchestrator.behaviour = behaviour
        answered = await edge.say("hallo", timeout=PATIENCE_S)
    assert answered.status_code == 200


async def test_replies_come_again_after_a_restart_of_nats(
    nats_url: str, redis_url: str, nats_server: ServerProcess
) -> None:
    async with staged(nats_url, redis_url, look_period_s=600) as (edge, orchestrator):
        nats_server.kill()
        nats_server.start()
        await failures(edge)
        orchestrator.behaviour = only_reply
        answered = await edge.say("hallo")
    assert answered.status_code == 200


async def test_without_the_stream_a_turn_is_refused(nats_url: str, redis_url: str) -> None:
    async with running(nats_url, redis_url) as edge:
        async with await nats.connect(nats_url) as connection:
            await connection.jetstream().delete_stream(subjects.COMMANDS.name)
        told = await failures(edge, "streams")
        refused = await edge.say("hallo")
    assert told == {"streams": "not declared"}
    assert (refused.status_code, problem(refused)["code"]) == (503, "bus_unavailable")


async def test_a_nats_without_jetstream_is_a_lost_bus(
    nats_url: str, redis_url: str, nats_server: ServerProcess
) -> None:
    async with running(nats_url, redis_url) as edge:
        await failures(edge)
        nats_server.kill()
        nats_server.start(without="-js")
        told = await failures(edge, "streams")
        refused = await edge.say("hallo")
    assert told == {"streams": "no answer"}
    assert (refused.status_code, problem(refused)["code"]) == (503, "bus_unavailable")


@pytest.fixture
async def nats_disk(tmp_path: Path) -> AsyncIterator[Disk]:
    """What a NATS that is made after it writes to."""
    if not disks.available():
        pytest.skip("needs root, loop devices and e2fsprogs")
    disk = Disk(tmp_path / "nats.img", tmp_path / "nats", megabytes=4_096)  # reserved: 1.6 GiB
    await disk.mount_new()
    yield disk
    await disk.unmount()


async def test_a_nats_that_cannot_write_is_told_until_it_can(
    nats_disk: Disk, nats_url: str, redis_url: str, nats_server: ServerProcess
) -> None:
    # What its disk does not take is known when nobody has acknowledged it.
    async with staged(nats_url, redis_url, publish_timeout_s=4) as (edge, orchestrator):
        await failures(edge)
        await nats_disk.fill()
        first = await edge.say("zu früh")
        told = await failures(edge, "streams")
        started = monotonic()
        refused = await asked_for(edge)
        took_s = monotonic() - started
        nats_disk.free()
        # A stream that could not write does not try again.
        await asyncio.sleep(2 * (LOOK_PERIOD_S + ANSWER_S))
        assert await failures(edge, "streams") == told
        nats_server.kill()
        nats_server.start()
        await failures(edge)
        answered = await edge.say("jetzt")
    assert told == {"streams": "takes nothing"}
    for each in (first, *refused):
        assert (each.status_code, problem(each)["code"]) == (503, "bus_unavailable")
    assert took_s < SEEN_S / 2
    assert answered.status_code == 200
    assert "zu früh" not in {request.user_message for request in orchestrator.requests}


async def test_a_full_queue_is_told_before_anybody_asks(nats_url: str, redis_url: str) -> None:
    async with running(nats_url, redis_url, wait_timeout_s=0.2) as edge:
        async with await nats.connect(nats_url) as connection:
            js = connection.jetstream()
            config = (await js.stream_info(subjects.COMMANDS.name)).config
            assert config.discard == api.DiscardPolicy.NEW
            stored = await edge.say("eins")
            await js.update_stream(config.evolve(max_msgs=1))
            told = await failures(edge, "stores")
            refused = await edge.say("zwei")
            await js.update_stream(config)
        await failures(edge)
        again = await edge.say("drei")
    assert told == {"stores": "commands is full"}
    assert (stored.status_code, again.status_code) == (504, 504)
    assert (refused.status_code, problem(refused)["code"]) == (503, "store_full")
    assert int(refused.headers["retry-after"]) >= 1


async def test_a_turn_that_outlives_an_outage_of_redis_is_still_found(
    nats_url: str, redis_url: str, redis_server: ServerProcess
) -> None:
    async def behaviour(orchestrator: Orchestrator, request: ChatRequested) -> None:
        await orchestrator.redis.ping()
        redis_server.kill()
        await asyncio.sleep(0.5)
        redis_server.start()
        await orchestrator.finish(request, reply=False)

    async with staged(nats_url, redis_url, look_period_s=0.1) as (edge, orchestrator):
        orchestrator.behaviour = behaviour
        answered = await edge.say("hallo")
    assert answered.status_code == 200
