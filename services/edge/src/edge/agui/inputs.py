"""What a client asks with the input of a run. Pure."""

from dataclasses import dataclass, replace
from typing import Annotated, Any

from ag_ui.core import Context, Message, ResumeEntry, RunAgentInput, TextPart, Tool, UserMessage
from contracts.agents import Agent
from contracts.chat import MAX_CHOICE_ID_CHARS, SESSION_ID, ChatRequest, MapContext
from contracts.keys import MAX_LAYERS
from pydantic import ConfigDict, Field, ValidationError
from pydantic.config import JsonDict

from edge import languages, problems
from edge.agui.choices import offers
from edge.agui.map_state import layers_of, map_of
from edge.errors import Finding, InvalidRequest
from edge.problems import refused

_MAX_ID_CHARS = 128
"""Of a run: it comes back with its events."""
_MAX_ANSWERS = 10
"""As many as a plan has steps."""
_ANSWERED = {"assistant", "tool"}


_ANSWER: JsonDict = {
    "anyOf": [
        {"properties": {"status": {"const": "cancelled"}}},
        {
            "properties": {
                "status": {"const": "resolved"},
                "payload": {
                    "type": "object",
                    "properties": {"choiceId": {"type": "string", "maxLength": MAX_CHOICE_ID_CHARS}},
                    "required": ["choiceId"],
                },
            },
            "required": ["payload"],
        },
    ]
}
_OF_USER: JsonDict = {"type": "object", "properties": {"role": {"const": "user"}}, "required": ["role"]}
_ASKS_SOMETHING: JsonDict = {
    "anyOf": [
        {"properties": {"messages": {"type": "array", "contains": _OF_USER}}},
        {"properties": {"resume": {"type": "array", "minItems": 1}}, "required": ["resume"]},
    ],
    "allOf": [{"properties": {"resume": {"items": _ANSWER}}}],
}


class Unanswerable(InvalidRequest):
    """It is a run, but not one that can be answered: what a schema cannot say. The run itself tells it."""


class RunInput(RunAgentInput):
    """The input of a run: a message of the user, or answers to interrupts."""

    # Of lists the first wrong entry is told.
    model_config = ConfigDict(json_schema_extra=_ASKS_SOMETHING)

    thread_id: Annotated[str, SESSION_ID]
    run_id: Annotated[str, Field(max_length=_MAX_ID_CHARS)]
    messages: Annotated[list[Message], Field(fail_fast=True)]
    tools: Annotated[list[Tool], Field(fail_fast=True)] | None = None
    context: Annotated[list[Context], Field(fail_fast=True)] | None = None
    resume: Annotated[list[ResumeEntry], Field(fail_fast=True, max_length=_MAX_ANSWERS)] | None = None


@dataclass(frozen=True)
class Asked:
    """A question, or the answers to interrupts, or neither when all that was asked is given up."""

    question: str = ""
    requests: tuple[ChatRequest, ...] = ()
    given_up: tuple[str, ...] = ()
    """The interrupts that the client does not answer."""


def language_tags(run: RunAgentInput) -> tuple[str | None, ...]:
    """Where a client can say in which language it wants to be answered; the first counts most."""
    return languages.tag_in(run.forwarded_props), languages.tag_in(run.state)


def asked(run: RunAgentInput, agent: Agent) -> Asked:
    """Read an input. Raises `InvalidRequest` with the place of what is wrong, or `Unanswerable`."""
    resume = run.resume or []
    if agent == "map" and len(layers_of(run.state)) > MAX_LAYERS:
        raise _unanswerable("#/state/layers", "too_long", max_length=MAX_LAYERS)
    map_ = _map(run) if agent == "map" else None
    given_up = tuple(entry.interrupt_id for entry in resume if entry.status == "cancelled")
    choices = [_choice(n, entry) for n, entry in enumerate(resume) if entry.status == "resolved"]
    if choices:
        return Asked("", tuple(_request(run, agent, choiceId=choice) for choice in choices), given_up)
    place, question = _question(run)
    later = run.messages[place + 1 :]
    if resume and (not question or any(message.role in _ANSWERED for message in later)):
        # It was there before the interrupt: nothing new is asked.
        return Asked(given_up=given_up)
    if not question:
        is_message = any(isinstance(message, UserMessage) for message in run.messages)
        refuse = _unanswerable if is_message else refused
        raise refuse("#/messages", "user_message_missing")
    request = _request(run, agent, pointer=f"#/messages/{place}/content", userMessage=question, map=map_)
    return Asked(question, (request,), given_up)


def _question(run: RunAgentInput) -> tuple[int, str]:
    """The last message of the user, and where it stands; pictures and sounds are not understood."""
    for place, message in reversed(list(enumerate(run.messages))):
        if isinstance(message, UserMessage):
            content = message.content
            texts = (
                [content]
                if isinstance(content, str)
                else [p.text for p in content if isinstance(p, TextPart)]
            )
            return place, "\n".join(texts).strip()
    return 0, ""


def _map(run: RunAgentInput) -> MapContext | None:
    try:
        return map_of(run.state)
    except ValidationError as error:
        told: Any = run.state
        found = problems.invalid(problems.findings_of(error), told["map"]).errors
        placed = (replace(each, pointer=f"#/state/map{each.pointer[1:]}") for each in found)
        raise Unanswerable(errors=tuple(placed)) from None


def _choice(n: int, entry: ResumeEntry) -> str:
    payload = entry.payload
    choice = payload.get("choiceId") if isinstance(payload, dict) else None
    where = f"#/resume/{n}"
    if not isinstance(choice, str) or len(choice) > MAX_CHOICE_ID_CHARS:
        raise refused(f"{where}/payload/choiceId", "choice_missing")
    if not offers(entry.interrupt_id, choice):
        raise _unanswerable(f"{where}/payload/choiceId", "choice_not_offered")
    return choice


def _request(run: RunAgentInput, agent: Agent, *, pointer: str = "#", **values: object) -> ChatRequest:
    try:
        return ChatRequest.model_validate({"sessionId": run.thread_id, "agent": agent} | values)
    except ValidationError as error:
        found = problems.invalid(problems.findings_of(error)).errors
        raise Unanswerable(errors=tuple(Finding(pointer, each.key, each.values) for each in found)) from None


def _unanswerable(where: str, key: str, **values: object) -> Unanswerable:
    return Unanswerable(errors=refused(where, key, **values).errors)
