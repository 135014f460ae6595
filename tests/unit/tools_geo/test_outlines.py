"""Outlines of municipalities: read from their file, drawn in answers, and in no decision."""

import json
from pathlib import Path
from typing import Any

import pytest
from contracts.items import Municipality, Place
from contracts.messages import Outcome
from geo_live import live_gateway
from recorded.server import RecordedServer
from servicekit.testing import MemoryBus
from swissgeo.outlines import contains, polygons_of

from tools_geo.embedded import datafiles
from tools_geo.embedded.datafiles import DataFileError
from tools_geo.features.geojson import extent_of
from tools_geo.gateways import Found, Gateways, Remark
from tools_geo.handlers import register
from tools_geo.outlines import Outlines
from tools_geo.settings import Settings
from tools_geo.sources import outlines_of

DATA = datafiles.read()
OUTLINES = outlines_of(Settings())
SQUARE = {
    "type": "Polygon",
    "coordinates": [
        [[2600000, 1200000], [2600000, 1201000], [2601000, 1201000], [2600000, 1200000]],
    ],
}


async def asked(gateways: Gateways, q: str, language: str = "de") -> Outcome:
    bus: Any = MemoryBus("tools-geo")
    toolbox = register(bus, gateways, outlines=OUTLINES)
    return await toolbox["geolocation.municipality"].call({"q": q}, language)


def test_every_municipality_has_an_outline_around_its_point() -> None:
    shapes = {row.bfs_number: row.geometry for row in DATA.outlines}
    assert shapes.keys() == {row.bfs_number for row in DATA.municipalities}
    points = {row.bfs_number: (row.east, row.north) for row in DATA.municipalities if row.east and row.north}
    outside = [number for number, point in points.items() if not contains(polygons_of(shapes[number]), point)]
    assert outside == []


async def test_a_municipality_is_told_with_its_outline_and_whose_that_is(gateways: Gateways) -> None:
    (item,) = (await asked(gateways, "Olten")).items
    assert isinstance(item, Municipality) and item.geometry and item.provenance
    assert item.geometry["type"] in ("Polygon", "MultiPolygon")
    assert item.extent == extent_of([item.geometry])
    assert item.provenance.source == (
        "Amtliches Ortschaftenverzeichnis, swisstopo (mitgelieferter Ausschnitt); "
        "Umriss: Generalisierte Gemeindegrenzen (1.1.2026), Bundesamt für Statistik"
    )
    (french,) = (await asked(gateways, "Olten", "fr")).items
    assert french.provenance and "; contour: Generalisierte" in french.provenance.source


async def test_an_extent_that_its_own_source_knows_counts_more(gateways: Gateways) -> None:
    (item,) = (await asked(gateways, "Grenchen")).items
    assert item.extent == (2592561, 1223174, 2599482, 1232183)


async def test_what_has_an_outline_is_somewhere(gateways: Gateways) -> None:
    outcome = await asked(gateways, "Walterswil")
    (item,) = outcome.items
    assert item.coord is None and item.extent is not None
    assert "keine Lage" not in outcome.message


async def test_a_place_is_told_as_before(gateways: Gateways) -> None:
    (item,) = (await asked(gateways, "Mariastein")).items
    assert isinstance(item, Place) and item.geometry is None


async def test_live_sources_find_municipalities_with_outlines_too(server: RecordedServer) -> None:
    async with live_gateway("places", server.url) as places:
        (messen, bern) = [
            OUTLINES.drawn(await places.municipalities(name)).items[0] for name in ("Messen", "Bern")
        ]
    assert messen.geometry is not None and messen.provenance is not None
    assert messen.provenance.source.startswith(f"{server.url.removeprefix('http://')}, Orte; Umriss: ")
    assert bern.geometry is None


