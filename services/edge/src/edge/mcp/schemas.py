"""What the tools of the MCP endpoint return, as JSON Schema.

Wide on purpose: clients check results against it, and a result with one field more is still a good one.
"""

from typing import Any

from contracts.chat import MAX_MESSAGE_CHARS, MAX_SESSION_ID_CHARS
from contracts.keys import MAX_LAYERS
from contracts.languages import LANGUAGES, MAX_TAG_CHARS
from contracts.oereb import ExtractContent
from contracts.status import Status

_STATUS: dict[str, Any] = {"type": "string", "enum": [status.value for status in Status]}
_TEXT: dict[str, Any] = {"type": "string"}
_COORD: dict[str, Any] = {
    "type": "array",
    "items": {"type": "number"},
    "description": "East and north in metres, LV95 (EPSG:2056).",
}


def _object(required: tuple[str, ...], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


def _list(of: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": of}


_NUMBER: dict[str, Any] = {"type": "number"}
_TRUTH: dict[str, Any] = {"type": "boolean"}
_SHOWN_LAYER = _object(
    ("id", "label"),
    id=_TEXT,
    label=_TEXT,
    visible=_TRUTH,
    opacity=_NUMBER | {"minimum": 0, "maximum": 1},
    order={"type": "integer", "description": "0 is the lowest."},
)
MAP = _object(
    ("center", "extent", "scale"),
    center=_COORD,
    extent=_list(_NUMBER) | {"description": "What is seen: lowest east and north, highest east and north."},
    scale=_NUMBER | {"exclusiveMinimum": 0, "description": "The denominator: 25000 is 1:25'000."},
    crs={"type": "string", "const": "EPSG:2056"},
    point=_COORD,
    layers=_list(_SHOWN_LAYER) | {"maxItems": MAX_LAYERS},
) | {"description": "The map of the user, if there is one: what «here» means. `point` is where they clicked."}

ASK_ARGUMENTS = _object(
    ("message",),
    message={
        "type": "string",
        "minLength": 1,
        "maxLength": MAX_MESSAGE_CHARS,
        "description": "What the user wants, in everyday words. German is understood best.",
    },
    sessionId={
        "type": "string",
        "minLength": 1,
        "maxLength": MAX_SESSION_ID_CHARS,
        "description": "Goes on with a conversation: the sessionId of an earlier answer.",
    },
    language={
        "type": "string",
        "maxLength": MAX_TAG_CHARS,
        "description": f"Of the answer: one of {', '.join(LANGUAGES)}. Without it, as Accept-Language says.",
    },
    map=MAP,
) | {"additionalProperties": False}

ANSWER = _object(
    ("sessionId", "requestId", "overallStatus", "steps"),
    sessionId=_TEXT,
    requestId=_TEXT,
    overallStatus=_STATUS,
    steps=_list(
        _object(
            ("intent", "status", "message"),
            intent=_TEXT,
            status=_STATUS,
            message={"type": "string", "description": "For the user; Markdown."},
            mapActions=_list(_object(("type",), type=_TEXT, payload={"type": "object"})),
            choices=_list(_object(("id", "label"), id=_TEXT, label=_TEXT)),
        )
    ),
)


def outcome(result_types: tuple[str, ...]) -> dict[str, Any]:
    """Of a tool that finds items of these types."""
    item_type = _TEXT | ({"examples": list(result_types)} if result_types else {})
    item = _object(("type", "id", "label"), type=item_type, id=_TEXT, label=_TEXT, coord=_COORD)
    parts: dict[str, Any] = {}
    if "oereb_extract" in result_types:
        content = ExtractContent.model_json_schema()
        parts = {"$defs": content.pop("$defs")}
        item["properties"]["content"] = content
    return parts | _object(
        ("status", "message", "items"),
        status=_STATUS | {"description": "needs_user_choice: several fit, and the user has to choose one."},
        message={"type": "string", "description": "For the user."},
        items=_list(item) | {"description": "Best first."},
    )
