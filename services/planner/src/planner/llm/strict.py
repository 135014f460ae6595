"""JSON Schema of a tool -> the subset that endpoints enforce ("strict" structured output).

In that subset every object is closed and all its properties are required. What a tool does not require
becomes nullable, and at the top level everything does: null means "not known, will be bound".
"""

import re
from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]

_MAX_DEPTH = 4
"""Levels of objects and arrays within an argument; endpoints limit the depth of the whole answer to ten."""

_KEPT: dict[str, tuple[str, ...]] = {
    "string": ("pattern", "format"),
    "number": ("multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    "integer": ("multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    "boolean": (),
    "null": (),
}
_FORMATS = frozenset({"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"})
_TYPE_NAMES = {bool: "boolean", str: "string", int: "integer", float: "number", type(None): "null"}
_NAME = re.compile(r"[\w.:+-]{0,40}")
_NULL: Schema = {"type": "null"}


class NotExpressible(ValueError):
    """The subset has no words for this schema."""


def strict_arguments(parameters: Mapping[str, Any]) -> Schema:
    """The arguments that a model may give, each nullable.

    Arguments that cannot be expressed (free-form objects such as a geometry) are left out: they come from
    selections or not at all.
    """
    properties: Schema = {}
    declared = parameters.get("properties")
    for name, schema in (declared if isinstance(declared, Mapping) else {}).items():
        try:
            properties[name] = nullable(_strict(schema, parameters, (), 0))
        except NotExpressible:
            continue
    return closed(properties)


def wordless(arguments: Schema) -> Schema:
    """Strict arguments without descriptions, and without names and values that could be sentences."""
    kept = {name: _wordless(part) for name, part in arguments["properties"].items() if _is_name(name)}
    return closed({name: part for name, part in kept.items() if part is not None})


def _wordless(schema: Schema) -> Schema | None:
    told = {key: value for key, value in schema.items() if key not in ("description", "pattern")}
    if any(isinstance(value, str) and not _is_name(value) for value in told.get("enum", ())):
        return None
    if "properties" in told:
        return wordless(told)
    if "items" in told:
        items = _wordless(told["items"])
        return None if items is None else told | {"items": items}
    if "anyOf" in told:
        options = [_wordless(option) for option in told["anyOf"]]
        return None if None in options else told | {"anyOf": options}
    return told


def _is_name(word: str) -> bool:
    return _NAME.fullmatch(word) is not None


def closed(properties: Schema, description: str | None = None) -> Schema:
    """An object with exactly these properties."""
    head: Schema = {"type": "object"} | ({"description": description} if description else {})
    return head | {
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def nullable(schema: Schema) -> Schema:
    """The schema, or null."""
    options = schema.get("anyOf")
    if schema.get("type") == "null" or (options is not None and _NULL in options):
        return schema
    if options is not None:
        return schema | {"anyOf": [*options, _NULL]}
    if isinstance(schema.get("type"), str) and schema["type"] in _KEPT and "enum" not in schema:
        return schema | {"type": [schema["type"], "null"]}
    description = {"description": schema["description"]} if "description" in schema else {}
    bare = {key: value for key, value in schema.items() if key != "description"}
    return description | {"anyOf": [bare, _NULL]}


def _strict(schema: Any, root: Mapping[str, Any], refs: tuple[str, ...], depth: int) -> Schema:
    if not isinstance(schema, Mapping) or depth > _MAX_DEPTH:
        raise NotExpressible
    if "$ref" in schema:
        return _described(schema, *_resolved(schema["$ref"], root, refs), root, depth)
    if isinstance(parts := schema.get("allOf"), list) and len(parts) == 1:
        return _described(schema, parts[0], refs, root, depth)
    if "allOf" in schema or "not" in schema or "if" in schema:
        raise NotExpressible
    for union in ("anyOf", "oneOf"):
        if isinstance(schema.get(union), list):
            return _description(schema) | _union(schema[union], root, refs, depth)
    if "const" in schema:
        return _description(schema) | _enumeration([schema["const"]])
    if isinstance(schema.get("enum"), list):
        return _description(schema) | _enumeration(schema["enum"])
    return _description(schema) | _typed(schema, root, refs, depth)


def _described(
    schema: Mapping[str, Any], target: Any, refs: tuple[str, ...], root: Mapping[str, Any], depth: int
) -> Schema:
    return _strict(target, root, refs, depth) | _description(schema)


def _description(schema: Mapping[str, Any]) -> Schema:
    described = schema.get("description")
    return {"description": described} if isinstance(described, str) else {}


def _resolved(ref: Any, root: Mapping[str, Any], refs: tuple[str, ...]) -> tuple[Any, tuple[str, ...]]:
    if not isinstance(ref, str) or not ref.startswith("#/") or ref in refs:
        raise NotExpressible
    target: Any = root
    for part in ref.removeprefix("#/").split("/"):
        if not isinstance(target, Mapping):
            raise NotExpressible
        target = target.get(part.replace("~1", "/").replace("~0", "~"))
    return target, (*refs, ref)


def _union(options: list[Any], root: Mapping[str, Any], refs: tuple[str, ...], depth: int) -> Schema:
    possible: list[Schema] = []
    for option in options:
        try:
            strict = _strict(option, root, refs, depth)
        except NotExpressible:
            continue
        possible.extend(part for part in strict.get("anyOf", [strict]) if part not in possible)
    first_keys = [next(iter(part["properties"]), None) for part in possible if part.get("type") == "object"]
    if not possible or possible == [_NULL] or len(first_keys) != len(set(first_keys)):
        # Endpoints refuse objects that cannot be told apart by their first key.
        raise NotExpressible
    return possible[0] if len(possible) == 1 else {"anyOf": possible}


def _enumeration(values: list[Any]) -> Schema:
    by_type: dict[str, list[Any]] = {}
    for value in values:
        if type(value) not in _TYPE_NAMES:
            raise NotExpressible
        by_type.setdefault(_TYPE_NAMES[type(value)], []).append(value)
    options = [_NULL if name == "null" else {"type": name, "enum": some} for name, some in by_type.items()]
    if not options or options == [_NULL]:
        raise NotExpressible
    return options[0] if len(options) == 1 else {"anyOf": options}


def _typed(schema: Mapping[str, Any], root: Mapping[str, Any], refs: tuple[str, ...], depth: int) -> Schema:
    kind = schema.get("type")
    if isinstance(kind, list):
        return _union([{**schema, "type": one} for one in kind], root, refs, depth)
    if kind == "object" or (kind is None and "properties" in schema):
        return _object(schema, root, refs, depth)
    if kind == "array":
        return _array(schema, root, refs, depth)
    if kind not in _KEPT:
        raise NotExpressible
    return {"type": kind} | {key: schema[key] for key in _KEPT[kind] if _usable(key, schema.get(key))}


def _usable(key: str, value: Any) -> bool:
    if key == "pattern":
        # Look-around and other extensions begin with "(?"; endpoints compile plain expressions only.
        return isinstance(value, str) and "(?" not in value
    if key == "format":
        return value in _FORMATS
    return isinstance(value, int | float) and not isinstance(value, bool)


def _object(schema: Mapping[str, Any], root: Mapping[str, Any], refs: tuple[str, ...], depth: int) -> Schema:
    declared = schema.get("properties")
    if not isinstance(declared, Mapping) or not declared:
        raise NotExpressible
    required = schema.get("required", ())
    properties: Schema = {}
    for name, part in declared.items():
        try:
            strict = _strict(part, root, refs, depth + 1)
        except NotExpressible:
            if name in required:
                raise
            continue
        properties[name] = strict if name in required else nullable(strict)
    return closed(properties)


def _array(schema: Mapping[str, Any], root: Mapping[str, Any], refs: tuple[str, ...], depth: int) -> Schema:
    limits = {key: schema[key] for key in ("minItems", "maxItems") if isinstance(schema.get(key), int)}
    if isinstance(places := schema.get("prefixItems"), list):
        items = _union(places, root, refs, depth + 1)
        return {"type": "array", "items": items, "minItems": len(places), "maxItems": len(places)}
    return {"type": "array", "items": _strict(schema.get("items"), root, refs, depth + 1)} | limits
