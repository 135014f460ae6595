"""What a canton tells map clients about its layers (QWC, data products v1, "weblayers").

The answer has a list for each id that was asked for: one layer, or nothing for an id that is unknown or not
public. A group has its members in `sublayers`, to any depth, each with whether it is switched on; a facade is
the one layer that it is drawn as. Opacity is from 0 to 255. Layers of others have a service of their own in
`externalLayer`, and the box of Switzerland in degrees instead of their own.
"""

import logging
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urldefrag, urlsplit

from contracts.items import Extent, LayerSource
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from servicekit.cache import Cached, TtlCache
from servicekit.outbound import Outbound, SourceError, SourceErrorKind
from swissgeo.lv95 import is_lv95

from tools_geo.texts import Called

log = logging.getLogger("ask.layers")

_OPAQUE = 255
_MAX_DEPTH = 8


class Box(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    crs: str | None = None
    bounds: Extent | None = None


class ExternalLayer(BaseModel):
    """The service that a layer of others is really from."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    type: str
    url: str
    params: dict[str, Any] = {}


class WebLayer(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str
    title: str = ""
    is_visible: bool = Field(True, alias="visibility")
    """When its group is loaded; who asks for the layer itself wants to see it."""
    opacity: float = Field(_OPAQUE, ge=0, le=_OPAQUE)
    bbox: Box = Box()
    external: ExternalLayer | None = Field(None, alias="externalLayer")
    sublayers: tuple[Any, ...] = ()
    """Each is read for itself: an odd one must not spoil the others."""

    @property
    def extent(self) -> Extent | None:
        """In LV95; None in any other coordinate system."""
        bounds = self.bbox.bounds
        if self.bbox.crs != "EPSG:2056" or bounds is None:
            return None
        return bounds if is_lv95(bounds[:2]) and is_lv95(bounds[2:]) else None

    @property
    def opacity_share(self) -> float:
        """From 0 to 1."""
        return self.opacity / _OPAQUE

    @property
    def source(self) -> LayerSource | None:
        """The external service, when it is a WMS that tells the name of the layer."""
        if self.external is None or self.external.type.lower() != "wms":
            return None
        url, fragment = urldefrag(self.external.url.removeprefix("wms:"))
        layers = self.external.params.get("LAYERS") or fragment
        if urlsplit(url).scheme != "https" or not isinstance(layers, str) or not layers:
            return None
        parameters = {"LAYERS": layers, "FORMAT": "image/png", "TRANSPARENT": "true"}
        return LayerSource(type="wms", url=url, parameters=parameters)

    def members(self, depth: int = 0) -> Iterator["WebLayer"]:
        """The single layers of a group, in their order; none of a single layer."""
        for described in self.sublayers if depth < _MAX_DEPTH else ():
            sublayer = _read(described)
            if sublayer is not None and sublayer.sublayers:
                for member in sublayer.members(depth + 1):
                    is_visible = member.is_visible and sublayer.is_visible
                    yield member.model_copy(update={"is_visible": is_visible})
            elif sublayer is not None:
                yield sublayer


class WebLayers:
    """`name` is what errors call it. All errors are `SourceError`."""

    def __init__(self, outbound: Outbound, url: str, cache: TtlCache, *, name: Called) -> None:
        self._outbound = outbound
        self._url = url
        self._cache = cache
        self._name = name

    async def of(self, ids: Sequence[str]) -> Cached[dict[str, WebLayer]]:
        """The layers with these ids, by id; those that are not known are left out."""
        asked = ",".join(sorted(ids))

        async def load() -> dict[str, WebLayer]:
            answer = await self._outbound.get(
                self._url, params={"filter": asked}, source=self._name(), accept=("application/json",)
            )
            document = answer.json()
            if not isinstance(document, dict):
                raise SourceError(SourceErrorKind.UNREADABLE, self._name())
            return dict(_layers(document))

        return await self._cache.fetch(asked, load)


def _layers(document: dict[str, Any]) -> Iterator[tuple[str, WebLayer]]:
    for identity, listed in document.items():
        # Nothing is listed of what is unknown or not public.
        if listed and (layer := _read(listed[0] if isinstance(listed, list) else listed)):
            yield identity, layer


def _read(described: Any) -> WebLayer | None:
    try:
        return WebLayer.model_validate(described)
    except ValidationError as error:
        log.warning("description of a layer not readable", extra={"reason": str(error)})
        return None
