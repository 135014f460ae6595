"""The data service of geo.so.ch, `/api/data/v1/<dataset>/`: the parcels that the cadastre has too, and the
features of layers, which are found by box only."""

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from typing import Any, TypeVar

from recorded import data, layer_features, oereb_data
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from swissgeo.lv95 import Point
from swissgeo.outlines import Polygon, contains, distance_m, extent_of, polygons_of

PARCELS = "ch.so.agi.av.grundstuecke.rechtskraeftig"
_BASE = "/api/data/v1/{dataset}"
_FIRST_ID = 681_114_306
_COLUMNS: dict[str, type] = {
    "t_id": int,
    "nummer": str,
    "egrid": str,
    "grundbuch": str,
    "art_txt": str,
    "gemeinde": str,
    "bfs_nr": int,
    "nbident": str,
    "flaechenmass": int,
}
_OPERATORS = {"=", "!=", "<>", "<", ">", "<=", ">=", "~", "LIKE", "ILIKE", "IS", "IS NOT", "HAS", "HAS NOT"}
_KINDS = {"Baurecht": "SelbstRecht.Baurecht", "Quellenrecht": "SelbstRecht.Quellenrecht"}

_T = TypeVar("_T")
Row = dict[str, Any]
Box = tuple[float, float, float, float]


class Refused(Exception):
    """The request cannot be answered."""

    def __init__(self, status: int, message: str) -> None:
        self.status, self.message = status, message


def routes() -> list[Route]:
    return [
        Route(f"{_BASE}/", _index),
        Route(_BASE, _redirect),
        Route(f"{_BASE}/extent", _extent),
        Route(f"{_BASE}/{{identity:int}}", _show),
    ]


async def _redirect(request: Request) -> Response:
    return Response(
        status_code=308, headers={"location": str(request.url.replace(path=f"{request.url.path}/"))}
    )


async def _index(request: Request) -> Response:
    try:
        if request.path_params["dataset"] in layer_features.features_of():
            return JSONResponse(_of_layer(request))
        return JSONResponse(_collection(request, *_selected(request)))
    except Refused as refused:
        return JSONResponse({"message": refused.message}, refused.status)


def _of_layer(request: Request) -> dict[str, Any]:
    asked = {name.lower(): value for name, value in request.query_params.items()}
    box = _box(asked["bbox"]) if "bbox" in asked else None
    found = layer_features.within(request.path_params["dataset"], box)
    page = _page(found, asked)
    features = [each.geojson for each in page]
    document: dict[str, Any] = {"type": "FeatureCollection", "features": features, "crs": _crs()}
    if request.app.state.options.data_service_counts:
        document |= {"numberMatched": len(found), "numberReturned": len(page)}
    return document


async def _extent(request: Request) -> Response:
    try:
        rows, _ = _selected(request)
    except Refused as refused:
        return JSONResponse({"message": refused.message}, refused.status)
    return JSONResponse({"bbox": _bounds(rows)})


async def _show(request: Request) -> Response:
    if request.path_params["dataset"] != PARCELS:
        return JSONResponse({"message": "Dataset not found or permission error"}, 404)
    for row in _rows():
        if row["t_id"] == request.path_params["identity"]:
            return JSONResponse({**_feature(request, row, None), "crs": _crs()})
    return JSONResponse({"message": "Feature not found"}, 404)


def _selected(request: Request) -> tuple[list[Row], dict[str, str]]:
    """The rows that are asked for, and the parameters by their names in lower case."""
    asked = {name.lower(): value for name, value in request.query_params.items()}
    if request.path_params["dataset"] != PARCELS:
        raise Refused(404, "Dataset not found or permission error")
    rows = list(_rows())
    if "bbox" in asked:
        box = _box(asked["bbox"])
        rows = [row for row in rows if _touches(row["polygons"], box)]
    if asked.get("crs", "EPSG:2056") != "EPSG:2056":
        raise Refused(400, "Invalid CRS")
    if "filter" in asked:
        matches = _condition(_parsed(asked["filter"]))
        rows = [row for row in rows if matches(row)]
    if "filter_geom" in asked:
        geometry = json.loads(asked["filter_geom"])
        rows = [row for row in rows if _intersects(row["polygons"], geometry)]
    for name in reversed(asked.get("sortby", "").split(",")):
        if (column := name.lstrip("-")) in _COLUMNS:
            rows = _sorted(rows, column, falling=name.startswith("-"))
    return rows, asked


