"""The routes of turns, sessions and tools."""

from typing import Annotated

from contracts.chat import ChatRequest, ChatResponse, SessionRef
from contracts.tools import ToolList
from contracts.turns import TurnProgress
from fastapi import APIRouter, Body, Request, Response
from servicekit.catalogue import ToolCatalogue

from edge import errors, examples, idempotency, languages
from edge.askers import Askers
from edge.attended import attended
from edge.boundary import facts_of
from edge.chat import Chat
from edge.description import JSON, TurnId, answer, links_of
from edge.principals import principal_of
from edge.problems import REQUEST_ID_HEADER, TO_CHANGE, TO_READ, documented
from edge.routing import ContractRouter
from edge.sessions import Sessions
from edge.turns import Turns
from edge.vocabulary import examples_of

PLACEHOLDERS = {"max_body_bytes": 65_536, "max_chars": idempotency.MAX_CHARS}
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
Asked = Annotated[ChatRequest, Body(openapi_examples=examples.REQUESTS)]
SAID_IN_HEADERS = {"parameters": [idempotency.PARAMETER, languages.PARAMETER]}


def routes(
    chat: Chat,
    turns: Turns,
    sessions: Sessions,
    askers: Askers,
    catalogue: ToolCatalogue,
) -> APIRouter:
    """All of the API."""
    router = ContractRouter()

    @router.post("/chat", include_in_schema=False)
    @router.post(
        "/api/chat",
        tags=["chat"],
        summary="Send a message, or answer a choice",
        responses={
            200: {
                **answer(
                    "The answer; overallStatus says what came of it.",
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
        response_model=ChatResponse,
        openapi_extra=SAID_IN_HEADERS,
    )
    async def post_chat(request: Request, asked: Asked) -> Response:
        """Waits for the answer. If that takes too long (504), it will be at `Location` later. Who closes the
        connection earlier ends the turn, unless an `Idempotency-Key` leads back to it."""
        own = sessions.own(request.scope, asked)
        facts = facts_of(request.scope)
        facts.session_id, facts.map_failures = own.session_id, own.map_failures
        asker = askers.of(request.scope)
        key = idempotency.key_of(request.scope)
        answered = await attended(request, chat.answer(own, asker, key))
        facts.request_id = answered.request_id
        return Response(answered.to_json(), 200, {REQUEST_ID_HEADER: answered.request_id}, JSON)

    @router.get(
        "/api/chat/{requestId:turn}",
        tags=["chat"],
        summary="Ask for a turn",
        responses={
            200: answer("Its latest answer.", examples.RESPONSES),
            202: {
                "model": TurnProgress,
                **answer(
                    "Still at work.",
                    {"running": {"value": examples.RUNNING}},
                    Retry_After="Seconds until it is worth asking again.",
                ),
            },
            **documented(*TO_READ, errors.TurnNotFound, errors.StateUnavailable),
        },
        response_model=ChatResponse,
    )
    async def get_turn(request: Request, response: Response, request_id: TurnId) -> ChatResponse | Response:
        """The answer as soon as there is one; before that, how far the work is."""
        facts = facts_of(request.scope)
        facts.request_id = request_id
        outcome = await turns.outcome(request_id, principal_of(request.scope).owner)
        response.headers[REQUEST_ID_HEADER] = outcome.request_id
        if isinstance(outcome, ChatResponse):
            return outcome
        facts.session_id = outcome.session_id
        headers = {REQUEST_ID_HEADER: outcome.request_id, "Retry-After": "1"}
        return Response(outcome.progress.to_json(), 202, headers, JSON)

    @router.delete(
        "/api/chat/{requestId:turn}",
        status_code=204,
        tags=["chat"],
        summary="Cancel a turn",
        responses=documented(*TO_CHANGE, errors.TurnNotFound, errors.BusUnavailable, errors.StateUnavailable),
    )
    async def cancel_turn(request: Request, request_id: TurnId) -> None:
        """What is done stays done, the rest is given up. 204 also when nothing was running any more."""
        facts_of(request.scope).request_id = request_id
        await chat.cancel(request_id, principal_of(request.scope).owner)

    @router.delete("/chat", status_code=204, include_in_schema=False)
    @router.delete(
        "/api/chat",
        status_code=204,
        tags=["chat"],
        summary="Delete a session",
        responses=documented(*BODY_ERRORS, *TO_CHANGE, errors.StateUnavailable, **PLACEHOLDERS),
    )
    async def delete_session(
        request: Request,
        named: Annotated[SessionRef, Body(openapi_examples={"session": {"value": examples.SESSION}})],
    ) -> None:
        """Deletes everything that is kept about a session; 204 also when that is nothing."""
        session_id = sessions.inner(request.scope, named.session_id)
        facts_of(request.scope).session_id = session_id
        await chat.forget(session_id)

    @router.get(
        "/api/tools",
        tags=["tools"],
        summary="The tools that are alive",
        responses={
            200: answer("Sorted by capability.", {"tools": {"value": examples.TOOLS}}),
            **documented(*TO_READ),
        },
    )
    async def get_tools(response: Response, language: languages.Spoken) -> ToolList:
        """What a planner can use at this moment, sentences to try, and which language models are used."""
        response.headers["Vary"] = "Accept-Language"
        sentences = examples_of(catalogue, language)
        return ToolList(tools=catalogue.tools(), examples=sentences, models=catalogue.models())

    return router
