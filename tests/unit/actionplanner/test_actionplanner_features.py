"""What a question over the features of a layer has come to: the number, the first few, a table, a drawing."""

import json

import pytest
from contracts.items import Attribute
from contracts.status import Status

from actionplanner.tables import MAX_TABLE_CHARS

from .actionplanner_samples import OUTLINE, SAMPLE, VIEW, actions, answer, attributes, kinds, site, sites

NEAR = {"type": "Point", "coordinates": [2600500, 1215500]}
"""In the sample view."""


def test_the_number_the_first_and_the_source_are_told_and_shown() -> None:
    found = sites(site(1), site(2), provenance=SAMPLE)
    step = answer("query_features", found, message="Belastete Standorte in Olten: 2.")
    assert (step.status, step.message) == (
        Status.OK,
        "Belastete Standorte in Olten: 2.\n\n"
        "- **Deponie 1, Olten** (Nummer: M-1; Fläche: 1'000 m²)\n"
        "- **Deponie 2, Olten** (Nummer: M-2; Fläche: 2'000 m²)\n\n"
        "Quelle: Umweltamt (Beispieldaten)",
    )
    view, table = actions(step)
    assert view["payload"]["extent"] == [2635010, 1244000, 2635020, 1244000]
    assert table["type"] == "addFeatures"
    payload = table["payload"]
    assert (payload["id"], payload["label"], payload["count"]) == (
        "features-ch.so.altlasten",
        "Belastete Standorte in Olten",
        2,
    )
    assert payload["columns"] == [{"name": "Nummer"}, {"name": "Fläche", "unit": "m²"}]
    assert payload["provenance"]["sample"] is True
    assert payload["features"]["features"][0] == {
        "type": "Feature",
        "id": "1",
        "geometry": {"type": "Point", "coordinates": [2635010, 1244000]},
        "properties": {"label": "Deponie 1", "Nummer": "M-1", "Fläche": 1000},
    }


@pytest.mark.parametrize("intent", ["query_features", "something_new"])
def test_without_words_of_the_tool_it_is_counted_all_the_same(intent: str) -> None:
    step = answer(intent, sites(site(1), count=1234))
    assert step.message.startswith("Belastete Standorte in Olten: 1'234.\n\n- **Deponie 1, Olten**")
    assert actions(step)[1]["payload"]["count"] == 1234


def test_none_is_an_answer_and_takes_the_table_of_before_away() -> None:
    step = answer("query_features", sites(), message="Belastete Standorte in Olten: keine.")
    assert (step.status, step.message) == (Status.OK, "Belastete Standorte in Olten: keine.")
    assert actions(step) == [{"type": "removeFeatures", "payload": {"id": "features-ch.so.altlasten"}}]


def test_a_number_alone_changes_nothing_on_the_map() -> None:
    assert answer("query_features", sites(count=7)).map_actions == ()


def test_five_are_listed_and_all_are_in_the_table() -> None:
    step = answer("query_features", sites(*map(site, range(8)), count=30), message="30.")
    assert "\n\nDie ersten 5:\n- **Deponie 0, Olten**" in step.message
    assert step.message.count("\n- ") == 5
    assert len(actions(step)[1]["payload"]["features"]["features"]) == 8


def test_the_map_stays_where_what_is_in_sight_was_asked_for() -> None:
    found = sites(site(1), site(2))
    assert kinds(answer("query_features", found, args={"extent": [1, 2, 3, 4]})) == ["addFeatures"]
    assert kinds(answer("query_features", found, view=VIEW)) == ["setView", "addFeatures"]


@pytest.mark.parametrize(
    ("geometry", "view", "moves"), [(NEAR, VIEW, False), (NEAR, None, True), (site(1).geometry, VIEW, True)]
)
def test_a_single_one_moves_the_map_if_it_is_not_in_sight(
    geometry: dict[str, object], view: object, moves: bool
) -> None:
    step = answer("query_features", sites(site(1, geometry=geometry)), view=view)
    assert ("setView" in kinds(step)) is moves


def test_what_the_label_says_is_not_said_again() -> None:
    told = attributes(Name="Deponie 1", Gemeinde="Olten", Status="belastet", Leer="")
    assert "(Status: belastet)" in answer("query_features", sites(site(1, attributes=told))).message


