"""A source that has no features, only pictures of them."""

from collections.abc import Sequence

from contracts.items import Coord

from tools_geo.gateways import Area, FeaturesAt, Found, LayerFeatures


class NoFeatures:
    async def at(self, point: Coord, layers: Sequence[str], tolerance_m: float) -> FeaturesAt:
        return FeaturesAt(silent=tuple(layers))

    async def within(self, layer: str, area: Area) -> Found[LayerFeatures]:
        return Found()

    def names(self) -> tuple[str, ...]:
        return ()
