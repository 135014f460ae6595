"""GetFeatureInfo of geo.so.ch, `/api/v1/featureinfo/somap`: the layer about geothermal probes, and those that
have features among the packaged data.

As a WMS does, it says what is wrong with status 200; of a layer that it does not know it says nothing at all.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from recorded import data, layer_features
from recorded.layer_features import LayerFeature
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from swissgeo.outlines import contains, polygons_of

from tools_geo.embedded.datafiles import GeothermalRow

LAYER = "ch.so.afu.ewsabfrage.abfrage"
_TITLE = "Bohrtiefenabfrage Erdwärmesonden"
_NEEDED = ("LAYERS", "QUERY_LAYERS", "CRS", "BBOX", "WIDTH", "HEIGHT", "I", "J", "INFO_FORMAT")
_ALLOWED = (
    "Das Erstellen von Erdwärmesonden ist an diesem Standort bis in eine Tiefe von {depth:.0f} Metern "
    "möglich. Für weitere Angaben klicken Sie bitte auf den PDF-Link."
)
_DENIED = "Das Erstellen von Erdwärmesonden ist an diesem Standort nicht möglich."


@dataclass
class FeatureInfoOptions:
    """What a test may change."""

    has_attrname: bool = True
    """Older versions name attributes in `name` only."""
    refuses_unknown: bool = False
    """As most map services: all layers for one that it does not know."""


def routes() -> list[Route]:
    return [Route("/api/v1/featureinfo/somap", _feature_info)]


class _Refused(Exception):
    def __init__(self, code: str, message: str) -> None:
        self.code, self.message = code, message


async def _feature_info(request: Request) -> Response:
    asked = {name.upper(): value for name, value in request.query_params.items()}
    try:
        body = _answer(asked, request.app.state.options.featureinfo)
    except _Refused as refused:
        body = (
            '<ServiceExceptionReport xmlns="http://www.opengis.net/ogc" version="1.3.0">'
            f'<ServiceException code="{refused.code}">{escape(refused.message)}</ServiceException>'
            "</ServiceExceptionReport>"
        )
    return Response(f'<?xml version="1.0" encoding="UTF-8"?>\n{body}', media_type="text/xml")


def _answer(asked: Mapping[str, str], options: FeatureInfoOptions) -> str:
    if asked.get("SERVICE") != "WMS" or asked.get("REQUEST") != "GetFeatureInfo":
        raise _Refused("OperationNotSupported", f"Request {asked.get('REQUEST')} is not supported")
    if missing := [name for name in _NEEDED if not asked.get(name)]:
        raise _Refused("MissingParameterValue", f"{missing[0]} is mandatory")
    if asked["CRS"] != "EPSG:2056":
        raise _Refused("InvalidCRS", f"CRS {asked['CRS']} is not supported")
    if asked["INFO_FORMAT"] != "text/xml":
        raise _Refused("InvalidFormat", f"Info format {asked['INFO_FORMAT']} is not supported")
    layers, point = asked["QUERY_LAYERS"].split(","), _queried(asked)
    known = {LAYER, *layer_features.features_of()}
    if options.refuses_unknown and (unknown := set(layers) - known):
        raise _Refused("LayerNotDefined", f"Layer {min(unknown)} is not defined")
    answers = (
        _geothermal(*point, options.has_attrname) if layer == LAYER else _layer(layer, point, asked, options)
        for layer in layers
        if layer in known
    )
    return f"<GetFeatureInfoResponse>{''.join(answers)}</GetFeatureInfoResponse>"


def _layer(
    layer: str, point: tuple[float, float], asked: Mapping[str, str], options: FeatureInfoOptions
) -> str:
    features = "".join(
        _of_layer(each, asked, options)
        for each in layer_features.at(layer, point, _reach_m(asked))[: int(asked.get("FEATURE_COUNT", "1"))]
    )
    title = quoteattr(layer_features.title_of(layer))
    return f'<Layer name={title} layername="{layer}" layerinfo="{layer}">{features}</Layer>'


def _reach_m(asked: Mapping[str, str]) -> float:
    """The tolerance is in pixels; the same for all kinds of geometry here."""
    west, _, east, _ = map(float, asked["BBOX"].split(","))
    return float(asked.get("FI_POINT_TOLERANCE", "0")) * (east - west) / int(asked["WIDTH"])


def _of_layer(feature: LayerFeature, asked: Mapping[str, str], options: FeatureInfoOptions) -> str:
    values = {"t_id": feature.id, **feature.properties}
    attributes = "".join(
        f"<Attribute name={quoteattr(name)} value={quoteattr(str(value))}"
        + (f" attrname={quoteattr(name.lower())} />" if options.has_attrname else " />")
        for name, value in values.items()
    )
    drawn = ""
    if asked.get("WITH_GEOMETRY") == "true":
        drawn = f'<Attribute name="geometry" value="{feature.shape.wkt}" type="derived" />'
    return f'<Feature id="{feature.id}">{drawn}{attributes}</Feature>'


def _geothermal(east: float, north: float, has_attrname: bool) -> str:
    zone = next(
        (z for z in data.canton().geothermal if contains(polygons_of(z.geometry), (east, north))), None
    )
    feature = "" if zone is None else _feature(zone, east, north, has_attrname)
    named = f'name={quoteattr(_TITLE)} layername="{LAYER}" layerinfo="{LAYER}"'
    return f"<Layer {named}>{feature}</Layer>"


def _queried(asked: Mapping[str, str]) -> tuple[float, float]:
    """The middle of the pixel that is asked for."""
    try:
        west, south, east, north = map(float, asked["BBOX"].split(","))
        width, height, i, j = (int(asked[name]) for name in ("WIDTH", "HEIGHT", "I", "J"))
    except ValueError as error:
        raise _Refused("InvalidParameterValue", str(error)) from None
    if not (0 <= i < width and 0 <= j < height):
        raise _Refused("InvalidPoint", "I or J is outside of the image")
    return west + (i + 0.5) * (east - west) / width, north - (j + 0.5) * (north - south) / height


def _feature(zone: GeothermalRow, east: float, north: float, has_attrname: bool) -> str:
    html = escape(f"<table><tr><td>{zone.reason}</td></tr></table>")
    attributes = "".join(
        f"<Attribute name={quoteattr(name)} value={quoteattr(value)}"
        + (f' attrname="{name}" />' if has_attrname else " />")
        for name, value in _attributes(zone, east, north)
    )
    return (
        f'<Feature id=""><HtmlContent inline="1">{html}</HtmlContent>'
        f'<Attribute name="geometry" value="POINT({east} {north})" type="derived" />{attributes}</Feature>'
    )


def _attributes(zone: GeothermalRow, east: float, north: float) -> Iterator[tuple[str, str]]:
    depth = zone.max_depth_m
    yield "resultat", _DENIED if depth is None else _ALLOWED.format(depth=depth)
    # The depth of the ground, which is not the one that is permitted.
    yield "tiefe", "898"
    yield "unsicherheit", "77"
    yield "tiefe_gruende", zone.reason
    href = (
        "https://dox42.so.ch/dox42restservice.ashx?Operation=GenerateDocument&ReturnAction.Format=pdf"
        f"&InputParam.p_koordinate_x={east:.0f}&InputParam.p_koordinate_y={north:.0f}"
        f"&InputParam.p_tiefe={depth or 0:.0f}&InputParam.p_tiefe_gruende={quote(zone.reason)}"
    )
    yield "pdf_link", f"<a href='{href}' target='_blank'>https://dox42.so.ch</a>"