def test_a_number_is_written_as_users_read_it_and_a_year_as_a_year() -> None:
    told = attributes(Jahr=1987, Wert=12345.678, Tiefe=(1234.5, "m"))
    assert "(Jahr: 1987; Wert: 12345.678; Tiefe: 1'234.5 m)" in (
        answer("query_features", sites(site(1, attributes=told))).message
    )


def test_no_value_breaks_the_list() -> None:
    told = attributes(Bemerkung="eins\n\n- zwei\n# drei" + " x" * 200)
    (entry,) = answer("query_features", sites(site(1, attributes=told))).message.splitlines()[2:]
    assert entry.startswith("- **Deponie 1, Olten** (Bemerkung: eins - zwei # drei x")
    assert len(entry) < 200


def test_columns_are_named_once_and_have_a_unit_where_all_have_the_same() -> None:
    first = (Attribute(name="label", value="a"), Attribute(name="Fläche", value=1, unit="ha"))
    second = (Attribute(name="Fläche", value=2, unit="m²"), Attribute(name="Neu", value=3))
    step = answer("query_features", sites(site(1, attributes=first), site(2, attributes=second)))
    table = actions(step)[1]["payload"]
    assert table["columns"] == [{"name": "label (2)"}, {"name": "Fläche"}, {"name": "Neu"}]
    assert [row["properties"] for row in table["features"]["features"]] == [
        {"label": "Deponie 1", "label (2)": "a", "Fläche": "1 ha"},
        {"label": "Deponie 2", "Fläche": "2 m²", "Neu": 3},
    ]


def test_every_row_has_an_id_of_its_own() -> None:
    rows = actions(answer("query_features", sites(site(1), site(1))))[1]["payload"]["features"]["features"]
    assert [row["id"] for row in rows] == ["1", "1-1"]


@pytest.mark.parametrize(
    ("more", "geometry"),
    [
        (
            {"geometry": None, "coord": (2635000, 1244000)},
            {"type": "Point", "coordinates": [2635000, 1244000]},
        ),
        ({"geometry": None}, None),
        ({"geometry": {"type": "Polygon", "coordinates": [["x"]]}}, None),
    ],
)
def test_what_cannot_be_drawn_is_in_the_table_all_the_same(more: dict[str, object], geometry: object) -> None:
    table = actions(answer("query_features", sites(site(1, **more))))[-1]["payload"]
    assert table["features"]["features"][0].get("geometry") == geometry


def test_a_table_is_no_larger_than_a_message_can_carry_and_says_so() -> None:
    ring = [[2600000 + n / 7, 1200000 + n / 7] for n in range(1200)]
    large = [site(n, geometry={"type": "Polygon", "coordinates": [ring]}) for n in range(60)]
    step = answer("query_features", sites(*large))
    table = actions(step)[-1]["payload"]
    drawn = len(table["features"]["features"])
    assert 0 < drawn < 60 and table["count"] == 60
    assert len(json.dumps(table)) < 1.2 * MAX_TABLE_CHARS
    assert f"Auf der Karte und in der Tabelle haben nur die ersten {drawn} Platz." in step.message


def test_an_outline_that_is_too_fine_is_drawn_as_a_point() -> None:
    ring = [[2600000 + n / 7, 1200000 + n / 7] for n in range(5000)]
    shape = {"type": "Polygon", "coordinates": [ring]}
    (row,) = actions(answer("query_features", sites(site(1, geometry=shape))))[-1]["payload"]["features"][
        "features"
    ]
    assert row["geometry"]["type"] == "Point"


def test_a_feature_alone_is_told_framed_and_outlined() -> None:
    step = answer("whatever", site(1, geometry=OUTLINE))
    assert step.message == "Altlasten: **Deponie 1, Olten** (Nummer: M-1; Fläche: 1'000 m²)"
    assert kinds(step) == ["setView", "addLayer"]
    assert kinds(answer("whatever", site(1, geometry=None, coord=(2600000, 1215000)))) == [
        "setView",
        "addMarker",
    ]


@pytest.mark.parametrize("language", ["fr", "it", "en"])
def test_it_is_told_in_every_language(language: str) -> None:
    found = sites(*map(site, range(8)), provenance=SAMPLE)
    message = answer("query_features", found, language=language).message
    assert "Die ersten" not in message and "Beispieldaten" not in message
