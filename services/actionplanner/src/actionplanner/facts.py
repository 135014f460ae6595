"""What an answer is about, as facts for a card: items without what its map actions have already."""

from collections.abc import Sequence
from typing import Any

from contracts.items import FeatureSet, Item, Layer, LayerGroup, OerebExtract

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
        case FeatureSet():
            return {"features": ()}
        case OerebExtract():
            return {"content": None}
        case Layer():
            return {"source": item.source.model_copy(update={"tile_grid": None})}
        case LayerGroup():
            return {"layers": tuple(_member(each, item) for each in item.layers)}
    return {}


def _member(layer: Layer, group: LayerGroup) -> Layer:
    """What the whole group comes from is said once."""
    lean = layer.model_copy(update={"geometry": None} | _without_bulk(layer))
    return lean.model_copy(update={"provenance": None}) if layer.provenance == group.provenance else lean
