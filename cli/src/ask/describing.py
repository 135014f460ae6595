"""`ask bus asyncapi`: what services take and say, from their own declarations."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any, Literal

import yaml
from servicekit.asyncapi import description_of

from ask import compact
from ask.errors import AskError, Exit
from ask.services import SERVICES
from ask.texts import text

Json = dict[str, Any]
Form = Literal["yaml", "html"]


def bus(names: Sequence[str], form: Form = "yaml") -> str:
    """AsyncAPI 3.0 of these services, or of all. Raises `AskError` for one that is not installed here."""
    built = []
    for name in names or [service.name for service in SERVICES]:
        try:
            built.append(compact.build(name))
        except ModuleNotFoundError:
            raise AskError(text("no_service", name=name), Exit.MISUSED) from None
    document = description_of(*built)
    if form == "html":
        return page(document)
    return yaml.safe_dump(document, allow_unicode=True, sort_keys=False, width=120)


def page(document: Json) -> str:
    """The same for people: who says what to whom, and what is in it. One page without scripts."""
    schemas: Json = document["components"]["schemas"]
    said, taken, carried = _speakers(document)
    rows = (
        f"<tr><td><code>{escape(address)}</code></td>"
        f"<td>{', '.join(sorted(said[address])) or '–'}</td>"
        f"<td>{', '.join(sorted(taken[address])) or '–'}</td>"
        f"<td>{', '.join(_link(name) for name in sorted(carried[address])) or '–'}</td></tr>"
        for address in sorted({*said, *taken})
    )
    return "\n".join(
        (
            "<!doctype html>",
            '<html lang="en">',
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            "<title>ask.sogis: bus</title>",
            '<link rel="stylesheet" href="bus.css">',
            "<h1>What is said on the bus</h1>",
            f"<p>{escape(document['info']['description'])} Made of what the services declare.</p>",
            "<table>",
            "<tr><th>subject</th><th>said by</th><th>taken by</th><th>message</th></tr>",
            *rows,
            "</table>",
            *(line for name in sorted(schemas) for line in _section(name, schemas[name])),
            "</html>\n",
        )
    )


Who = defaultdict[str, set[str]]


def _speakers(document: Json) -> tuple[Who, Who, Who]:
    """By address: who says it, who takes it, and the names of what it carries."""
    said, taken, carried = (defaultdict[str, set[str]](set) for _ in range(3))
    messages: Json = document["components"]["messages"]
    for name, channel in document["channels"].items():
        service, verb, _ = name.split(" ", 2)
        address = re.sub(rf"(?<=\.){re.escape(service)}(?=\.|$)", "{service}", channel["address"])
        (said if verb == "says" else taken)[address].add(service)
        (message,) = (each for key, each in messages.items() if key.startswith(f"{name}:"))
        if verb == "says" or address.startswith("tool.call."):
            carried[address] |= {*_names(message.get("payload", {}))}
    return said, taken, carried


def _names(schema: Any) -> Iterator[str]:
    """Of the contracts that a schema refers to."""
    if isinstance(schema, dict):
        if reference := schema.get("$ref"):
            name = str(reference).rpartition("/")[2]
            if name.isidentifier():
                yield name
        for part in schema.values():
            yield from _names(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from _names(part)


def _section(name: str, schema: Json) -> Iterator[str]:
    if not name.isidentifier():
        return
    yield f'<h2 id="{name}">{name}</h2>'
    if about := schema.get("description"):
        yield f"<p>{escape(str(about))}</p>"
    if values := schema.get("enum"):
        yield f"<p>{', '.join(f'<code>{escape(str(value))}</code>' for value in values)}</p>"
    properties: Json = schema.get("properties", {})
    if properties:
        yield "<table>"
        needed = schema.get("required", [])
        for key, part in properties.items():
            star = "" if key in needed else " (optional)"
            yield (
                f"<tr><td><code>{escape(key)}</code>{star}</td><td>{_kind(part)}</td>"
                f"<td>{escape(str(part.get('description', '')))}</td></tr>"
            )
        yield "</table>"


def _kind(part: Json) -> str:
    """In words, what a property is."""
    if "$ref" in part:
        return _link(str(part["$ref"]).rpartition("/")[2])
    if "const" in part:
        return f"<code>{escape(str(part['const']))}</code>"
    for several in ("anyOf", "oneOf"):
        if several in part:
            return " or ".join(dict.fromkeys(_kind(each) for each in part[several]))
    if part.get("type") == "array":
        return f"list of {_kind(part['items'])}" if part.get("items") else "list"
    return escape(str(part.get("format") or part.get("type", "any")))


def _link(name: str) -> str:
    return f'<a href="#{escape(name)}">{escape(name)}</a>'
