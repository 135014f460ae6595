"""What a response does, in the terms of the notation."""

from typing import Any

from contracts.actions import (
    AddLayer,
    AddMarker,
    ClearMap,
    LayerId,
    LayerVisibility,
    MapAction,
    MapLayer,
    Marker,
    RemoveLayer,
    SetLayerVisibility,
    SetView,
    View,
)
from contracts.chat import ChatResponse, Choice, Step
from contracts.research import ErrorInfo, ErrorType, Research
from contracts.status import Status
from evaluation.happenings import ClientMap
from evaluation.outcomes import Happening, accepts, parsed
from evaluation.places import Places
from solothurn import VOCABULARY

PLACES = Places(VOCABULARY)
SOLOTHURN = (2607094.0, 1228788.0)
RATHAUS = (2607888.0, 1228249.0)


def step(intent: str, *actions: MapAction, message: str = "", **more: Any) -> Step:
    return Step(**{"intent": intent, "status": Status.OK, "message": message, "map_actions": actions} | more)


def happened(*steps: Step, on: ClientMap | None = None) -> tuple[Happening, ...]:
    return (on or ClientMap(PLACES)).take(ChatResponse.of("turn", steps))


def load(*labels: str, message: str = "geladen") -> Step:
    layers = (MapLayer(id=label, type="wms", source={"url": "https://a.ch"}, label=label) for label in labels)
    return step("load_layer", *(AddLayer(payload=layer) for layer in layers), message=message)


def at(coord: tuple[float, float]) -> SetView:
    return SetView(payload=View(center=coord, zoom=14))


def is_accepted(outcome: str, *steps: Step, on: ClientMap | None = None) -> bool:
    return accepts(parsed(outcome), happened(*steps, on=on))


def test_a_municipality_without_marker_is_named_in_the_message() -> None:
    shown = step("search_place", at(SOLOTHURN), message="Gemeinde Wangen bei Olten zentriert.")
    assert is_accepted("view Wangen bei Olten", shown)
    assert not is_accepted("view Olten", shown)


def test_an_address_is_called_by_its_marker() -> None:
    marker = Marker(id="addr-1", coord=RATHAUS, label="Rötistrasse 4, 4500 Solothurn")
    shown = step("goto_address", at(RATHAUS), AddMarker(payload=marker), message="Adresse zentriert.")
    assert is_accepted("view Rötistrasse 4", shown)
    assert not is_accepted("view Solothurn", shown)


def test_a_height_is_that_of_the_place_on_the_map() -> None:
    found = step("height_query", at(SOLOTHURN), message="Höhe bei 2'607'094 / 1'228'788: 435 m")
    assert is_accepted("height Solothurn", found)
    assert is_accepted("height 435", found)
    assert not is_accepted("height Olten", found)


def test_of_two_parcels_above_each_other_it_is_the_one_in_the_middle() -> None:
    messen = PLACES.at((2600520, 1215480))
    assert len([name for name in messen if name.startswith("Grundstück")]) == 1


def test_an_outline_is_no_layer() -> None:
    outline = MapLayer(id="parcel-highlight-1", type="geojson", source={"data": {}})
    marker = Marker(id="parcel-CH1", coord=SOLOTHURN, label="Grundstück 198")
    shown = step(
        "show_parcel",
        at(SOLOTHURN),
        AddMarker(payload=marker),
        AddLayer(payload=outline),
        message="Grundstück 198 in Messen.",
    )
    assert is_accepted("parcel 198 Messen", shown)


def test_a_step_that_also_loads_does_two_things() -> None:
    layer = MapLayer(id="wald", type="wms", source={"url": "https://a.ch"}, label="Wald")
    both = step(
        "search_place", at(SOLOTHURN), AddLayer(payload=layer), message="Gemeinde Solothurn zentriert."
    )
    assert not is_accepted("view Solothurn", both)
    assert is_accepted("view Solothurn + load Wald", both)


def test_a_group_is_removed_by_its_name_only_as_a_whole() -> None:
    map_ = ClientMap(PLACES)
    happened(load("Zonen", "Fassungen", message="Gewässerschutz-Layer geladen."), load("Lärm"), on=map_)
    one = step("remove_layer", RemoveLayer(payload=LayerId(id="Zonen")))
    assert not is_accepted("remove Gewässerschutz", one, on=map_)
    map_ = ClientMap(PLACES)
    happened(load("Zonen", "Fassungen", message="Gewässerschutz-Layer geladen."), load("Lärm"), on=map_)
    both = step("remove_layer", *(RemoveLayer(payload=LayerId(id=each)) for each in ("Zonen", "Fassungen")))
    assert is_accepted("remove Gewässerschutz", both, on=map_)
    assert is_accepted("remove *", step("remove_layer", RemoveLayer(payload=LayerId(id="Lärm"))), on=map_)
    assert map_.told() == {"map_layers": ()}


def test_a_layer_that_lies_where_it_is_to_be_is_there() -> None:
    map_ = ClientMap(PLACES)
    happened(load("Wald"), load("Lärm"), on=map_)
    told = step("move_layer", message="Liegt schon dort: «Lärm».")
    assert is_accepted("move Lärm top", told, on=map_)
    assert is_accepted("move Lärm 1", told, on=map_)
    assert is_accepted("answer Lärm", told, on=map_)
    assert not is_accepted("move Lärm bottom", told, on=map_)
    assert not is_accepted("move Wald top", told, on=map_)


def test_hiding_is_not_removing() -> None:
    map_ = ClientMap(PLACES)
    happened(load("Wald"), on=map_)
    hidden = SetLayerVisibility(payload=LayerVisibility(id="Wald", visible=False))
    assert is_accepted("hide Wald", step("hide_layer", hidden), on=map_)
    assert [layer.id for layer in map_.told()["map_layers"]] == ["Wald"]
    assert not is_accepted("remove *", step("clear_map", ClearMap()), on=map_)


def test_an_option_that_previews_is_still_only_offered() -> None:
    options = (
        Choice(id="turn.0.0", label="Olten", map_actions=(at(SOLOTHURN),)),
        Choice(id="turn.0.1", label="Trimbach"),
    )
    asked = step("search_place", message="Welche?", status=Status.NEEDS_USER_CHOICE, choices=options)
    assert is_accepted("choose Olten | Trimbach", asked)


def test_documents_that_were_not_looked_for_were_not_searched() -> None:
    def research(error: ErrorType | None) -> Step:
        info = ErrorInfo(error_type=error, message="…") if error else None
        found = Research(user_query="Radwege", initial_question="Und die Radwege?", error_info=info)
        status = Status.NEEDS_CLARIFICATION if error else Status.OK
        return step("search_documents", research=found, status=status)

    assert is_accepted("documents Radwege", research(None))
    assert is_accepted("documents Radwege", research(ErrorType.NO_DOCUMENTS_FOUND))
    assert is_accepted("ask", research(ErrorType.NO_TOOL_CALL))


def test_a_failure_is_nothing_that_anybody_accepts() -> None:
    assert not is_accepted("ask", step("load_layer", status=Status.ERROR, message="Das hat nicht geklappt."))
