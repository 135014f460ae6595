"""What is at a place: one answer of several items, and what is shown there."""

from typing import Any

import pytest
from contracts.items import Distance, Height, Item, OtherItem
from contracts.session import LoadedLayer
from contracts.status import Status
from hypothesis import given
from hypothesis import strategies as st

from .actionplanner_samples import (
    ADDRESS,
    BUILDING_RIGHT,
    OUTLINE,
    PARCEL,
    SAMPLE,
    VIEW,
    actions,
    answer,
    kinds,
    layer,
    site,
)

HEIGHT = Height(id="h", label="440 m", coord=(2600513, 1215519), height_m=440.2)
LAND = PARCEL.model_copy(update={"area_m2": 618.0, "geometry": OUTLINE})
AT: dict[str, Any] = {"x": 2600513, "y": 1215519, "layers": ["ch.so.altlasten", "ch.so.wald"]}


def test_what_it_is_comes_first_then_the_layers_then_what_is_noted() -> None:
    note = "Kein Eintrag hier: «Wald»."
    step = answer("identify", ADDRESS, LAND, HEIGHT, site(1), args=AT, note=note)
    assert (step.status, step.choices) == (Status.OK, ())
    assert step.message == (
        "Langendorfstrasse 19b, 4500 Solothurn · Grundstück 198, 618 m² · 440.2 m ü. M.\n\n"
        "- Altlasten: **Deponie 1, Olten** (Nummer: M-1; Fläche: 1'000 m²)\n\n"
        "Kein Eintrag hier: «Wald»."
    )
    view, marker, outline, table = actions(step)
    assert view["payload"] == {"center": [2600513, 1215519], "zoom": 17, "crs": "EPSG:2056"}
    assert (marker["payload"]["id"], marker["payload"]["coord"]) == ("here", [2600513, 1215519])
    assert marker["payload"]["label"] == "Langendorfstrasse 19b"
    assert outline["payload"]["id"] == "parcel-highlight-CH955832730623"
    assert (table["type"], table["payload"]["id"], table["payload"]["label"]) == (
        "addFeatures",
        "here",
        "Altlasten",
    )


def test_without_an_address_the_municipality_is_said_and_rights_by_their_kind() -> None:
    step = answer("identify", LAND, BUILDING_RIGHT, args=AT)
    assert step.message == "Grundstück 198 in Messen, 618 m² · Baurecht 531 in Messen"
    assert [a["payload"]["label"] for a in actions(step) if a["type"] == "addMarker"] == ["Grundstück 198"]


def test_where_only_layers_were_asked_the_place_is_its_coordinate() -> None:
    step = answer("identify", site(1), args=AT)
    assert step.message.startswith("2'600'513 / 1'215'519\n\n- Altlasten: **Deponie 1, Olten**")


def test_several_features_of_a_layer_are_a_list_within_the_list() -> None:
    wood = site(9, layer="ch.so.wald", layer_label="Wald", label="Schutzwald", attributes=())
    found = [site(n) for n in range(10)]
    message = answer("identify", *found[:1], wood, *found[1:], args=AT).message
    assert message.splitlines()[2:4] == [
        "- Altlasten:",
        "    - **Deponie 0, Olten** (Nummer: M-0; Fläche: 0 m²)",
    ]
    assert message.endswith("    - und 2 weitere\n- Wald: **Schutzwald**")


def test_features_of_several_layers_are_one_table_that_says_of_which() -> None:
    wood = site(1, layer="ch.so.wald", layer_label="Wald", label="Schutzwald", attributes=())
    table = actions(answer("identify", site(1), wood, args=AT))[-1]["payload"]
    assert table["label"] == "An dieser Stelle"
    assert [column["name"] for column in table["columns"]] == ["Layer", "Nummer", "Fläche"]
    assert [row["properties"]["Layer"] for row in table["features"]["features"]] == ["Altlasten", "Wald"]


@pytest.mark.parametrize("found", [(HEIGHT,), (HEIGHT, site(1, geometry=None))])
def test_without_anything_to_draw_what_was_drawn_elsewhere_goes(found: tuple[Item, ...]) -> None:
    assert actions(answer("identify", *found, args=AT))[-1] == {
        "type": "removeFeatures",
        "payload": {"id": "here"},
    }


def test_the_map_stays_where_the_place_is_in_sight() -> None:
    assert "setView" not in kinds(answer("identify", HEIGHT, args=AT, view=VIEW))
    elsewhere = AT | {"x": 2610000}
    assert "setView" in kinds(answer("identify", HEIGHT, args=elsewhere, view=VIEW))


def test_where_the_place_was_found_on_the_way_it_is_that_of_the_height() -> None:
    (marker,) = (a for a in actions(answer("identify", ADDRESS, HEIGHT)) if a["type"] == "addMarker")
    assert marker["payload"]["coord"] == [2600513, 1215519]


