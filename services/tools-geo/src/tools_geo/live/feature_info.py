"""What a WMS has at a point: GetFeatureInfo, with an answer in XML.

A layer has an element in the answer, an empty one where it has nothing there; each layer of a facade has one,
with the name of the facade in `layerinfo`. What the service does not know, or does not show to everybody, has
none. A WMS answers 200 to a request that it does not understand, with a `ServiceExceptionReport`. The names
of attributes are in `attrname`, in older versions in `name` only; a layer has its name in `name`, in older
ones in `layername`.
"""

import logging
from collections.abc import Mapping
from xml.etree.ElementTree import Element

from contracts.items import Coord
from servicekit.outbound import Outbound, SourceError, SourceErrorKind
from servicekit.xml import parse_xml

log = logging.getLogger("ask.feature_info")

_SIZE_PX = 101
_MIDDLE_PX = 50
_RESOLUTION_M = 1.0
_NAMES = ("layername", "name", "layerinfo")
_TYPES = ("text/xml", "application/xml", "application/vnd.ogc.se_xml")

Attributes = Mapping[str, str]
"""By name in lower case."""


async def features_at(
    outbound: Outbound, url: str, layer: str, point: Coord, *, source: str
) -> list[Attributes]:
    """The attributes of the features of one layer at a point (LV95, metres). Raises `SourceError`."""
    # An odd number of pixels: the point is in the middle of the middle one.
    half_m = _SIZE_PX * _RESOLUTION_M / 2
    east, north = point
    box = (east - half_m, north - half_m, east + half_m, north + half_m)
    answer = await outbound.get(
        url,
        params={
            "SERVICE": "WMS",
            "REQUEST": "GetFeatureInfo",
            "VERSION": "1.3.0",
            "LAYERS": layer,
            "QUERY_LAYERS": layer,
            "STYLES": "",
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
            "WITH_GEOMETRY": "false",
            "WITH_MAPTIP": "false",
            "FEATURE_COUNT": 20,
            "FI_POINT_TOLERANCE": 16,
            "FI_LINE_TOLERANCE": 8,
            "FI_POLYGON_TOLERANCE": 4,
        },
        source=source,
        accept=_TYPES,
    )
    return _features(parse_xml(answer.body, source), layer, source)


def _features(root: Element, layer: str, source: str) -> list[Attributes]:
    if _name(root) == "ServiceExceptionReport":
        log.warning(
            "map service refused", extra={"source": source, "reason": " ".join(root.itertext())[:200]}
        )
        raise SourceError(SourceErrorKind.FAILED, source)
    if _name(root) != "GetFeatureInfoResponse":
        raise SourceError(SourceErrorKind.UNREADABLE, source)
    answers = [each for each in root if _name(each) == "Layer" and layer in map(each.get, _NAMES)]
    if not answers:
        log.warning("map service knows no such layer", extra={"source": source, "layer": layer})
        raise SourceError(SourceErrorKind.FAILED, source)
    return [_attributes(feature) for each in answers for feature in each if _name(feature) == "Feature"]


def _attributes(feature: Element) -> Attributes:
    return {
        (each.get("attrname") or each.get("name") or "").lower(): each.get("value") or ""
        for each in feature
        if _name(each) == "Attribute"
    }


def _name(element: Element) -> str:
    """Without its namespace, whatever that is."""
    return element.tag.rpartition("}")[2]
