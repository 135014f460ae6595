"""Reads a model's answer and checks it against what was on offer."""

import logging
import math
from collections.abc import Collection, Iterator
from typing import Any

from contracts.intents import Intent
from contracts.plan import Plan, PlanStep, ToolCall
from contracts.status import Status
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel
from pydantic_core import from_json
from referencing import Registry

from planner.llm.answer_schema import MAX_CALLS, MAX_STEPS
from planner.llm.map_arguments import map_arguments
from planner.llm.offer import MESSAGE_INTENTS, Offer, OfferedIntent, OfferedTool
from planner.texts import text as sentence

log = logging.getLogger(__name__)

MAX_MESSAGE_CHARS = 1_000
_ENDINGS = {"respond": Intent.ANSWER, "complete": Intent.ANSWER, "ask_user": Intent.CLARIFY}
_MAX_PROBLEMS = 6


class Unusable(Exception):
    """The answer is no plan; `problems` say why, in words for the model."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("unusable answer")
        self.problems = tuple(problems[:_MAX_PROBLEMS])


class _Shape(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, validate_by_alias=True, extra="ignore")


class _Call(_Shape):
    capability: str
    args: dict[str, Any] | None = None


class _Step(_Shape):
    intent: str
    calls: list[_Call] | None = Field(None, max_length=MAX_CALLS)
    args: dict[str, Any] | None = None
    message: str | None = None
    respond: bool | None = None


class _Answer(_Shape):
    steps: list[_Step] | None = Field(None, max_length=MAX_STEPS)
    choice_id: str | None = None


def read_answer(text: str, offer: Offer, choice_ids: Collection[str], language: str) -> Plan:
    """The plan in the answer. Arguments that are null are left out. Raises `Unusable`."""
    answer = _parse(text)
    if answer.choice_id is not None:
        if answer.choice_id in choice_ids:
            return Plan(choice_id=answer.choice_id)
        raise Unusable(["choiceId is none of the open choices; null if the message picks none"])
    if not answer.steps:
        raise Unusable(["steps is empty; use the intent clarify if there is nothing to plan"])
    problems: list[str] = []
    steps = []
    for number, spoken in enumerate(answer.steps):
        step = _in_our_words(spoken, offer)
        found = list(_problems(step, offer))
        problems += [f"steps[{number}]: {problem}" for problem in found]
        if not found:
            steps.append(_plan_step(step, offer, language))
    if problems:
        raise Unusable(problems)
    return Plan(steps=tuple(steps))


def _parse(text: str) -> _Answer:
    # Endpoints that do not enforce a format wrap the object in fences or sentences.
    begin, end = text.find("{"), text.rfind("}")
    if begin < 0 or end < begin:
        raise Unusable(["there is no JSON object in it"])
    try:
        document = from_json(text[begin : end + 1], allow_inf_nan=False)
        return _Answer.model_validate(document, strict=True)
    except ValidationError as error:
        errors = error.errors(include_url=False, include_input=False)
        found = [f"{_path(e['loc'])}: {e['msg']}" for e in errors]
        raise Unusable(found) from None
    except ValueError as error:
        raise Unusable([f"not valid JSON: {error}"]) from None


def _path(location: tuple[int | str, ...]) -> str:
    return ".".join(map(str, location)) or "the answer"


def _problems(step: _Step, offer: Offer) -> Iterator[str]:
    intent = offer.intent(step.intent)
    if intent is None:
        yield f"there is no intent {step.intent!r}; use one of {', '.join(i.name for i in offer.intents)}"
    else:
        yield from _intent_problems(step, intent, offer)
    for number, call in enumerate(step.calls or ()):
        tool = offer.tool(call.capability)
        if tool is None:
            available = ", ".join(t.capability for t in offer.tools) or "none"
            yield f"calls[{number}]: there is no capability {call.capability!r}; available: {available}"
        else:
            for problem in _argument_problems(tool, _given(call.args)):
                yield f"calls[{number}].args: {problem}"


def _intent_problems(step: _Step, intent: OfferedIntent, offer: Offer) -> Iterator[str]:
    calls = step.calls or []
    if intent.goals:
        if not calls:
            yield f"the intent {intent.name} needs a call of {_one_of(intent)}"
        elif calls[-1].capability not in intent.goals:
            yield f"the last call of the intent {intent.name} must be {_one_of(intent)}"
        return
    if calls:
        yield f"the intent {intent.name} takes no calls"
    silent = not (step.message or "").strip() and not _responds(step, offer)
    if intent.name in MESSAGE_INTENTS and silent and offer.may_speak:
        yield f"the intent {intent.name} needs a message"
    try:
        map_arguments(intent.name, step.args or {})
    except ValueError as needed:
        yield f"the intent {intent.name} needs args {needed}"


def _one_of(intent: OfferedIntent) -> str:
    return " or ".join(sorted(intent.goals))


def _argument_problems(tool: OfferedTool, args: dict[str, Any]) -> Iterator[str]:
    if not _is_finite(args):
        yield "numbers must be finite"
        return
    # What is not given will be bound later, so nothing is required here; but nothing may be unknown either.
    declared = tool.descriptor.parameters
    given = {"additionalProperties": False} | {
        key: value
        for key, value in declared.items()
        if key in ("$defs", "definitions", "properties", "patternProperties", "additionalProperties")
    }
    # With an own registry, a reference to an outside document is an error and not a download.
    validator = Draft202012Validator(given, registry=Registry())
    try:
        for error in validator.iter_errors(args):
            yield f"{_path(tuple(error.absolute_path))}: {error.message[:200]}"
    except Exception as error:
        # An announced schema can be broken in any way. Then the tool judges its arguments itself.
        reason = type(error).__name__
        log.warning("broken tool schema", extra={"capability": tool.capability, "reason": reason})


def _is_finite(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_is_finite, value.values()))
    if isinstance(value, list):
        return all(map(_is_finite, value))
    return not isinstance(value, float) or math.isfinite(value)


def _given(args: dict[str, Any] | None) -> dict[str, Any]:
    """Without the nulls, which stand for what is not known."""
    return {name: _without_nulls(value) for name, value in (args or {}).items() if value is not None}


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return _given(value)
    return [_without_nulls(part) for part in value] if isinstance(value, list) else value


def _in_our_words(step: _Step, offer: Offer) -> _Step:
    """What other planners call their endings is understood, too."""
    if step.intent not in _ENDINGS or offer.intent(step.intent) is not None:
        return step
    intent = _ENDINGS[step.intent]
    return step.model_copy(update={"intent": intent, "respond": step.intent == "respond" or step.respond})


def _responds(step: _Step, offer: Offer) -> bool:
    return bool(step.respond) and step.intent == Intent.ANSWER and offer.may_speak


def _plan_step(step: _Step, offer: Offer, language: str) -> PlanStep:
    if step.intent in MESSAGE_INTENTS:
        spoken = step.message if offer.may_speak else sentence("research_unclear", language)
        return PlanStep(
            intent=step.intent,
            message=_speakable(spoken or "", language) or None,
            respond=_responds(step, offer),
            status=Status.NEEDS_CLARIFICATION if step.intent == Intent.CLARIFY else None,
        )
    args = map_arguments(step.intent, step.args or {})
    calls = tuple(ToolCall(capability=c.capability, args=_given(c.args)) for c in step.calls or ())
    return PlanStep(intent=step.intent, calls=calls, args=args)


def _speakable(message: str, language: str) -> str:
    swiss = message.replace("ß", "ss") if language.startswith("de") else message
    return swiss.strip()[:MAX_MESSAGE_CHARS]
