"""What a response does to the map and says, in the terms of the notation of outcomes."""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from contracts.actions import (
    AddFeatures,
    AddLayer,
    AddMarker,
    ClearMap,
    MoveLayer,
    RemoveFeatures,
    RemoveLayer,
    RemoveMarker,
    SetBackground,
    SetLayerOpacity,
    SetLayerVisibility,
    SetView,
    ShowLegend,
    ShowOerebExtract,
    Undo,
    View,
)
from contracts.chat import ChatResponse, MapContext, ShownLayer, Step
from contracts.intents import Intent
from contracts.items import Coord
from contracts.research import ErrorType
from contracts.session import MapView
from contracts.status import Status

from evaluation.outcomes import Happening
from evaluation.places import Places

_OF_INTENT: dict[str, str] = {
    Intent.SHOW_PARCEL: "parcel",
    Intent.OEREB_EXTRACT: "extract",
    Intent.CADASTRAL_PLAN: "plan",
    Intent.HEIGHT_QUERY: "height",
    Intent.GEOTHERMAL_PROBE_ASSESSMENT: "geothermal",
    Intent.IDENTIFY: "identify",
    Intent.QUERY_FEATURES: "query",
    Intent.MEASURE_DISTANCE: "distance",
}
_LOOKED_UP = (None, ErrorType.NO_DOCUMENTS_FOUND, ErrorType.NO_RELEVANT_DOCUMENTS)
_PARTS_OF_A_VIEW = (SetView, AddMarker, ShowOerebExtract, AddFeatures)
_UNMARKS = (RemoveMarker, RemoveFeatures)


@dataclass
class Shown:
    """A layer on the client's map."""

    id: str
    label: str
    loaded_as: str
    """What was said when it was loaded: a group is named there."""
    visible: bool = True
    opacity: float = 1


