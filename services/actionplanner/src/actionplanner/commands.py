"""Intents that need no item: what the user says is enough, together with the loaded layers."""

from collections.abc import Callable

from contracts.actions import (
    MAX_UNDO_STEPS,
    BackgroundChoice,
    ClearMap,
    FeaturesId,
    MarkerId,
    RemoveFeatures,
    RemoveMarker,
    SetBackground,
    Steps,
    Undo,
)
from contracts.intents import OF_LOADED_LAYERS, Background, Intent
from contracts.messages import ActionPlanRequested
from servicekit.wording import Say

from actionplanner.loaded import change_layers
from actionplanner.ordering import move_layer
from actionplanner.reply import Reply, ask
from actionplanner.wording import listed

Command = Callable[[ActionPlanRequested, Say], Reply]


def clear_map(request: ActionPlanRequested, say: Say) -> Reply:
    return Reply(say("cleared"), (ClearMap(),))


def remove_markers(request: ActionPlanRequested, say: Say) -> Reply:
    everything = "*"
    gone = (
        RemoveMarker(payload=MarkerId(id=everything)),
        RemoveFeatures(payload=FeaturesId(id=everything)),
    )
    return Reply(say("markers_removed"), gone)


def undo(request: ActionPlanRequested, say: Say) -> Reply:
    wish = request.args.get("steps")
    steps = int(min(wish, MAX_UNDO_STEPS)) if isinstance(wish, int | float) and wish > 1 else 1
    told = say("undone") if steps == 1 else say("undone_steps", steps=steps)
    return Reply(told, (Undo(payload=Steps(steps=steps)),))


def set_background(request: ActionPlanRequested, say: Say) -> Reply:
    wish = str(request.args.get("background") or "").strip().casefold()
    names = {background: say(f"background_name_{background}") for background in Background}
    for background, name in names.items():
        if wish in (background.value, name.casefold()):
            action = SetBackground(payload=BackgroundChoice(background=background))
            hidden = background is Background.NONE
            return Reply(say("background_none") if hidden else say("background", name=name), (action,))
    return ask(say("background_unknown", names=listed(list(names.values()), say)))


COMMANDS: dict[str, Command] = {
    Intent.CLEAR_MAP: clear_map,
    Intent.SET_BACKGROUND: set_background,
    Intent.REMOVE_MARKERS: remove_markers,
    Intent.UNDO: undo,
    **dict.fromkeys(OF_LOADED_LAYERS, change_layers),
    Intent.MOVE_LAYER: move_layer,
}
