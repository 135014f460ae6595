"""Parcels of land and rights on them, as a cadastre knows them, and how they become items."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from contracts.items import OerebExtract, Parcel, Provenance
from contracts.oereb import ExtractContent
from swissgeo.lv95 import Point
from swissgeo.outlines import Polygon, distance_m, extent_of, inner_point, polygons_of

from tools_oereb.texts import text

PARCEL = "RealEstate"
"""The federal code of a parcel of land; all other codes are those of rights."""
_CODE_OF_SURVEY_CODE = {
    "Liegenschaft": PARCEL,
    "SelbstRecht.Baurecht": "Distinct_and_permanent_rights.BuildingRight",
    "SelbstRecht.Quellenrecht": "Distinct_and_permanent_rights.right_to_spring_water",
    "SelbstRecht.Konzessionsrecht": "Distinct_and_permanent_rights.concession",
    "SelbstRecht.weitere": "Distinct_and_permanent_rights.other",
    "Bergwerk": "Mineral_rights",
}
"""The codes of the cadastral survey, which some services send in the place of the federal ones."""
_CODES = (PARCEL, *(code for code in _CODE_OF_SURVEY_CODE.values() if code != PARCEL))
_CERTAINTY_BESIDE = 0.6


@dataclass(frozen=True)
class RealEstate:
    """A parcel or a right; `geometry` is a GeoJSON polygon or multipolygon in EPSG:2056, if it is known."""

    egrid: str
    number: str
    code: str
    kind: str
    """The code in the words of the user who has asked."""
    municipality: str = ""
    land_register: str | None = None
    area_m2: float | None = None
    geometry: dict[str, Any] | None = None

    @property
    def polygons(self) -> list[Polygon]:
        """Its outline; none where it is not known."""
        return polygons_of(self.geometry) if self.geometry else []


@dataclass(frozen=True)
class Hit:
    real_estate: RealEstate
    confidence: float
    exact: bool
    """Whether the point lies inside; else it is next to it."""


def code_of(written: str) -> str:
    """The federal type code for what a service sends as one; what is not known stays as it is.

    One implementation of the directive sends in XML a whole structure as text, with the code somewhere in it.
    """
    if written in _CODE_OF_SURVEY_CODE:
        return _CODE_OF_SURVEY_CODE[written]
    return next((code for code in _CODES if code in written), written)


def kind_of(code: str, said: str | None = None) -> str:
    """A type code in words: ours, else what the service itself says, else a word that is never wrong."""
    key = f"kind_{code}"
    return text(key) if text.knows(key) else said or text("kind_unknown")


def ranked(found: Iterable[RealEstate], point: Point, reach_m: float) -> list[Hit]:
    """What is at a point: the parcel first, then the rights on it, each in the order given.

    What is only next to the point, up to `reach_m` metres, counts when nothing contains it. Where there is
    no outline, the source is believed.
    """
    near = [
        (distance_m(estate.polygons, point) if estate.polygons else 0.0, place, estate)
        for place, estate in enumerate(found)
    ]
    nearest = min((distance for distance, _, _ in near), default=0.0)
    hits = [(place, estate) for distance, place, estate in near if distance <= (reach_m if nearest else 0)]
    hits.sort(key=lambda hit: (hit[1].code != PARCEL, hit[0]))
    certainty = _CERTAINTY_BESIDE if nearest else 1.0
    return [
        Hit(estate, round(certainty * _share(place, len(hits)), 2), exact=not nearest)
        for place, (_, estate) in enumerate(hits)
    ]


def _share(place: int, count: int) -> float:
    """How likely the hit at this place is meant: sure when it is the only one, else falling."""
    return 1.0 if count == 1 else max(0.5, 0.9 - 0.15 * place)


def parcel_of(hit: Hit, point: Point, provenance: Provenance) -> Parcel:
    """The item for a hit; without an outline it is where it was asked for."""
    estate, polygons = hit.real_estate, hit.real_estate.polygons
    return Parcel(
        id=estate.egrid,
        label=text("label_parcel", egrid=estate.egrid, kind=estate.kind, number=estate.number),
        coord=inner_point(polygons) if polygons else point,
        extent=extent_of(polygons) if polygons else None,
        geometry=estate.geometry,
        egrid=estate.egrid,
        number=estate.number,
        municipality=estate.municipality,
        land_register=estate.land_register,
        kind=estate.kind,
        area_m2=estate.area_m2,
        confidence=hit.confidence,
        provenance=provenance,
    )


def extract_of(
    egrid: str,
    estate: RealEstate | None,
    content: ExtractContent | None,
    *,
    pdf_url: str,
    map_url: str | None,
    provenance: Provenance | None,
) -> OerebExtract:
    """The item for an extract. `estate` and `content` are None as far as they are not known."""
    polygons = estate.polygons if estate else []
    titles = [theme.title for theme in content.concerned] if content else None
    return OerebExtract(
        id=egrid,
        label=text("label_extract", egrid=egrid),
        coord=inner_point(polygons) if polygons else None,
        extent=extent_of(polygons) if polygons else None,
        geometry=estate.geometry if estate else None,
        egrid=egrid,
        pdf_url=pdf_url,
        map_url=map_url,
        number=(estate and estate.number) or None,
        municipality=(estate and estate.municipality) or None,
        area_m2=estate.area_m2 if estate else None,
        kind=estate.kind if estate else None,
        # Parts of a theme may come under the title of the whole.
        concerned_themes=None if titles is None else tuple(dict.fromkeys(titles)),
        created_at=content.created_at if content else None,
        updated_at=content.updated_at if content else None,
        content=content,
        confidence=1.0,
        provenance=provenance,
    )
