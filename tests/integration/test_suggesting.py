"""Names that the end of a message may become, over a real NATS: from who knows them to who writes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import nats
import pytest
from contracts.suggest import SuggestRequested
from servicekit.bus import Bus
from servicekit.settings import ServiceSettings

from edge import handlers as edge_handlers
from tools_geo import handlers
from tools_geo.embedded import datafiles
from tools_geo.suggesting import Suggesting

from .edge_harness import running

WRITTEN = {"q": "Gehe zur Langendorfstr"}


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who knows names is waited for, however slow the machine is."""
    monkeypatch.setattr(edge_handlers, "_SUGGEST_WAIT_S", 30.0)


@asynccontextmanager
async def knowing(nats_url: str) -> AsyncIterator[Bus]:
    """A process that knows names, without its tools."""
    bus = Bus("tools-geo", ServiceSettings(nats_url=nats_url))
    handlers.suggest(bus, Suggesting(datafiles.read()))
    await bus.connect()
    await bus.prepare()
    try:
        yield bus
    finally:
        await bus.broker.stop()


@pytest.mark.usefixtures("patient")
async def test_whoever_knows_names_answers_who_writes(nats_url: str, redis_url: str) -> None:
    async with running(nats_url, redis_url) as edge, knowing(nats_url), knowing(nats_url):
        told = await edge.http.get("/api/suggest", params=WRITTEN, headers={"Accept-Language": "fr"})
        assert told.status_code == 200, told.text
        labels = [item["label"] for item in told.json()["items"]]
        assert labels == ["Langendorfstrasse, 4500 Solothurn", "Langendorfstrasse 19b, 4500 Solothurn"]
        assert WRITTEN["q"][told.json()["from"] :] == "Langendorfstr"
        parcel = await edge.http.get(
            "/api/suggest", params={"q": "198 Mess"}, headers={"Accept-Language": "fr"}
        )
        assert parcel.json()["items"][0]["label"] == "la parcelle 198 à Messen"


@pytest.mark.usefixtures("patient")
async def test_several_processes_share_the_work_and_nothing_is_stored(nats_url: str, redis_url: str) -> None:
    answers: list[str] = []
    client = await nats.connect(nats_url)
    try:

        async def heard(message: object) -> None:
            answers.append(repr(message))

        await client.subscribe("edge.suggested.*", cb=heard)
        await client.flush()
        before = (await client.jetstream().account_info()).storage
        async with running(nats_url, redis_url) as edge, knowing(nats_url), knowing(nats_url):
            for _ in range(5):
                assert (await edge.http.get("/api/suggest", params=WRITTEN)).json()["items"]
        await client.flush()
        assert len(answers) == 5
        assert (await client.jetstream().account_info()).storage == before
    finally:
        await client.close()


async def test_with_nobody_there_nothing_is_suggested(nats_url: str, redis_url: str) -> None:
    async with running(nats_url, redis_url) as edge:
        told = await edge.http.get("/api/suggest", params=WRITTEN)
        assert (told.status_code, told.json()) == (200, {"items": [], "from": len(WRITTEN["q"])})


@pytest.mark.usefixtures("patient")
async def test_what_is_no_request_is_passed_over(nats_url: str, redis_url: str) -> None:
    hostile = SuggestRequested(q="ab", limit=1, exchange="e", edge_id="e").to_json()
    client = await nats.connect(nats_url)
    try:
        async with running(nats_url, redis_url) as edge, knowing(nats_url):
            for body in (
                b"",
                b"{",
                hostile.replace(b'"ab"', b'"a"'),
                hostile.replace(b'"edgeId":"e"', b'"edgeId":">"'),
            ):
                await client.publish("suggest.requested", body)
            await client.flush()
            assert (await edge.http.get("/api/suggest", params=WRITTEN)).json()["items"]
    finally:
        await client.close()
