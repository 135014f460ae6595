"""The facts beside an answer: what it is about, and nothing that its map actions have already."""

from typing import Any

import pytest
from contracts.items import (
    CadastralPlan,
    Coord,
    Coordinates,
    GeothermalAssessment,
    Height,
    Item,
    LayerGroup,
    LayerSource,
    TileGrid,
)
from contracts.oereb import ExtractContent
from contracts.status import Status

from actionplanner.facts import MAX_ITEMS
from actionplanner.planning import plan

from .actionplanner_samples import (
    ADDRESS,
    BUILDING_RIGHT,
    EXTRACT,
    GRENCHEN,
    OUTLINE,
    PARCEL,
    SAMPLE,
    answer,
    as_json,
    kinds,
    layer,
    request,
    site,
    sites,
)

HERE: Coord = (2600513.0, 1215519.0)
GRID = TileGrid(origin=(2420000, 1350000), resolutions=(4000, 3750), matrix_ids=("0", "1"))


def test_an_answer_has_the_item_that_it_shows_with_its_source() -> None:
    found = ADDRESS.model_copy(update={"provenance": SAMPLE})
    (item,) = answer("goto_address", found).items or ()
    assert item == found
    assert as_json(item)["provenance"]["sample"] is True


def test_numbers_and_plans_are_items_too() -> None:
    verdict = GeothermalAssessment(
        id="g", label="Erdwärmesonde", allowed=True, text="Ja.", max_depth_m=200.0, coord=HERE
    )
    found: dict[str, Item] = {
        "height_query": Height(id="h", label="Höhe", coord=HERE, height_m=430.5),
        "coordinates_query": Coordinates(
            id="c", label="Koordinaten", coord=HERE, lv03=(600513, 215519), wgs84=(7.44, 47.08)
        ),
        "geothermal_probe_assessment": verdict,
        "cadastral_plan": CadastralPlan(id="p", label="Plan", url="https://plan.example/1.pdf", scale=500),
    }
    assert {intent: answer(intent, item).items for intent, item in found.items()} == {
        intent: (item,) for intent, item in found.items()
    }


def test_an_outline_is_on_the_map_and_not_once_more_beside_it() -> None:
    step = answer("show_parcel", PARCEL.model_copy(update={"geometry": OUTLINE}))
    assert "addLayer" in kinds(step)
    (item,) = step.items or ()
    assert item.geometry is None


@pytest.mark.parametrize(
    ("known", "told"),
    [
        ({"area_m2": 3100.0, "geometry": OUTLINE}, {"area_m2": 3100.0, "area_source": "register"}),
        ({"geometry": OUTLINE}, {"area_m2": 3200.0, "area_source": "outline"}),
        ({}, {}),
    ],
)
def test_an_area_says_how_good_it_is(known: dict[str, Any], told: dict[str, Any]) -> None:
    step = answer("show_parcel", PARCEL.model_copy(update=known))
    assert step.items == (PARCEL.model_copy(update=told),)


def test_an_extract_is_read_once() -> None:
    read = EXTRACT.model_copy(update={"content": ExtractContent(), "concerned_themes": ("Wald",)})
    step = answer("oereb_extract", read)
    assert "showOerebExtract" in kinds(step)
    assert step.items == (EXTRACT.model_copy(update={"concerned_themes": ("Wald",)}),)


def test_found_features_are_told_by_their_number() -> None:
    found = sites(site(1), site(2), count=40)
    step = answer("query_features", found)
    assert "addFeatures" in kinds(step)
    assert step.items == (found.model_copy(update={"features": ()}),)


def test_layers_are_told_without_the_grid_of_their_tiles() -> None:
    tiles = LayerSource(type="wmts", url="https://wmts.example/gws", tile_grid=GRID)
    one = layer("a", "Wald", legend_url="https://wms.example/legend").model_copy(update={"source": tiles})
    alone = answer("load_layer", one)
    assert alone.items == (one.model_copy(update={"source": tiles.model_copy(update={"tile_grid": None})}),)
    group = LayerGroup(
        id="g",
        label="Wälder",
        provenance=SAMPLE,
        layers=(
            one.model_copy(update={"provenance": SAMPLE, "extent": (0.0, 0.0, 9.0, 9.0)}),
            layer("b", "Waldgrenze"),
        ),
    )
    (told,) = answer("load_layer", group).items or ()
    assert isinstance(told, LayerGroup) and told.provenance == SAMPLE
    plain = LayerSource(type="wmts", url="https://wmts.example/gws")
    assert told.layers == (one.model_copy(update={"source": plain}), layer("b", "Waldgrenze"))


def test_what_is_known_of_a_point_are_all_its_items() -> None:
    height = Height(id="h", label="Höhe", coord=HERE, height_m=430.5)
    parcel = PARCEL.model_copy(update={"area_m2": 3100.0, "area_source": "register"})
    known = site(1, geometry=OUTLINE)
    step = answer("identify", ADDRESS, parcel, height, known, args={"x": HERE[0], "y": HERE[1]})
    assert step.items == (ADDRESS, parcel, height, known.model_copy(update={"geometry": None}))


def test_of_too_many_items_the_first_are_told() -> None:
    step = answer("identify", *(site(n) for n in range(MAX_ITEMS + 5)))
    assert [item.id for item in step.items or ()] == [str(n) for n in range(MAX_ITEMS)]


def test_a_choice_has_no_items_but_those_to_choose_from() -> None:
    step, options = plan(request("show_parcel", PARCEL, BUILDING_RIGHT))
    assert (step.status, step.items) == (Status.NEEDS_USER_CHOICE, None)
    assert options == (PARCEL, BUILDING_RIGHT)


def test_what_is_shown_with_the_offer_to_try_again_is_a_choice() -> None:
    assert answer("oereb_extract", EXTRACT, again=True).items is None


def test_what_ends_without_a_result_or_is_no_result_has_no_items() -> None:
    nowhere = GRENCHEN.model_copy(update={"coord": None, "extent": None})
    assert answer("search_place", nowhere).items is None
    assert answer("goto_address", status=Status.ERROR, message="Kaputt.").items is None
    assert answer("clear_map").items is None
    assert "items" not in as_json(answer("clear_map"))