class ClientMap:
    """The map of a client: it carries out what responses say, and tells what they do."""

    def __init__(self, places: Places, view: MapView | None = None) -> None:
        self._places = places
        self._view = view
        self._layers: dict[str, Shown] = {}
        """The lowest first."""
        self._before: list[dict[str, Shown]] = []
        """What was loaded before each change."""

    def told(self) -> dict[str, Any]:
        """What a client says of its map with a message, as fields of the request."""
        facts = (
            {"id": each.id, "label": each.label, "visible": each.visible, "opacity": each.opacity}
            for each in self._layers.values()
        )
        layers = tuple(map(ShownLayer.model_validate, facts))
        if self._view is None:
            return {"map_layers": layers}
        listed = [layer.model_dump() for layer in layers]
        return {"map": MapContext.model_validate(self._view.model_dump() | {"layers": listed})}

    def click(self, point: Coord) -> None:
        if self._view is not None:
            self._view = self._view.model_copy(update={"point": point})

    def take(self, response: ChatResponse) -> tuple[Happening, ...]:
        """What happens; afterwards it has happened."""
        before = deepcopy(self._layers)
        happened = tuple(happening for step in response.steps for happening in self._take(step))
        if before != self._layers and not any(each.kind == "undo" for each in happened):
            self._before.append(before)
        return happened

    def _take(self, step: Step) -> Iterator[Happening]:
        self._load(step)
        found = tuple(self._happenings(step))
        self._apply(step)
        yield from found or (Happening("answer", told=step.message),)

    def _happenings(self, step: Step) -> Iterator[Happening]:
        if step.status is Status.ERROR:
            yield Happening("error", told=step.message, only_asks=True)
        elif step.research is not None and _looked_up(step):
            told = f"{step.research.user_query} {step.message}"
            yield Happening("documents", told=told, only_asks=step.status is not Status.OK)
        elif step.status is Status.NEEDS_USER_CHOICE and step.choices:
            yield Happening("choose", tuple(choice.label for choice in step.choices), only_asks=True)
        elif step.status is not Status.OK:
            yield Happening("ask", told=step.message, only_asks=True)
        elif step.intent == Intent.ZOOM_TO_LAYER:
            yield Happening("zoom", (step.message,))
        elif step.intent == Intent.MOVE_LAYER and not step.map_actions:
            lying = (each for each in self._layers.values() if f"«{each.label}»" in step.message)
            for each in lying:
                told = f"{self._place(list(self._layers).index(each.id))} {step.message}"
                yield Happening("move", (each.label,), told, was_so=True)
        elif step.intent in _OF_INTENT and not _shows_only_parcel(step):
            yield Happening(_OF_INTENT[step.intent], told=self._about(step))
        elif _shows_only_parcel(step):
            yield Happening("parcel", told=step.message)
        elif any(isinstance(action, SetView) for action in step.map_actions):
            yield Happening("view", self._names(step), step.message)
        yield from self._changes(step)

    def _about(self, step: Step) -> str:
        """The message and whose extract it is, or else what is at the place that it shows."""
        extracts = (action.payload for action in step.map_actions if isinstance(action, ShowOerebExtract))
        facts = [f"{each.egrid} {each.number} {each.municipality}" for each in extracts]
        views = (action.payload.center for action in step.map_actions if isinstance(action, SetView))
        places = facts or [name for view in views for name in self._places.at(view)]
        return " ".join((step.message, *places))

    def _names(self, step: Step) -> tuple[str, ...]:
        labels = (action.payload.label for action in step.map_actions if isinstance(action, AddMarker))
        return tuple(filter(None, labels)) or self._places.named_in(step.message) or (step.message,)

    def _changes(self, step: Step) -> Iterator[Happening]:
        """What else is done to the map than to show a place."""
        by_kind: dict[str, list[str]] = {}
        if step.intent == Intent.REMOVE_MARKERS and any(isinstance(a, _UNMARKS) for a in step.map_actions):
            yield Happening("unmark")
        for action in step.map_actions:
            match action:
                case AddLayer(payload=layer) if layer.type == "geojson":
                    continue
                case AddLayer(payload=layer):
                    by_kind.setdefault("load", []).append(layer.label or layer.id)
                case RemoveLayer(payload=layer):
                    by_kind.setdefault("remove", []).append(layer.id)
                case SetLayerVisibility(payload=layer):
                    by_kind.setdefault("show" if layer.visible else "hide", []).append(layer.id)
                case SetBackground(payload=chosen):
                    yield Happening("background", (chosen.background.value,))
                case SetLayerOpacity(payload=layer):
                    by_kind.setdefault(f"opacity {layer.opacity:.0%}", []).append(layer.id)
                case MoveLayer(payload=layer):
                    yield Happening("move", (self._label(layer.id),), self._place(layer.order))
                case ShowLegend(payload=layer):
                    yield Happening("legend", (self._label(layer.id),))
                case Undo(payload=back):
                    yield Happening("undo", told=str(back.steps))
                case ClearMap():
                    yield Happening("clear")
                case other if not isinstance(other, _PARTS_OF_A_VIEW + _UNMARKS):
                    yield Happening(other.type, told=step.message)
        for kind, concerned in by_kind.items():
            if kind == "load":
                yield Happening(kind, tuple(concerned), step.message)
            else:
                name, _, value = kind.rstrip("%").partition(" ")
                found = self._of_loaded(name, concerned)
                yield replace(found, told=f"{found.told} {value}") if value else found

    def _label(self, id: str) -> str:
        return self._layers[id].label if id in self._layers else id

    def _place(self, order: int) -> str:
        """Among the loaded layers, in numbers and in words."""
        words = {0: "bottom"} | ({len(self._layers) - 1: "top"} if self._layers else {})
        return f"{order} {words.get(min(order, len(self._layers) - 1), '')}"

    def _of_loaded(self, kind: str, ids: list[str]) -> Happening:
        """A group is concerned by its name only if all of it is."""
        known = [self._layers[each] for each in ids if each in self._layers]
        rest = [each for each in self._layers.values() if each.id not in ids]
        groups = {each.loaded_as for each in known} - {each.loaded_as for each in rest}
        whole = all(each.loaded_as in groups for each in known) and len(groups) == 1
        names = tuple(each.label for each in known) or tuple(ids)
        return Happening(kind, names, groups.pop() if whole else "", all=not rest)

    def _load(self, step: Step) -> None:
        """A step may do more to a layer that it has loaded."""
        for action in step.map_actions:
            match action:
                case AddLayer(payload=layer) if layer.type != "geojson":
                    label = layer.label or layer.id
                    self._layers[layer.id] = Shown(layer.id, label, step.message, layer.visible)

    def _apply(self, step: Step) -> None:
        for action in step.map_actions:
            match action:
                case RemoveLayer(payload=layer):
                    self._layers.pop(layer.id, None)
                case SetLayerVisibility(payload=layer) if layer.id in self._layers:
                    self._layers[layer.id].visible = layer.visible
                case SetLayerOpacity(payload=layer) if layer.id in self._layers:
                    self._layers[layer.id].opacity = layer.opacity
                case MoveLayer(payload=layer) if layer.id in self._layers:
                    ids = [each for each in self._layers if each != layer.id]
                    ids.insert(layer.order, layer.id)
                    self._layers = {each: self._layers[each] for each in ids}
                case Undo(payload=back):
                    for _ in range(min(back.steps, len(self._before))):
                        self._layers = self._before.pop()
                case RemoveMarker(payload=marker) if marker.id == "*":
                    self._look({"point": None})
                case SetView(payload=view):
                    self._go(view)
                case ClearMap():
                    self._layers.clear()

    def _go(self, view: View) -> None:
        if self._view is None:
            return
        if view.extent is not None:
            west, south, east, north = view.extent
            self._look({"extent": view.extent, "center": ((west + east) / 2, (south + north) / 2)})
        else:
            east, north = (new - old for new, old in zip(view.center, self._view.center, strict=True))
            by = (east, north, east, north)
            extent = tuple(at + far for at, far in zip(self._view.extent, by, strict=True))
            self._look({"center": view.center, "extent": extent})

    def _look(self, changed: dict[str, Any]) -> None:
        if self._view is not None:
            self._view = self._view.model_copy(update=changed)


def _looked_up(step: Step) -> bool:
    error = step.research.error_info if step.research else None
    return (error.error_type if error else None) in _LOOKED_UP


def _shows_only_parcel(step: Step) -> bool:
    ids = [action.payload.id for action in step.map_actions if isinstance(action, AddMarker)]
    return any(each.startswith("parcel-") for each in ids)
