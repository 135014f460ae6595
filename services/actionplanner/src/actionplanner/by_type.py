"""What to show for an item: by its type if we know it, else by what it brings along."""

from collections.abc import Callable

from contracts.intents import Intent
from contracts.items import Address, Item, Municipality, Parcel, Place
from contracts.messages import ActionPlanRequested
from servicekit.wording import Say

from actionplanner.features import feature, feature_set
from actionplanner.places import frame, highlight, marker
from actionplanner.reply import Reply, ask
from actionplanner.templates import (
    Template,
    cadastral_plan,
    distance,
    geothermal_probe_assessment,
    goto_address,
    height_query,
    load_layer,
    oereb_extract,
    search_place,
    show_parcel,
    zoom_to_layer,
)
from actionplanner.wording import short, title

_POINT_ZOOM = 17

_TEMPLATES: dict[str, Template] = {
    "address": goto_address,
    "municipality": search_place,
    "place": search_place,
    "parcel": show_parcel,
    "oereb_extract": oereb_extract,
    "geothermal_assessment": geothermal_probe_assessment,
    "cadastral_plan": cadastral_plan,
    "height": height_query,
    "feature": feature,
}
_OF_QUESTIONS: dict[str, Callable[[Item, ActionPlanRequested, Say], Reply | None]] = {
    "feature_set": feature_set,
    "distance": distance,
    "layer": load_layer,
    "layer_group": load_layer,
}
"""Of which the answer depends on what was asked."""


def show(item: Item, request: ActionPlanRequested, say: Say) -> Reply:
    """The template of the question or of its type, else the generic one."""
    if request.intent == Intent.ZOOM_TO_LAYER and (reply := zoom_to_layer(item, request, say)):
        return reply
    of_type, of_question = _TEMPLATES.get(item.type), _OF_QUESTIONS.get(item.type)
    reply = of_type(item, say) if of_type else of_question(item, request, say) if of_question else None
    return reply or _show_anything(item, request.outcome.message, say)


def _show_anything(item: Item, outcome_message: str, say: Say) -> Reply:
    """A point gets a view and a marker, an extent a view, a geometry its outline.

    What is nowhere on the map is told by the tool's own message, or else by its label.
    """
    label = title(item)
    actions = frame(item, _POINT_ZOOM)
    if item.coord is not None:
        actions += marker(f"{item.type}-{item.id}", item, label)
    actions += highlight(f"{item.type}-highlight-{item.id}", item)
    if actions:
        return Reply(outcome_message or say("shown", label=short(label)), actions)
    if isinstance(item, Address | Municipality | Place | Parcel):
        return ask(say("no_position", label=short(label)))
    return Reply(outcome_message or label)
