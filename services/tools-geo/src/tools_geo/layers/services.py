"""Where clients get the picture of a layer, and its legend."""

from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urlsplit

from contracts.items import LayerSource

from tools_geo.layers import tile_grids
from tools_geo.layers.catalogue import LayerEntry, Service
from tools_geo.settings import Settings

_OPAQUE = 255
_LEGEND = {
    "SERVICE": "WMS",
    "REQUEST": "GetLegendGraphic",
    "VERSION": "1.3.0",
    # MapServer insists on it from version 1.3.0 on; QGIS Server does not look at it.
    "SLD_VERSION": "1.1.0",
    "FORMAT": "image/png",
}
_PHOTO_LIKE = "image/jpeg"
"""What both tile services have for maps and aerial images; nothing else of theirs is offered as tiles."""

_TO_THE_FINEST_LEVEL = frozenset({"ch.swisstopo.swissimage"})
"""Federal photographs have a resolution of 10 cm; a map has no more to show than at its last level."""


@dataclass(frozen=True)
class LayerServices:
    """The base URLs of the map services. An empty one has no layers."""

    wms_url: str
    wmts_url: str
    legend_url: str
    federal_wms_url: str
    federal_wmts_url: str
    attribution: str
    """Of layers that say nothing about it themselves."""

    @classmethod
    def of(cls, settings: Settings) -> "LayerServices":
        return cls(
            wms_url=settings.wms_url,
            wmts_url=settings.wmts_url,
            legend_url=settings.legend_url,
            federal_wms_url=settings.federal_wms_url,
            federal_wmts_url=settings.federal_wmts_url,
            attribution=settings.layer_attribution,
        )

    def source(self, entry: LayerEntry) -> LayerSource | None:
        """None when no service that we know of has it."""
        if entry.service is Service.WMS:
            opacity = round(entry.opacity * _OPAQUE)
            also = {"OPACITIES": str(opacity)} if opacity < _OPAQUE else {}
            return _wms(self.wms_url, entry.id, also)
        if entry.service is Service.FEDERAL_WMS:
            return _wms(self.federal_wms_url, entry.id)
        if entry.service is Service.WMTS and self.wmts_url:
            # No file extension, and the row before the column.
            path = "{TileMatrix}/{TileRow}/{TileCol}"
            return _wmts(f"{self.wmts_url.rstrip('/')}/1.0.0/{entry.id}/default/2056/{path}", entry.id)
        if entry.service is Service.FEDERAL_WMTS and self.federal_wmts_url:
            path = "{TileMatrix}/{TileCol}/{TileRow}.jpeg"
            url = f"{self.federal_wmts_url.rstrip('/')}/1.0.0/{entry.id}/default/current/2056/{path}"
            grid = tile_grids.FEDERAL if entry.id in _TO_THE_FINEST_LEVEL else tile_grids.FEDERAL_MAPS
            return _wmts(url, entry.id).model_copy(update={"tile_grid": grid})
        return None

    def legend(self, entry: LayerEntry) -> str | None:
        """An image; background maps have none. What the configured address asks for stands."""
        base = {Service.WMS: self.legend_url, Service.FEDERAL_WMS: self.federal_wms_url}.get(entry.service)
        if not base:
            return None
        address = urlsplit(base)
        given = {name.upper() for name, _ in parse_qsl(address.query, keep_blank_values=True)}
        wanted = {**_LEGEND, "LAYER": entry.id}
        query = urlencode({name: value for name, value in wanted.items() if name not in given})
        return address._replace(query="&".join(filter(None, (address.query.strip("&"), query)))).geturl()


def _wms(url: str, layer: str, also: dict[str, str] | None = None) -> LayerSource | None:
    if not url:
        return None
    parameters = {"LAYERS": layer, "FORMAT": "image/png", "TRANSPARENT": "true"}
    return LayerSource(type="wms", url=url, parameters=parameters | (also or {}))


def _wmts(url: str, layer: str) -> LayerSource:
    parameters = {"layer": layer, "matrixSet": "2056", "style": "default", "format": _PHOTO_LIKE}
    return LayerSource(type="wmts", url=url, parameters=parameters, tile_grid=tile_grids.CANTON)
