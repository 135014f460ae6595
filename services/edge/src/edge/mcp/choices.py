"""Asking the user which one is meant, and reading what came back.

The client repeats its call with the answer and with a state that was sealed for it: any replica goes on.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from contracts.base import Contract
from contracts.chat import ChatResponse, Choice
from contracts.status import Status
from contracts.turns import TurnView
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp_types import (
    CallToolRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

MAX_OPTIONS = 25
"""A list that is longer is no choice that anybody reads."""
_FIELD = "choice"


class State(Contract):
    """What is asked about."""

    request_id: str
    """The turn that found what can be chosen from."""
    session_id: str = ""
    first_round: int = 0
    """Where the answer began that is being completed."""


Option = tuple[str, str]
"""A value and what the user reads."""


def can_ask(ctx: ServerRequestContext) -> bool:
    """Whether this client shows forms. Of one with an older protocol a stateless server cannot know."""
    if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS or ctx.session.client_capabilities is None:
        return False
    offered = ctx.session.client_capabilities.elicitation
    # Without any mode named, it is forms.
    return offered is not None and (offered.form is not None or offered.url is None)


def question(message: str, options: Sequence[Option], state: State) -> InputRequiredResult:
    """A form with one list to choose from."""
    field = {"type": "string", "oneOf": [{"const": value, "title": label} for value, label in options]}
    schema = {"type": "object", "properties": {_FIELD: field}, "required": [_FIELD]}
    form = ElicitRequestFormParams(message=message, requested_schema=schema)
    return InputRequiredResult(
        input_requests={_FIELD: ElicitRequest(params=form)}, request_state=state.to_json().decode()
    )


def state_of(params: CallToolRequestParams) -> State | None:
    """The state of a call that comes back; nobody else can have made it."""
    return State.from_json(params.request_state) if params.request_state else None


async def forgiving(ctx: ServerRequestContext, call_next: CallNext) -> HandlerResult:
    """A middleware: what is no answer to a question counts as none, and the call goes on without.

    Clients put errors of their own, or what a user has left half done, in the place of an answer. The SDK
    would refuse the whole call.
    """
    params = ctx.params
    if params and "inputResponses" in params:
        given = params["inputResponses"]
        kept = {key: value for key, value in given.items() if _is_answer(value)} if _is_object(given) else {}
        ctx = replace(ctx, params={**params, "inputResponses": kept})
    return await call_next(ctx)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _is_answer(value: Any) -> bool:
    try:
        ElicitResult.model_validate(value)
    except ValidationError:
        return False
    return True


def answer_of(params: CallToolRequestParams) -> str | None:
    """The value that was chosen; None when the user did not want to."""
    given = (params.input_responses or {}).get(_FIELD)
    if not isinstance(given, ElicitResult) or given.action != "accept":
        return None
    value = (given.content or {}).get(_FIELD)
    return value if isinstance(value, str) else None


def open_choices(response: ChatResponse) -> tuple[Choice, ...]:
    """The options of the first step that waits for its user."""
    waiting = (step.choices for step in response.steps if step.status is Status.NEEDS_USER_CHOICE)
    return next(waiting, ())


def completed(view: TurnView, first_round: int) -> ChatResponse:
    """An answer in which each step that waited for a choice is replaced by what came of the choice."""
    responses = [each.response for each in view.rounds[first_round:] if each.response is not None]
    steps = list(responses[0].steps)
    for response in responses[1:]:
        open_at = (n for n, step in enumerate(steps) if step.status is Status.NEEDS_USER_CHOICE)
        n = next(open_at, len(steps))
        steps[n : n + 1] = response.steps
    return ChatResponse.of(view.request_id, tuple(steps))