async def test_a_source_that_is_down_is_told_alone(gateways: Gateways) -> None:
    (olten,) = (await gateways.places.municipalities("Olten")).items
    assert olten.provenance is not None
    old = olten.provenance.model_copy(update={"stale": True})
    (drawn,) = OUTLINES.drawn(Found((olten.model_copy(update={"provenance": old}),))).items
    assert drawn.geometry is not None and drawn.provenance == old


def test_a_shape_of_its_own_source_stays() -> None:
    own = Municipality(id="1", label="A", name="A", bfs_number=2581, geometry=SQUARE)
    assert OUTLINES.drawn(Found((own,))) == Found((own,))


def test_without_outlines_nothing_changes() -> None:
    lost = Municipality(id="1", label="A", name="A", bfs_number=2581)
    found = Found[Municipality | Place]((lost,), Remark.POSITION_UNKNOWN, {"name": "A"})
    assert Outlines().drawn(found) == found


async def test_what_lies_in_a_municipality_is_not_decided_by_its_outline(gateways: Gateways) -> None:
    (item,) = (await gateways.places.municipalities("Olten")).items
    assert (item.geometry, item.extent) == (None, None)


def test_an_outline_is_not_remembered_with_a_session() -> None:
    own = Municipality(id="1", label="A", name="A", bfs_number=2581, geometry=SQUARE)
    assert own.as_selection() == own.model_copy(update={"geometry": None})


def test_without_the_file_or_its_source_none_is_drawn_or_named(copy: Path) -> None:
    about = copy / "about.toml"
    kept = [line for line in about.read_text("utf-8").splitlines() if not line.startswith("outlines")]
    about.write_text("\n".join(kept), "utf-8")
    olten = Municipality(id="1", label="A", name="A", bfs_number=2581)
    named = outlines_of(Settings(geo_data_dir=copy)).drawn(Found((olten,))).items[0]
    assert named.geometry is not None
    (copy / "municipalities.geojson").unlink()
    assert datafiles.read(copy).outlines == ()
    assert outlines_of(Settings(geo_data_dir=copy)).drawn(Found((olten,))) == Found((olten,))


@pytest.mark.parametrize(
    ("number", "geometry", "message"),
    [
        (9999, SQUARE, "feature 105: 9999 is a missing municipality"),
        (2581, SQUARE, "feature 105: 2581 occurs twice"),
        ("Olten", SQUARE, "feature 105, column bfs_number"),
        (2581, None, "feature 105, column geometry"),
    ],
)
def test_a_mistake_in_the_file_is_named(copy: Path, number: object, geometry: object, message: str) -> None:
    write(copy, [{"type": "Feature", "properties": {"bfs_number": number}, "geometry": geometry}])
    with pytest.raises(DataFileError, match=rf"municipalities\.geojson {message}"):
        datafiles.read(copy)


@pytest.mark.parametrize(
    "geometry",
    [
        {"type": "LineString", "coordinates": [[2600000, 1200000], [2600000, 1201000]]},
        {"type": "Polygon", "coordinates": [[[7.5, 47.2], [7.6, 47.2], [7.6, 47.3], [7.5, 47.2]]]},
        {"type": "Polygon", "coordinates": "?"},
        {"type": "Polygon", "coordinates": [[[2600000, 1200000]] * 4]},
    ],
)
def test_an_outline_that_is_none_is_named(copy: Path, geometry: dict[str, Any]) -> None:
    path = copy / "municipalities.geojson"
    collection = json.loads(path.read_text("utf-8"))
    collection["features"][0]["geometry"] = geometry
    path.write_text(json.dumps(collection), "utf-8")
    with pytest.raises(DataFileError, match="feature 1: no polygons in LV95"):
        datafiles.read(copy)


def write(copy: Path, more: list[dict[str, Any]]) -> None:
    path = copy / "municipalities.geojson"
    collection = json.loads(path.read_text("utf-8"))
    collection["features"] += more
    path.write_text(json.dumps(collection), "utf-8")
