"""The shape of a model's answer, as a strict JSON Schema made of what is on offer."""

from collections.abc import Sequence
from typing import Any

from contracts.intents import Intent

from planner.llm.map_arguments import SCHEMAS
from planner.llm.offer import Offer
from planner.llm.strict import Schema, closed, nullable

MAX_STEPS = 8
"""More wishes than anybody puts into one message."""
MAX_CALLS = 5
"""A call each to find a place, a parcel and a result, and room for a longer chain."""


def _enumeration(values: Sequence[Any]) -> Schema:
    return {"type": "string", "enum": list(values)}


def answer_schema(offer: Offer, choice_ids: Sequence[str]) -> Schema:
    """`choiceId` is part of the answer only while a choice is open, `calls` only while a tool is alive."""
    properties: Schema = {}
    if choice_ids:
        properties["choiceId"] = nullable(_enumeration(choice_ids)) | {
            "description": "The open option that the message picks, then without steps; else null."
        }
    properties["steps"] = {"type": "array", "items": _step(offer), "maxItems": MAX_STEPS}
    return closed(properties)


def _step(offer: Offer) -> Schema:
    properties: Schema = {"intent": _enumeration([intent.name for intent in offer.intents])}
    if offer.tools:
        calls = [_call(tool.capability, tool.arguments) for tool in offer.tools]
        properties["calls"] = {
            "type": "array",
            "items": calls[0] if len(calls) == 1 else {"anyOf": calls},
            "maxItems": MAX_CALLS,
        }
    of_map = offer.intent(Intent.SET_BACKGROUND) is not None
    properties["args"] = {"anyOf": [*SCHEMAS, {"type": "null"}]} if of_map else {"type": "null"}
    if offer.may_speak:
        properties["message"] = {"type": ["string", "null"], "description": "For answer and clarify only."}
        properties["respond"] = {
            "type": "boolean",
            "description": "Only with answer: what to say is written when the steps before are done.",
        }
    return closed(properties)


def _call(capability: str, arguments: Schema) -> Schema:
    # The constant comes first: endpoints tell the branches apart by it.
    return closed({"capability": {"type": "string", "const": capability}, "args": arguments})
