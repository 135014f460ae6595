"""What a planner makes of a message."""

from typing import Annotated

from contracts.base import UNLESS_EMPTY, Arguments, Contract
from contracts.languages import Language
from contracts.markdown import Prose, Words
from contracts.research import ErrorType
from contracts.status import Status


class ToolCall(Contract):
    capability: str
    args: Annotated[Arguments, UNLESS_EMPTY] = {}
    """What the planner knows. Missing arguments are filled from selections, given ones never replaced."""


class PlanStep(Contract):
    """One intent. Its calls run in order; each may use what the one before has found.

    A step without calls is answered from `args` (set_background, remove_layer, ...) or, for `answer`
    and `clarify`, with `message`.
    """

    intent: str
    calls: tuple[ToolCall, ...] = ()
    args: Annotated[Arguments, UNLESS_EMPTY] = {}
    message: Prose | None = None
    status: Status | None = None
    """Set when the planner already knows the end, e.g. needs_clarification."""
    suggestions: Annotated[tuple[Words, ...], UNLESS_EMPTY] = ()
    """Beside a `message` that names examples: these, as sentences to send."""
    respond: Annotated[bool, UNLESS_EMPTY] = False
    """The answer is to be written from what the steps before have found; a `message` that suffices is used as
    it is."""
    error_type: ErrorType | None = None
    """Why a question about documents could not be planned."""


class Plan(Contract):
    """Steps in the order of the message; or the id of an open choice that the message answers."""

    steps: tuple[PlanStep, ...] = ()
    choice_id: str | None = None
    language: Language | None = None
    """What the message is answered in, where that is not the language of the request."""
