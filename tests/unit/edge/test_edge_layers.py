"""The endpoint for who knows a layer by its id."""

from typing import Any, cast

import httpx
import pytest
from contracts.items import Item, Layer, LayerGroup, LayerSource
from contracts.messages import Outcome
from contracts.plan import ToolCall
from contracts.status import Status
from servicekit.catalogue import ToolCatalogue

from edge.api_layers import CAPABILITY, layer_routes
from edge.askers import Asker, Askers
from edge.chat import Chat
from edge.sessions import Sessions
from edge.settings import EdgeSettings
from edge.web import application


def layer(layer_id: str) -> Layer:
    source = LayerSource(type="wms", url="https://geo.so.ch/api/wms", parameters={"LAYERS": layer_id})
    return Layer(id=layer_id, label=f"Layer {layer_id}", source=source)


GROUP = LayerGroup(id="group", label="Wald", layers=(layer("a"), layer("b")))


class Called:
    """A chat that is only ever asked to call a tool."""

    def __init__(self, outcome: Outcome) -> None:
        self._outcome = outcome
        self.calls: list[ToolCall] = []

    async def call(self, call: ToolCall, session_id: str, asker: Asker) -> tuple[str, Outcome]:
        self.calls.append(call)
        return "req-0123456789abcdef", self._outcome


class Catalogue:
    def __init__(self, offered: bool) -> None:
        self._offered = offered

    def find(self, capability: str) -> object | None:
        return object() if self._offered and capability == CAPABILITY else None


async def ask(
    layer_id: str, *items: Item, status: Status = Status.OK, offered: bool = True
) -> tuple[httpx.Response, Called]:
    chat = Called(Outcome(status=status, items=items))
    routes = layer_routes(
        cast(Chat, chat), Sessions(b"key"), Askers((), 65_536), cast(ToolCatalogue, Catalogue(offered))
    )
    app = application([routes], EdgeSettings())
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://localhost") as http:
        return await http.get(f"/api/layers/{layer_id}"), chat


@pytest.mark.parametrize("items", [(layer("a"),), (layer("b"), layer("a")), (GROUP,)])
async def test_the_layer_of_the_id_is_the_answer(items: tuple[Item, ...]) -> None:
    answered, chat = await ask("a", *items)
    assert (answered.status_code, answered.headers["cache-control"]) == (200, "no-store")
    assert answered.headers["ask-request-id"] == "req-0123456789abcdef"
    told: dict[str, Any] = answered.json()
    assert (told["id"], told["source"]["parameters"]) == ("a", {"LAYERS": "a"})
    assert chat.calls == [ToolCall(capability="layers.search", args={"query": "a"})]


@pytest.mark.parametrize("items", [(), (layer("b"),)])
async def test_what_is_found_instead_is_not_told(items: tuple[Item, ...]) -> None:
    answered, _ = await ask("a", *items)
    assert (answered.status_code, answered.json()["code"]) == (404, "layer_not_found")
    assert answered.json()["requestId"] == "req-0123456789abcdef"


@pytest.mark.parametrize("layer_id", ["x" * 257, "%20", "%09"])
async def test_an_id_that_no_layer_can_have_is_asked_of_nobody(layer_id: str) -> None:
    answered, chat = await ask(layer_id)
    assert (answered.status_code, chat.calls) == (404, [])


async def test_a_source_that_is_down_says_nothing_about_the_layer() -> None:
    answered, _ = await ask("a", status=Status.ERROR)
    assert (answered.status_code, answered.json()["code"]) == (503, "tool_unavailable")


async def test_without_the_tool_nobody_knows() -> None:
    answered, chat = await ask("a", offered=False)
    assert (answered.status_code, chat.calls) == (503, [])
