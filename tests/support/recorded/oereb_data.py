"""What the recorded cadastre knows: the packaged parcels, and a made-up one around each packaged address."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from itertools import pairwise

from contracts.oereb import (
    DocumentKind,
    ExtractContent,
    LawStatus,
    LegalDocument,
    Office,
    Restriction,
    Theme,
)
from recorded.data import canton
from swissgeo.lv95 import Point
from swissgeo.outlines import Polygon, distance_m, polygons_of

from tools_oereb import embedded
from tools_oereb.formats import xml_answers

MESSEN_198, MESSEN_531 = "CH955832730623", "CH710620327442"
MESSEN_168, BALM_168 = "CH807306583219", "CH181832067404"
BIBERIST_2084 = "CH727994320611"
LANGENDORFSTRASSE_19B = "CH000000000001"
"""The first of the made-up ones, as the address is the first of the addresses."""

_BFS_NUMBERS = {row.municipality: row.bfs_number for row in canton().parcels} | {"Solothurn": 2601}
_HALF_SIDE_M = 5.0
_REACH_M = 1.0
_MADE_AT = datetime(2026, 11, 20, 15, 9, 10)

_TITLES = {
    "ch.Nutzungsplanung": {
        "de": "Nutzungsplanung (kantonal/kommunal)",
        "fr": "Plans d'affectation (cantonaux/communaux)",
    },
    "ch.BelasteteStandorte": {
        "de": "Kataster der belasteten Standorte",
        "fr": "Cadastre des sites pollués",
    },
    "ch.Grundwasserschutzzonen": {
        "de": "Grundwasserschutzzonen",
        "fr": "Zones de protection des eaux souterraines",
    },
    "ch.Laermempfindlichkeitsstufen": {
        "de": "Lärmempfindlichkeitsstufen",
        "fr": "Degrés de sensibilité au bruit",
    },
    "ch.StatischeWaldgrenzen": {"de": "Waldgrenzen", "fr": "Limites de la forêt"},
}
_LAWS = {"de": "Planungs- und Baugesetz", "fr": "Loi sur les constructions"}
_EXTRACTS = embedded.PACKAGED.parent / "extracts"


@dataclass(frozen=True)
class Estate:
    egrid: str
    number: str
    ident_dn: str
    code: str
    kind: str
    municipality: str
    polygons: tuple[Polygon, ...]
    area_m2: int

    @property
    def bfs_number(self) -> int:
        return _BFS_NUMBERS[self.municipality]


@cache
def estates() -> tuple[Estate, ...]:
    return (*_packaged(), *around_addresses())


def at_point(east: float, north: float) -> list[Estate]:
    """Within a metre, as both known implementations have it."""
    return [e for e in estates() if distance_m(e.polygons, (east, north)) <= _REACH_M]


def of_number(ident_dn: str, number: str) -> list[Estate]:
    return [e for e in estates() if (e.ident_dn, e.number) == (ident_dn, number)]


def of_egrid(egrid: str | None) -> Estate | None:
    return next((e for e in estates() if e.egrid == egrid), None)


def themes(language: str) -> tuple[Theme, ...]:
    return tuple(Theme(code=code, title=titles[language]) for code, titles in _TITLES.items())


def content_of(estate: Estate, language: str = "de") -> ExtractContent:
    """What is packaged, for a packaged parcel; the made-up ones are in a zone as a whole."""
    packaged = _EXTRACTS / f"{estate.egrid}.xml"
    if packaged.exists():
        return xml_answers.extract(packaged.read_bytes(), packaged.name, language).content
    zones, *others = themes(language)
    office = Office(name="Bau- und Justizdepartement", url="https://so.ch/bjd/")
    zone = Restriction(
        theme=zones,
        text=zones.title,
        type_code="1",
        law_status=LawStatus.IN_FORCE,
        area_m2=estate.area_m2,
        percent=100,
        office=office,
        documents=(0,),
    )
    law = LegalDocument(
        kind=DocumentKind.LAW,
        title=_LAWS[language],
        official_number="711.1",
        url="https://bgs.so.ch/app/de/texts_of_law/711.1",
        law_status=LawStatus.IN_FORCE,
        office=office,
    )
    return ExtractContent(
        created_at=_MADE_AT,
        updated_at=_MADE_AT,
        concerned=(zones,),
        not_concerned=tuple(others),
        restrictions=(zone,),
        documents=(law,),
        authority=office,
    )


def without_data(language: str = "de") -> ExtractContent:
    """What one implementation sends for a municipality that is not released; the other one sends nothing."""
    return ExtractContent(created_at=_MADE_AT, without_data=themes(language))


def _packaged() -> Iterator[Estate]:
    for entry in embedded.read():
        polygons = tuple(polygons_of(entry.geometry))
        yield Estate(
            egrid=entry.egrid,
            number=entry.number,
            # Balm bei Messen has kept its own land register.
            ident_dn="SO0200002442"
            if entry.land_register != entry.municipality
            else f"SO020000{_BFS_NUMBERS[entry.municipality]}",
            code=entry.type,
            kind=entry.kind,
            municipality=entry.municipality,
            polygons=polygons,
            area_m2=round(entry.area_m2 or _area_m2(polygons[0][0])),
        )


def around_addresses() -> Iterator[Estate]:
    """The made-up ones: squares of ten metres."""
    for n, address in enumerate(canton().addresses, start=1):
        corners = ((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1))
        ring = [(address.east + e * _HALF_SIDE_M, address.north + n * _HALF_SIDE_M) for e, n in corners]
        yield Estate(
            egrid=f"CH{n:012d}",
            number=str(9000 + n),
            ident_dn="SO0200002601",
            code="RealEstate",
            kind="Liegenschaft",
            municipality="Solothurn",
            polygons=([ring],),
            area_m2=round(_area_m2(ring)),
        )


def _area_m2(ring: list[Point]) -> float:
    (e0, n0), twice = ring[0], 0.0
    for (e1, n1), (e2, n2) in pairwise(ring):
        twice += (e1 - e0) * (n2 - n0) - (e2 - e0) * (n1 - n0)
    return abs(twice) / 2
