"""The packaged extracts: as the federal directive 2.0 has them, consistent, and invented for all to see.

The official schema is not part of the project. What it says of order and codes is written down here again.
"""

import csv
import struct
from base64 import b64decode
from collections.abc import Iterator
from itertools import pairwise
from math import dist
from urllib.parse import parse_qs, urlsplit
from xml.etree.ElementTree import Element, fromstring

import pytest
from swissgeo.lv95 import Point
from swissgeo.outlines import Polygon, extent_of, polygons_of

from tools_geo.embedded import datafiles as geo_data
from tools_oereb import embedded
from tools_oereb.formats.interlis import surfaces_in

_EXTRACT = "{http://schemas.geo.admin.ch/V_D/OeREB/2.0/Extract}"
_DATA = "{http://schemas.geo.admin.ch/V_D/OeREB/2.0/ExtractData}"
_GEO = "{http://www.interlis.ch/geometry/1.0}"

_NAMES = """
    Nutzungsplanung Planungszonen ProjektierungszonenNationalstrassen BaulinienNationalstrassen
    ProjektierungszonenEisenbahnanlagen BaulinienEisenbahnanlagen ProjektierungszonenFlughafenanlagen
    BaulinienFlughafenanlagen Sicherheitszonenplan BelasteteStandorte BelasteteStandorteMilitaer
    BelasteteStandorteZivileFlugplaetze BelasteteStandorteOeffentlicherVerkehr Grundwasserschutzzonen
    Grundwasserschutzareale Gewaesserraum Laermempfindlichkeitsstufen StatischeWaldgrenzen
    Waldabstandslinien Waldreservate ProjektierungszonenStarkstromanlagen BaulinienStarkstromanlagen
"""
FEDERAL_THEMES = {f"ch.{name}" for name in _NAMES.split()}
ORDER = {
    name: children.split()
    for name, children in {
        "Extract": """CreationDate ConcernedTheme* NotConcernedTheme* ThemeWithoutData* LogoPLRCadastre
            FederalLogo CantonalLogo MunicipalityLogo ExtractIdentifier GeneralInformation* Glossary*
            RealEstate Disclaimer* PLRCadastreAuthority UpdateDateCS""",
        "RealEstate": """Number IdentDN? EGRID Type Canton MunicipalityName MunicipalityCode
            SubunitOfLandRegister LandRegistryArea Limit RestrictionOnLandownership* PlanForLandRegister
            PlanForLandRegisterMainPage""",
        "RestrictionOnLandownership": """LegendText Theme TypeCode Lawstatus AreaShare? PartInPercent?
            LengthShare? NrOfPoints? Symbol Geometry+ Map LegalProvisions+ ResponsibleOffice""",
        "LegalProvisions": """Type Title Abbreviation? OfficialNumber? TextAtWeb? ArticleNumber* Lawstatus
            Index ResponsibleOffice""",
        "Map": "ReferenceWMS min max layerIndex layerOpacity",
        "PlanForLandRegister": "ReferenceWMS min max layerIndex layerOpacity",
        "PlanForLandRegisterMainPage": "ReferenceWMS min max layerIndex layerOpacity",
        "PLRCadastreAuthority": "Name OfficeAtWeb Street Number PostalCode City",
        "ResponsibleOffice": "Name OfficeAtWeb?",
        "Geometry": "Point? Line? Surface? Lawstatus",
        "Theme": "Code SubCode? Text",
        "ConcernedTheme": "Code SubCode? Text",
        "NotConcernedTheme": "Code SubCode? Text",
        "ThemeWithoutData": "Code SubCode? Text",
        "Lawstatus": "Code Text",
        "Type": "Code Text",
        "Glossary": "Title Content",
        "Disclaimer": "Title Content",
        "LocalisedText": "Language Text",
        "Surface": "exterior interior*",
        "surface": "exterior interior*",
    }.items()
}
"""The children of an element as the schema orders them: `?` none or one, `*` any number, `+` one or more."""
CODES = {
    "Lawstatus": {"inForce", "changeWithPreEffect", "changeWithoutPreEffect"},
    "RealEstate/Type": {
        "RealEstate",
        "Distinct_and_permanent_rights.BuildingRight",
        "Distinct_and_permanent_rights.right_to_spring_water",
    },
    "LegalProvisions/Type": {"Law", "LegalProvision", "Hint"},
}

ENTRIES = {entry.egrid: entry for entry in embedded.read()}
every_extract = pytest.mark.parametrize("egrid", ENTRIES)


def extract(egrid: str) -> Element:
    root = fromstring((embedded.EXTRACTS / f"{egrid}.xml").read_bytes())
    assert root.tag == f"{_EXTRACT}GetExtractByIdResponse"
    (only,) = root
    assert only.tag == f"{_DATA}Extract"
    return only


