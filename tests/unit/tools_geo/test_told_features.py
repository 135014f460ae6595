"""What becomes of the attributes and geometries that services send."""

from typing import Any

import pytest
from servicekit.wording import answering_in

from tools_geo.live.attributes import MAX_ATTRIBUTES, label_of, told
from tools_geo.live.shapes import shape_of, shape_of_wkt

SQUARE = [[2_600_000, 1_200_000], [2_600_100, 1_200_000], [2_600_100, 1_200_100], [2_600_000, 1_200_000]]


def read(values: dict[str, Any], names: dict[str, str] | None = None) -> list[tuple[str, Any, str | None]]:
    return [(each.name, each.value, each.unit) for each in told(values, names)]


@pytest.mark.parametrize(
    "name",
    [
        *("t_id", "T_Id", "t_ili_tid", "t_basket", "gid", "fid", "ogc_fid", "id", "objectid", "OBJECTID_1"),
        *("uuid", "globalid", "geom", "geometry", "geometrie", "the_geom", "wkb_geometry", "shape_area"),
        *("st_area(geom)", "bbox", "maptip", "dokument_fk", "standort_geom"),
    ],
)
def test_keys_and_shapes_say_nothing_to_a_reader(name: str) -> None:
    assert read({name: "1", "nummer": "7"}) == [("Nummer", "7", None)]


@pytest.mark.parametrize("name", ["identnummer", "geologie", "formation", "gebietsname", "titel"])
def test_what_only_begins_like_one_is_told(name: str) -> None:
    assert read({name: "x"}) == [(name.capitalize(), "x", None)]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("<b>fett</b> &amp; gut", "fett & gut"),
        ("<table><tr><td>eins</td><td>zwei</td></tr></table>", "eins zwei"),
        ("<script>alert(1)</script>Text", "Text"),
        ("a < b", "a < b"),
        ("  viel\n\n Platz ", "viel Platz"),
        (7, 7),
        (7.5, 7.5),
        (True, "ja"),
        (False, "nein"),
        (["eins", "zwei"], "eins, zwei"),
    ],
)
def test_a_value_is_plain(value: Any, shown: Any) -> None:
    assert read({"status": value}) == [("Status", shown, None)]


@pytest.mark.parametrize("value", [None, "", "  ", "<br>", {}, [], {"a": 1}])
def test_what_says_nothing_is_left_out(value: Any) -> None:
    assert read({"status": value}) == []


def test_yes_and_no_are_said_in_the_language_of_the_answer() -> None:
    with answering_in("fr"):
        assert read({"status": True}) == [("Status", "oui", None)]


@pytest.mark.parametrize(
    ("name", "shown", "unit"),
    [
        ("Fläche [m²]", "Fläche", "m²"),
        ("Fläche (ha)", "Fläche", "ha"),
        ("flaeche_m2", "Flaeche", "m²"),
        ("laenge_m", "Laenge", "m"),
        ("kosten_chf", "Kosten", "CHF"),
        ("art_txt", "Art", None),
        ("pacht_bis", "Pacht bis", None),
        ("Zone", "Zone", None),
        ("Typ (neu)", "Typ (neu)", None),
    ],
)
def test_a_name_is_words_and_has_its_unit_apart(name: str, shown: str, unit: str | None) -> None:
    assert read({name: 1}) == [(shown, 1, unit)]


def test_a_name_for_readers_is_theirs() -> None:
    assert read({"flaechenmass": "618"}, {"flaechenmass": "Fläche [m2]"}) == [("Fläche", "618", "m²")]
    assert read({"tiefe_m": 3}, {"tiefe_m": "Tiefe"}) == [("Tiefe", 3, None)]


def test_words_count_more_than_their_code() -> None:
    assert read({"art": 3, "art_txt": "Deponie"}) == [("Art", "Deponie", None)]


def test_neither_a_value_nor_their_number_is_without_end() -> None:
    ((_, value, _),) = read({"bemerkung": "lang " * 1_000})
    assert len(value) <= 300 and value.endswith("…")
    assert len(read({f"n{n}": n for n in range(1_000)})) == MAX_ATTRIBUTES


