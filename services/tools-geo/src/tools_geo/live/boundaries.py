"""Where a municipality ends: its outline from the Confederation, else what features say of themselves."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from contracts.items import Coord
from swissgeo.outlines import polygons_of

from tools_geo.features.shapes import Reach
from tools_geo.gateways import Area
from tools_geo.live.federal import BOUNDARIES, Federal
from tools_geo.spelling import place_key

_MUNICIPALITY = re.compile(
    r"(?:gemeinde|gde|bfs|municipality)(?:_?(?:namen?|nr|nummer|number|no))?", re.IGNORECASE
)
_SLIVER_M = 1.0
"""Outlines of different surveys differ by so much: neighbours do not overlap because of it."""
_SEVERAL = re.compile(r"[,;/]")


@dataclass(frozen=True)
class Known:
    """What is known of a municipality beforehand."""

    number: int
    coord: Coord | None


class Inside:
    """Tells what is in a municipality from what is only its neighbour."""

    def __init__(self, outline: dict[str, Any]) -> None:
        from shapely.geometry import mapping, shape

        self._whole = Reach(Area(geometry=outline))
        self._inner = Reach(Area(geometry=mapping(shape(outline).buffer(-_SLIVER_M))))

    def touches(self, geometry: dict[str, Any] | None) -> bool:
        is_point = geometry is not None and geometry["type"] == "Point"
        return (self._whole if is_point else self._inner).touches(geometry)


class Boundaries:
    """`known` are municipalities by the key of their name."""

    def __init__(self, federal: Federal | None, known: Mapping[str, Known]) -> None:
        self._federal = federal
        self._known = known

    async def outline(self, municipality: str, inside: Coord | None) -> dict[str, Any] | None:
        """A Polygon or MultiPolygon; None where nobody says it. Raises `SourceError`."""
        known = self._known.get(place_key(municipality))
        point = known.coord if known and known.coord else inside
        if self._federal is None or point is None:
            return None
        answer = await self._federal.at(point, (BOUNDARIES,), geometry=True)
        for each in answer.value:
            name, current = each.properties.get("gemname"), each.properties.get("is_current_jahr", True)
            if current and name and place_key(str(name)) == place_key(municipality):
                return each.geometry if _has_area(each.geometry) else None
        return None

    def says(self, values: Mapping[str, Any], municipality: str) -> bool | None:
        """Whether a feature with these attributes is in a municipality; None where it does not say so."""
        named = (value for name, value in values.items() if _MUNICIPALITY.fullmatch(name))
        said = [value for value in named if value is not None]
        return any(self._is(value, municipality) for value in said) if said else None

    def _is(self, value: Any, municipality: str) -> bool:
        known = self._known.get(place_key(municipality))
        names = [part.strip() for part in _SEVERAL.split(str(value))]
        if known and str(known.number) in names:
            return True
        return place_key(municipality) in map(place_key, names)


def _has_area(geometry: dict[str, Any] | None) -> bool:
    try:
        return bool(polygons_of(geometry or {}))
    except (ValueError, TypeError, LookupError):
        return False