def _sorted(rows: list[Row], column: str, *, falling: bool) -> list[Row]:
    return sorted(rows, key=lambda row: str(row[column]), reverse=falling)


def _collection(request: Request, rows: list[Row], asked: dict[str, str]) -> dict[str, Any]:
    matched = len(rows)
    rows = _page(rows, asked)
    fields = asked["fields"].split(",") if "fields" in asked else None
    document = {
        "type": "FeatureCollection",
        "features": [_feature(request, row, fields) for row in rows],
        "crs": _crs(),
        "numberMatched": matched,
        "numberReturned": len(rows),
    }
    return {**document, "bbox": _bounds(rows)} if rows else document


def _page(rows: list[_T], asked: dict[str, str]) -> list[_T]:
    if "limit" not in asked:
        return rows
    if "offset" not in asked:
        raise Refused(500, "Internal Server Error")
    start = int(asked["offset"])
    return rows[start : start + int(asked["limit"])]


def _feature(request: Request, row: Row, fields: list[str] | None) -> dict[str, Any]:
    known = {name: row[name] for name in _COLUMNS if name != "t_id"}
    if request.app.state.options.bfs_numbers == "text":
        known["bfs_nr"] = str(known["bfs_nr"])
    return {
        "type": "Feature",
        "id": row["t_id"],
        "geometry": row["geometry"] if fields is None or "geometry" in fields else None,
        "properties": {name: value for name, value in known.items() if fields is None or name in fields},
    }


