"""What the OpenAPI description is made of, beside the routes themselves."""

from collections.abc import Callable
from typing import Annotated, Any

from contracts.problems import Problem
from fastapi import FastAPI, Path
from pydantic import Field
from pydantic.json_schema import SkipJsonSchema, models_json_schema
from starlette.convertors import Convertor, register_url_convertor

JSON = "application/json"
_REFERENCE = "#/components/schemas/{model}"
OPENAPI_VERSION = "3.2.0"
"""The first that can describe the events of a stream (`itemSchema`)."""

TurnId = Annotated[
    str,
    Path(
        alias="requestId",
        description="The `requestId` of an answer.",
        # Described, not checked: what is none of ours is as unknown as one that has expired.
        json_schema_extra={"pattern": "^req-[0-9a-f]{16}$"},
    ),
]
EventId = Annotated[str, Field(pattern="^[0-9]{0,18}$")] | SkipJsonSchema[None]
"""The id of an event in a stream; an empty one is that of nothing yet."""


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
    """FastAPI that describes problems and credentials, too."""

    declare_credentials: Callable[[dict[str, Any]], None] | None = None
    """Where somebody has to say who they are: puts that into the description."""

    def openapi(self) -> dict[str, Any]:
        if self.openapi_schema is None:
            self.openapi_version = OPENAPI_VERSION
            description = super().openapi()
            schemas = description["components"]["schemas"]
            # No route returns a problem: they are raised.
            _, raised = models_json_schema([(Problem, "serialization")], ref_template=_REFERENCE)
            schemas.update(raised["$defs"])
            _sharpen(schemas)
            if self.declare_credentials is not None:
                self.declare_credentials(description)
            self.openapi_schema = description
        return self.openapi_schema


def _sharpen(definitions: dict[str, Any]) -> None:
    """The key that says which of several models it is has to be there, though its model has a default; where
    there is no such key, several may fit."""
    pending: list[Any] = [definitions]
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


def answer(description: str, shown: dict[str, Any] | None = None, **headers: str) -> dict[str, Any]:
    """A JSON answer beside its schema: examples, and the headers that it has."""
    described: dict[str, Any] = {"description": description, "headers": headers_of(**headers)}
    return described | ({"content": {JSON: {"examples": shown}}} if shown else {})


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