def test_each_source_is_named_once_and_a_sample_is_one() -> None:
    sourced = [each.model_copy(update={"provenance": SAMPLE}) for each in (PARCEL, HEIGHT)]
    assert answer("identify", *sourced, args=AT).message.endswith("\n\nQuelle: Umweltamt (Beispieldaten)")


def test_what_has_to_be_chosen_on_the_way_is_a_choice() -> None:
    other = ADDRESS.model_copy(update={"id": "2"})
    assert answer("identify", ADDRESS, other, choose=True).status is Status.NEEDS_USER_CHOICE
    assert answer("identify", ADDRESS, confirm=True).status is Status.NEEDS_USER_CHOICE
    assert answer("identify", ADDRESS, status=Status.NEEDS_USER_CHOICE).status is Status.OK


def test_a_source_that_failed_can_be_asked_again_where_one_thing_was_found() -> None:
    step = answer("identify", HEIGHT, args=AT, again=True, note="Keine Antwort: «Wald».")
    assert [choice.label for choice in step.choices] == ["Nochmals versuchen"]
    assert "Keine Antwort: «Wald»." in step.message
    assert answer("identify", HEIGHT, PARCEL, args=AT, again=True).choices == ()


def test_what_nobody_knows_to_tell_is_shown_by_what_it_brings() -> None:
    pool = OtherItem(type="pool", id="1", label="Badi", coord=(2600000, 1200000))
    assert answer("identify", pool).message == "Badi wird auf der Karte gezeigt."


@pytest.mark.parametrize("language", ["fr", "it", "en"])
def test_it_is_told_in_every_language(language: str) -> None:
    message = answer("identify", LAND, *map(site, range(10)), args=AT, language=language).message
    assert "Grundstück" not in message and "weitere" not in message


class TestAreas:
    """How large a parcel is: by its register, else by its outline."""

    @pytest.mark.parametrize(
        ("update", "told"),
        [
            ({"area_m2": 6400.4, "geometry": OUTLINE}, ", 6'400 m²)"),
            ({"geometry": OUTLINE}, ", 3'200 m² aus dem Umriss berechnet)"),
            ({"area_m2": 0.0, "geometry": OUTLINE}, ", 3'200 m² aus dem Umriss berechnet)"),
            ({}, "(EGRID CH955832730623)"),
            ({"geometry": {"type": "Point", "coordinates": [1, 2]}}, "(EGRID CH955832730623)"),
            ({"geometry": {"type": "Polygon", "coordinates": [[["a"]]]}}, "(EGRID CH955832730623)"),
            ({"geometry": {"type": "Polygon", "coordinates": 3}}, "(EGRID CH955832730623)"),
        ],
    )
    def test_it_is_said_and_what_is_computed_says_so(self, update: dict[str, Any], told: str) -> None:
        assert answer("show_parcel", PARCEL.model_copy(update=update)).message.endswith(f"{told}.")

    def test_what_is_computed_names_its_source(self) -> None:
        outlined = PARCEL.model_copy(update={"geometry": OUTLINE, "provenance": SAMPLE})
        assert answer("show_parcel", outlined).message.endswith("\nQuelle: Umweltamt (Beispieldaten)")
        surveyed = outlined.model_copy(update={"area_m2": 5.0})
        assert "Quelle" not in answer("show_parcel", surveyed).message

    @given(st.recursive(st.none() | st.floats() | st.text(max_size=2), lambda x: st.lists(x, max_size=4)))
    def test_no_outline_is_too_strange(self, coordinates: object) -> None:
        shape = {"type": "Polygon", "coordinates": coordinates}
        assert answer("show_parcel", PARCEL.model_copy(update={"geometry": shape})).status is Status.OK


