"""Where an item is, and the map actions that show it there."""

from collections.abc import Iterable, Iterator
from math import isfinite
from typing import Any

from contracts.actions import AddLayer, AddMarker, MapAction, MapLayer, Marker, SetView, View
from contracts.items import Coord, Extent, ItemBase
from contracts.session import MapView
from swissgeo import outlines


def point_of(item: ItemBase) -> Coord | None:
    """Its coordinate, else the middle of its extent or of its geometry's bounds."""
    if item.coord is not None and all(map(isfinite, item.coord)):
        return item.coord
    bounds = item.extent if item.extent is not None and _is_valid(item.extent) else bounds_of(item.geometry)
    if bounds is None:
        return None
    west, south, east, north = bounds
    # Halved before the sum: no overflow, whatever a service sends.
    return (west / 2 + east / 2, south / 2 + north / 2)


def extent_of(item: ItemBase) -> Extent | None:
    """Its extent, else the bounds of its geometry; None when that is only a point."""
    for extent in (item.extent, bounds_of(item.geometry)):
        if extent is not None and _is_valid(extent) and extent[:2] != extent[2:]:
            return extent
    return None


def centre(item: ItemBase, zoom: int) -> tuple[MapAction, ...]:
    """The view around the item's point; nothing when it has none."""
    point = point_of(item)
    return () if point is None else (SetView(payload=View(center=point, zoom=zoom)),)


def frame(item: ItemBase, zoom: int) -> tuple[MapAction, ...]:
    """The view of the whole item when its extent is known, else around its point."""
    point = point_of(item)
    return () if point is None else (SetView(payload=View(center=point, zoom=zoom, extent=extent_of(item))),)


def frame_all(items: Iterable[ItemBase], zoom: int) -> tuple[MapAction, ...]:
    """The view of all of them; nothing when none has a place."""
    extents = [extent for item in items if (extent := _reach(item)) is not None]
    if not extents:
        return ()
    wests, souths, easts, norths = zip(*extents, strict=True)
    whole = (min(wests), min(souths), max(easts), max(norths))
    return frame(ItemBase(id="", label="", extent=whole), zoom)


def _reach(item: ItemBase) -> Extent | None:
    point = point_of(item)
    return extent_of(item) or (None if point is None else (*point, *point))


def is_in_sight(item: ItemBase, view: MapView | None) -> bool:
    """Whether all of it is seen; no when nobody has said what is."""
    reach = _reach(item)
    if reach is None or view is None:
        return False
    (west, south, east, north), seen = reach, view.extent
    return seen[0] <= west and seen[1] <= south and east <= seen[2] and north <= seen[3]


def marker(marker_id: str, item: ItemBase, label: str) -> tuple[MapAction, ...]:
    """A marker at the item's point; nothing when it has none."""
    point = point_of(item)
    if point is None:
        return ()
    return (AddMarker(payload=Marker(id=marker_id, coord=point, label=label or None)),)


def highlight(layer_id: str, item: ItemBase) -> tuple[MapAction, ...]:
    """The item's outline; nothing when its geometry is unknown or cannot be drawn."""
    if bounds_of(item.geometry) is None:
        return ()
    source = {"data": item.geometry, "style": "highlight"}
    return (AddLayer(payload=MapLayer(id=layer_id, type="geojson", source=source)),)


def bounds_of(geometry: dict[str, Any] | None) -> Extent | None:
    """The bounds of a GeoJSON geometry; None when there is no position in it."""
    found = list(positions(geometry))
    return outlines.bounds_of(found) if found else None


def positions(geometry: dict[str, Any] | None) -> Iterator[Coord]:
    """All positions in a GeoJSON geometry, whatever else is in it."""
    waiting: list[Any] = [geometry]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            if isinstance(part.get("type"), str):
                waiting += [part.get("coordinates"), part.get("geometries")]
        elif isinstance(part, list | tuple):
            if len(part) >= 2 and all(_is_number(value) for value in part):
                yield (float(part[0]), float(part[1]))
            else:
                waiting += part


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e12


def _is_valid(extent: Extent) -> bool:
    return all(map(isfinite, extent)) and extent[0] <= extent[2] and extent[1] <= extent[3]
