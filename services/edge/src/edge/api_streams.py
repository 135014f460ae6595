"""The routes of streamed turns."""

from typing import Annotated, Any

from contracts.languages import Language
from contracts.turns import TurnEventKind
from fastapi import APIRouter, Header, Query, Request, Response

from edge import errors, idempotency, languages
from edge.api import ADMISSION_ERRORS, BODY_ERRORS, PLACEHOLDERS, SAID_IN_HEADERS, Asked
from edge.askers import Askers
from edge.attended import attended
from edge.boundary import facts_of
from edge.description import EventId, TurnId, events, links_of
from edge.event_stream import MEDIA_TYPE, EventStream
from edge.frames import TurnEncoder
from edge.problems import REQUEST_ID_HEADER, TO_CHANGE, TO_READ, documented
from edge.routing import ContractRoute
from edge.sessions import Sessions
from edge.streams import Stream, Streams

_FRAMES: dict[int | str, dict[str, Any]] = {
    200: events(
        "Events of the turn, each with an id, until the one that ends it. Lines with a colon only keep the "
        "connection alive.",
        {
            "id": {"type": "string", "pattern": "^[0-9]+$"},
            "event": {"type": "string", "enum": [*TurnEventKind, "answer.delta", "error"]},
        },
        MEDIA_TYPE,
        Ask_Request_Id="Where to resume.",
    )
    | {"links": links_of(body=False)}
}


def stream_routes(streams: Streams, sessions: Sessions, askers: Askers, send_timeout_s: float) -> APIRouter:
    """What can be read while it happens."""
    router = APIRouter(route_class=ContractRoute)

    def answer(stream: Stream, language: Language) -> Response:
        headers = {REQUEST_ID_HEADER: stream.request_id}
        frames = streams.frames(stream, TurnEncoder(language))
        return EventStream(frames, headers, send_timeout_s=send_timeout_s, place=stream.place)

    @router.post(
        "/api/chat/stream",
        tags=["chat"],
        summary="Send a message, or answer a choice, and read along",
        response_class=Response,
        openapi_extra=SAID_IN_HEADERS,
        responses={
            **_FRAMES,
            **documented(
                *BODY_ERRORS,
                *TO_CHANGE,
                errors.InvalidIdempotencyKey,
                errors.IdempotencyKeyReused,
                *ADMISSION_ERRORS,
                errors.TooManyStreams,
                errors.BusUnavailable,
                errors.StateUnavailable,
                **PLACEHOLDERS,
            ),
        },
    )
    async def post_stream(request: Request, asked: Asked) -> Response:
        """What goes wrong after the first event is told by an event `error` with a problem."""
        own = sessions.own(request.scope, asked)
        facts = facts_of(request.scope)
        facts.session_id, facts.map_failures = own.session_id, own.map_failures
        key = idempotency.key_of(request.scope)
        beginning = streams.begin(askers.of(request.scope), own, key)
        stream = await attended(request, beginning)
        facts.request_id = stream.request_id
        return answer(stream, languages.spoken(request.scope))

    @router.get(
        "/api/chat/{requestId}/stream",
        tags=["chat"],
        summary="Read along, or go on reading",
        response_class=Response,
        responses={
            **_FRAMES,
            204: {"description": "The client has everything."},
            **documented(
                *TO_READ,
                errors.InvalidEventId,
                errors.TurnNotFound,
                errors.TooManyStreams,
                errors.BusUnavailable,
                errors.StateUnavailable,
            ),
        },
    )
    async def get_stream(
        request: Request,
        request_id: TurnId,
        language: languages.Spoken,
        after: Annotated[EventId, Query(description="Id of the last event that the client has.")] = None,
        last_event_id: Annotated[
            EventId, Header(alias="Last-Event-ID", description="The same; it wins over `after`.")
        ] = None,
    ) -> Response:
        """Any replica continues behind any event, without a gap or a double."""
        facts_of(request.scope).request_id = request_id
        position = int(last_event_id or after or 0)
        stream = await streams.resume(askers.of(request.scope), request_id, position)
        if stream is None:
            return Response(status_code=204)
        return answer(stream, language)

    return router
