"""A coordinate as a place: what is written is already the answer."""

import re
from datetime import UTC, datetime

from contracts.items import Coord, Place, Provenance
from swissgeo.lv95 import is_lv95

from tools_geo.labels import KINDS_OF_PLACES
from tools_geo.texts import text

_METRES = r"([12][ ']?\d{3}[ ']?\d{3}(?:\.\d{1,4})?)"
_WRITTEN = re.compile(rf"{_METRES}\s{{0,9}}[,;/ ]\s{{0,9}}{_METRES}", re.ASCII)


def coordinate_of(query: str) -> Coord | None:
    """The point (LV95, metres) when a query is nothing but that: `2607096.6, 1228655.6`."""
    match = _WRITTEN.fullmatch(query.strip())
    if match is None:
        return None
    east, north = (float(re.sub(r"[ ']", "", value)) for value in match.groups())
    return (east, north) if is_lv95((east, north)) else None


def place_at(point: Coord) -> Place:
    """The point itself, named by its rounded coordinate."""
    east, north = (f"{value:,.0f}".replace(",", "'") for value in point)
    return Place(
        id=f"{point[0]:.10g}-{point[1]:.10g}",
        label=f"{east} / {north}",
        kind=KINDS_OF_PLACES["coordinate"],
        coord=point,
        confidence=1.0,
        provenance=Provenance(
            source=text("source_coordinate"), license=text("license_none"), retrieved_at=datetime.now(UTC)
        ),
    )
