"""What the recorded cadastre knows: the packaged parcels, and a made-up one around each packaged address."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from recorded.data import canton

from tools_oereb import embedded
from tools_oereb.geometry import Point, Polygon, distance_m, polygons_of

MESSEN_198, MESSEN_531 = "CH955832730623", "CH710620327442"
MESSEN_168, BALM_168 = "CH807306583219", "CH181832067404"
BIBERIST_2084 = "CH727994320611"
LANGENDORFSTRASSE_19B = "CH000000000001"
"""The first of the made-up ones, as the address is the first of the addresses."""

_BFS_NUMBERS = {"Messen": 2457, "Biberist": 2513, "Solothurn": 2601}
_HALF_SIDE_M = 5.0
_REACH_M = 1.0

Theme = tuple[str, str, str]
"""(code, in German, in French)"""
THEMES: tuple[Theme, ...] = (
    (
        "ch.Nutzungsplanung",
        "Nutzungsplanung (kantonal/kommunal)",
        "Plans d'affectation (cantonaux/communaux)",
    ),
    ("ch.BelasteteStandorte", "Kataster der belasteten Standorte", "Cadastre des sites pollués"),
    ("ch.Grundwasserschutzzonen", "Grundwasserschutzzonen", "Zones de protection des eaux souterraines"),
    ("ch.Laermempfindlichkeitsstufen", "Lärmempfindlichkeitsstufen", "Degrés de sensibilité au bruit"),
    ("ch.StatischeWaldgrenzen", "Waldgrenzen", "Limites de la forêt"),
)
_CONCERNED = {MESSEN_198: (0, 2, 3), MESSEN_531: (0,), MESSEN_168: (0, 3), BALM_168: ()}


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

    @property
    def concerned(self) -> tuple[Theme, ...]:
        return tuple(THEMES[n] for n in _CONCERNED.get(self.egrid, (0,)))

    @property
    def not_concerned(self) -> tuple[Theme, ...]:
        return tuple(theme for theme in THEMES if theme not in self.concerned)


@cache
def estates() -> tuple[Estate, ...]:
    return (*_packaged(), *around_addresses())


def at_point(east: float, north: float) -> list[Estate]:
    """Within a metre, as both known implementations have it."""
    return [e for e in estates() if distance_m(e.polygons, (east, north)) <= _REACH_M]


def of_number(ident_dn: str, number: str) -> list[Estate]:
    return [e for e in estates() if (e.ident_dn, e.number) == (ident_dn, number)]


def of_address(postal_code: int, street: str, house_number: str | None) -> list[Estate]:
    """Exactly as written; without a number, buildings without one."""
    points = [
        (row.east, row.north)
        for row in canton().addresses
        if (row.postal_code, row.street, row.house_number or None) == (str(postal_code), street, house_number)
    ]
    return [estate for east, north in points for estate in at_point(east, north)]


def of_egrid(egrid: str | None) -> Estate | None:
    return next((e for e in estates() if e.egrid == egrid), None)


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
