"""What is done to loaded layers by their names: each change, and what is said of it.

What the session knows of a layer is what was said last: a change that seems to have been made already is told
as such, and made all the same.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from contracts.actions import (
    LayerId,
    LayerVisibility,
    MapAction,
    RemoveLayer,
    SetLayerVisibility,
    ShowLegend,
)
from contracts.intents import Intent
from contracts.items import Item, OtherItem
from contracts.markdown import plain
from contracts.messages import ActionPlanRequested
from contracts.session import LoadedLayer
from servicekit.wording import Say

from actionplanner.layer_names import find, is_everything, is_unnamed
from actionplanner.layers import layer_name, layers_of, opacity_in, set_opacity
from actionplanner.reply import Reply, ask, choose
from actionplanner.wording import listed

LOADED_LAYER = "loaded_layer"
"""Item type of the options when several loaded layers fit; the chosen one comes back as the outcome."""

Layers = tuple[LoadedLayer, ...]
Fits = Callable[[LoadedLayer], bool]


def _is_visible(layer: LoadedLayer) -> bool:
    return layer.visible


def _is_hidden(layer: LoadedLayer) -> bool:
    return not layer.visible


def _any(layer: LoadedLayer) -> bool:
    return True


def _none(layer: LoadedLayer) -> bool:
    return False


@dataclass(frozen=True)
class Change:
    told: str
    """The text that tells what was done."""
    action: Callable[[str], MapAction]
    fits: Fits = _any
    """Which layers it makes sense for, where no name is said."""
    already: str = ""
    """The text for those for which it `is_so` before."""
    is_so: Fits = _none
    values: Mapping[str, object] = field(default_factory=dict)


def change_layers(request: ActionPlanRequested, say: Say) -> Reply:
    change = _change_of(request)
    if change is None:
        return ask(say("which_opacity"))
    layers = meant(request, say, change.fits)
    if isinstance(layers, Reply):
        return layers
    known = {layer.id for layer in request.layers}
    changed = tuple(layer for layer in layers if not (layer.id in known and change.is_so(layer)))
    key = change.told if changed else change.already
    told = say(key, labels=names(changed or layers, say), **change.values)
    return Reply(told, tuple(change.action(layer.id) for layer in layers))


def meant(request: ActionPlanRequested, say: Say, fits: Fits = _any) -> Layers | Reply:
    """By the item chosen before, else by the name in the arguments; or what to ask.

    "The layer" is the only one that fits.
    """
    known = {layer.id: layer for layer in request.layers}
    for item in request.outcome.items:
        if chosen := _layers_behind(item, say):
            return tuple(known.get(layer.id, layer) for layer in chosen)
    name = str(request.args.get("name") or "")
    is_named = is_everything(name) or not is_unnamed(name)
    fitting = () if is_named else tuple(filter(fits, request.layers))
    found = find(name, fitting or request.layers)
    if not found.layers:
        return ask_which(name, request.layers, say)
    if len(found.layers) > 1 and not found.together:
        return choose(say("choose_loaded_layer"), tuple(map(_option, found.layers)))
    spared = [(each, find(each, request.layers).layers) for each in _spared(request)]
    if unknown := next((each for each, layers in spared if not layers), None):
        return ask_which(unknown, request.layers, say)
    left_alone = {layer.id for _, layers in spared for layer in layers}
    rest = tuple(layer for layer in found.layers if layer.id not in left_alone)
    return rest or Reply(say("nothing_else_loaded"))


def ask_which(name: str, loaded: Layers, say: Say) -> Reply:
    said = say("loaded", labels=names(loaded, say)) if loaded else say("nothing_loaded")
    if is_unnamed(name) or is_everything(name):
        return ask(f"{say('which_layer')} {said}" if loaded else said)
    return ask(f"{say('not_loaded_named', name=plain(name))} {said}")


def names(layers: Layers, say: Say) -> str:
    return listed(list(dict.fromkeys(layer.label or plain(layer.id) for layer in layers)), say)


def _change_of(request: ActionPlanRequested) -> Change | None:
    """None when it is not said how much."""
    if request.intent != Intent.SET_LAYER_OPACITY:
        return _CHANGES[Intent(request.intent)]
    opacity = opacity_in(request.args)
    return None if opacity is None else _opacity(opacity)


def _layers_behind(item: Item, say: Say) -> Layers:
    if item.type == LOADED_LAYER:
        return (LoadedLayer(id=item.id, label=item.label),)
    return tuple(LoadedLayer(id=layer.id, label=layer_name(layer, say)) for layer in layers_of(item))


def _spared(request: ActionPlanRequested) -> tuple[str, ...]:
    given = request.args.get("except")
    return tuple(map(str, given)) if isinstance(given, list | tuple) else ()


def _option(layer: LoadedLayer) -> OtherItem:
    return OtherItem(type=LOADED_LAYER, id=layer.id, label=layer.label)


def _removal(id: str) -> MapAction:
    return RemoveLayer(payload=LayerId(id=id))


def _legend(id: str) -> MapAction:
    return ShowLegend(payload=LayerId(id=id))


def _visibility(visible: bool) -> Callable[[str], MapAction]:
    return lambda id: SetLayerVisibility(payload=LayerVisibility(id=id, visible=visible))


def _opacity(opacity: float) -> Change:
    percent = round(100 * opacity)
    return Change(
        told="opacity_set",
        action=lambda id: set_opacity(id, opacity),
        fits=_is_visible,
        already="opacity_already",
        is_so=lambda layer: round(100 * layer.opacity) == percent,
        values={"percent": percent},
    )


_CHANGES: dict[Intent, Change] = {
    Intent.REMOVE_LAYER: Change("removed", _removal),
    Intent.SHOW_LEGEND: Change("legend_shown", _legend, _is_visible),
    Intent.HIDE_LAYER: Change(
        "made_invisible", _visibility(False), _is_visible, "already_invisible", _is_hidden
    ),
    Intent.SHOW_LAYER: Change("made_visible", _visibility(True), _is_hidden, "already_visible", _is_visible),
}
