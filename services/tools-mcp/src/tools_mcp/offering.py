"""From a tool as its server describes it to a capability as this system describes it. Pure."""

import json
import re
from collections.abc import Iterator
from typing import Any

from contracts.markdown import line
from contracts.tools import ToolDescriptor
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from mcp_types import Tool, ToolAnnotations
from servicekit.tools import versioned

from tools_mcp import FAMILY, SERVICE

_MAX_NAME_CHARS = 80
_MAX_DESCRIPTION_CHARS = 1_000
_MAX_SCHEMA_CHARS = 20_000
_MAX_PHRASES = 3
_PHRASE_CHARS = range(4, 61)


class NotOffered(Exception):
    """Why a tool is left out."""


def descriptor_of(server: str, tool: Tool) -> ToolDescriptor:
    """Raises `NotOffered`."""
    if _writes(tool.annotations):
        raise NotOffered("it says that it changes things, and calls may be repeated")
    title = line(tool.title or (tool.annotations.title if tool.annotations else None) or "", 100)
    description = line(tool.description or "", _MAX_DESCRIPTION_CHARS)
    return versioned(
        ToolDescriptor(
            capability=f"{FAMILY}.{server}.{_name(tool.name)}",
            service=SERVICE,
            description=". ".join(filter(None, (title, description))) or tool.name,
            parameters=_checked(tool.input_schema),
            result_types=(),
            phrases=tuple(_phrases(tool.name, title, description)),
        )
    )


def _writes(annotations: ToolAnnotations | None) -> bool:
    """Whether a tool says so itself. Most say nothing, and most only read."""
    if annotations is None or annotations.read_only_hint:
        return False
    return annotations.read_only_hint is False or annotations.destructive_hint is True


def _name(name: str) -> str:
    """Fit for a subject on the bus, and for the key of the announcement."""
    fit = re.sub(r"[^a-zA-Z0-9_-]", "_", name)
    if not fit or len(fit) > _MAX_NAME_CHARS:
        raise NotOffered("its name is empty or too long")
    return fit


def _checked(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema that planners and the binding of arguments can use without asking anybody."""
    if len(json.dumps(schema)) > _MAX_SCHEMA_CHARS:
        raise NotOffered("its schema is too large")
    if schema.get("type") != "object":
        raise NotOffered("its arguments are no object")
    if any(not reference.startswith("#") for reference in _references(schema)):
        raise NotOffered("its schema refers to another document")
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise NotOffered(f"its schema is none: {line(error.message, 200)}") from None
    return schema


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        for name, value in schema.items():
            if name in ("$ref", "$dynamicRef", "$schema") and isinstance(value, str):
                yield value if name != "$schema" else "#"
            else:
                yield from _references(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _references(value)


def _phrases(name: str, title: str, description: str) -> list[str]:
    """How somebody could ask for it: its title, its name, and how its description begins."""
    beginning = re.split(r"[.:;,(\n]", description, maxsplit=1)[0]
    candidates = (title, re.sub(r"[^a-zA-Z0-9]+", " ", name), beginning)
    words = [" ".join(candidate.lower().split()) for candidate in candidates]
    fit = [phrase for phrase in words if len(phrase) in _PHRASE_CHARS]
    return list(dict.fromkeys(fit))[:_MAX_PHRASES]
