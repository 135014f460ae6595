"""What users think of answers: thumbs up and down, with a reason."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from contracts.base import Contract
from contracts.chat import SessionId
from contracts.status import Status
from pydantic import AfterValidator, ConfigDict, StringConstraints

MAX_COMMENT_CHARS = 1_000
MAX_REQUEST_ID_CHARS = 128


class Verdict(StrEnum):
    UP = "up"
    DOWN = "down"


class Reason(StrEnum):
    WRONG_PLACE = "wrong_place"
    WRONG_LAYER = "wrong_layer"
    MISUNDERSTOOD = "misunderstood"
    INCOMPLETE = "incomplete"
    NOT_TRUE = "not_true"
    TOO_SLOW = "too_slow"
    OTHER = "other"


class FeedbackRequest(Contract):
    """The body of `POST /api/feedback`. It takes the place of what was said of the turn before."""

    model_config = ConfigDict(extra="forbid")

    session_id: SessionId
    request_id: Annotated[str, StringConstraints(max_length=MAX_REQUEST_ID_CHARS)]
    verdict: Verdict | None
    """Null takes it back."""
    reason: Reason | None = None
    comment: (
        Annotated[str, StringConstraints(max_length=MAX_COMMENT_CHARS), AfterValidator(str.strip)] | None
    ) = None


class StepOutcome(Contract):
    """What came of a step."""

    intent: str
    status: Status


class JudgedTurn(Contract):
    """What was asked, and what came of it."""

    request_id: str
    message: str = ""
    steps: tuple[StepOutcome, ...] = ()


class Feedback(JudgedTurn):
    """What is kept of it: not who has said it."""

    at: datetime
    verdict: Verdict
    reason: Reason | None = None
    comment: str | None = None
