"""Capabilities as names of MCP tools."""

import hashlib
import re
from collections.abc import Iterable

from contracts.tools import ToolDescriptor

ASK = "ask"
"""The tool that runs a whole turn."""
_MAX_CHARS = 64


def name_of(capability: str) -> str:
    """`geolocation.geocode` becomes `geolocation_geocode`.

    The protocol allows dots, but well-known clients refuse every tool of a server when one name has other
    characters than these, or more of them.
    """
    name = re.sub(r"[^a-zA-Z0-9_-]", "_", capability)
    if len(name) <= _MAX_CHARS:
        return name
    digest = hashlib.sha256(capability.encode()).hexdigest()[:8]
    return f"{name[: _MAX_CHARS - 9]}_{digest}"


def by_name(tools: Iterable[ToolDescriptor]) -> dict[str, ToolDescriptor]:
    """The tools for everybody. Of two with the same name the first one counts."""
    found: dict[str, ToolDescriptor] = {}
    for tool in tools:
        if not tool.internal:
            found.setdefault(name_of(tool.capability), tool)
    found.pop(ASK, None)
    return found


def find(tools: Iterable[ToolDescriptor], name: str) -> ToolDescriptor | None:
    """A tool by its name, or by its capability as it is."""
    known = by_name(tools)
    return known.get(name) or next((tool for tool in known.values() if tool.capability == name), None)