def all_of(element: Element, path: str) -> list[Element]:
    return element.findall("/".join(_DATA + name for name in path.split("/")))


def one(element: Element, path: str) -> Element:
    (found,) = all_of(element, path)
    return found


def said(element: Element, path: str) -> str:
    return one(element, path).text or ""


def number(element: Element, path: str) -> float | None:
    found = all_of(element, path)
    return float(found[0].text or "") if found else None


def restrictions(egrid: str) -> list[Element]:
    return all_of(extract(egrid), "RealEstate/RestrictionOnLandownership")


def local(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def points_of(element: Element) -> list[Point]:
    """The points of a Line, or the one of a Point."""
    coords = element.findall(f"{_GEO}coord") or [element]
    return [(float(c.findtext(f"{_GEO}c1") or ""), float(c.findtext(f"{_GEO}c2") or "")) for c in coords]


def area_m2(polygons: list[Polygon]) -> float:
    return sum(abs(_ring_m2(outer)) - sum(map(abs, map(_ring_m2, holes))) for outer, *holes in polygons)


def _ring_m2(ring: list[Point]) -> float:
    (e0, n0) = ring[0]
    return sum((a[0] - e0) * (b[1] - n0) - (b[0] - e0) * (a[1] - n0) for a, b in pairwise(ring)) / 2


def surfaces(restriction: Element) -> list[Polygon]:
    """`Surface` is of the type of what the reader knows as `surface`."""
    around = Element("around")
    for surface in restriction.iter(f"{_DATA}Surface"):
        copy = Element(f"{_GEO}surface")
        copy.extend(surface)
        around.append(copy)
    return surfaces_in(around)


def out_of_order(element: Element) -> Iterator[str]:
    """What the schema does not allow, below an element."""
    for each in element.iter():
        name = local(each)
        # An address has a Number as well, a MultilingualText a Text: both are without children.
        if name not in ORDER or not len(each):
            continue
        left = [local(child) for child in each]
        for slot in ORDER[name]:
            wanted, most = slot.rstrip("?*+"), len(left) if slot[-1] in "*+" else 1
            count = 0
            while left and left[0] == wanted and count < most:
                left.pop(0)
                count += 1
            if not count and slot[-1] not in "?*":
                yield f"{name} without {wanted}"
        if left:
            yield f"{name}: {left[0]}"


def test_every_parcel_has_an_extract_and_no_extract_is_left_over() -> None:
    assert {path.name for path in embedded.EXTRACTS.iterdir()} == {f"{egrid}.xml" for egrid in ENTRIES}
    assert len(ENTRIES) == 10


@every_extract
def test_the_elements_are_those_of_the_schema_in_its_order(egrid: str) -> None:
    assert list(out_of_order(extract(egrid))) == []


def test_an_element_in_the_wrong_place_is_found() -> None:
    root = extract("CH955832730623")
    root.append(one(root, "CreationDate"))
    restriction = all_of(root, "RealEstate/RestrictionOnLandownership")[0]
    restriction.remove(one(restriction, "Symbol"))
    assert list(out_of_order(root)) == [
        "Extract: CreationDate",
        "RestrictionOnLandownership without Symbol",
    ]


@every_extract
def test_codes_are_those_of_the_schema(egrid: str) -> None:
    root = extract(egrid)
    parents = {child: parent for parent in root.iter() for child in parent}
    for element in root.iter():
        name = local(element)
        known = CODES.get(name) or CODES.get(
            f"{local(parents[element])}/{name}" if element in parents else ""
        )
        if known and len(element):
            assert said(element, "Code") in known


@every_extract
def test_every_federal_theme_is_in_exactly_one_list(egrid: str) -> None:
    root = extract(egrid)
    lists = [
        {said(theme, "Code") for theme in all_of(root, name)}
        for name in ("ConcernedTheme", "NotConcernedTheme", "ThemeWithoutData")
    ]
    assert set.union(*lists) == FEDERAL_THEMES
    assert sum(map(len, lists)) == len(FEDERAL_THEMES)


@every_extract
def test_the_concerned_themes_are_those_of_the_restrictions(egrid: str) -> None:
    def named(theme: Element) -> tuple[str, ...]:
        return tuple(child.text or "".join(child.itertext()) for child in theme)

    concerned = {named(theme) for theme in all_of(extract(egrid), "ConcernedTheme")}
    assert concerned == {named(one(restriction, "Theme")) for restriction in restrictions(egrid)}


@every_extract
def test_an_extract_is_about_its_parcel(egrid: str) -> None:
    entry, estate = ENTRIES[egrid], one(extract(egrid), "RealEstate")
    assert said(estate, "EGRID") == entry.egrid
    assert said(estate, "Number") == entry.number
    assert said(estate, "MunicipalityName") == entry.municipality
    assert said(estate, "SubunitOfLandRegister") == entry.land_register
    assert said(estate, "Type/Code") == entry.type
    assert [element.text for element in all_of(estate, "IdentDN")] == [entry.ident_dn] * bool(entry.ident_dn)
    assert number(estate, "LandRegistryArea") == entry.area_m2 or entry.area_m2 is None
    assert surfaces_in(one(estate, "Limit")) == polygons_of(entry.geometry)


@every_extract
def test_the_number_of_the_municipality_is_that_of_the_other_service(egrid: str) -> None:
    numbers = {row.egrid: row.bfs_number for row in geo_data.read().parcels}
    assert said(extract(egrid), "RealEstate/MunicipalityCode") == str(numbers[egrid])


@every_extract
def test_shares_are_those_of_the_geometry(egrid: str) -> None:
    land = number(extract(egrid), "RealEstate/LandRegistryArea") or 0
    assert land == pytest.approx(area_m2(polygons_of(ENTRIES[egrid].geometry)), abs=0.6)
    west, south, east, north = extent_of(polygons_of(ENTRIES[egrid].geometry))
    for restriction in restrictions(egrid):
        area, length = number(restriction, "AreaShare"), number(restriction, "LengthShare")
        lines = [points_of(line) for line in all_of(restriction, "Geometry/Line")]
        points = [point for each in all_of(restriction, "Geometry/Point") for point in points_of(each)]
        areas = surfaces(restriction)
        assert [bool(areas), bool(lines), bool(points)].count(True) == 1
        if areas:
            assert area == pytest.approx(area_m2(areas), abs=0.6)
            assert (area or 0) <= land
            assert number(restriction, "PartInPercent") == round((area or 0) / land * 100, 1)
        if lines:
            assert length == pytest.approx(
                sum(dist(a, b) for line in lines for a, b in pairwise(line)), abs=0.6
            )
        if points:
            assert number(restriction, "NrOfPoints") == len(points)
        rings = [ring for polygon in areas for ring in polygon]
        everywhere = [*points, *(p for line in lines for p in line), *(p for ring in rings for p in ring)]
        assert all(west <= e <= east and south <= n <= north for e, n in everywhere)


@every_extract
def test_a_restriction_and_its_geometry_have_one_law_status(egrid: str) -> None:
    for restriction in restrictions(egrid):
        statuses = {status.text for status in all_of(restriction, "Geometry/Lawstatus/Code")}
        assert statuses == {said(restriction, "Lawstatus/Code")}


@every_extract
def test_maps_are_of_layers_that_the_canton_publishes(egrid: str) -> None:
    with (geo_data.PACKAGED / "layers.csv").open(encoding="utf-8", newline="") as file:
        known = {row["id"] for row in csv.DictReader(file)}
    for restriction in restrictions(egrid):
        asked = parse_qs(urlsplit(said(restriction, "Map/ReferenceWMS/LocalisedText/Text")).query)
        assert asked["REQUEST"] == ["GetMap"]
        assert set(asked["LAYERS"]) <= known
        west, south, east, north = map(float, asked["BBOX"][0].split(","))
        inner = extent_of(polygons_of(ENTRIES[egrid].geometry))
        assert west < inner[0] and south < inner[1] and inner[2] < east and inner[3] < north


@every_extract
def test_symbols_are_small_pictures(egrid: str) -> None:
    for symbol in extract(egrid).iter(f"{_DATA}Symbol"):
        pixels = b64decode(symbol.text or "", validate=True)
        assert pixels.startswith(b"\x89PNG\r\n\x1a\n")
        assert struct.unpack(">II", pixels[16:24]) == (18, 12)


@every_extract
def test_only_laws_are_real(egrid: str) -> None:
    """What a municipality would have made is invented: it says so, and leads nowhere."""
    for document in extract(egrid).iter(f"{_DATA}LegalProvisions"):
        title = said(document, "Title/LocalisedText/Text")
        links = [link.text or "" for link in all_of(document, "TextAtWeb/LocalisedText/Text")]
        if said(document, "Type/Code") == "Law":
            assert not title.startswith("Muster")
            assert [urlsplit(link).hostname for link in links] in (["www.admin.ch"], ["bgs.so.ch"])
            assert said(document, "OfficialNumber/LocalisedText/Text")[:3] in ("SR ", "BGS")
        else:
            assert title.startswith("Muster: ")
            assert links == []


@every_extract
def test_an_extract_says_that_it_is_a_sample(egrid: str) -> None:
    assert said(extract(egrid), "GeneralInformation/LocalisedText/Text").startswith("Muster: ")


@every_extract
def test_an_extract_is_compact(egrid: str) -> None:
    assert (embedded.EXTRACTS / f"{egrid}.xml").stat().st_size < 50_000
