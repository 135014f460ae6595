"""Heights above sea level."""

from contracts.items import Coord, Height, Provenance

from tools_geo.texts import text


def height_at(point: Coord, height_m: float, provenance: Provenance) -> Height:
    """Metres above sea level (LN02) at a point."""
    east, north = point
    return Height(
        id=f"{east:.10g}-{north:.10g}",
        label=text("label_height", height=f"{height_m:.1f}".removesuffix(".0")),
        coord=point,
        height_m=height_m,
        provenance=provenance,
    )
