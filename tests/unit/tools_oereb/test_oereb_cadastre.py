"""The embedded cadastre: parcels at a point, extracts by EGRID, and the data behind them."""

import json
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from contracts.items import OerebExtract
from contracts.oereb import DocumentKind, ExtractContent, LawStatus
from servicekit.errors import SourceError
from swissgeo.outlines import contains, polygons_of

from tools_geo.embedded import datafiles as geo_data
from tools_oereb import embedded, sources
from tools_oereb.embedded import DataFileError, EmbeddedCadastre
from tools_oereb.gateways import NoExtract
from tools_oereb.links import ExtractLinks
from tools_oereb.settings import Settings

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
LINKS = ExtractLinks("https://geo.so.ch/api/oereb", "https://geo.so.ch/map/?oereb_egrid={egrid}")
MESSEN_198, MESSEN_531 = "CH955832730623", "CH710620327442"
MESSEN_168, BIBERIST_2084 = "CH807306583219", "CH727994320611"


BALM_168, FOREST, HOUSE = "CH181832067404", "CH990000009901", "CH990000009902"
MEADOWS, SPRING, NOT_RELEASED = "CH990000009903", "CH990000009904", "CH990000009905"


def cadastre(
    path: Path = embedded.PACKAGED, *, extracts: Path | None = embedded.EXTRACTS, use_rtree: bool = True
) -> EmbeddedCadastre:
    return EmbeddedCadastre(
        embedded.read(path),
        LINKS,
        extracts=extracts,
        tolerance_m=1.0,
        source_name="ÖREB-Kataster Kanton Solothurn",
        now=lambda: NOON,
        use_rtree=use_rtree,
    )


async def content_of(source: EmbeddedCadastre, egrid: str) -> ExtractContent:
    extract = await source.extract(egrid)
    assert isinstance(extract, OerebExtract)
    assert extract.content is not None
    return extract.content


def told(content: ExtractContent) -> set[tuple[str, str, LawStatus | None, float | None]]:
    """(theme, type, law status, share of the parcel in percent)"""
    return {(r.theme.code, r.type_code or "", r.law_status, r.percent) for r in content.restrictions}


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


async def test_an_extract_tells_types_and_shares_of_several_themes(source: EmbeddedCadastre) -> None:
    assert told(await content_of(source, MESSEN_198)) == {
        ("ch.Nutzungsplanung", "W2", LawStatus.IN_FORCE, 63.7),
        ("ch.Nutzungsplanung", "OeBA", LawStatus.IN_FORCE, 36.3),
        ("ch.Nutzungsplanung", "BL", LawStatus.IN_FORCE, None),
        ("ch.Grundwasserschutzzonen", "S3", LawStatus.IN_FORCE, 24.8),
        ("ch.Laermempfindlichkeitsstufen", "ES_II", LawStatus.IN_FORCE, 63.7),
        ("ch.Laermempfindlichkeitsstufen", "ES_III", LawStatus.IN_FORCE, 36.3),
    }


async def test_a_restriction_has_its_size_symbol_map_office_and_laws(source: EmbeddedCadastre) -> None:
    content = await content_of(source, BIBERIST_2084)
    zone, line, _ = content.restrictions
    assert (zone.text, zone.area_m2, zone.percent) == ("Wohnzone zweigeschossig (W2)", 618, 100)
    assert (line.length_m, line.area_m2, line.theme.sub_code) == (27, None, "ch.SO.Baulinien")
    assert zone.symbol is not None
    assert zone.symbol.startswith("data:image/png;base64,")
    assert zone.map is not None
    assert "LAYERS=ch.so.arp.nutzungsplanung&" in (zone.map.wms_url or "")
    assert zone.office is not None
    assert zone.office.name == "Einwohnergemeinde Biberist"
    behind = [content.documents[n] for n in zone.documents]
    assert [(d.kind, d.abbreviation, d.official_number) for d in behind] == [
        (DocumentKind.LEGAL_PROVISION, None, None),
        (DocumentKind.LAW, "RPG", "SR 700"),
        (DocumentKind.LAW, "PBG", "BGS 711.1"),
    ]


