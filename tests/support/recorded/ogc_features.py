"""OGC API Features, `/ogc/collections/…`, with the packaged features of layers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recorded import layer_features
from recorded.layer_features import LayerFeature
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from swissgeo.lv95 import from_wgs84, to_wgs84

LV95, DEGREES = (
    "http://www.opengis.net/def/crs/EPSG/0/2056",
    "http://www.opengis.net/def/crs/OGC/1.3/CRS84",
)


@dataclass
class OgcOptions:
    """What a test may change."""

    knows_lv95: bool = True
    shares_crs: bool = False
    """The systems are named once for all collections."""
    most: int = 1_000
    """Of a page, whatever is asked for."""
    counts: bool = True
    """Whether it says how many there are."""
    next_at: str = ""
    """The server that links to the next page lead to, in the place of its own."""


def routes() -> list[Route]:
    return [Route("/ogc/collections", _collections), Route("/ogc/collections/{layer}/items", _items)]


async def _collections(request: Request) -> Response:
    options: OgcOptions = request.app.state.options.ogc
    known = [DEGREES, LV95] if options.knows_lv95 else [DEGREES]
    collections = [
        {
            "id": layer,
            "title": layer_features.title_of(layer),
            "crs": ["#/crs"] if options.shares_crs else known,
            "links": [],
        }
        for layer in layer_features.features_of()
    ]
    return JSONResponse({"collections": collections, "crs": known, "links": []})


async def _items(request: Request) -> Response:
    layer, options = request.path_params["layer"], request.app.state.options.ogc
    if layer not in layer_features.features_of():
        return JSONResponse({"code": "NotFound", "description": "Collection not found"}, 404)
    asked = request.query_params
    systems = {asked.get("crs", DEGREES), asked.get("bbox-crs", DEGREES)}
    if not systems <= ({DEGREES, LV95} if options.knows_lv95 else {DEGREES}):
        return JSONResponse({"code": "InvalidParameterValue", "description": "CRS not supported"}, 400)
    found = layer_features.within(layer, _box(asked))
    start, limit = int(asked.get("offset", 0)), min(int(asked.get("limit", 10)), options.most)
    page = found[start : start + limit]
    links = []
    if start + limit < len(found):
        following = request.url.include_query_params(offset=start + limit)
        href = str(following.replace(netloc=options.next_at) if options.next_at else following)
        links.append({"rel": "next", "type": "application/geo+json", "href": href})
    document: dict[str, Any] = {
        "type": "FeatureCollection",
        "features": [_written(each, asked.get("crs", DEGREES)) for each in page],
        "links": links,
        "numberReturned": len(page),
    }
    if options.counts:
        document["numberMatched"] = len(found)
    return JSONResponse(document, media_type="application/geo+json")


def _box(asked: Mapping[str, str]) -> tuple[float, float, float, float] | None:
    if "bbox" not in asked:
        return None
    west, south, east, north = map(float, asked["bbox"].split(","))
    if asked.get("bbox-crs", DEGREES) == LV95:
        return west, south, east, north
    corners = [from_wgs84(longitude, latitude) for longitude in (west, east) for latitude in (south, north)]
    easts, norths = zip(*corners, strict=True)
    return min(easts), min(norths), max(easts), max(norths)


def _written(feature: LayerFeature, system: str) -> dict[str, Any]:
    written = feature.geojson
    if system == LV95:
        return written
    geometry = written["geometry"]
    return {**written, "geometry": {**geometry, "coordinates": _in_degrees(geometry["coordinates"])}}


def _in_degrees(coordinates: Any) -> Any:
    if isinstance(coordinates[0], int | float):
        return to_wgs84((coordinates[0], coordinates[1]))
    return [_in_degrees(part) for part in coordinates]