def _crs() -> dict[str, Any]:
    return {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::2056"}}


def _bounds(rows: list[Row]) -> list[float]:
    return list(extent_of([polygon for row in rows for polygon in row["polygons"]])) if rows else []


@cache
def _rows() -> tuple[Row, ...]:
    return tuple({"t_id": _FIRST_ID + number, **row} for number, row in enumerate(_parcels()))


def _parcels() -> Iterator[Row]:
    for parcel in data.canton().parcels:
        yield {
            "nummer": parcel.number,
            "egrid": parcel.egrid,
            "grundbuch": parcel.land_register,
            "art_txt": _KINDS.get(parcel.kind, parcel.kind),
            "gemeinde": parcel.municipality,
            "bfs_nr": parcel.bfs_number,
            "nbident": f"SO020000{parcel.bfs_number}",
            "flaechenmass": None if parcel.area_m2 is None else round(parcel.area_m2),
            "geometry": parcel.geometry,
            "polygons": polygons_of(parcel.geometry),
        }
    for estate in oereb_data.around_addresses():
        (outline,) = estate.polygons
        yield {
            "nummer": estate.number,
            "egrid": estate.egrid,
            "grundbuch": estate.municipality,
            "art_txt": estate.kind,
            "gemeinde": estate.municipality,
            "bfs_nr": estate.bfs_number,
            "nbident": estate.ident_dn,
            "flaechenmass": estate.area_m2,
            "geometry": {"type": "Polygon", "coordinates": outline},
            "polygons": [outline],
        }


# -- the filter ------------------------------------------------------------------------------------


def _parsed(text: str) -> list[Any]:
    try:
        parsed = json.loads(text)
    except ValueError:
        raise Refused(400, "Invalid filter expression: Invalid JSON") from None
    if not isinstance(parsed, list):
        raise Refused(400, "Invalid filter expression: Not an array")
    return parsed


def _condition(filters: list[Any]) -> Callable[[Row], bool]:
    """A comparison, or several with `and` or `or` between them, from left to right."""
    if filters and isinstance(filters[0], str):
        return _comparison(filters)
    if len(filters) % 2 == 0:
        raise Refused(400, "Invalid filter expression: Incorrect number of entries in filter expression")
    tests = [_condition(part) for part in filters[::2]]
    joints = [str(joint).lower() for joint in filters[1::2]]
    if unknown := set(joints) - {"and", "or"}:
        raise Refused(400, f"Invalid filter expression: Invalid concatenation operator {unknown}")

    def matches(row: Row) -> bool:
        # As in SQL, `and` binds stronger.
        groups = [[tests[0]]]
        for joint, test in zip(joints, tests[1:], strict=True):
            if joint == "or":
                groups.append([test])
            else:
                groups[-1].append(test)
        return any(all(test(row) for test in group) for group in groups)

    return matches


def _comparison(parts: list[Any]) -> Callable[[Row], bool]:
    shown = str(parts)
    if len(parts) != 3:
        raise Refused(400, f"Invalid filter expression: Incorrect number of entries in {shown}")
    name, operator, value = parts
    operator = str(operator).upper()
    if name.startswith("?"):
        name = name[1:]
        if name not in _COLUMNS:
            return lambda row: True
    name = "t_id" if name == "<id>" else name
    if name not in _COLUMNS:
        raise Refused(400, f"Invalid filter expression: Column name not found or permission error in {shown}")
    if operator not in _OPERATORS:
        raise Refused(400, f"Invalid filter expression: Invalid operator in {shown}")
    is_number = isinstance(value, int | float)
    if (is_number and _COLUMNS[name] is str) or (
        isinstance(value, str) and _COLUMNS[name] is int and not re.fullmatch(r"-?\d+", value)
    ):
        raise Refused(400, "Feature query failed. Please check filter expression and operators.")
    test = _test(operator, value)
    return lambda row: test(row[name])


def _test(operator: str, value: Any) -> Callable[[Any], bool]:
    if operator in ("IS", "=") and value is None:
        return lambda own: own is None
    if operator in ("IS NOT", "!=", "<>") and value is None:
        return lambda own: own is not None
    if operator in ("~", "LIKE", "ILIKE"):
        wanted = f"%{value}%" if operator == "~" else str(value)
        pattern = re.compile(_like(wanted), 0 if operator == "LIKE" else re.IGNORECASE)
        return lambda own: own is not None and pattern.fullmatch(str(own)) is not None
    order: dict[str, Callable[[Any, Any], bool]] = {
        "=": lambda a, b: a == b,
        "!=": lambda a, b: a != b,
        "<>": lambda a, b: a != b,
        "<": lambda a, b: a < b,
        ">": lambda a, b: a > b,
        "<=": lambda a, b: a <= b,
        ">=": lambda a, b: a >= b,
    }
    if operator not in order:
        raise Refused(400, "Feature query failed. Please check filter expression and operators.")
    return lambda own: own is not None and order[operator](own, type(own)(value))


def _like(pattern: str) -> str:
    """A pattern of SQL as a regular expression; a backslash makes a wildcard an ordinary character."""
    wildcards = {"%": ".*", "_": "."}
    parts = re.findall(r"\\.|[^\\]", pattern, re.DOTALL)
    return "".join(wildcards.get(part) or re.escape(part[-1]) for part in parts)


# -- geometry --------------------------------------------------------------------------------------


def _box(text: str) -> Box:
    try:
        west, south, east, north = map(float, text.split(","))
    except ValueError:
        raise Refused(400, "Invalid bounding box") from None
    return west, south, east, north


def _touches(polygons: list[Polygon], box: Box) -> bool:
    west, south, east, north = box
    corners = [(west, south), (east, south), (east, north), (west, north), (west, south)]
    if any(contains(polygons, corner) for corner in corners):
        return True
    edges = [edge for polygon in polygons for ring in polygon for edge in pairwise(ring)]
    if any(west <= e <= east and south <= n <= north for edge in edges for e, n in edge):
        return True
    return any(_cross(edge, side) for edge in edges for side in pairwise(corners))


def _cross(first: tuple[Point, Point], second: tuple[Point, Point]) -> bool:
    def side(a: Point, b: Point, p: Point) -> float:
        return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])

    (a, b), (c, d) = first, second
    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0


def _intersects(polygons: list[Polygon], geometry: dict[str, Any]) -> bool:
    if geometry["type"] == "Point":
        east, north = geometry["coordinates"][:2]
        return distance_m(polygons, (east, north)) == 0
    return _touches(polygons, extent_of(polygons_of(geometry)))
