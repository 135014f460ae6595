"""What an answer is about, as facts for a card: items without what its map actions have already."""

from collections.abc import Sequence
from typing import Any

from contracts.items import FeatureSet, Item, Layer, LayerGroup, LayerSource, OerebExtract, Parcel, Provenance

from actionplanner.parcels import computed_m2

MAX_ITEMS = 25
"""More cards than that nobody looks at."""


def facts_of(items: Sequence[Item]) -> tuple[Item, ...] | None:
    """The first of them; None without any."""
    return tuple(map(_lean, items[:MAX_ITEMS])) or None


def _lean(item: Item) -> Item:
    return item.model_copy(update={"geometry": None} | _without_bulk(item))


def _without_bulk(item: Item) -> dict[str, Any]:
    """Outlines are drawn, features listed, extracts shown and layers loaded by the map actions."""
    match item:
        case Parcel():
            return _area(item)
        case FeatureSet():
            return {"features": ()}
        case OerebExtract():
            return {"content": None}
        case Layer():
            return {"source": item.source.model_copy(update={"tile_grid": None})}
        case LayerGroup():
            return {"layers": tuple(_member(each, item) for each in item.layers)}
    return {}


def _area(parcel: Parcel) -> dict[str, Any]:
    """As it is told: what the register says, else that of the outline, which is not sent along."""
    if parcel.area_m2:
        return {"area_source": "register"}
    computed = computed_m2(parcel)
    return {"area_m2": float(computed), "area_source": "outline"} if computed else {}


def _member(layer: Layer, group: LayerGroup) -> Layer:
    """Its name, owner and legend: what is as in the group, or in its own map action, is not said again."""
    source = LayerSource(type=layer.source.type, url=layer.source.url)
    same = {"provenance": None} if _is_same(layer.provenance, group.provenance) else {}
    known: dict[str, Any] = {"geometry": None, "extent": None, "confidence": None, "source": source}
    return layer.model_copy(update=known | same)


def _is_same(one: Provenance | None, other: Provenance | None) -> bool:
    """But for the moment: what is looked up one after the other comes from one source."""
    if one is None or other is None:
        return one is other
    return one.model_copy(update={"retrieved_at": other.retrieved_at}) == other
