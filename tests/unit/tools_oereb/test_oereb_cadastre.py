"""The embedded cadastre: parcels at a point, extracts by EGRID, and the data behind them."""

import json
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from contracts.items import OerebExtract

from tools_geo.embedded import datafiles as geo_data
from tools_oereb import embedded
from tools_oereb.embedded import DataFileError, EmbeddedCadastre
from tools_oereb.gateways import NoExtract
from tools_oereb.geometry import contains, polygons_of
from tools_oereb.links import ExtractLinks

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
LINKS = ExtractLinks("https://geo.so.ch/api/oereb", "https://geo.so.ch/map/?oereb_egrid={egrid}")
MESSEN_198, MESSEN_531 = "CH955832730623", "CH710620327442"
MESSEN_168, BIBERIST_2084 = "CH807306583219", "CH727994320611"


def cadastre(path: Path = embedded.PACKAGED, *, use_rtree: bool = True) -> EmbeddedCadastre:
    return EmbeddedCadastre(
        embedded.read(path), LINKS, tolerance_m=1.0, now=lambda: NOON, use_rtree=use_rtree
    )


@pytest.fixture(scope="module", params=[True, False], ids=["rtree", "plain index"])
def source(request: pytest.FixtureRequest) -> EmbeddedCadastre:
    return cadastre(use_rtree=request.param)


async def test_at_the_known_point_there_are_a_parcel_and_a_building_right(source: EmbeddedCadastre) -> None:
    parcel, right = await source.parcels_at(2600513, 1215519)
    assert (parcel.egrid, parcel.number, parcel.kind) == (MESSEN_198, "198", "Liegenschaft")
    assert (right.egrid, right.number, right.kind) == (MESSEN_531, "531", "Baurecht")
    assert (parcel.confidence, right.confidence) == (0.9, 0.75)
    assert parcel.label == "CH955832730623 – Liegenschaft (198)"
    assert right.label == "CH710620327442 – Baurecht (531)"


async def test_an_item_carries_its_outline_and_origin(source: EmbeddedCadastre) -> None:
    parcel, _ = await source.parcels_at(2600513, 1215519)
    assert parcel.geometry is not None
    assert parcel.coord is not None
    assert contains(polygons_of(parcel.geometry), parcel.coord)
    assert parcel.provenance is not None
    assert parcel.provenance.retrieved_at == NOON
    assert parcel.provenance.match == "exact"
    assert "ungefähr" in parcel.provenance.source
    assert parcel.id == parcel.egrid


async def test_a_point_on_one_parcel_is_certain(source: EmbeddedCadastre) -> None:
    (parcel,) = await source.parcels_at(2600595, 1215629)
    assert (parcel.egrid, parcel.confidence) == (MESSEN_168, 1.0)


async def test_a_point_just_outside_is_taken_with_less_confidence(source: EmbeddedCadastre) -> None:
    (parcel,) = await source.parcels_at(2609046.0, 1226282.19)
    assert (parcel.egrid, parcel.confidence) == (BIBERIST_2084, 0.6)
    assert parcel.provenance is not None
    assert parcel.provenance.match == "fuzzy"


@pytest.mark.parametrize(
    "point", [(2700000, 1200000), (2609044.0, 1226282.19), (2609076, 1226267)], ids=["far", "near", "in box"]
)
async def test_elsewhere_there_is_nothing(source: EmbeddedCadastre, point: tuple[float, float]) -> None:
    assert await source.parcels_at(*point) == ()


async def test_an_extract_links_pdf_and_map(source: EmbeddedCadastre) -> None:
    extract = await source.extract(MESSEN_198)
    assert isinstance(extract, OerebExtract)
    assert extract.pdf_url == "https://geo.so.ch/api/oereb/extract/pdf/?EGRID=CH955832730623"
    assert extract.map_url == "https://geo.so.ch/map/?oereb_egrid=CH955832730623"
    assert extract.label == "ÖREB-Auszug für CH955832730623"
    assert extract.coord is not None
    assert extract.geometry is not None
    assert contains(polygons_of(extract.geometry), extract.coord)


async def test_an_unknown_egrid_has_no_extract(source: EmbeddedCadastre) -> None:
    assert await source.extract("CH000000000000") is NoExtract.UNKNOWN_IN_SAMPLE


def test_links_are_encoded() -> None:
    links = ExtractLinks("https://cadastre.example/oereb/", "https://cadastre.example/map/{egrid}")
    assert links.map("CH1&x=2/../3") == "https://cadastre.example/map/CH1%26x%3D2%2F..%2F3"
    assert links.pdf("CH1&x=2").startswith("https://cadastre.example/oereb/extract/pdf/?")
    assert parse_qs(urlsplit(links.pdf("CH1&x=2")).query) == {"EGRID": ["CH1&x=2"]}


def test_both_services_know_the_same_parcels() -> None:
    ours = {
        entry.egrid: (entry.number, entry.municipality, entry.land_register, entry.kind, entry.geometry)
        for entry in embedded.read()
    }
    theirs = {
        row.egrid: (row.number, row.municipality, row.land_register, row.kind, row.geometry)
        for row in geo_data.read().parcels
    }
    assert ours == theirs


def broken(tmp_path: Path, **properties: object) -> Path:
    document = json.loads(embedded.PACKAGED.read_text(encoding="utf-8"))
    document["features"][1]["properties"].update(properties)
    path = tmp_path / "parcels.geojson"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        ({"egrid": "CH12"}, "feature 2, egrid"),
        ({"type": "Baurecht"}, "feature 2, type"),
        ({"number": ""}, "feature 2, number"),
        ({"egrid": MESSEN_198}, "CH955832730623 occurs twice"),
    ],
)
def test_a_mistake_in_the_file_is_named(tmp_path: Path, properties: dict[str, object], message: str) -> None:
    with pytest.raises(DataFileError, match=message):
        cadastre(broken(tmp_path, **properties))


def test_a_feature_without_polygon_is_named(tmp_path: Path) -> None:
    path = tmp_path / "parcels.geojson"
    document = embedded.PACKAGED.read_text(encoding="utf-8")
    path.write_text(document.replace('"Polygon"', '"Point"', 1), encoding="utf-8")
    with pytest.raises(DataFileError, match="feature 1, geometry"):
        cadastre(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match=r"nowhere\.geojson"):
        cadastre(tmp_path / "nowhere.geojson")
