"""The Python client on a real edge: what it promises when connections and edges die."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from ask_sogis import AsyncClient, Client, Delta, Event, Finished, Progress, Refused, TurnProgress
from contracts import subjects
from contracts.messages import ChatCancelled, ChatRequested
from contracts.turns import TurnEventKind
from edge_process import edge_process, free_port

from .edge_harness import Orchestrator, RunningEdge, answer, ignore, orchestrating, staged
from .identity_harness import SECRET
from .turn_author import Author, write

K = TurnEventKind
_BLOCK = 512


async def slowly(orchestrator: Orchestrator, request: ChatRequested) -> None:
    asyncio.get_running_loop().create_task(Author(orchestrator, request).write(20, 0.02))


async def told(client: AsyncClient, message: str = "Frage") -> list[Event]:
    return [event async for event in client.stream(message)]


def whole(events: list[Event]) -> None:
    """A turn of twenty words, each once."""
    text = "".join(event.text for event in events if isinstance(event, Delta))
    assert text == "".join(f"Wort {n} " for n in range(20))
    positions = [int(event.id) for event in events]
    assert positions == sorted(set(positions))
    kinds = [event.kind for event in events if not isinstance(event, Delta)]
    assert kinds == [K.STARTED, K.PLAN_READY, K.STEP_FINISHED, K.FINISHED]
    assert isinstance(events[-1], Finished)


@asynccontextmanager
async def cutting(port: int, *after: int) -> AsyncIterator[tuple[str, list[int]]]:
    """An address that hangs up on its first connections, each after so many bytes to the client."""
    left, connections = list(after), []

    async def carry(
        source: asyncio.StreamReader, sink: asyncio.StreamWriter, at_most: float = float("inf")
    ) -> None:
        with suppress(ConnectionError):
            while at_most > 0 and (piece := await source.read(int(min(_BLOCK, at_most)))):
                at_most -= len(piece)
                sink.write(piece)
                await sink.drain()
        sink.transport.abort()

    async def connect(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        connections.append(port)
        behind, onto = await asyncio.open_connection("127.0.0.1", port)
        limit = left.pop(0) if left else float("inf")
        await asyncio.gather(carry(source, onto), carry(behind, sink, limit))

    server = await asyncio.start_server(connect, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", connections
    finally:
        server.close()


@asynccontextmanager
async def stage(
    nats_url: str, redis_url: str, *, session_id: str | None = None, **settings: Any
) -> AsyncIterator[tuple[AsyncClient, Orchestrator, RunningEdge]]:
    """A client, and those that it talks to."""
    async with (
        staged(nats_url, redis_url, **settings) as (edge, orchestrator),
        AsyncClient(str(edge.http.base_url), session_id=session_id) as client,
    ):
        yield client, orchestrator, edge


async def test_questions_are_asked_of_a_conversation(nats_url: str, redis_url: str) -> None:
    async with stage(nats_url, redis_url) as (client, orchestrator, _):
        first = await client.chat("hallo", language="fr")
        chosen = await client.choose(f"{first.request_id}.0.0")
        other = await client.chat("hallo", session_id="other")
        assert await client.turn(first.request_id) == chosen
        assert (await client.tools()).tools == ()
        await client.delete_session()
        with pytest.raises(Refused) as refused:
            await client.turn(first.request_id)
        assert await client.turn(other.request_id) == other
    assert first.steps[0].message == "Verstanden: hallo"
    assert chosen.request_id == first.request_id
    assert (refused.value.status, refused.value.code) == (404, "turn_not_found")
    heard = orchestrator.requests
    assert heard[0].session_id == heard[1].session_id != heard[2].session_id
    assert heard[0].language == "fr"


async def test_the_client_that_blocks_does_the_same(nats_url: str, redis_url: str) -> None:
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        orchestrator.behaviour = write

        def ask() -> list[Event]:
            with Client(str(edge.http.base_url)) as client:
                assert client.chat("hallo").steps[0].message == "Verstanden: hallo"
                return list(client.stream("Frage"))

        events = await asyncio.to_thread(ask)
    assert isinstance(events[0], Progress) and isinstance(events[-1], Finished)


async def test_a_visitor_goes_on_with_one_conversation(nats_url: str, redis_url: str) -> None:
    async with (
        staged(nats_url, redis_url, auth="anonymous", edge_secret=SECRET) as (edge, orchestrator),
        AsyncClient(str(edge.http.base_url)) as client,
        AsyncClient(str(edge.http.base_url), session_id=client.session_id) as stranger,
    ):
        answers = await asyncio.gather(*(client.chat(f"hallo {n}") for n in range(3)))
        assert [await client.turn(each.request_id) for each in answers] == answers
        with pytest.raises(Refused):
            await stranger.turn(answers[0].request_id)
    assert len({request.session_id for request in orchestrator.requests}) == 1


@pytest.mark.parametrize("cuts", [(0,), (900,), (600, 300, 1_500), (1_500,)])
async def test_a_stream_goes_on_whatever_the_network_does(
    nats_url: str, redis_url: str, cuts: tuple[int, ...]
) -> None:
    async with (
        staged(nats_url, redis_url) as (edge, orchestrator),
        cutting(edge.port, *cuts) as (url, used),
        AsyncClient(url, token="any") as client,
    ):
        orchestrator.behaviour = slowly
        events = await told(client)
    whole(events)
    assert len(used) == len(cuts) + 1
    assert len({request.request_id for request in orchestrator.requests}) == 1


async def test_an_answer_that_was_lost_on_the_way_is_the_same_one(nats_url: str, redis_url: str) -> None:
    async with (
        staged(nats_url, redis_url) as (edge, orchestrator),
        cutting(edge.port, 40, 200) as (url, used),
        AsyncClient(url, token="any") as client,
    ):
        response = await client.chat("hallo")
    assert response.steps[0].message == "Verstanden: hallo"
    assert len(used) == 3
    assert {request.request_id for request in orchestrator.requests} == {response.request_id}


async def test_a_stream_goes_on_when_its_edge_stops_and_another_one_starts(
    nats_url: str, redis_url: str, tmp_path: Path
) -> None:
    port = free_port()
    async with (
        orchestrating(nats_url, redis_url) as orchestrator,
        AsyncClient(f"http://127.0.0.1:{port}") as client,
    ):
        orchestrator.behaviour = ignore
        async with edge_process(
            nats_url, redis_url, tmp_path / "1", port=port, DRAIN_TIMEOUT_S="0.1"
        ) as edge:
            reading = asyncio.create_task(told(client))
            await orchestrator.heard(1)
            author = Author(orchestrator, orchestrator.requests[0])
            await author.begin()
            assert await edge.end() == 0
        async with edge_process(nats_url, redis_url, tmp_path / "2", port=port):
            for n in range(20):
                await author.say(f"Wort {n} ")
            await author.end()
            whole(await reading)


async def test_an_answer_is_there_although_its_edge_was_killed(
    nats_url: str, redis_url: str, tmp_path: Path
) -> None:
    port = free_port()
    async with (
        orchestrating(nats_url, redis_url) as orchestrator,
        AsyncClient(f"http://127.0.0.1:{port}") as client,
    ):
        orchestrator.behaviour = ignore
        async with edge_process(nats_url, redis_url, tmp_path / "1", port=port) as edge:
            waiting = asyncio.create_task(client.chat("hallo"))
            await orchestrator.heard(1)
            await edge.kill()
        orchestrator.behaviour = answer
        async with edge_process(nats_url, redis_url, tmp_path / "2", port=port):
            response = await waiting
    assert len(orchestrator.requests) == 2
    assert {request.request_id for request in orchestrator.requests} == {response.request_id}


async def test_an_answer_comes_later_where_the_edge_stops_waiting(nats_url: str, redis_url: str) -> None:
    async with stage(nats_url, redis_url, wait_timeout_s=0.1) as (client, orchestrator, _):

        async def runs(orchestrator: Orchestrator, request: ChatRequested) -> None:
            await Author(orchestrator, request).begin()

        orchestrator.behaviour = runs
        waiting = asyncio.create_task(client.chat("hallo"))
        await orchestrator.heard(1)
        request = orchestrator.requests[0]
        async with asyncio.timeout(30):
            begun = False
            while not begun:
                await asyncio.sleep(0.02)
                # It is heard of before it is kept.
                with suppress(Refused):
                    begun = isinstance(await client.turn(request.request_id), TurnProgress)
        # Its question is answered with a problem long before.
        await asyncio.sleep(0.5)
        response = await orchestrator.finish(request)
        assert await waiting == response
    assert len(orchestrator.requests) == 1


async def test_a_turn_can_be_cancelled_by_the_id_in_its_events(nats_url: str, redis_url: str) -> None:
    async with stage(nats_url, redis_url) as (client, orchestrator, _):

        async def begins(orchestrator: Orchestrator, request: ChatRequested) -> None:
            await Author(orchestrator, request).begin()

        orchestrator.behaviour = begins
        cancels = await orchestrator.connection.jetstream().pull_subscribe(
            subjects.CHAT_CANCELLED, durable="cancels", stream=subjects.COMMANDS.name
        )
        async for event in client.stream("Frage"):
            if event.kind == K.PLAN_READY:
                await client.cancel(event.request_id)
                (message,) = await cancels.fetch(1, timeout=30)
                await Author(orchestrator, orchestrator.requests[0], first=2).finish()
    assert ChatCancelled.from_json(message.data).request_id == event.request_id
    assert isinstance(event, Finished)
