"""The route of who clicks on a map: a call of one tool by its name, without planner and wording."""

from typing import Annotated

from contracts.identify import CAPABILITY, Identified, IdentifyRequest
from fastapi import APIRouter, Body, Request, Response
from servicekit.catalogue import ToolCatalogue

from edge import errors, examples, ids, languages
from edge.api import BODY_ERRORS, PLACEHOLDERS, TOOL_ERRORS
from edge.askers import Askers
from edge.attended import attended
from edge.boundary import facts_of
from edge.chat import Chat
from edge.description import answer
from edge.problems import REQUEST_ID_HEADER, TO_CHANGE, documented
from edge.routing import ContractRouter
from edge.sessions import Sessions


def identify_routes(chat: Chat, sessions: Sessions, askers: Askers, catalogue: ToolCatalogue) -> APIRouter:
    """Nothing of it is remembered in a conversation."""
    router = ContractRouter()

    @router.post(
        "/api/identify",
        tags=["tools"],
        summary="Ask what is at a point",
        responses={
            200: answer(
                "What is there, as far as it is known; status says what came of it.",
                {"identified": {"value": examples.IDENTIFIED}},
                Ask_Request_Id="The requestId of the answer.",
            ),
            **documented(
                *BODY_ERRORS,
                *TO_CHANGE,
                *TOOL_ERRORS,
                **PLACEHOLDERS,
            ),
        },
        openapi_extra={"parameters": [languages.PARAMETER]},
    )
    async def post_identify(
        request: Request,
        response: Response,
        asked: Annotated[IdentifyRequest, Body(openapi_examples={"identify": {"value": examples.IDENTIFY}})],
    ) -> Identified:
        """Waits for the answer. Who closes the connection earlier ends the work on it."""
        if catalogue.find(CAPABILITY) is None:
            raise errors.ToolUnavailable()
        session_id = sessions.inner(request.scope, asked.session_id or ids.new_session_id())
        facts = facts_of(request.scope)
        facts.session_id = session_id
        asker = askers.of(request.scope)
        request_id, found = await attended(request, chat.call(asked.call, session_id, asker))
        facts.request_id = response.headers[REQUEST_ID_HEADER] = request_id
        return Identified(
            request_id=request_id,
            status=found.status,
            message=found.message,
            note=found.note or None,
            items=found.items,
        )

    return router
