"""The data products of geo.so.ch for map clients, `/api/dataproduct/v1/weblayers`."""

from typing import Any

from recorded import data
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tools_geo.embedded.datafiles import LayerRow
from tools_geo.layers.catalogue import Service

_CANTON = [2590983.475, 1212806.115625, 2646267.025, 1262755.009375]
_SWITZERLAND = [5.70211, 45.7392, 10.6432, 47.8505]
_OPAQUE, _THEMATIC = 255, 178
_SWITCHED_OFF = ("ch.so.awjf.waldplan.waldeigentum",)
"""When their group is loaded; made up, as it is not known of which this is true."""


def routes() -> list[Route]:
    return [Route("/api/dataproduct/v1/weblayers", _weblayers)]


async def _weblayers(request: Request) -> Response:
    """Each id that is asked for has its list; that of an unknown one, or of a part of a facade, is empty."""
    facades = request.app.state.options.facades
    known = {row.id: row for row in data.canton().layers if row.group not in facades}
    asked = request.query_params.get("filter", "").split(",")
    answer = {identity: [_entry(known[identity], facades)] if identity in known else [] for identity in asked}
    return JSONResponse(answer)


def _entry(row: LayerRow, facades: frozenset[str], is_member: bool = False) -> dict[str, Any]:
    """What is asked for is visible, whatever it is as a member of its group."""
    entry: dict[str, Any] = {
        "name": row.id,
        "title": row.title,
        "abstract": f"Beschreibung von {row.title}",
        "visibility": not (is_member and row.id in _SWITCHED_OFF),
        "queryable": True,
        "displayField": "",
        "searchterms": [],
        "opacity": _THEMATIC if "Naturgefahren" in row.themes else _OPAQUE,
        "bbox": {"crs": "EPSG:2056", "bounds": _CANTON},
    }
    if row.external:
        entry |= {"externalLayer": _external(row), "bbox": {"crs": "EPSG:4326", "bounds": _SWITZERLAND}}
    members = [
        _entry(member, facades, is_member=True)
        for member in data.canton().layers
        if member.group == row.id and row.id not in facades
    ]
    return {**entry, "sublayers": members} if members else entry


def _external(row: LayerRow) -> dict[str, Any]:
    if row.service is Service.NONE and row.attribution == "geodienste.ch":
        name = row.id.rpartition(".")[2]
        return {"type": "wms", "url": "https://geodienste.example/db/deu", "params": {"LAYERS": name}}
    return {"type": "wmts", "url": "https://wmts.example/1.0.0/WMTSCapabilities.xml"}
