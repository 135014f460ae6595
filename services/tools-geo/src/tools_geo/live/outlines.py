"""A parcel as the sources write it, and as an item."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from contracts.items import Coord, Extent, Parcel, Provenance
from swissgeo.outlines import Polygon, extent_of, inner_point, polygons_of

from tools_geo.labels import real_estate
from tools_geo.live.data_service import Feature
from tools_geo.live.federal import Identified, Location
from tools_geo.texts import text

CADASTRE = "ch.kantone.cadastralwebmap-farbe"
"""The federal layer with the parcels of all cantons."""

_EGRID = re.compile(r"CH[0-9]{12}")
_UNKNOWN_KIND = "Liegenschaft"


@dataclass(frozen=True)
class Outline:
    """What is known of a parcel; without an EGRID nobody could go on with it."""

    egrid: str
    number: str
    municipality: str
    kind: str = _UNKNOWN_KIND
    land_register: str | None = None
    area_m2: float | None = None
    geometry: dict[str, Any] | None = None
    polygons: list[Polygon] = field(default_factory=list)
    coord: Coord | None = None
    extent: Extent | None = None

    @classmethod
    def drawn(cls, geometry: dict[str, Any] | None, **known: Any) -> Self:
        """With its outline, and a point inside; without them when it cannot be drawn."""
        try:
            polygons = polygons_of(geometry or {})
            coord, extent = inner_point(polygons), extent_of(polygons)
        except (ValueError, TypeError, IndexError, AttributeError):
            return cls(**known)
        return cls(**known, geometry=geometry, polygons=polygons, coord=coord, extent=extent)


def of_canton(features: Iterable[Feature]) -> list[Outline]:
    """Features of the data service. Kinds are written `Liegenschaft` or `SelbstRecht.Baurecht`."""
    outlines = []
    for feature in features:
        known = feature.properties
        egrid = str(known.get("egrid") or "").strip()
        if _EGRID.fullmatch(egrid):
            outlines.append(
                Outline.drawn(
                    feature.geometry,
                    egrid=egrid,
                    number=str(known.get("nummer") or ""),
                    municipality=str(known.get("gemeinde") or ""),
                    land_register=str(known.get("grundbuch") or "") or None,
                    kind=str(known.get("art_txt") or _UNKNOWN_KIND).rpartition(".")[2],
                    area_m2=_number(known.get("flaechenmass")),
                )
            )
    return outlines


def of_search_server(locations: Iterable[Location]) -> list[Outline]:
    """`<b>Muri bei Bern</b> 1 (CH 2346 8535 6930)`; the EGRID is the last word of `detail`."""
    outlines = []
    for location in locations:
        egrid = location.detail.rpartition(" ")[2].upper()
        if location.origin == "parcel" and _EGRID.fullmatch(egrid):
            outlines.append(
                Outline(
                    egrid=egrid,
                    number=location.after.partition("(")[0].strip(),
                    municipality=location.name,
                    coord=location.coord,
                    extent=location.extent,
                )
            )
    return outlines


def of_cadastre(found: Sequence[Identified], municipality: str) -> list[Outline]:
    """Parcels of the federal layer, which knows their canton (`ak`) but not their municipality."""
    outlines = []
    for each in found:
        known = each.properties
        egrid = str(known.get("egris_egrid") or "").strip()
        if _EGRID.fullmatch(egrid):
            outlines.append(
                Outline.drawn(
                    each.geometry,
                    egrid=egrid,
                    number=str(known.get("number") or ""),
                    municipality=municipality or str(known.get("ak") or ""),
                    kind=str(known.get("realestate_type") or _UNKNOWN_KIND),
                )
            )
    return outlines


def as_parcel(outline: Outline, origin: Provenance, confidence: float) -> Parcel:
    key = "label_parcel" if outline.land_register else "label_parcel_elsewhere"
    return Parcel(
        id=outline.egrid,
        label=text(
            key,
            number=outline.number,
            municipality=outline.municipality,
            kind=real_estate(outline.kind),
            land_register=outline.land_register,
            egrid=outline.egrid,
        ),
        coord=outline.coord,
        extent=outline.extent,
        geometry=outline.geometry,
        egrid=outline.egrid,
        number=outline.number,
        municipality=outline.municipality,
        land_register=outline.land_register,
        kind=outline.kind,
        area_m2=outline.area_m2,
        confidence=round(confidence, 2),
        provenance=origin,
    )


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None
