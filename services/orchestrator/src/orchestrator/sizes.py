"""What does not fit into a message of the bus. Pure.

Trying again would not make it smaller: it is cut, or answered in the place of whom it was for.
"""

from typing import assert_never

from contracts.actions import AddFeatures
from contracts.chat import Step
from contracts.intents import Intent
from contracts.messages import (
    ActionPlanReady,
    ActionPlanRequested,
    AnswerReady,
    AnswerRequested,
    Command,
    Event,
    Outcome,
    PlanReady,
    PlanRequested,
    ToolCalled,
    ToolResult,
)
from contracts.plan import Plan, PlanStep
from contracts.research import ErrorType
from contracts.status import Status
from contracts.subjects import tool_service
from contracts.turns import TurnEvent
from pydantic_core import to_json

from orchestrator.state import Turn
from orchestrator.texts import text

MAX_RESPONSE_BYTES = 768 * 1024
"""All answers of a round; with what is around them they fit into a message of NATS (1 MiB)."""
_MAX_TEXT_CHARS = 20_000
_MAX_CHAR_BYTES = 6
"""Of a character that JSON has to write as `\\u0000`."""


def fitted(answer: Step, room_bytes: int, language: str) -> Step:
    """The answer, or what there is room for of it, with a word about that.

    The facts for cards go first, and without a word: the message has said them.
    """
    if _size(answer) <= room_bytes:
        return answer
    answer = answer.model_copy(update={"items": None})
    if _size(answer) <= room_bytes:
        return answer
    fewer = _with_fewer_features(answer, room_bytes, language)
    if _size(fewer) <= room_bytes:
        return fewer
    if answer.map_actions or answer.choices:
        message = text("result_too_large", language)
        return Step(intent=answer.intent, status=Status.ERROR, message=message)
    chars = min(_MAX_TEXT_CHARS, max(0, room_bytes // (2 * _MAX_CHAR_BYTES)))
    message = f"{answer.message[:chars]}{text('cut', language)}"
    cut = answer.model_copy(update={"message": message, "cut": True})
    return cut if _size(cut) <= room_bytes else cut.model_copy(update={"research": None})


def _with_fewer_features(answer: Step, room_bytes: int, language: str) -> Step:
    """The last features go first; how many there are stays."""
    actions = list(answer.map_actions)
    fewer = answer.model_copy(update={"message": f"{answer.message}{text('features_cut', language)}"})
    for place in reversed(range(len(actions))):
        action = actions[place]
        excess = _size(fewer.model_copy(update={"map_actions": tuple(actions)})) - room_bytes
        if isinstance(action, AddFeatures) and excess > 0:
            actions[place] = _shortened(action, excess)
    return fewer.model_copy(update={"map_actions": tuple(actions)})


def _shortened(action: AddFeatures, excess: int) -> AddFeatures:
    """Shorter by so many bytes, if it has as many."""
    kept = list(action.payload.features.get("features", ()))
    while kept and excess > 0:
        excess -= len(to_json(kept.pop()))
    features = action.payload.features | {"features": kept}
    return action.model_copy(update={"payload": action.payload.model_copy(update={"features": features})})


def room_bytes(turn_answers: tuple[Step, ...]) -> int:
    """What is left for further answers of a round."""
    return MAX_RESPONSE_BYTES - sum(map(_size, turn_answers))


def _size(answer: Step) -> int:
    return len(answer.to_json())


def without_details(event: TurnEvent) -> TurnEvent:
    """Entries of the log that fit in any case: their answers do, whatever else they tell."""
    earlier = tuple(each.model_copy(update={"detail": {}}) for each in event.earlier)
    return TurnEvent(**vars(event) | {"detail": {}, "earlier": earlier})


def in_place_of(turn: Turn, command: Command) -> Event:
    """What is answered to a command that cannot be sent."""
    envelope, language = command.envelope(), turn.language
    message = text("request_too_large", language)
    match command:
        case PlanRequested():
            step = PlanStep(intent=Intent.CLARIFY, status=Status.ERROR, message=message)
            return PlanReady(**envelope, plan=Plan(steps=(step,)))
        case ToolCalled(capability=capability):
            offered = {tool.capability: tool.service for tool in turn.tools}
            return ToolResult(
                **envelope,
                capability=capability,
                service=tool_service(capability) or offered.get(capability, ""),
                outcome=Outcome(status=Status.ERROR, message=message, error_type=ErrorType.SERVER_ERROR),
            )
        case ActionPlanRequested(intent=intent):
            return ActionPlanReady(
                **envelope,
                answer=Step(intent=intent, status=Status.ERROR, message=text("result_too_large", language)),
            )
        case AnswerRequested():
            return AnswerReady(**envelope, text=message, error_type=ErrorType.SERVER_ERROR)
    assert_never(command)