class TestHere:
    """What was taken for "here" is said before the answer."""

    @pytest.mark.parametrize(
        ("where", "begins"),
        [
            ("point", "An der angeklickten Stelle: 440.2 m ü. M."),
            ("center", "In der Mitte der Karte: 440.2 m ü. M."),
            ("selection", "Am gewählten Ort: 440.2 m ü. M."),
            ("nowhere", "Höhe bei 2'600'513 / 1'215'519: 440.2 m ü. M."),
            (["point"], "Höhe bei 2'600'513 / 1'215'519: 440.2 m ü. M."),
            (None, "Höhe bei 2'600'513 / 1'215'519: 440.2 m ü. M."),
        ],
    )
    def test_a_height_says_where_instead_of_its_coordinate(self, where: object, begins: str) -> None:
        assert answer("height_query", HEIGHT, args={"here": where}).message == begins

    @pytest.mark.parametrize(
        ("intent", "item"), [("show_parcel", PARCEL), ("identify", PARCEL), ("whatever", PARCEL)]
    )
    def test_what_names_itself_is_not_called_the_selected_place(self, intent: str, item: Item) -> None:
        plain = answer(intent, item).message
        assert answer(intent, item, args={"here": "selection"}).message == plain
        pointed = answer(intent, item, args={"here": "point"}).message
        assert pointed == f"An der angeklickten Stelle: {plain}"

    def test_the_map_stays_for_a_point_that_is_in_sight(self) -> None:
        args = {"here": "point"}
        assert kinds(answer("height_query", HEIGHT, args=args, view=VIEW)) == ["addMarker"]
        assert kinds(answer("height_query", HEIGHT, args=args)) == ["setView", "addMarker"]
        assert kinds(answer("height_query", HEIGHT, view=VIEW)) == ["setView", "addMarker"]
        assert "setView" in kinds(answer("show_parcel", LAND, args=args, view=VIEW))

    def test_a_choice_says_it_too_and_a_failure_does_not(self) -> None:
        asked = answer("show_parcel", PARCEL, BUILDING_RIGHT, args={"here": "point"}, choose=True)
        assert asked.message == "An der angeklickten Stelle: Bitte wähle das betroffene Grundstück."
        failed = answer("show_parcel", args={"here": "point"}, status=Status.ERROR, message="Aus.")
        assert failed.message == "Aus."

    def test_what_is_counted_everywhere_is_only_measured_from_there(self) -> None:
        from_here = answer("query_features", OtherItem(type="x", id="1", label="X"), args={"here": "point"})
        assert from_here.message == "An der angeklickten Stelle: X"
        args = {"here": "point", "everywhere": True}
        step = answer("query_features", OtherItem(type="x", id="1", label="X"), args=args)
        assert step.message == "Von der angeklickten Stelle aus: X"

    @pytest.mark.parametrize("language", ["fr", "it", "en"])
    @pytest.mark.parametrize("where", ["point", "center", "selection"])
    def test_it_is_said_in_every_language(self, where: str, language: str) -> None:
        german = answer("height_query", HEIGHT, args={"here": where}).message
        assert answer("height_query", HEIGHT, args={"here": where}, language=language).message != german


class TestDistances:
    LINE: dict[str, Any] = {"type": "LineString", "coordinates": [[2600000, 1200000], [2601000, 1201000]]}

    @pytest.mark.parametrize(
        ("metres", "told"),
        [
            (849.6, "850 m"),
            (999.4, "999 m"),
            (999.6, "1 km"),
            (1414.2, "1.4 km"),
            (99_940.0, "99.9 km"),
            (123_456.0, "123 km"),
        ],
    )
    def test_it_is_told_as_the_crow_flies_and_drawn(self, metres: float, told: str) -> None:
        found = Distance(
            id="d", label="A – B", metres=metres, start="Olten", end="Messen", geometry=self.LINE
        )
        step = answer("measure_distance", found)
        assert step.message == f"Olten – Messen: {told} Luftlinie."
        view, line = actions(step)
        assert view["payload"]["extent"] == [2600000, 1200000, 2601000, 1201000]
        assert (line["payload"]["id"], line["payload"]["source"]["style"]) == ("distance-d", "highlight")

    @pytest.mark.parametrize(
        ("where", "start"),
        [("point", "Angeklickte Stelle"), ("center", "Mitte der Karte"), ("selection", "Gewählter Ort")],
    )
    def test_from_here_says_from_where(self, where: str, start: str) -> None:
        found = Distance(id="d", label="", metres=10, start="2'600'000 / 1'200'000", end="Messen")
        step = answer("measure_distance", found, args={"here": where})
        assert step.message == f"{start} – Messen: 10 m Luftlinie."


class TestZoom:
    WOOD = layer("wald", "Wald", extent=(2600000, 1200000, 2610000, 1210000))

    @pytest.mark.parametrize(
        ("loaded", "told"),
        [
            ((LoadedLayer(id="wald", label="Wald"),), "«Wald» ist ganz im Bild."),
            ((), "Die Karte zeigt das ganze Gebiet von «Wald». Geladen ist der Layer nicht."),
        ],
    )
    def test_the_map_shows_all_of_a_layer_and_loads_nothing(
        self, loaded: tuple[LoadedLayer, ...], told: str
    ) -> None:
        step = answer("zoom_to_layer", self.WOOD, loaded=loaded)
        assert (step.status, step.message, kinds(step)) == (Status.OK, told, ["setView"])
        assert actions(step)[0]["payload"]["extent"] == [2600000, 1200000, 2610000, 1210000]

    def test_where_it_is_nobody_knows_is_said(self) -> None:
        step = answer("zoom_to_layer", layer("a", "A"))
        assert (step.status, step.map_actions) == (Status.NEEDS_CLARIFICATION, ())
        assert step.message.startswith("Welches Gebiet «A» umfasst, ist nicht bekannt.")

    def test_several_are_a_choice_and_what_is_no_layer_is_shown_as_it_is(self) -> None:
        assert answer("zoom_to_layer", self.WOOD, layer("a", "A")).status is Status.NEEDS_USER_CHOICE
        assert answer("zoom_to_layer", PARCEL) == answer("show_parcel", PARCEL).model_copy(
            update={"intent": "zoom_to_layer"}
        )
