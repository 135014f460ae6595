"""The route of who clicks on a map: a call of one tool by its name, without planner and wording."""

from contracts.identify import CAPABILITY, Identified, IdentifyRequest
from fastapi import APIRouter, Request, Response
from servicekit.catalogue import ToolCatalogue

from edge import bodies, errors, examples, ids, languages
from edge.api import BODY_ERRORS, PLACEHOLDERS, TOOL_ERRORS, json_response
from edge.askers import Askers
from edge.attended import attended
from edge.boundary import facts_of
from edge.chat import Chat
from edge.description import ACCEPT_LANGUAGE, answer, body_of
from edge.problems import REQUEST_ID_HEADER, TO_CHANGE, documented
from edge.sessions import Sessions


def identify_routes(chat: Chat, sessions: Sessions, askers: Askers, catalogue: ToolCatalogue) -> APIRouter:
    """Nothing of it is remembered in a conversation."""
    router = APIRouter()

    @router.post(
        "/api/identify",
        tags=["tools"],
        summary="Ask what is at a point",
        responses={
            200: answer(
                "What is there, as far as it is known; status says what came of it.",
                "Identified",
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
        openapi_extra={
            **body_of("IdentifyRequest", {"identify": {"value": examples.IDENTIFY}}),
            "parameters": [ACCEPT_LANGUAGE],
        },
    )
    async def post_identify(request: Request) -> Response:
        """Waits for the answer. Who closes the connection earlier ends the work on it."""
        body = await bodies.read(request, IdentifyRequest)
        languages.say(request.scope, body.language)
        if catalogue.find(CAPABILITY) is None:
            raise errors.ToolUnavailable()
        session_id = sessions.inner(request.scope, body.session_id or ids.new_session_id())
        facts = facts_of(request.scope)
        facts.session_id = session_id
        asker = askers.of(request.scope)
        facts.request_id, found = await attended(request, chat.call(body.call, session_id, asker))
        told = Identified(
            request_id=facts.request_id,
            status=found.status,
            message=found.message,
            note=found.note or None,
            items=found.items,
        )
        return json_response(told, headers={REQUEST_ID_HEADER: told.request_id})

    return router
