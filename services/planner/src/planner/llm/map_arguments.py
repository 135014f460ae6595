"""The arguments of intents that need no tool: their schema, and how they are read."""

import math
from collections.abc import Mapping
from typing import Any, Final

from contracts.actions import MAX_UNDO_STEPS
from contracts.intents import OF_LOADED_LAYERS, Background, Intent

from planner.llm.strict import Schema, closed

_PLACES: Final = ("top", "bottom", "up", "down")
_NAME: Final = {"type": "string", "description": "The layer's name, or * for all of them."}
_EXCEPT: Final = {"type": ["array", "null"], "items": {"type": "string"}}
_OTHER: Final = {"type": ["string", "null"], "description": "The name of another loaded layer."}
_BY_NAME: Final = OF_LOADED_LAYERS - {Intent.SET_LAYER_OPACITY, Intent.MOVE_LAYER}
# Endpoints tell the branches apart by their first key.
SCHEMAS: Final[tuple[Schema, ...]] = (
    closed({"name": _NAME, "except": _EXCEPT}, f"For {', '.join(sorted(_BY_NAME))}."),
    closed(
        {"opacity": {"type": "number"}, "name": _NAME, "except": _EXCEPT},
        "For set_layer_opacity; 0 is invisible, 1 opaque.",
    ),
    closed(
        {
            "to": {"type": ["string", "null"], "enum": [*_PLACES, None]},
            "name": _NAME,
            "above": _OTHER,
            "below": _OTHER,
        },
        "For move_layer; one of to, above and below, the others null.",
    ),
    closed(
        {"background": {"type": "string", "enum": [b.value for b in Background]}},
        "For set_background.",
    ),
    closed({"steps": {"type": "integer"}}, "For undo."),
)


def map_arguments(intent: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Those that the intent takes, as far as they are given. Raises `ValueError` with what it needs."""
    if intent in OF_LOADED_LAYERS:
        name = _text(given.get("name"))
        if not name:
            raise ValueError('{"name": ...}')
        return {"name": name, **_how(intent, given), **_spared(given)}
    if intent == Intent.SET_BACKGROUND:
        if given.get("background") not in list(Background):
            raise ValueError(f"{{'background': one of {', '.join(Background)}}}")
        return {"background": given["background"]}
    if intent == Intent.UNDO:
        steps = given.get("steps")
        counted = isinstance(steps, int) and not isinstance(steps, bool)
        return {"steps": min(max(steps, 1), MAX_UNDO_STEPS) if counted and steps else 1}
    return {}


def _how(intent: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """How opaque a layer is to be, and where it is to lie."""
    if intent == Intent.SET_LAYER_OPACITY:
        opacity = given.get("opacity")
        number = isinstance(opacity, int | float) and not isinstance(opacity, bool) and math.isfinite(opacity)
        if not number:
            raise ValueError('{"opacity": 0 to 1}')
        return {"opacity": min(max(float(opacity or 0), 0.0), 1.0)}
    if intent == Intent.MOVE_LAYER:
        beside = {side: name for side in ("above", "below") if (name := _text(given.get(side)))}
        if given.get("to") in _PLACES and not beside:
            return {"to": given["to"]}
        if len(beside) != 1:
            raise ValueError(f"{{'to': one of {', '.join(_PLACES)}}}, or 'above' or 'below'")
        return dict(beside)
    return {}


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _spared(given: Mapping[str, Any]) -> dict[str, list[str]]:
    names = given.get("except")
    spared = [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
    return {"except": spared} if spared else {}