async def test_a_building_right_has_an_extract_of_its_own(source: EmbeddedCadastre) -> None:
    extract = await source.extract(MESSEN_531)
    assert isinstance(extract, OerebExtract)
    assert (extract.kind, extract.number, extract.area_m2) == ("Baurecht", "531", 3180)
    zones = [r for r in (await content_of(source, MESSEN_531)).restrictions if r.type_code == "W2"]
    assert [(zone.area_m2, zone.percent) for zone in zones] == [(3180, 100)]


async def test_themes_without_data_are_known(source: EmbeddedCadastre) -> None:
    content = await content_of(source, MESSEN_168)
    assert [theme.code for theme in content.without_data] == ["ch.Planungszonen", "ch.Gewaesserraum"]
    assert (len(content.concerned), len(content.not_concerned)) == (2, 18)


async def test_a_parcel_may_be_concerned_by_nothing(source: EmbeddedCadastre) -> None:
    content = await content_of(source, BALM_168)
    assert (content.concerned, content.without_data, content.restrictions) == ((), (), ())
    assert len(content.not_concerned) == 22


async def test_a_parcel_may_be_touched_by_a_planned_change_only(source: EmbeddedCadastre) -> None:
    assert told(await content_of(source, FOREST)) == {
        ("ch.Waldreservate", "WR", LawStatus.CHANGE_WITHOUT_PRE_EFFECT, 67.1)
    }


async def test_one_extract_has_all_law_statuses(source: EmbeddedCadastre) -> None:
    assert told(await content_of(source, HOUSE)) == {
        ("ch.Nutzungsplanung", "W2", LawStatus.IN_FORCE, 100),
        ("ch.Nutzungsplanung", "W3", LawStatus.CHANGE_WITHOUT_PRE_EFFECT, 100),
        ("ch.Nutzungsplanung", "GPP", LawStatus.CHANGE_WITH_PRE_EFFECT, 67.7),
        ("ch.Gewaesserraum", "GR", LawStatus.CHANGE_WITHOUT_PRE_EFFECT, 31.4),
        ("ch.Laermempfindlichkeitsstufen", "ES_II", LawStatus.IN_FORCE, 100),
    }


async def test_a_parcel_of_several_parts_is_concerned_by_areas_lines_and_points(
    source: EmbeddedCadastre,
) -> None:
    content = await content_of(source, MEADOWS)
    sizes = {r.type_code: (r.area_m2, r.percent, r.length_m, r.points) for r in content.restrictions}
    assert sizes["ABL"] == (637, 5.0, None, None)
    assert [sizes[zone][:2] for zone in ("S1", "S2", "S3")] == [(528, 4.2), (2999, 23.6), (4514, 35.6)]
    assert sizes["WG"] == (None, None, 88, None)
    assert sizes["BAUM"] == (None, None, None, 3)


@pytest.mark.parametrize(
    ("point", "egrids"),
    [
        ((2624672, 1240529), [MEADOWS, SPRING]),
        ((2624690, 1240430), [MEADOWS]),
        ((2624722, 1240512), []),
    ],
    ids=["spring", "second part", "hole"],
)
async def test_a_right_to_a_spring_is_found_with_the_parcel_around_it(
    source: EmbeddedCadastre, point: tuple[float, float], egrids: list[str]
) -> None:
    found = await source.parcels_at(*point)
    assert [parcel.egrid for parcel in found] == egrids
    assert [parcel.kind for parcel in found] == ["Liegenschaft", "Quellenrecht"][: len(egrids)]


async def test_where_nothing_is_released_all_themes_are_without_data(source: EmbeddedCadastre) -> None:
    content = await content_of(source, NOT_RELEASED)
    assert (content.concerned, content.not_concerned, content.restrictions) == ((), (), ())
    assert len(content.without_data) == 22


