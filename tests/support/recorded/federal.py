"""Services of api3.geo.admin.ch: SearchServer and identify."""

import math
from collections.abc import Iterator
from functools import cache
from typing import Any

from german.fold import fold
from german.spelling import forgiven_edits
from rapidfuzz.distance import OSA
from recorded import data, federal_layers
from recorded.data import Box, Location
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from swissgeo.outlines import distance_m, polygons_of

CADASTRE = "ch.kantone.cadastralwebmap-farbe"
REGISTER = "ch.bfs.gebaeude_wohnungs_register"
BOUNDARIES = "ch.swisstopo.swissboundaries3d-gemeinde-flaeche.fill"

_TYPES = ("locations", "layers", "featuresearch")
_SYSTEMS = ("21781", "2056", "3857", "4326")
_RANKS = {
    "zipcode": 1,
    "gg25": 2,
    "district": 3,
    "kantone": 4,
    "gazetteer": 5,
    "address": 7,
    "haltestellen": 8,
    "parcel": 10,
}
_KEYWORDS = {
    **dict.fromkeys(("parzelle", "parcelle", "parcella", "parcel"), "parcel"),
    **dict.fromkeys(("addresse", "adresse", "indirizzo", "address"), "address"),
}
_WITH_FEATURE_ID = ("zipcode", "gg25", "district", "kantone", "address")
_MAX_WORDS = 10
_MAX_LIMIT = 50


def routes() -> list[Route]:
    return [
        Route("/rest/services/{topic}/SearchServer", _search),
        Route("/rest/services/{topic}/MapServer/identify", _identify),
    ]


# -- SearchServer ----------------------------------------------------------------------------------


async def _search(request: Request) -> Response:
    asked = request.query_params
    words = fold(asked.get("searchText", "")).split()
    if refusal := _search_refusal(asked, words):
        return JSONResponse({"success": False, "error": {"code": 400, "message": refusal}}, 400)
    if asked["type"] == "layers":
        return JSONResponse({"results": federal_layers.results(words, int(asked.get("limit", _MAX_LIMIT)))})
    if asked["type"] != "locations":
        return JSONResponse({"results": []})
    origins = asked["origins"].split(",") if "origins" in asked else list(_RANKS)
    if "origins" not in asked and words and words[0] in _KEYWORDS:
        origins = [_KEYWORDS[words.pop(0)]]
    limit = min(int(asked.get("limit", _MAX_LIMIT)) or _MAX_LIMIT, _MAX_LIMIT)
    entries = [(number, entry) for number, entry in enumerate(_entries(), 1) if entry.origin in origins]
    hits = [each for each in entries if all(_is_in(word, each[1].detail) for word in words)]
    document: dict[str, Any] = {}
    if not hits:
        hits = [each for each in entries if all(_is_nearly_in(word, each[1].detail) for word in words)]
        document["fuzzy"] = "true"
    hits.sort(key=lambda each: (_RANKS[each[1].origin], each[1].num))
    system = asked.get("sr", "21781")
    geometry = asked.get("returnGeometry", "true") != "false"
    document["results"] = [_result(n, e, system, geometry=geometry) for n, e in hits[:limit]]
    return JSONResponse(document)


def _search_refusal(asked: Any, words: list[str]) -> str | None:
    possible = f"Possible values are {', '.join(_TYPES)}"
    if "type" not in asked:
        return f"Please provide a type parameter. {possible}"
    if asked["type"] not in _TYPES:
        return f"The type parameter you provided is not valid. {possible}"
    if asked.get("sr", "21781") not in _SYSTEMS:
        return f"Unsupported spatial reference {asked['sr']}"
    if "bbox" in asked and len(asked["bbox"].split(",")) != 4:
        return f"Please provide 4 coordinates in a comma separated list and not {asked['bbox']}"
    if not words and "bbox" not in asked:
        return "Please provide a search text"
    if len(words) > _MAX_WORDS:
        return "The searchText parameter can not contain more than 10 words"
    if not asked.get("limit", "0").isdecimal():
        return "The limit parameter should be an integer"
    bad = [origin for origin in asked.get("origins", "zipcode").split(",") if origin not in _RANKS]
    return f"Bad value(s) in parameter origins {bad[0]!r}" if bad else None


