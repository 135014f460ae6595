"""The route of who knows a layer by its id, as the address of a page does."""

from typing import Annotated

from contracts.chat import MAX_LAYER_ID_CHARS
from contracts.items import Layer, LayerGroup
from contracts.plan import ToolCall
from contracts.status import Status
from fastapi import APIRouter, Path, Request, Response
from servicekit.catalogue import ToolCatalogue

from edge import errors, examples, ids, languages
from edge.api import TOOL_ERRORS
from edge.askers import Askers
from edge.attended import attended
from edge.boundary import facts_of
from edge.chat import Chat
from edge.description import answer
from edge.problems import REQUEST_ID_HEADER, TO_READ, documented
from edge.routing import ContractRouter
from edge.sessions import Sessions

CAPABILITY = "layers.search"
"""A query that is the id of a layer gives that layer alone."""


def layer_routes(chat: Chat, sessions: Sessions, askers: Askers, catalogue: ToolCatalogue) -> APIRouter:
    """Nothing of it is remembered in a conversation."""
    router = ContractRouter()

    @router.get(
        "/api/layers/{id}",
        tags=["tools"],
        summary="Find a layer by its id",
        responses={
            200: answer(
                "The layer.",
                {"layer": {"value": examples.LAYER}},
                Ask_Request_Id="The requestId of the question.",
            ),
            **documented(
                *TO_READ,
                errors.LayerNotFound,
                *TOOL_ERRORS,
            ),
        },
        openapi_extra={"parameters": [languages.PARAMETER]},
    )
    async def get_layer(
        request: Request, response: Response, layer_id: Annotated[str, Path(alias="id")]
    ) -> Layer:
        """Calls the tool that searches layers. What it finds instead of this layer is not told."""
        if not layer_id.strip() or len(layer_id) > MAX_LAYER_ID_CHARS:
            raise errors.LayerNotFound()
        if catalogue.find(CAPABILITY) is None:
            raise errors.ToolUnavailable()
        session_id = sessions.inner(request.scope, ids.new_session_id())
        call = ToolCall(capability=CAPABILITY, args={"query": layer_id})
        request_id, found = await attended(request, chat.call(call, session_id, askers.of(request.scope)))
        facts_of(request.scope).request_id = response.headers[REQUEST_ID_HEADER] = request_id
        layer = next((each for each in _layers(found.items) if each.id == layer_id), None)
        if layer is None:
            # An error of the source says nothing about the layer.
            raise (errors.ToolUnavailable if found.status is Status.ERROR else errors.LayerNotFound)(
                request_id=request_id
            )
        return layer

    return router


def _layers(items: tuple[object, ...]) -> list[Layer]:
    """Those of groups, too."""
    found: list[Layer] = []
    for item in items:
        if isinstance(item, Layer):
            found.append(item)
        elif isinstance(item, LayerGroup):
            found += item.layers
    return found
