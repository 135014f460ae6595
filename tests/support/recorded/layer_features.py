"""The packaged features of layers, as rows of services: with a number, attributes and a geometry."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from recorded import data
from shapely import Geometry, box
from shapely.geometry import Point, shape

_FIRST_ID = 700_000_001


@dataclass(frozen=True)
class LayerFeature:
    id: int
    properties: dict[str, Any]
    geometry: dict[str, Any]
    shape: Geometry

    @property
    def geojson(self) -> dict[str, Any]:
        return {
            "type": "Feature",
            "id": self.id,
            "properties": self.properties,
            "geometry": self.geometry,
        }


def title_of(layer: str) -> str:
    return next(row.title for row in data.canton().layers if row.id == layer)


@cache
def features_of() -> dict[str, tuple[LayerFeature, ...]]:
    """By layer."""
    return {
        file.layer: tuple(
            LayerFeature(_FIRST_ID + n, row.attributes, row.geometry, shape(row.geometry))
            for n, row in enumerate(file.features)
        )
        for file in data.canton().features
    }


def within(layer: str, sides: tuple[float, float, float, float] | None) -> list[LayerFeature]:
    """Those that touch a box, in LV95."""
    wanted = box(*sides) if sides else None
    return [each for each in features_of()[layer] if wanted is None or wanted.intersects(each.shape)]


def at(layer: str, point: tuple[float, float], reach_m: float) -> list[LayerFeature]:
    return [each for each in features_of()[layer] if each.shape.distance(Point(point)) <= reach_m]
