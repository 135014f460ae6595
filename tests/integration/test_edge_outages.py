"""NATS or Redis away, broken, full: what a client of the edge sees, and how quickly."""

import asyncio
from time import monotonic

import nats
from contracts import subjects
from contracts.messages import ChatRequested
from nats.js import api

from .conftest import ServerProcess
from .edge_harness import Orchestrator, problem, response_to, running, staged


async def only_reply(orchestrator: Orchestrator, request: ChatRequested) -> None:
    """Without Redis."""
    await orchestrator.reply(request, response=response_to(request))


async def test_without_nats_a_turn_is_refused_quickly_and_not_sent_later(
    nats_url: str, redis_url: str, nats_server: ServerProcess
) -> None:
    async with staged(nats_url, redis_url, publish_timeout_s=0.5) as (edge, orchestrator):
        nats_server.kill()
        started = monotonic()
        refused = await edge.say("zu früh")
        took_s = monotonic() - started
        alive, ready = await edge.http.get("/healthz"), await edge.http.get("/readyz")
        nats_server.start()
        async with asyncio.timeout(10):
            while (await edge.say("jetzt")).status_code != 200:
                await asyncio.sleep(0.1)
        ready_again = await edge.http.get("/readyz")

    assert (refused.status_code, problem(refused)["code"]) == (503, "bus_unavailable")
    assert int(refused.headers["retry-after"]) >= 1
    assert took_s < 2
    assert alive.status_code == 200
    assert ready.status_code == 503
    assert {"nats", "streams"} <= ready.json()["failures"].keys()
    assert ready_again.status_code == 200
    assert "zu früh" not in {request.user_message for request in orchestrator.requests}


async def test_a_short_restart_of_nats_is_waited_for(
    nats_url: str, redis_url: str, nats_server: ServerProcess
) -> None:
    async with staged(nats_url, redis_url) as (edge, _):
        nats_server.kill()
        waiting = asyncio.create_task(edge.say("hallo"))
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

    async with staged(nats_url, redis_url, look_period_s=600) as (edge, orchestrator):
        orchestrator.behaviour = behaviour
        started = monotonic()
        answered = await edge.say("hallo")
        took_s = monotonic() - started
    assert answered.status_code == 200
    assert took_s < 5


async def test_replies_come_again_after_a_restart_of_nats(
    nats_url: str, redis_url: str, nats_server: ServerProcess
) -> None:
    async with staged(nats_url, redis_url, look_period_s=600) as (edge, orchestrator):
        nats_server.kill()
        nats_server.start()
        orchestrator.behaviour = only_reply
        answered = await edge.say("hallo")
    assert answered.status_code == 200


async def test_without_the_stream_a_turn_is_refused(nats_url: str, redis_url: str) -> None:
    async with running(nats_url, redis_url) as edge:
        async with await nats.connect(nats_url) as connection:
            await connection.jetstream().delete_stream(subjects.COMMANDS.name)
        started = monotonic()
        refused = await edge.say("hallo")
        took_s = monotonic() - started
        ready = await edge.http.get("/readyz")
    assert (refused.status_code, problem(refused)["code"]) == (503, "bus_unavailable")
    assert took_s < 5
    assert ready.status_code == 503
    assert ready.json()["failures"]["streams"] == "not declared"


async def test_a_full_queue_is_back_pressure(nats_url: str, redis_url: str) -> None:
    async with running(nats_url, redis_url, wait_timeout_s=0.2) as edge:
        async with await nats.connect(nats_url) as connection:
            js = connection.jetstream()
            config = (await js.stream_info(subjects.COMMANDS.name)).config
            assert config.discard == api.DiscardPolicy.NEW
            await js.update_stream(config.evolve(max_msgs=1))
        stored = await edge.say("eins")
        refused = await edge.say("zwei")
    assert stored.status_code == 504
    assert (refused.status_code, problem(refused)["code"]) == (429, "queue_full")
    assert int(refused.headers["retry-after"]) >= 1


async def test_without_redis_turns_still_run_and_the_rest_says_so_quickly(
    nats_url: str, redis_url: str, redis_server: ServerProcess
) -> None:
    async with staged(nats_url, redis_url, look_period_s=0.1, redis_timeout_s=0.3) as (edge, orchestrator):
        orchestrator.behaviour = only_reply
        assert (await edge.http.get("/readyz")).status_code == 200
        redis_server.kill()
        started = monotonic()
        answered = await edge.say("hallo")
        with_key = await edge.say("hallo", headers={"Idempotency-Key": "k"})
        asked = await edge.http.get(f"/api/chat/{answered.json()['requestId']}")
        deleted = await edge.http.request("DELETE", "/api/chat", json={"sessionId": "s-1"})
        ready, alive = await edge.http.get("/readyz"), await edge.http.get("/healthz")
        took_s = monotonic() - started
        redis_server.start()
        afterwards = await edge.say("hallo", headers={"Idempotency-Key": "k"})
        ready_again = await edge.http.get("/readyz")

    assert answered.status_code == 200
    for refused in (with_key, asked, deleted):
        assert (refused.status_code, problem(refused)["code"]) == (503, "state_unavailable")
    assert (ready.status_code, ready.json()["failures"].keys()) == (503, {"redis"})
    assert alive.status_code == 200
    assert took_s < 5
    assert (afterwards.status_code, ready_again.status_code) == (200, 200)


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
