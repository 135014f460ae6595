"""The routes. Bodies are read and written as contracts; FastAPI routes and describes."""

from contracts.base import Contract
from contracts.chat import ChatRequest, ChatResponse, SessionRef
from contracts.tools import ToolList
from fastapi import APIRouter, Request, Response
from servicekit.catalogue import ToolCatalogue

from edge import bodies, errors, examples, languages
from edge.askers import Askers
from edge.attended import attended
from edge.boundary import facts_of
from edge.chat import Chat
from edge.description import (
    ACCEPT_LANGUAGE,
    IDEMPOTENCY_KEY,
    JSON,
    MAX_IDEMPOTENCY_KEY_CHARS,
    TurnId,
    answer,
    body_of,
    links_of,
)
from edge.principals import principal_of
from edge.problems import REQUEST_ID_HEADER, TO_CHANGE, TO_READ, documented
from edge.sessions import Sessions
from edge.turns import Turns
from edge.vocabulary import examples_of

PLACEHOLDERS = {"max_body_bytes": 65_536, "max_chars": MAX_IDEMPOTENCY_KEY_CHARS}
BODY_ERRORS = (
    errors.MalformedJson,
    errors.BodyTooLarge,
    errors.UnsupportedMediaType,
    errors.InvalidRequest,
    errors.NoRoom,
)
ADMISSION_ERRORS = (
    errors.TooManyTurns,
    errors.RateLimited,
    errors.QuotaSpent,
    errors.BudgetSpent,
    errors.QueueFull,
    errors.StoreFull,
)
TOOL_ERRORS = (
    errors.SessionDeleted,
    *ADMISSION_ERRORS,
    errors.ToolUnavailable,
    errors.BusUnavailable,
    errors.StateUnavailable,
    errors.ShuttingDown,
    errors.TurnTimeout,
)
"""Of who calls one tool."""


def routes(
    chat: Chat,
    turns: Turns,
    sessions: Sessions,
    askers: Askers,
    catalogue: ToolCatalogue,
) -> APIRouter:
    """All of the API."""
    router = APIRouter()

    @router.post("/chat", include_in_schema=False)
    @router.post(
        "/api/chat",
        tags=["chat"],
        summary="Send a message, or answer a choice",
        responses={
            200: {
                **answer(
                    "The answer; overallStatus says what came of it.",
                    "ChatResponse",
                    examples.RESPONSES,
                    Ask_Request_Id="The requestId of the answer.",
                ),
                "links": links_of(),
            },
            **documented(
                *BODY_ERRORS,
                *TO_CHANGE,
                errors.InvalidIdempotencyKey,
                errors.IdempotencyKeyReused,
                errors.SessionDeleted,
                *ADMISSION_ERRORS,
                errors.BusUnavailable,
                errors.StateUnavailable,
                errors.ShuttingDown,
                errors.TurnTimeout,
                **PLACEHOLDERS,
            ),
        },
        openapi_extra={
            **body_of("ChatRequest", examples.REQUESTS),
            "parameters": [IDEMPOTENCY_KEY, ACCEPT_LANGUAGE],
        },
    )
    async def post_chat(request: Request) -> Response:
        """Waits for the answer. If that takes too long (504), it will be at `Location` later. Who closes the
        connection earlier ends the turn, unless an `Idempotency-Key` leads back to it."""
        body = sessions.own(request.scope, await bodies.read(request, ChatRequest))
        languages.say(request.scope, body.language)
        facts = facts_of(request.scope)
        facts.session_id, facts.map_failures = body.session_id, body.map_failures
        asker = askers.of(request.scope)
        response = await attended(request, chat.answer(body, asker, idempotency_key(request)))
        facts.request_id = response.request_id
        return json_response(response, headers={REQUEST_ID_HEADER: response.request_id})

    @router.head("/api/chat/{requestId:turn}", include_in_schema=False)
    @router.get(
        "/api/chat/{requestId:turn}",
        tags=["chat"],
        summary="Ask for a turn",
        responses={
            200: answer("Its latest answer.", "ChatResponse", examples.RESPONSES),
            202: answer(
                "Still at work.",
                "TurnProgress",
                {"running": {"value": examples.RUNNING}},
                Retry_After="Seconds until it is worth asking again.",
            ),
            **documented(*TO_READ, errors.TurnNotFound, errors.StateUnavailable),
        },
    )
    async def get_turn(request: Request, request_id: TurnId) -> Response:
        """The answer as soon as there is one; before that, how far the work is."""
        facts = facts_of(request.scope)
        facts.request_id = request_id
        outcome = await turns.outcome(request_id, principal_of(request.scope).owner)
        headers = {REQUEST_ID_HEADER: outcome.request_id}
        if isinstance(outcome, ChatResponse):
            return json_response(outcome, headers=headers)
        facts.session_id = outcome.session_id
        return json_response(outcome.progress, status=202, headers={**headers, "Retry-After": "1"})

    @router.delete(
        "/api/chat/{requestId:turn}",
        status_code=204,
        tags=["chat"],
        summary="Cancel a turn",
        responses=documented(*TO_CHANGE, errors.TurnNotFound, errors.BusUnavailable, errors.StateUnavailable),
    )
    async def cancel_turn(request: Request, request_id: TurnId) -> Response:
        """What is done stays done, the rest is given up. 204 also when nothing was running any more."""
        facts_of(request.scope).request_id = request_id
        await chat.cancel(request_id, principal_of(request.scope).owner)
        return Response(status_code=204)

    @router.delete("/chat", status_code=204, include_in_schema=False)
    @router.delete(
        "/api/chat",
        status_code=204,
        tags=["chat"],
        summary="Delete a session",
        responses=documented(*BODY_ERRORS, *TO_CHANGE, errors.StateUnavailable, **PLACEHOLDERS),
        openapi_extra=body_of("SessionRef", {"session": {"value": examples.SESSION}}),
    )
    async def delete_session(request: Request) -> Response:
        """Deletes everything that is kept about a session; 204 also when that is nothing."""
        session = sessions.own(request.scope, await bodies.read(request, SessionRef))
        facts_of(request.scope).session_id = session.session_id
        await chat.forget(session.session_id)
        return Response(status_code=204)

    @router.head("/api/tools", include_in_schema=False)
    @router.get(
        "/api/tools",
        tags=["tools"],
        summary="The tools that are alive",
        responses={
            200: answer("Sorted by capability.", "ToolList", {"tools": {"value": examples.TOOLS}}),
            **documented(*TO_READ),
        },
        openapi_extra={"parameters": [ACCEPT_LANGUAGE]},
    )
    async def get_tools(request: Request) -> Response:
        """What a planner can use at this moment, sentences to try, and which language models are used."""
        sentences = examples_of(catalogue, languages.spoken(request.scope))
        listed = ToolList(tools=catalogue.tools(), examples=sentences, models=catalogue.models())
        return json_response(listed, headers={"Vary": "Accept-Language"})

    return router


def json_response(contract: Contract, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """For who asks, and to be kept by nobody on the way."""
    return Response(contract.to_json(), status, {"Cache-Control": "no-store", **(headers or {})}, JSON)


def idempotency_key(request: Request) -> str | None:
    key = request.headers.get("idempotency-key")
    if key is None:
        return None
    if not (0 < len(key) <= MAX_IDEMPOTENCY_KEY_CHARS and key.isascii() and key.isprintable()):
        raise errors.InvalidIdempotencyKey(max_chars=MAX_IDEMPOTENCY_KEY_CHARS)
    return key
