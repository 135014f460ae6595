"""The height service of api3.geo.admin.ch: `/rest/services/height`."""

import math

from recorded import data
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

_SYSTEMS = ("2056", "21781")
_REACH_M = 30_000.0
"""The sample of heights has no border: this far from it begins abroad."""


def routes() -> list[Route]:
    return [Route("/rest/services/height", _height)]


async def _height(request: Request) -> Response:
    asked = request.query_params
    east, north = asked.get("easting", asked.get("lon")), asked.get("northing", asked.get("lat"))
    if east is None or north is None:
        missing = "easting/lon" if east is None else "northing/lat"
        return _refused(f"Missing parameter '{missing}'")
    try:
        point = float(east), float(north)
    except ValueError:
        return _refused("Please provide numerical values for the parameters 'easting'/'northing'")
    system = asked.get("sr") or _guessed(*point)
    if system is None:
        return _refused("No 'sr' given and cannot be guessed from 'geom'")
    if system not in _SYSTEMS:
        return _refused("Please provide a valid number for the spatial reference system model: 21781 or 2056")
    if system == "21781":
        point = point[0] + 2_000_000, point[1] + 1_000_000
    distance, height = min(
        (math.hypot(row.east - point[0], row.north - point[1]), row.height_m) for row in data.canton().heights
    )
    # Written so that NaN is out of bounds too.
    if not distance <= _REACH_M:
        return _refused("Query is out of bounds")
    return JSONResponse({"height": f"{height:.1f}"})


def _guessed(east: float, north: float) -> str | None:
    if 2_450_000 < east < 2_850_000 and 1_050_000 < north < 1_350_000:
        return "2056"
    return "21781" if 450_000 < east < 850_000 and 50_000 < north < 350_000 else None


def _refused(message: str) -> Response:
    return JSONResponse({"success": False, "error": {"code": 400, "message": message}}, 400)
