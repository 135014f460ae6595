"""What a user can want: one declaration an intent. A plan may name an intent that is not here."""

from contracts.intents import (
    answer,
    cadastral_plan,
    clarify,
    clear_map,
    coordinate_query,
    geothermal_probe_assessment,
    goto_address,
    height_query,
    hide_layer,
    identify,
    load_layer,
    measure_distance,
    move_layer,
    oereb_extract,
    query_features,
    remove_layer,
    remove_markers,
    search_documents,
    search_place,
    set_background,
    set_layer_opacity,
    show_layer,
    show_legend,
    show_parcel,
    undo,
    zoom_to_layer,
)
from contracts.intents.names import OF_LOADED_LAYERS, OF_NEW_LAYERS, Background, Intent
from contracts.intents.spec import Chain, IntentSpec, Need, Target, claimed_by, spec_of_tool

SPECS: tuple[IntentSpec, ...] = (
    goto_address.SPEC,
    load_layer.SPEC,
    oereb_extract.SPEC,
    search_place.SPEC,
    show_parcel.SPEC,
    cadastral_plan.SPEC,
    geothermal_probe_assessment.SPEC,
    height_query.SPEC,
    coordinate_query.SPEC,
    identify.SPEC,
    query_features.SPEC,
    measure_distance.SPEC,
    search_documents.SPEC,
    set_background.SPEC,
    show_layer.SPEC,
    hide_layer.SPEC,
    remove_layer.SPEC,
    set_layer_opacity.SPEC,
    move_layer.SPEC,
    show_legend.SPEC,
    zoom_to_layer.SPEC,
    remove_markers.SPEC,
    undo.SPEC,
    clear_map.SPEC,
    answer.SPEC,
    clarify.SPEC,
)
"""The most useful first: the order in which abilities are told."""

CLAIMED = claimed_by(SPECS)
"""What they call; every other tool brings an intent of its own."""

_BY_NAME = {spec.intent: spec for spec in SPECS}


def spec_of(intent: str) -> IntentSpec | None:
    """The declaration of an intent; None for one that somebody else has brought."""
    return _BY_NAME.get(intent)


def spec_calling(capability: str) -> IntentSpec | None:
    """The intent that is nothing but a call of that capability, or else ends with it."""
    alone = (spec for spec in SPECS if (capability,) in spec.all_chains)
    return next(alone, next((spec for spec in SPECS if spec.goal == capability), None))


__all__ = [
    "CLAIMED",
    "OF_LOADED_LAYERS",
    "OF_NEW_LAYERS",
    "SPECS",
    "Background",
    "Chain",
    "Intent",
    "IntentSpec",
    "Need",
    "Target",
    "claimed_by",
    "spec_calling",
    "spec_of",
    "spec_of_tool",
]
