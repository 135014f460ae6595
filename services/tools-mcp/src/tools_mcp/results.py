"""From what a foreign tool returns to what this system can use. Pure; everything is cut to size."""

import json
from collections.abc import Iterator
from typing import Any

from contracts.items import ITEM_TYPES, ItemBase, OtherItem, harmless
from contracts.markdown import line, plain
from contracts.messages import Outcome
from contracts.status import Status
from mcp_types import CallToolResult, ResourceLink, TextContent
from pydantic import ValidationError

from tools_mcp.texts import text

_MAX_ITEMS = 25
_LABEL_CHARS = 120


def outcome_of(server: str, tool: str, result: CallToolResult, max_chars: int) -> Outcome:
    """Items of a type that the system knows, where there are any; else one that holds all there is."""
    message = _message(result, max_chars)
    if result.is_error:
        return Outcome(status=Status.ERROR, message=message or text("failed"))
    found = result.structured_content
    structured: dict[str, Any] = found if isinstance(found, dict) else {}
    if structured.get("status") == Status.NEEDS_CLARIFICATION:
        return Outcome(status=Status.NEEDS_CLARIFICATION, message=message)
    items = tuple(_known(structured, max_chars))
    if items or not (message or structured):
        return Outcome(items=items, message=message)
    facts = {"data": structured} if structured and _chars(structured) <= max_chars else {}
    label = line(message, _LABEL_CHARS) or tool
    other = OtherItem.model_validate({"type": f"mcp_{server}", "id": tool, "label": label, **facts})
    return Outcome(items=(other,), message=message or label)


def _message(result: CallToolResult, max_chars: int) -> str:
    """The texts of a result, plain. What is made for models only is not for the eyes of users."""
    parts = []
    for part in result.content:
        audience = part.annotations.audience if part.annotations else None
        if isinstance(part, TextContent) and (audience is None or "user" in audience):
            parts.append(plain(part.text))
        elif isinstance(part, ResourceLink):
            parts.append(plain(f"{part.title or part.name}: {part.uri}"))
    said = "\n\n".join(filter(None, parts))
    return said if len(said) <= max_chars else text("cut", said=said[:max_chars].rstrip())


def _known(structured: dict[str, Any], max_chars: int) -> Iterator[ItemBase]:
    listed = next((structured[name] for name in ("items", "result", "results") if name in structured), None)
    candidates = listed if isinstance(listed, list) else [structured]
    for candidate in candidates[:_MAX_ITEMS]:
        model = ITEM_TYPES.get(str(candidate.get("type"))) if isinstance(candidate, dict) else None
        if model is None or _chars(candidate) > max_chars:
            continue
        try:
            yield model.model_validate(harmless(candidate))
        except ValidationError:
            continue


def _chars(value: Any) -> int:
    return len(json.dumps(value))
