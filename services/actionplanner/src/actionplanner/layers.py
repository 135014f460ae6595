"""Layers of the map: a layer or a whole group becomes `addLayer` actions."""

from collections.abc import Mapping
from typing import Any

from contracts.actions import AddLayer, LayerOpacity, MapLayer, SetLayerOpacity
from contracts.items import Item, ItemBase, Layer, LayerGroup, LayerSource
from contracts.urls import web_url
from servicekit.wording import Say

from actionplanner.wording import title

_OWN = ("url", "tileGrid")
"""What no parameter of a request may replace."""


def add_layers(item: ItemBase, id_prefix: str = "") -> tuple[AddLayer, ...]:
    """One action a layer, a group in its order; layers without a usable address are left out."""
    usable: dict[str, Layer] = {}
    for layer in layers_of(item):
        if web_url(layer.source.url):
            usable.setdefault(layer.id, layer)
    group = item.label if isinstance(item, LayerGroup) else None
    return tuple(_add_layer(layer, id_prefix, group) for layer in usable.values())


def layers_of(item: ItemBase) -> tuple[Layer, ...]:
    """The layers behind an item; none when it is no layer."""
    if isinstance(item, Layer):
        return (item,)
    return item.layers if isinstance(item, LayerGroup) else ()


def layer_name(item: Item, say: Say) -> str:
    """The label without the remark that it is a group."""
    return title(item).removesuffix(say("group", label="")).strip()


def opacity_in(args: Mapping[str, Any]) -> float | None:
    """How opaque a layer is wanted, 0 to 1; None where it is not said."""
    wish = args.get("opacity")
    if isinstance(wish, bool) or not isinstance(wish, int | float) or not 0 <= wish <= 1:
        return None
    return float(wish)


def set_opacity(id: str, opacity: float) -> SetLayerOpacity:
    return SetLayerOpacity(payload=LayerOpacity(id=id, opacity=opacity))


def _add_layer(layer: Layer, id_prefix: str, group: str | None) -> AddLayer:
    return AddLayer(
        payload=MapLayer(
            id=id_prefix + layer.id,
            type=layer.source.type,
            source=_source(layer.source),
            visible=layer.visible,
            label=layer.label or None,
            attribution=layer.attribution or None,
            group=group or None,
            legend_url=layer.legend_url,
        )
    )


def _source(source: LayerSource) -> dict[str, Any]:
    """The address with the parameters beside it; of tiles also the grid, without which nobody finds them."""
    described: dict[str, Any] = {"url": source.url}
    described |= {name: value for name, value in source.parameters.items() if name not in _OWN}
    if source.tile_grid is not None:
        described["tileGrid"] = source.tile_grid.model_dump(exclude_none=True)
    return described
