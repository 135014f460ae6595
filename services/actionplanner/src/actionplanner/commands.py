"""Intents that need no item: what the user says is enough, together with the loaded layers."""

from collections.abc import Callable

from contracts.actions import (
    BackgroundChoice,
    ClearMap,
    LayerId,
    LayerVisibility,
    MapAction,
    RemoveLayer,
    SetBackground,
    SetLayerVisibility,
)
from contracts.intents import OF_LOADED_LAYERS, Background, Intent
from contracts.items import Item, OtherItem
from contracts.markdown import plain
from contracts.messages import ActionPlanRequested
from contracts.session import LoadedLayer
from servicekit.wording import Say

from actionplanner.layer_names import find, is_everything, is_unnamed
from actionplanner.layers import layer_name, layers_of
from actionplanner.reply import Reply, ask, choose
from actionplanner.wording import listed

Command = Callable[[ActionPlanRequested, Say], Reply]

LOADED_LAYER = "loaded_layer"
"""Item type of the options when several loaded layers fit; the chosen one comes back as the outcome."""


def clear_map(request: ActionPlanRequested, say: Say) -> Reply:
    return Reply(say("cleared"), (ClearMap(),))


def set_background(request: ActionPlanRequested, say: Say) -> Reply:
    wish = str(request.args.get("background") or "").strip().casefold()
    names = {background: say(f"background_name_{background}") for background in Background}
    for background, name in names.items():
        if wish in (background.value, name.casefold()):
            action = SetBackground(payload=BackgroundChoice(background=background))
            hidden = background is Background.NONE
            return Reply(say("background_none") if hidden else say("background", name=name), (action,))
    return ask(say("background_unknown", names=listed(list(names.values()), say)))


def change_layers(request: ActionPlanRequested, say: Say) -> Reply:
    """By the item chosen before, else by the name in the arguments."""
    for item in request.outcome.items:
        if chosen := _layers_behind(item, say):
            return _change(request.intent, chosen, say)
    name = str(request.args.get("name") or "")
    found = find(name, request.layers)
    if not found.layers:
        return _ask_which(name, request.layers, say)
    if len(found.layers) > 1 and not found.together:
        return choose(say("choose_loaded_layer"), tuple(map(_option, found.layers)))
    spared = [(each, find(each, request.layers).layers) for each in _spared(request)]
    if unknown := next((each for each, layers in spared if not layers), None):
        return _ask_which(unknown, request.layers, say)
    left_alone = {layer.id for _, layers in spared for layer in layers}
    rest = tuple(layer for layer in found.layers if layer.id not in left_alone)
    return _change(request.intent, rest, say) if rest else Reply(say("nothing_else_loaded"))


def _layers_behind(item: Item, say: Say) -> tuple[LoadedLayer, ...]:
    if item.type == LOADED_LAYER:
        return (LoadedLayer(id=item.id, label=item.label),)
    return tuple(LoadedLayer(id=layer.id, label=layer_name(layer, say)) for layer in layers_of(item))


def _spared(request: ActionPlanRequested) -> tuple[str, ...]:
    names = request.args.get("except")
    return tuple(map(str, names)) if isinstance(names, list | tuple) else ()


def _change(intent: str, layers: tuple[LoadedLayer, ...], say: Say) -> Reply:
    key, action = _CHANGES[Intent(intent)]
    labels = listed(list(dict.fromkeys(map(_name, layers))), say)
    return Reply(say(key, labels=labels), tuple(action(layer.id) for layer in layers))


def _removal(id: str) -> MapAction:
    return RemoveLayer(payload=LayerId(id=id))


def _visibility(visible: bool) -> Callable[[str], MapAction]:
    return lambda id: SetLayerVisibility(payload=LayerVisibility(id=id, visible=visible))


def _ask_which(name: str, loaded: tuple[LoadedLayer, ...], say: Say) -> Reply:
    labels = listed(list(dict.fromkeys(map(_name, loaded))), say)
    said = say("loaded", labels=labels) if loaded else say("nothing_loaded")
    if is_unnamed(name) or is_everything(name):
        return ask(f"{say('which_layer')} {said}" if loaded else said)
    return ask(f"{say('not_loaded_named', name=plain(name))} {said}")


def _option(layer: LoadedLayer) -> OtherItem:
    return OtherItem(type=LOADED_LAYER, id=layer.id, label=layer.label)


def _name(layer: LoadedLayer) -> str:
    return layer.label or plain(layer.id)


_CHANGES: dict[Intent, tuple[str, Callable[[str], MapAction]]] = {
    Intent.REMOVE_LAYER: ("removed", _removal),
    Intent.HIDE_LAYER: ("made_invisible", _visibility(False)),
    Intent.SHOW_LAYER: ("made_visible", _visibility(True)),
}
"""The text that tells it, and the action for a layer."""

COMMANDS: dict[str, Command] = {
    Intent.CLEAR_MAP: clear_map,
    Intent.SET_BACKGROUND: set_background,
    **dict.fromkeys(OF_LOADED_LAYERS, change_layers),
}
