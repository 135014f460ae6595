"""What a WMS has at a point: GetFeatureInfo, with an answer in XML.

A layer has an element in the answer, an empty one where it has nothing there; each layer of a facade has one,
with the name of the facade in `layerinfo`. What the service does not know, or does not show to everybody, has
none. A WMS answers 200 to a request that it does not understand, with a `ServiceExceptionReport`. The names
of attributes are in `attrname`, in older versions in `name` only; a layer has its name in `name`, in older
ones in `layername`. Where an attribute has a name for readers, it is in `name` as well.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from xml.etree.ElementTree import Element

from contracts.items import Coord
from servicekit.outbound import Outbound, SourceError, SourceErrorKind
from servicekit.xml import parse_xml

log = logging.getLogger("ask.feature_info")

_SIZE_PX = 101
_MIDDLE_PX = 50
_NAMES = ("layername", "name", "layerinfo")
_TYPES = ("text/xml", "application/xml", "application/vnd.ogc.se_xml")
_UNKNOWN = ("LayerNotDefined", "LayerNotQueryable")
_GEOMETRY = "geometry"

Attributes = Mapping[str, str]
"""By name in lower case."""


class Refused(SourceError):
    """The service has understood nothing, or not known a layer: `code` is its word for it."""

    def __init__(self, source: str, code: str = "") -> None:
        super().__init__(SourceErrorKind.FAILED, source)
        self.is_layer_unknown = code in _UNKNOWN


@dataclass(frozen=True)
class Tolerance:
    """How near is near enough, in pixels, and how large a pixel is."""

    point: int
    line: int
    area: int
    resolution_m: float = 1.0

    @classmethod
    def of(cls, metres: float) -> "Tolerance":
        """As fine as the map has room for."""
        resolution_m = max(cls.resolution_m, metres / _MIDDLE_PX)
        near = max(1, ceil(metres / resolution_m))
        return cls(near, near, near, resolution_m)


_USUAL = Tolerance(16, 8, 4)


@dataclass(frozen=True)
class Info:
    """One feature."""

    title: str
    """Of its layer; empty where the service has not said it."""
    id: str
    attributes: Attributes
    names: Mapping[str, str]
    """What the attributes are called for readers."""
    geometry: str
    """As WKT, in LV95; empty where it did not come along."""


async def features_at(
    outbound: Outbound, url: str, layer: str, point: Coord, *, source: str
) -> list[Attributes]:
    """The attributes of the features of one layer at a point (LV95, metres). Raises `SourceError`."""
    found = await infos_at(outbound, url, (layer,), point, source=source)
    if layer not in found:
        log.warning("map service knows no such layer", extra={"source": source, "layer": layer})
        raise Refused(source)
    return [info.attributes for info in found[layer]]


async def infos_at(
    outbound: Outbound,
    url: str,
    layers: Sequence[str],
    point: Coord,
    *,
    source: str,
    tolerance: Tolerance = _USUAL,
    geometry: bool = False,
) -> Mapping[str, list[Info]]:
    """What some layers have at a point (LV95, metres), without those that the service does not know.

    Raises `SourceError`, `Refused` among them: some services refuse all layers for one that they do not know.
    """
    # An odd number of pixels: the point is in the middle of the middle one.
    half_m = _SIZE_PX * tolerance.resolution_m / 2
    east, north = point
    box = (east - half_m, north - half_m, east + half_m, north + half_m)
    answer = await outbound.get(
        url,
        params={
            "SERVICE": "WMS",
            "REQUEST": "GetFeatureInfo",
            "VERSION": "1.3.0",
            "LAYERS": ",".join(layers),
            "QUERY_LAYERS": ",".join(layers),
            "STYLES": "," * (len(layers) - 1),
            "CRS": "EPSG:2056",
            "BBOX": ",".join(f"{side:.3f}" for side in box),
            "WIDTH": _SIZE_PX,
            "HEIGHT": _SIZE_PX,
            # X and Y are what servers of version 1.1.1 read.
            "I": _MIDDLE_PX,
            "J": _MIDDLE_PX,
            "X": _MIDDLE_PX,
            "Y": _MIDDLE_PX,
            "INFO_FORMAT": "text/xml",
            "WITH_GEOMETRY": str(geometry).lower(),
            "WITH_MAPTIP": "false",
            "FEATURE_COUNT": 20,
            "FI_POINT_TOLERANCE": tolerance.point,
            "FI_LINE_TOLERANCE": tolerance.line,
            "FI_POLYGON_TOLERANCE": tolerance.area,
        },
        source=source,
        accept=_TYPES,
    )
    return _infos(_checked(parse_xml(answer.body, source), source), layers)


def _checked(root: Element, source: str) -> Element:
    if _name(root) == "ServiceExceptionReport":
        codes = (each.get("code") for each in root if _name(each) == "ServiceException")
        log.warning(
            "map service refused", extra={"source": source, "reason": " ".join(root.itertext())[:200]}
        )
        raise Refused(source, next(filter(None, codes), ""))
    if _name(root) != "GetFeatureInfoResponse":
        raise SourceError(SourceErrorKind.UNREADABLE, source)
    return root


def _infos(root: Element, layers: Sequence[str]) -> dict[str, list[Info]]:
    """In the order of `layers`."""
    found: dict[str, list[Info]] = {}
    for each in root:
        layer = _asked_for(each, layers) if _name(each) == "Layer" else None
        if layer is not None:
            found.setdefault(layer, []).extend(_features(each, layer))
    return {layer: found[layer] for layer in layers if layer in found}


def _asked_for(element: Element, layers: Sequence[str]) -> str | None:
    """Its own name, or that of the group it belongs to."""
    names = [name for name in map(element.get, _NAMES) if name]
    own = (layer for layer in layers if layer in names)
    of_group = (layer for layer in layers if any(name.startswith(f"{layer}.") for name in names))
    return next(own, None) or next(of_group, None)


def _features(layer: Element, asked: str) -> Iterator[Info]:
    title = layer.get("name", "")
    for feature in layer:
        if _name(feature) == "Feature":
            known = {_column(each): each for each in feature if _name(each) == "Attribute"}
            yield Info(
                title="" if title in (asked, layer.get("layername")) else title,
                id=feature.get("id", ""),
                attributes={name: each.get("value") or "" for name, each in known.items()},
                names={name: each.get("name") or name for name, each in known.items()},
                geometry=_drawn(known.get(_GEOMETRY)),
            )


def _column(attribute: Element) -> str:
    return (attribute.get("attrname") or attribute.get("name") or "").lower()


def _drawn(attribute: Element | None) -> str:
    """Only what the service has added itself is sure to be a geometry."""
    if attribute is None or attribute.get("type") != "derived":
        return ""
    return attribute.get("value") or ""


def _name(element: Element) -> str:
    """Without its namespace, whatever that is."""
    return element.tag.rpartition("}")[2]
