"""Features as clients draw, list and export them: a GeoJSON collection with the columns of a table."""

import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

from contracts.actions import (
    AddFeatures,
    Column,
    FeaturesId,
    FeatureTable,
    MapAction,
    RemoveFeatures,
)
from contracts.items import Attribute, Feature, Provenance

from actionplanner.places import bounds_of, point_of
from actionplanner.wording import short, title

MAX_TABLE_CHARS = 300_000
"""Of the features as JSON: with the rest of an answer they fit into a message of the bus."""
_MAX_SHAPE_CHARS = 60_000
"""A feature with a larger outline is drawn as a point."""
_LABEL = "label"
"""What each row has beside its columns."""


def add_table(
    table_id: str,
    label: str,
    features: Sequence[Feature],
    *,
    count: int | None = None,
    layer_column: str | None = None,
    provenance: Provenance | None = None,
) -> tuple[MapAction, ...]:
    """`layer_column`: the name of a column that says of which layer a feature is."""
    taken = {_LABEL, layer_column}
    units = _units(features, taken)
    rows = list(_within_bounds(_rows(features, units, layer_column)))
    columns = [layer_column, *units] if layer_column else list(units)
    table = FeatureTable(
        id=table_id,
        label=label,
        features={"type": "FeatureCollection", "features": rows},
        columns=tuple(Column(name=name, unit=units.get(name)) for name in columns),
        count=max(len(features) if count is None else count, len(rows)),
        provenance=provenance,
    )
    return (AddFeatures(payload=table),)


def rows_of(actions: Iterable[MapAction]) -> int:
    """How many features they draw."""
    tables = (action.payload for action in actions if isinstance(action, AddFeatures))
    return sum(len(table.features["features"]) for table in tables)


def remove_table(table_id: str) -> tuple[MapAction, ...]:
    return (RemoveFeatures(payload=FeaturesId(id=table_id)),)


def _units(features: Sequence[Feature], taken: Container[str | None]) -> dict[str, str | None]:
    """The columns in the order in which they are first seen; a unit only where it is the same for all."""
    seen: dict[str, set[str | None]] = {}
    for feature in features:
        for attribute in feature.attributes:
            seen.setdefault(_column(attribute, taken), set()).add(attribute.unit)
    return {name: units.pop() if len(units) == 1 else None for name, units in seen.items()}


def _column(attribute: Attribute, taken: Container[str | None]) -> str:
    return f"{attribute.name} (2)" if attribute.name in taken else attribute.name


def _rows(
    features: Sequence[Feature], units: Mapping[str, str | None], layer_column: str | None
) -> Iterator[dict[str, Any]]:
    ids: set[str] = set()
    for n, feature in enumerate(features):
        properties: dict[str, str | int | float] = {_LABEL: short(title(feature))}
        if layer_column:
            properties[layer_column] = feature.layer_label
        for each in feature.attributes:
            name = _column(each, {_LABEL, layer_column})
            is_other = each.unit != units[name]
            properties.setdefault(name, f"{each.value} {each.unit}" if is_other else each.value)
        id = feature.id if feature.id not in ids else f"{feature.id}-{n}"
        ids.add(id)
        yield {"type": "Feature", "id": id, "geometry": _shape(feature), "properties": properties}


def _shape(feature: Feature) -> dict[str, Any] | None:
    """Its geometry, else its point."""
    if bounds_of(feature.geometry) is not None and _chars(feature.geometry) <= _MAX_SHAPE_CHARS:
        return feature.geometry
    point = point_of(feature)
    return None if point is None else {"type": "Point", "coordinates": list(point)}


def _within_bounds(rows: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    room = MAX_TABLE_CHARS
    for row in rows:
        room -= _chars(row)
        if room < 0:
            return
        yield row


def _chars(part: Any) -> int:
    return len(json.dumps(part, separators=(",", ":")))
