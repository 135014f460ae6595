"""A map goes from one visitor to another: by a short link, and layer by layer by their ids."""

import asyncio
from typing import Any

import pytest
from contracts import keys

from .running import Conversation, System, problem_of

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def loaded(talk: Conversation) -> list[dict[str, Any]]:
    """The payloads of the layers that a sentence loads."""
    (step,) = (await talk.say("Lade den Gewässerschutzlayer"))["steps"]
    found = [each["payload"] for each in step["mapActions"] if each["type"] == "addLayer"]
    assert len(found) > 1
    return found


async def test_a_layer_by_its_id_is_the_one_that_was_loaded(system: System, talk: Conversation) -> None:
    for payload in await loaded(talk):
        layer = (await system.http.get(f"/api/layers/{payload['id']}")).json()
        source = layer["source"]
        assert (layer["id"], layer["label"], source["type"]) == (
            payload["id"],
            payload["label"],
            payload["type"],
        )
        assert {"url": source["url"], **source["parameters"]} == payload["source"]
        assert layer.get("legendUrl") == payload.get("legendUrl")


async def test_an_id_that_no_layer_has_is_not_guessed_at(system: System) -> None:
    for layer_id in ("ch.so.gibt.es.nicht", "Gewässerschutz", "%20", "a" * 257):
        answered = await system.http.get(f"/api/layers/{layer_id}")
        assert (answered.status_code, problem_of(answered)["code"]) == (404, "layer_not_found"), layer_id


async def test_the_layers_of_an_address_come_together(system: System, talk: Conversation) -> None:
    paths = [f"/api/layers/{payload['id']}" for payload in await loaded(talk)]
    answers = await asyncio.gather(*map(system.http.get, paths))
    assert [each.status_code for each in answers] == [200] * len(paths)


async def test_what_is_shared_is_there_for_others_and_for_a_month(system: System, talk: Conversation) -> None:
    layers = [payload | {"opacity": 0.5} for payload in await loaded(talk)]
    shared = {"view": {"center": [2607500, 1228500], "resolution": 2.5}, "layers": layers}
    made = await system.http.post("/api/shares", json=shared)
    assert made.status_code == 201, made.text
    read = (await system.http.get(made.headers["location"])).json()
    assert (read["view"], read["layers"], read["background"]) == (shared["view"], layers, "sw")
    left_s = await system.redis.ttl(keys.share(made.json()["id"]))
    assert 29 * 86_400 < left_s <= 30 * 86_400
    # It is not part of the conversation, and stays when that is deleted.
    await system.http.request("DELETE", "/api/chat", json={"sessionId": talk.session_id})
    assert (await system.http.get(made.headers["location"])).json() == read
