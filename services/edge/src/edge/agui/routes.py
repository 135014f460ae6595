"""The routes of the agents."""

from collections.abc import AsyncGenerator
from typing import Annotated, Any

from contracts.agents import AGENTS, Agent
from fastapi import APIRouter, Body, Request, Response

from edge import errors, languages, shapes
from edge.agui import PATH
from edge.agui.encoding import RunEncoder
from edge.agui.inputs import RunInput, Unanswerable, asked, language_tags
from edge.agui.run import Run
from edge.api import ADMISSION_ERRORS, BODY_ERRORS
from edge.askers import Askers
from edge.attended import attended
from edge.boundary import facts_of
from edge.description import events
from edge.event_stream import MEDIA_TYPE, EventStream
from edge.problems import REQUEST_ID_HEADER, TO_CHANGE, documented
from edge.routing import ContractRouter
from edge.sessions import Sessions
from edge.settings import EdgeSettings
from edge.streams import Streams

_EVENTS: dict[int | str, dict[str, Any]] = {
    200: events(
        "AG-UI events, from RUN_STARTED to RUN_FINISHED or RUN_ERROR.",
        {"id": {"type": "string", "pattern": "^[0-9]+$"}},
        MEDIA_TYPE,
        Ask_Request_Id="The turn of the run.",
    )
}


def agui_routes(streams: Streams, sessions: Sessions, askers: Askers, settings: EdgeSettings) -> APIRouter:
    """One route for each agent."""
    router = ContractRouter()
    for agent in AGENTS:
        _add(router, agent, streams, sessions, askers, settings)
    return router


def _add(
    router: APIRouter,
    agent: Agent,
    streams: Streams,
    sessions: Sessions,
    askers: Askers,
    settings: EdgeSettings,
) -> None:
    send_timeout_s = settings.send_timeout_s

    @router.post(
        f"{PATH}/{agent}",
        tags=["ag-ui"],
        summary=f"Run {AGENTS[agent].purpose}",
        name=f"run_{agent}",
        response_class=Response,
        responses={
            **_EVENTS,
            **documented(
                *BODY_ERRORS,
                *TO_CHANGE,
                errors.IdempotencyKeyReused,
                *ADMISSION_ERRORS,
                errors.TooManyStreams,
                errors.BusUnavailable,
                errors.StateUnavailable,
                max_body_bytes=settings.max_run_input_bytes,
            ),
        },
    )
    async def run_agent(request: Request, run: Annotated[RunInput, Body(), shapes.RUN]) -> Response:
        """The last user message is the question, `resume` answers choices. The same runId is the same run."""
        languages.say(request.scope, *language_tags(run))
        language = languages.spoken(request.scope)
        facts = facts_of(request.scope)
        facts.session_id = sessions.inner(request.scope, run.thread_id)
        try:
            wanted = asked(run, agent)
        except Unanswerable as refusal:
            refusing = RunEncoder(Run(run, agent, language=language))
            return EventStream(_refused(refusing, refusal), {}, send_timeout_s=send_timeout_s)
        encoder = RunEncoder(Run(run, agent, wanted.question, wanted.given_up, language))
        if not wanted.requests:
            return EventStream(_nothing(encoder), {}, send_timeout_s=send_timeout_s)
        first, *further = (sessions.own(request.scope, each) for each in wanted.requests)
        beginning = streams.begin(askers.of(request.scope), first, run.run_id, *further)
        stream = await attended(request, beginning)
        facts.request_id = stream.request_id
        headers = {REQUEST_ID_HEADER: stream.request_id}
        frames = streams.frames(stream, encoder)
        return EventStream(frames, headers, send_timeout_s=send_timeout_s, place=stream.place)


async def _refused(encoder: RunEncoder, refusal: Unanswerable) -> AsyncGenerator[bytes, None]:
    """A run that cannot be answered: clients show what a run says, and rarely what HTTP does."""
    for sent in (encoder.begin(""), encoder.fail(refusal)):
        if sent:
            yield sent


async def _nothing(encoder: RunEncoder) -> AsyncGenerator[bytes, None]:
    """A run that gives up what was asked, and asks nothing itself."""
    for sent in (encoder.begin(""), encoder.end()):
        if sent:
            yield sent
