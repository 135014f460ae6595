"""The route of what users think of answers."""

from datetime import timedelta
from typing import Annotated

from contracts.feedback import FeedbackRequest
from fastapi import APIRouter, Body, Request

from edge import errors, examples
from edge.admission import Admission
from edge.api import BODY_ERRORS, PLACEHOLDERS
from edge.boundary import facts_of
from edge.feedback import FeedbackStore
from edge.metrics import FEEDBACK
from edge.problems import TO_CHANGE, documented
from edge.routing import ContractRouter
from edge.sessions import Sessions


def feedback_routes(
    feedback: FeedbackStore, sessions: Sessions, admission: Admission, ttl: timedelta
) -> APIRouter:
    """Only whose turn it is can judge it. Without a `ttl` nothing is kept."""
    router = ContractRouter(tags=["chat"])

    @router.post(
        "/api/feedback",
        status_code=204,
        summary="Say what a turn was worth",
        responses=documented(
            *BODY_ERRORS,
            *TO_CHANGE,
            errors.FeedbackOff,
            errors.TurnNotFound,
            errors.StoreFull,
            errors.StateUnavailable,
            **PLACEHOLDERS,
        ),
    )
    async def post_feedback(
        request: Request,
        said: Annotated[FeedbackRequest, Body(openapi_examples={"feedback": {"value": examples.FEEDBACK}})],
    ) -> None:
        """In the place of what was said of it before; with a verdict of null that is taken back."""
        given = sessions.own(request.scope, said)
        if not ttl:
            raise errors.FeedbackOff()
        facts = facts_of(request.scope)
        facts.session_id, facts.request_id = given.session_id, given.request_id
        if given.verdict is not None:
            admission.check_redis()
        await feedback.put(given)
        FEEDBACK.labels(given.verdict or "withdrawn").inc()

    return router
