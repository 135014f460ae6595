"""Loaded layers go above or below others; the lowest is the first."""

from collections.abc import Sequence

from contracts.actions import LayerOrder, MapAction, MoveLayer
from contracts.messages import ActionPlanRequested
from servicekit.wording import Say

from actionplanner.layer_names import find
from actionplanner.loaded import Layers, ask_which, meant, names
from actionplanner.reply import Reply, ask

_BESIDE = ("above", "below")
_TO = ("top", "bottom", "up", "down")
_UPWARDS = ("above", "top", "up")


def move_layer(request: ActionPlanRequested, say: Say) -> Reply:
    layers = meant(request, say)
    if isinstance(layers, Reply):
        return layers
    way = next((way for way in _BESIDE if request.args.get(way)), request.args.get("to"))
    if way not in _BESIDE + _TO:
        return ask(say("which_order"))
    order = list(dict.fromkeys(layer.id for layer in request.layers))
    moving = {layer.id for layer in layers}
    if moving.isdisjoint(order):
        return ask_which(layers[0].label, request.layers, say)
    if moving.issuperset(order):
        return Reply(say("nothing_else_loaded"))
    beside: Layers = ()
    if way in _BESIDE:
        named = _beside(str(request.args[way]), request, moving, say)
        if isinstance(named, Reply):
            return named
        beside = named
    anchors = [layer.id for layer in beside] or _anchors(order, moving, way)
    actions = _moves(order, moving, anchors, upwards=way in _UPWARDS) if anchors else ()
    key = f"moved_{way}" if actions else "order_already"
    return Reply(say(key, labels=names(layers, say), others=names(beside, say)), actions)


def _beside(name: str, request: ActionPlanRequested, moving: set[str], say: Say) -> Layers | Reply:
    """The layers that others go above or below."""
    found = find(name, [layer for layer in request.layers if layer.id not in moving])
    if not found.layers:
        return ask_which(name, request.layers, say)
    if len(found.layers) > 1 and not found.together:
        return ask(f"{say('choose_loaded_layer')} {names(found.layers, say)}.")
    return found.layers


def _anchors(order: Sequence[str], moving: set[str], way: str) -> list[str]:
    """Beside what they come to lie; nothing when they are at the end already."""
    places = [n for n, id in enumerate(order) if id in moving]
    others = [(n, id) for n, id in enumerate(order) if id not in moving]
    if way == "up":
        return [id for n, id in others if n > places[-1]][:1]
    if way == "down":
        return [id for n, id in others if n < places[0]][-1:]
    return [id for _, id in others]


def _moves(
    order: Sequence[str], moving: set[str], anchors: Sequence[str], *, upwards: bool
) -> tuple[MapAction, ...]:
    """One after the other, each to its place among those that have been moved before it."""
    now, moves = list(order), []
    ends = [now.index(id) for id in anchors]
    before, after = (now[max(ends)], True) if upwards else (now[min(ends)], False)
    for id in [each for each in order if each in moving]:
        was = now.index(id)
        now.remove(id)
        place = now.index(before) + (1 if after else 0)
        now.insert(place, id)
        if place != was:
            moves.append(MoveLayer(payload=LayerOrder(id=id, order=place)))
        before, after = id, True
    return tuple(moves)