def _is_in(word: str, detail: str) -> bool:
    """Numbers are matched from their beginning, other words anywhere."""
    if word[0].isdecimal():
        return any(part.startswith(word) for part in detail.split())
    return word in detail


def _is_nearly_in(word: str, detail: str) -> bool:
    return any(OSA.distance(word, part) <= forgiven_edits(len(word)) for part in detail.split())


def _result(number: int, entry: Location, system: str, *, geometry: bool) -> dict[str, Any]:
    west, south, east, north = _shifted(entry.box, system)
    attrs: dict[str, Any] = {
        "detail": entry.detail,
        "label": entry.label,
        "num": entry.num,
        "objectclass": "TLM_SIEDLUNGSNAME" if entry.origin == "gazetteer" else "",
        "origin": entry.origin,
        "rank": _RANKS[entry.origin],
        "zoomlevel": 4294967295 if entry.origin == "district" else 10,
    }
    if entry.origin in _WITH_FEATURE_ID:
        attrs["featureId"] = entry.feature_id
    if geometry:
        middle = ((west + east) / 2, (south + north) / 2)
        attrs |= {
            "geom_quadindex": "0212203",
            "geom_st_box2d": f"BOX({west} {south},{east} {north})",
            # In the Swiss systems x is the north, rounded as a 32-bit float is.
            "x": round(middle[1] * 8) / 8,
            "y": round(middle[0] * 8) / 8,
        }
    return {"id": number, "weight": 100, "attrs": attrs}


def _shifted(box: Box, system: str) -> Box:
    """LV03 (the default) is LV95 without its leading digits; other systems are not recorded."""
    if system == "2056":
        return box
    west, south, east, north = box
    return west - 2_000_000, south - 1_000_000, east - 2_000_000, north - 1_000_000


@cache
def _entries() -> tuple[Location, ...]:
    return tuple(data.locations())


# -- identify --------------------------------------------------------------------------------------


async def _identify(request: Request) -> Response:
    asked = request.query_params
    if refusal := _identify_refusal(asked):
        return JSONResponse({"status": "error", "code": 400, "detail": refusal}, 400)
    east, north = map(float, asked["geometry"].split(","))
    reach = _reach_m(asked) if float(asked["tolerance"]) else 0.0
    layers = asked["layers"].removeprefix("all:").split(",")
    found = [hit for layer in layers for hit in _at(layer, (east, north), reach)][:50]
    geojson, geometry = asked.get("geometryFormat") == "geojson", asked.get("returnGeometry") != "false"
    results = [_identified(hit, geojson=geojson, geometry=geometry) for hit in found]
    kind = "application/geo+json" if geojson else "application/json"
    return JSONResponse({"results": results}, media_type=kind)


def _identify_refusal(asked: Any) -> str | None:
    for name in ("geometry", "geometryType", "tolerance", "layers"):
        if name not in asked:
            return f"Please provide the parameter {name} (Required)"
    if float(asked["tolerance"]):
        for name in ("mapExtent", "imageDisplay"):
            if name not in asked:
                return f"Please provide the parameter {name} (Required)"
    return None


def _reach_m(asked: Any) -> float:
    west, south, east, north = map(float, asked["mapExtent"].split(","))
    width, height, _ = map(float, asked["imageDisplay"].split(","))
    return max((east - west) / width, (north - south) / height) * float(asked["tolerance"])


def _identified(hit: dict[str, Any], *, geojson: bool, geometry: bool) -> dict[str, Any]:
    known = {name: hit[name] for name in ("layerBodId", "layerName", "featureId", "id")}
    if not geometry:
        return {**known, "attributes": hit["attributes"]}
    if geojson:
        outline = {"geometry": hit["geometry"], "properties": hit["attributes"]}
        return {**known, "type": "Feature", **outline}
    rings = [ring for polygon in polygons_of(hit["geometry"]) for ring in polygon]
    esri = {"rings": rings, "spatialReference": {"wkid": 2056}}
    return {**known, "attributes": hit["attributes"], "geometry": esri}


