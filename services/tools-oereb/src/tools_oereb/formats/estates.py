"""The parcels and rights in the answers."""

from collections.abc import Callable, Sequence
from typing import Any

from swissgeo.lv95 import is_lv95
from swissgeo.outlines import Polygon, geojson_of, polygons_of

from tools_oereb.formats.parts import Part, compact_egrid
from tools_oereb.real_estate import RealEstate, code_of, kind_of

MAX_FOUND = 100
"""At one point are a parcel and a few rights; who sends thousands only keeps us busy."""


def found(record: Part) -> RealEstate | None:
    """A parcel or right of a GetEGRID answer; None without a valid EGRID, as nothing can be done with it."""
    egrid = compact_egrid(record.text("egrid"))
    if egrid is None:
        return None
    code, kind = type_of(record, "type")
    return RealEstate(
        egrid=egrid,
        number=record.text("number") or "",
        code=code,
        kind=kind,
        geometry=outline(lambda: record.polygons("limit")),
    )


def type_of(record: Part, name: str) -> tuple[str, str]:
    """(the federal code, in words)"""
    said = record.part(name)
    code = code_of((said.text("Code") if said else None) or record.text(name) or "")
    return code, kind_of(code, said.text("Text") if said else None)


def outline(polygons: Callable[[], Sequence[Polygon]]) -> dict[str, Any] | None:
    """A GeoJSON geometry in LV95, rings closed; None for what is broken, degenerate or somewhere else.

    An outline that cannot be read costs the outline, not the parcel.
    """
    try:
        closed = polygons_of(geojson_of(polygons()))
    except (ValueError, TypeError, IndexError, KeyError):
        return None
    points = (point for polygon in closed for ring in polygon for point in ring)
    return geojson_of(closed) if all(map(is_lv95, points)) else None