@pytest.mark.parametrize(
    ("values", "label"),
    [
        ({"nummer": "7", "name": "Deponie West"}, "Deponie West"),
        ({"bezeichnung": "Aareinsel"}, "Aareinsel"),
        ({"nummer": "7", "zone": "S1"}, "Standorte 7"),
        ({"zone": "S1"}, "Standorte"),
        ({}, "Standorte"),
    ],
)
def test_a_feature_has_a_name_or_that_of_its_layer(values: dict[str, Any], label: str) -> None:
    assert label_of(told(values), "Standorte") == label


# -- geometries -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "geometry",
    [
        {"type": "Point", "coordinates": SQUARE[0]},
        {"type": "MultiPoint", "coordinates": SQUARE[:2]},
        {"type": "LineString", "coordinates": SQUARE},
        {"type": "MultiLineString", "coordinates": [SQUARE]},
        {"type": "Polygon", "coordinates": [SQUARE]},
        {"type": "MultiPolygon", "coordinates": [[SQUARE]]},
    ],
    ids=lambda geometry: geometry["type"],
)
def test_each_kind_of_geometry_is_read(geometry: dict[str, Any]) -> None:
    shape = shape_of(geometry)
    assert shape is not None and shape.geometry == geometry
    east, north = shape.coord
    assert 2_600_000 <= east <= 2_600_100 and 1_200_000 <= north <= 1_200_100
    if geometry["type"] == "Point":
        assert shape.extent is None
    else:
        assert shape.extent is not None and shape.extent[:2] == (2_600_000, 1_200_000)


def test_heights_are_left_out() -> None:
    shape = shape_of({"type": "Point", "coordinates": [2_600_000, 1_200_000, 440.5]})
    assert shape is not None and shape.geometry["coordinates"] == [2_600_000, 1_200_000]


def test_degrees_become_metres() -> None:
    shape = shape_of({"type": "Point", "coordinates": [7.438637, 46.951083]})
    assert shape is not None and shape.coord == pytest.approx((2_600_000, 1_200_000), abs=2)


@pytest.mark.parametrize(
    "geometry",
    [
        None,
        {},
        [],
        {"type": "Point", "coordinates": []},
        {"type": "Point", "coordinates": ["a", "b"]},
        {"type": "Point", "coordinates": [0, 0]},
        {"type": "Point", "coordinates": [1e200, 1e300]},
        {"type": "Point", "coordinates": [10**400, 1]},
        {"type": "Point", "coordinates": [600_000, 200_000]},
        {"type": "LineString", "coordinates": [1, 2]},
        {"type": "Polygon", "coordinates": []},
        {"type": "Polygon", "coordinates": [[SQUARE[0], SQUARE[0], SQUARE[0]]]},
        {"type": "GeometryCollection", "geometries": []},
        {"type": ["Point"], "coordinates": SQUARE[0]},
    ],
)
def test_what_cannot_be_drawn_is_no_geometry(geometry: Any) -> None:
    assert shape_of(geometry) is None


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("POINT(2600000 1200000)", "Point"),
        ("Point (2600000 1200000)", "Point"),
        ("PointZ (2600000 1200000 440)", "Point"),
        ("LINESTRING(2600000 1200000, 2600100 1200000)", "LineString"),
        ("Polygon ((2600000 1200000, 2600100 1200000, 2600100 1200100, 2600000 1200000))", "Polygon"),
        ("MultiPoint ((2600000 1200000))", "MultiPoint"),
    ],
)
def test_geometries_in_words_are_read(written: str, kind: str) -> None:
    shape = shape_of_wkt(written)
    assert shape is not None and shape.geometry["type"] == kind


@pytest.mark.parametrize("written", ["", "POINT EMPTY", "POINT(", "nonsense", "GEOMETRYCOLLECTION EMPTY"])
def test_words_that_are_no_geometry_are_none(written: str) -> None:
    assert shape_of_wkt(written) is None