def _at(layer: str, point: tuple[float, float], reach_m: float) -> Iterator[dict[str, Any]]:
    if layer == CADASTRE:
        yield from (hit for hit in _cadastre() if distance_m(polygons_of(hit["geometry"]), point) <= reach_m)
    elif layer == REGISTER:
        yield from (hit for hit in _register() if math.dist(hit["geometry"]["coordinates"], point) <= reach_m)
    elif layer == BOUNDARIES:
        yield from _municipality(point)


def _hit(layer: str, name: str, identity: str | int, geometry: Any, attributes: Any) -> dict[str, Any]:
    return {
        "layerBodId": layer,
        "layerName": name,
        "featureId": identity,
        "id": identity,
        "geometry": geometry,
        "attributes": attributes,
    }


@cache
def _cadastre() -> tuple[dict[str, Any], ...]:
    """The parcels of the canton, and one far away as the box around it."""
    hits = [(p.geometry, "SO", p.number, p.egrid, f"SO020000{p.bfs_number}") for p in data.canton().parcels]
    (moudon,) = (entry for entry in data.ELSEWHERE if entry.origin == "parcel")
    hits.append((_rectangle(moudon.box), "VD", "1260", "CH974590888353", "VD0157000000"))
    return tuple(
        _hit(
            CADASTRE,
            "CadastralWebMap",
            number,
            {"type": "MultiPolygon", "coordinates": polygons_of(geometry)},
            {
                "ak": canton,
                "number": parcel,
                "identnd": ident,
                "egris_egrid": egrid,
                "realestate_type": None,
                "label": canton,
            },
        )
        for number, (geometry, canton, parcel, egrid, ident) in enumerate(hits, 1)
    )


@cache
def _register() -> tuple[dict[str, Any], ...]:
    """Buildings: the addresses of the canton, and one elsewhere."""
    names = {row.bfs_number: row.name for row in data.canton().municipalities}
    rows = [
        (
            data.number_id(row.id),
            f"{row.street} {row.house_number or ''}".strip(),
            row.postal_code,
            row.locality,
            (row.bfs_number, names[row.bfs_number], "SO"),
            (row.east, row.north),
        )
        for row in data.canton().addresses
    ]
    wabern = (2600983.546, 1197396.177)
    rows.append((1272199, "Seftigenstrasse 264", "3084", "Wabern", (355, "Köniz", "BE"), wabern))
    return tuple(
        _hit(
            REGISTER,
            "GWR: Gebäudestatus",
            f"{egid}_0",
            {"type": "Point", "coordinates": point},
            {
                "egid": str(egid),
                "strname_deinr": line,
                "plz_plz6": f"{code}/{code}00",
                "ggdename": municipality[1],
                "ggdenr": municipality[0],
                "gdekt": municipality[2],
                "egrid": None,
                "lparz": None,
                "gkode": point[0],
                "gkodn": point[1],
                "dplz4": int(code),
                "dplzname": locality,
                "label": line,
            },
        )
        for egid, line, code, locality, municipality, point in rows
    )


def _municipality(point: tuple[float, float]) -> Iterator[dict[str, Any]]:
    """The nearest one, as a former and as the present one: the layer has every year."""
    near = sorted(
        (math.dist(((e.box[0] + e.box[2]) / 2, (e.box[1] + e.box[3]) / 2), point), e.label, e)
        for e in _entries()
        if e.origin == "gg25"
    )
    _, _, entry = near[0]
    name, _, canton = entry.label.removeprefix("<b>").removesuffix(")</b>").partition(" (")
    for year, current in ((2010, False), (2025, True)):
        yield _hit(
            BOUNDARIES,
            "Gemeindegrenzen",
            int(entry.feature_id),
            _rectangle(entry.box),
            {
                "gemname": name if current else f"Alt-{name}",
                "gde_nr": int(entry.feature_id),
                "kanton": canton,
                "jahr": year,
                "is_current_jahr": current,
                "label": name,
            },
        )


def _rectangle(box: Box) -> dict[str, Any]:
    west, south, east, north = box
    ring = [[west, south], [west, north], [east, north], [east, south], [west, south]]
    return {"type": "Polygon", "coordinates": [ring]}
