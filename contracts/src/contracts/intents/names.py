"""The names of the intents that come with the project. A plan may name others."""

from enum import StrEnum


class Intent(StrEnum):
    GOTO_ADDRESS = "goto_address"
    SEARCH_PLACE = "search_place"
    LOAD_LAYER = "load_layer"
    SHOW_LAYER = "show_layer"
    HIDE_LAYER = "hide_layer"
    REMOVE_LAYER = "remove_layer"
    SET_LAYER_OPACITY = "set_layer_opacity"
    MOVE_LAYER = "move_layer"
    SHOW_LEGEND = "show_legend"
    ZOOM_TO_LAYER = "zoom_to_layer"
    REMOVE_MARKERS = "remove_markers"
    UNDO = "undo"
    CLEAR_MAP = "clear_map"
    SET_BACKGROUND = "set_background"
    SHOW_PARCEL = "show_parcel"
    OEREB_EXTRACT = "oereb_extract"
    GEOTHERMAL_PROBE_ASSESSMENT = "geothermal_probe_assessment"
    CADASTRAL_PLAN = "cadastral_plan"
    HEIGHT_QUERY = "height_query"
    IDENTIFY = "identify"
    QUERY_FEATURES = "query_features"
    MEASURE_DISTANCE = "measure_distance"
    SEARCH_DOCUMENTS = "search_documents"
    ANSWER = "answer"
    CLARIFY = "clarify"


OF_LOADED_LAYERS = frozenset(
    {
        Intent.SHOW_LAYER,
        Intent.HIDE_LAYER,
        Intent.REMOVE_LAYER,
        Intent.SET_LAYER_OPACITY,
        Intent.MOVE_LAYER,
        Intent.SHOW_LEGEND,
    }
)
"""Done to what is loaded; args: `name`, and with `*` for all of them `except`, a list of names."""

OF_NEW_LAYERS = frozenset({Intent.SHOW_LEGEND, Intent.MOVE_LAYER, Intent.SET_LAYER_OPACITY})
"""Of these, what may be about a layer of the same plan. What takes layers away means those of before."""


class Background(StrEnum):
    """The base maps a client offers; the values are those of `setBackground`."""

    NONE = "none"
    GREY = "sw"
    COLOR = "color"
    AERIAL = "ortho"