@pytest.mark.parametrize("egrid", [MESSEN_198, FOREST])
async def test_an_extract_is_a_sample_whether_its_parcel_is_real_or_not(
    source: EmbeddedCadastre, egrid: str
) -> None:
    extract = await source.extract(egrid)
    assert isinstance(extract, OerebExtract)
    assert extract.provenance is not None
    assert extract.provenance.sample
    assert "Muster" in extract.provenance.source


async def test_an_invented_parcel_is_a_sample_and_the_canton_is_not_asked_for_it(
    source: EmbeddedCadastre,
) -> None:
    (invented,) = await source.parcels_at(2607250, 1235620)
    (real,) = await source.parcels_at(2600595, 1215629)
    assert [p.provenance.sample for p in (invented, real) if p.provenance] == [True, False]
    extract = await source.extract(FOREST)
    assert isinstance(extract, OerebExtract)
    assert (extract.pdf_url, extract.map_url) == ("", None)


async def test_a_parcel_without_a_file_has_an_extract_that_was_not_read(tmp_path: Path) -> None:
    for folder in (None, tmp_path):
        extract = await cadastre(extracts=folder).extract(BIBERIST_2084)
        assert isinstance(extract, OerebExtract)
        assert (extract.content, extract.concerned_themes, extract.number) == (None, None, "2084")
        assert extract.provenance is not None
        assert not extract.provenance.sample


async def test_a_file_that_is_no_extract_is_unreadable(tmp_path: Path) -> None:
    (tmp_path / f"{BIBERIST_2084}.xml").write_text("<html/>", encoding="utf-8")
    with pytest.raises(SourceError):
        await cadastre(extracts=tmp_path).extract(BIBERIST_2084)


async def test_a_file_with_the_extract_of_another_parcel_is_unreadable(tmp_path: Path) -> None:
    (tmp_path / f"{MESSEN_198}.xml").write_bytes((embedded.EXTRACTS / f"{MESSEN_531}.xml").read_bytes())
    with pytest.raises(SourceError):
        await cadastre(extracts=tmp_path).extract(MESSEN_198)


@pytest.mark.parametrize(("egrid", "is_sample"), [(MESSEN_198, False), (FOREST, True)])
async def test_an_extract_of_ones_own_is_a_copy_and_invented_only_where_its_parcel_is(
    tmp_path: Path, egrid: str, is_sample: bool
) -> None:
    (tmp_path / f"{egrid}.xml").write_bytes((embedded.EXTRACTS / f"{egrid}.xml").read_bytes())
    extract = await cadastre(extracts=tmp_path).extract(egrid)
    assert isinstance(extract, OerebExtract) and extract.provenance is not None
    assert extract.provenance.sample is is_sample
    assert ("Muster" in extract.provenance.source) is is_sample
    assert is_sample or extract.provenance.source.endswith("(Kopie, keine Rechtsauskunft)")


async def test_an_installation_brings_its_own_parcels_with_or_without_extracts(tmp_path: Path) -> None:
    (tmp_path / f"{MESSEN_198}.xml").write_bytes((embedded.EXTRACTS / f"{MESSEN_198}.xml").read_bytes())

    async def is_read(egrid: str, **settings: Path) -> bool:
        extract = await sources.cadastre(Settings(**settings), None).extract(egrid)  # type: ignore[arg-type]
        assert isinstance(extract, OerebExtract)
        return extract.content is not None

    assert await is_read(BIBERIST_2084)
    own = embedded.PACKAGED
    assert not await is_read(BIBERIST_2084, oereb_parcels_file=own)
    assert await is_read(MESSEN_198, oereb_parcels_file=own, oereb_extracts_dir=tmp_path)
    assert not await is_read(BIBERIST_2084, oereb_parcels_file=own, oereb_extracts_dir=tmp_path)


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
