"""What the OpenAPI description is made of, beside the routes themselves."""

from collections.abc import Callable
from typing import Annotated, Any

from contracts.chat import ChatRequest, ChatResponse, SessionRef
from contracts.conversations import Conversation, ConversationList, ConversationPut
from contracts.feedback import FeedbackRequest
from contracts.identify import Identified, IdentifyRequest
from contracts.items import Layer
from contracts.languages import LANGUAGES
from contracts.problems import Problem
from contracts.shares import Share, SharedMap
from contracts.suggest import Suggestions
from contracts.tools import ToolList
from contracts.turns import TurnProgress
from fastapi import FastAPI, Path
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema
from starlette.convertors import Convertor, register_url_convertor

from edge.agui.inputs import RunInput

JSON = "application/json"
MAX_IDEMPOTENCY_KEY_CHARS = 128
OPENAPI_VERSION = "3.2.0"
"""The first that can describe the events of a stream (`itemSchema`)."""

IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "The same key with the same body leads to the same turn for 24 hours.",
    "schema": {
        "type": "string",
        "minLength": 1,
        "maxLength": MAX_IDEMPOTENCY_KEY_CHARS,
        # Spaces around the value of a header are not part of it.
        "pattern": "^[!-~]([ -~]*[!-~])?$",
    },
}
ACCEPT_LANGUAGE = {
    "name": "Accept-Language",
    "in": "header",
    "required": False,
    "description": f"In which language to answer ({', '.join(LANGUAGES)}) where no body says it.",
    "schema": {"type": "string"},
}
TurnId = Annotated[
    str,
    Path(
        alias="requestId",
        description="The `requestId` of an answer.",
        # Described, not checked: what is none of ours is as unknown as one that has expired.
        json_schema_extra={"pattern": "^req-[0-9a-f]{16}$"},
    ),
]
EVENT_ID: dict[str, Any] = {"pattern": "^[0-9]{0,18}$"}
"""The id of an event in a stream; described, not checked, like a `TurnId`."""


def links_of(body: bool = True) -> dict[str, Any]:
    """What can be done next with the turn of an answer, by the id in its body or in its header."""
    turn = "$response.body#/requestId" if body else "$response.header.Ask-Request-Id"
    return {
        operation: {"operationId": operation, "parameters": {"requestId": turn}}
        for operation in ("get_turn", "cancel_turn", "get_stream")
    }


class _TurnConvertor(Convertor[str]):
    """`{requestId:turn}` is every id but the name of the route beside it, which has methods of its own."""

    regex = "(?!stream$)[^/]+"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("turn", _TurnConvertor())


class Application(FastAPI):
    """FastAPI with the schemas of the contracts."""

    declare_credentials: Callable[[dict[str, Any]], None] | None = None
    """Where somebody has to say who they are: puts that into the description."""

    def openapi(self) -> dict[str, Any]:
        if self.openapi_schema is None:
            self.openapi_version = OPENAPI_VERSION
            description = super().openapi()
            _, schemas = models_json_schema(
                [
                    (ChatRequest, "validation"),
                    (SessionRef, "validation"),
                    (IdentifyRequest, "validation"),
                    (RunInput, "validation"),
                    (ChatResponse, "serialization"),
                    (Identified, "serialization"),
                    (SharedMap, "validation"),
                    (ConversationPut, "validation"),
                    (FeedbackRequest, "validation"),
                    (Share, "serialization"),
                    (Conversation, "serialization"),
                    (ConversationList, "serialization"),
                    (Layer, "serialization"),
                    (Suggestions, "serialization"),
                    (TurnProgress, "serialization"),
                    (ToolList, "serialization"),
                    (Problem, "serialization"),
                ],
                ref_template="#/components/schemas/{model}",
            )
            _sharpen(schemas)
            description.setdefault("components", {}).setdefault("schemas", {}).update(schemas["$defs"])
            if self.declare_credentials is not None:
                self.declare_credentials(description)
            self.openapi_schema = description
        return self.openapi_schema


def _sharpen(schema: Any) -> None:
    """The key that says which of several models it is has to be there, though its model has a default; where
    there is no such key, several may fit."""
    definitions: dict[str, Any] = schema["$defs"]
    pending: list[Any] = [schema]
    while pending:
        part = pending.pop()
        if isinstance(part, dict):
            pending += part.values()
            tag = part.get("discriminator")
            if not isinstance(tag, dict):
                if isinstance(part.get("oneOf"), list):
                    part["anyOf"] = part.pop("oneOf")
                continue
            for model in part.get("oneOf", ()):
                required = definitions[model["$ref"].rpartition("/")[2]].setdefault("required", [])
                required += {tag["propertyName"]} - {*required}
        elif isinstance(part, list):
            pending += part


def headers_of(**says: str) -> dict[str, Any]:
    """Headers of an answer, by name with `_` for `-`: what each says."""
    return {
        name.replace("_", "-"): {"description": text, "schema": {"type": "string"}}
        for name, text in says.items()
    }


def parameters_of(model: type[BaseModel]) -> list[dict[str, Any]]:
    """The fields of a model as parameters of a query."""
    return [
        {
            "name": field.alias or name,
            "in": "query",
            "required": field.is_required(),
            "schema": model.model_json_schema()["properties"][field.alias or name],
        }
        for name, field in model.model_fields.items()
    ]


def body_of(schema: str, shown: dict[str, Any] | None = None) -> dict[str, Any]:
    """A required JSON body. With examples, if there are any."""
    return {"requestBody": {"required": True, "content": {JSON: _content(schema, shown)}}}


def answer(
    description: str, schema: str, shown: dict[str, Any] | None = None, **headers: str
) -> dict[str, Any]:
    """A JSON answer, with the headers that it has beside it."""
    return {
        "description": description,
        "content": {JSON: _content(schema, shown)},
        "headers": headers_of(**headers),
    }


def events(description: str, event: dict[str, Any], media_type: str, **headers: str) -> dict[str, Any]:
    """A stream of events, each with JSON as its `data`. `event` are the other fields that one can have."""
    item = {
        "type": "object",
        "properties": {
            **event,
            "data": {"type": "string", "contentMediaType": JSON},
        },
        "required": ["data"],
    }
    return {
        "description": description,
        "content": {media_type: {"itemSchema": item}},
        "headers": headers_of(**headers),
    }


def _content(schema: str, shown: dict[str, Any] | None) -> dict[str, Any]:
    content: dict[str, Any] = {"schema": {"$ref": f"#/components/schemas/{schema}"}}
    return content | ({"examples": shown} if shown else {})
