"""What the state of the `map` agent says of the map of its client. Pure."""

from typing import Any

from contracts.actions import (
    AddFeatures,
    AddLayer,
    AddMarker,
    ClearMap,
    MapAction,
    MoveLayer,
    RemoveFeatures,
    RemoveLayer,
    RemoveMarker,
    SetLayerOpacity,
    SetLayerVisibility,
    Undo,
)
from contracts.chat import MapContext
from contracts.keys import MAX_LAYERS
from pydantic import ValidationError

from edge.agui.run_events import Json

_MAX_LISTED = MAX_LAYERS
"""Of markers and features: the oldest are left out, so that a state does not grow for ever."""
_ALL = "*"
_KINDS: dict[str, Any] = {"label": str, "coord": list, "count": int, "visible": bool, "opacity": int | float}


def map_of(state: Any) -> MapContext | None:
    """What a client tells of its map. Raises `ValidationError`."""
    told = state.get("map") if isinstance(state, dict) else None
    return None if told is None else MapContext.model_validate(told)


def layers_of(state: Any) -> list[Json]:
    """The layers in a state that a client has sent."""
    return [{"visible": True} | each for each in _listed(state, "layers", "label", "visible", "opacity")]


class MapState:
    """What a client has sent, and the map actions since then; whatever else it has sent is of no interest."""

    def __init__(self, state: Any) -> None:
        try:
            told = map_of(state)
        except ValidationError:
            told = None
        self._map = {} if told is None else {"map": told.model_dump(mode="json", exclude_unset=True)}
        self._lists: dict[str, list[Json]] = {
            "layers": layers_of(state) if told is None else [each.model_dump() for each in told.loaded],
            "markers": _listed(state, "markers", "label", "coord")[-_MAX_LISTED:],
            "features": _listed(state, "features", "label", "count")[-_MAX_LISTED:],
        }
        undone = state.get("undone") if isinstance(state, dict) else None
        self._undone = undone if isinstance(undone, int) and undone > 0 else 0

    def told(self) -> Json:
        """What the client itself has said; it stays in the state."""
        return self._map

    def shown(self) -> Json:
        return self._lists | {"undone": self._undone}

    def apply(self, action: MapAction) -> None:
        lists = self._lists
        match action:
            # Outlines are drawn as layers, and listed nowhere.
            case AddLayer(payload=new) if new.type != "geojson":
                label = {"label": new.label} if new.label else {}
                self._put("layers", {"id": new.id, **label, "visible": new.visible})
            case RemoveLayer(payload=gone):
                lists["layers"] = _without(lists["layers"], gone.id)
            case SetLayerVisibility(payload=shown):
                lists["layers"] = _with(lists["layers"], shown.id, visible=shown.visible)
            case SetLayerOpacity(payload=faded):
                lists["layers"] = _with(lists["layers"], faded.id, opacity=faded.opacity)
            case MoveLayer(payload=moved):
                others = _without(lists["layers"], moved.id)
                own = [each for each in lists["layers"] if each["id"] == moved.id]
                lists["layers"] = [*others[: moved.order], *own, *others[moved.order :]]
            case AddMarker(payload=new):
                label = {"label": new.label} if new.label else {}
                self._put("markers", {"id": new.id, **label, "coord": list(new.coord)})
            case RemoveMarker(payload=gone):
                lists["markers"] = [] if gone.id == _ALL else _without(lists["markers"], gone.id)
            case AddFeatures(payload=found):
                self._put("features", {"id": found.id, "label": found.label, "count": found.count})
            case RemoveFeatures(payload=gone):
                lists["features"] = [] if gone.id == _ALL else _without(lists["features"], gone.id)
            case ClearMap():
                self._lists = {name: [] for name in lists}
                self._undone = 0
            case Undo(payload=back):
                self._undone += back.steps

    def _put(self, name: str, entry: Json) -> None:
        """On top; one with the same id is replaced."""
        most = None if name == "layers" else -_MAX_LISTED
        self._lists[name] = [*_without(self._lists[name], entry["id"]), entry][most:]


def _listed(state: Any, name: str, *fields: str) -> list[Json]:
    found = state.get(name) if isinstance(state, dict) else None
    return [
        {"id": each["id"]} | {key: each[key] for key in fields if isinstance(each.get(key), _KINDS[key])}
        for each in (found if isinstance(found, list) else [])
        if isinstance(each, dict) and isinstance(each.get("id"), str)
    ]


def _without(entries: list[Json], gone: str) -> list[Json]:
    return [each for each in entries if each["id"] != gone]


def _with(entries: list[Json], changed: str, **values: Any) -> list[Json]:
    return [each | values if each["id"] == changed else each for each in entries]
