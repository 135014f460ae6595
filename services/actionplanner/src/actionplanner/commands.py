"""Intents that need no item: what the user says is enough, together with the loaded layers."""

from collections.abc import Callable

from contracts.actions import BackgroundChoice, ClearMap, LayerId, RemoveLayer, SetBackground
from contracts.intents import Background, Intent
from contracts.items import Item, OtherItem
from contracts.markdown import plain
from contracts.messages import ActionPlanRequested
from contracts.session import LoadedLayer
from servicekit.wording import Say

from actionplanner.layer_names import Found, find, is_unnamed
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


def remove_layer(request: ActionPlanRequested, say: Say) -> Reply:
    """By the item chosen before, else by the name in the arguments."""
    for item in request.outcome.items:
        if removable := _layers_behind(item, say):
            return _remove(removable, say)
    name = str(request.args.get("name") or "")
    found = find(name, request.layers)
    if not found.layers:
        return _ask_which(name, request.layers, say)
    if len(found.layers) > 1 and not found.together:
        return choose(say("choose_loaded_layer"), tuple(map(_option, found.layers)))
    if len(found.layers) > 1 and _is_all(found, request.layers):
        return Reply(say("removed_all"), _removals(found.layers))
    return _remove(found.layers, say)


def _layers_behind(item: Item, say: Say) -> tuple[LoadedLayer, ...]:
    if item.type == LOADED_LAYER:
        return (LoadedLayer(id=item.id, label=item.label),)
    return tuple(LoadedLayer(id=layer.id, label=layer_name(layer, say)) for layer in layers_of(item))


def _is_all(found: Found, loaded: tuple[LoadedLayer, ...]) -> bool:
    return {layer.id for layer in found.layers} == {layer.id for layer in loaded}


def _remove(layers: tuple[LoadedLayer, ...], say: Say) -> Reply:
    if len(layers) == 1:
        return Reply(say("removed", label=_name(layers[0])), _removals(layers))
    labels = listed([_name(layer) for layer in layers], say)
    return Reply(say("removed_several", labels=labels), _removals(layers))


def _removals(layers: tuple[LoadedLayer, ...]) -> tuple[RemoveLayer, ...]:
    return tuple(RemoveLayer(payload=LayerId(id=layer.id)) for layer in layers)


def _ask_which(name: str, loaded: tuple[LoadedLayer, ...], say: Say) -> Reply:
    if not loaded:
        return ask(say("nothing_loaded"))
    labels = listed(list(dict.fromkeys(map(_name, loaded))), say)
    if is_unnamed(name):
        return ask(say("which_layer", labels=labels))
    return ask(say("not_loaded_named", name=plain(name), labels=labels))


def _option(layer: LoadedLayer) -> OtherItem:
    return OtherItem(type=LOADED_LAYER, id=layer.id, label=layer.label)


def _name(layer: LoadedLayer) -> str:
    return layer.label or plain(layer.id)


COMMANDS: dict[str, Command] = {
    Intent.CLEAR_MAP: clear_map,
    Intent.SET_BACKGROUND: set_background,
    Intent.REMOVE_LAYER: remove_layer,
}
