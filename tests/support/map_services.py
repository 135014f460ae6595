"""The map services of the canton and the Confederation on this machine: pictures that tell where they belong.

One TLS server stands for all hosts, under their own names: `resolver_rules` tell a Chromium to find them
here. Addresses, tile grids and refusals are those that the services document. A tile has one colour, which
only this tile of this layer has; a WMS draws every other square of the ground, each in a colour of its own.
So what a map shows at a place can be compared with what belongs there.
"""

import asyncio
import io
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2s
from math import floor
from pathlib import Path
from typing import Any

import uvicorn
from certificates import self_signed
from cryptography.x509 import DNSName
from PIL import Image, ImageDraw
from servicekit.http import AsgiApp
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Host, Route, Router

Color = tuple[int, int, int]
Coord = tuple[float, float]

CANTON, FEDERAL_TILES, FEDERAL_WMS = HOSTS = ("geo.so.ch", "wmts.geo.admin.ch", "wms.geo.admin.ch")
STRANGER = "tiles.example"
"""Can be found as well, and may not be asked."""

ORIGIN: Coord = (2_420_000, 1_350_000)
TILE_PX = 256
# fmt: off
CANTON_LEVELS = (4000, 2000, 1000, 500, 250, 100, 50, 20, 10, 5, 2.5, 1, 0.5, 0.25, 0.1)
FEDERAL_LEVELS = (
    4000, 3750, 3500, 3250, 3000, 2750, 2500, 2250, 2000, 1750, 1500, 1250, 1000, 750, 650, 500, 250, 100, 50,
    20, 10, 5, 2.5, 2, 1.5, 1, 0.5, 0.25, 0.1,
)
# fmt: on
"""Metres a pixel, by level."""
LEVELS_OF: dict[str, Sequence[float]] = {
    "ch.so.agi.hintergrundkarte_sw": CANTON_LEVELS,
    "ch.so.agi.hintergrundkarte_farbig": CANTON_LEVELS,
    "ch.so.agi.hintergrundkarte_ortho": CANTON_LEVELS,
    # Few federal layers have the two finest levels: maps do not, photographs do.
    "ch.swisstopo.pixelkarte-grau": FEDERAL_LEVELS[:27],
    "ch.swisstopo.pixelkarte-farbe": FEDERAL_LEVELS[:27],
    "ch.swisstopo.swissimage": FEDERAL_LEVELS,
}
"""The layers that there are tiles of."""

SQUARE_M = 250
"""What a WMS draws, or leaves free."""
_MAX_SIZE_PX = 4_096
_A_DAY = {"Cache-Control": "public, max-age=86400"}
_FRESH = {"Cache-Control": "no-store"}


def tile_color(layer: str, resolution: float, coord: Coord) -> Color:
    """What the tile of a level is painted in that has a place. Raises `ValueError` without this level."""
    level = LEVELS_OF[layer].index(resolution)
    return _tile_color(layer, level, *_tile_at(resolution, coord))


def square_color(layer: str, coord: Coord) -> Color | None:
    """What a WMS draws at a place; None where it leaves what is below."""
    column, row = floor(coord[0] / SQUARE_M), floor(coord[1] / SQUARE_M)
    return None if (column + row) % 2 else _color(layer, column, row)


def legend_color(layer: str) -> Color:
    return _color(layer, "legend")


@cache
def _color(*what: object) -> Color:
    """Neither white nor black, and the same for the same thing."""
    red, green, blue = blake2s("/".join(map(str, what)).encode(), digest_size=3).digest()
    return 40 + red % 24 * 8, 40 + green % 24 * 8, 40 + blue % 24 * 8


def _tile_color(layer: str, level: int, column: int, row: int) -> Color:
    return _color(layer, level, column, row)


def _tile_at(resolution: float, coord: Coord) -> tuple[int, int]:
    """Columns count from the west, rows from the north."""
    side = resolution * TILE_PX
    return floor((coord[0] - ORIGIN[0]) / side), floor((ORIGIN[1] - coord[1]) / side)


@dataclass(frozen=True)
class Asked:
    """A request that came in; parameters of a query have names in upper case."""

    host: str
    path: str
    query: dict[str, str] = field(default_factory=dict)


class MapServices:
    """Start and stop as often as you like: the port stays, a stopped server refuses connections."""

    def __init__(self, folder: Path) -> None:
        self.asked: list[Asked] = []
        self.instead: AsgiApp | None = None
        """What answers in the place of all services."""
        self._certificate = self_signed(folder, *map(DNSName, HOSTS))
        self.app = Starlette(routes=[Host(name, Router(routes)) for name, routes in _ROUTES.items()])
        self._port = 0
        self._server: _Server | None = None
        self._serving: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Raises `OSError` when somebody else has taken the port in the meantime."""
        if self._server is not None:
            return
        listening = socket.create_server(("127.0.0.1", self._port))
        self._port = listening.getsockname()[1]
        certificate, key = self._certificate
        config = uvicorn.Config(
            self,
            ssl_certfile=certificate,
            ssl_keyfile=key,
            lifespan="off",
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=1,
        )
        self._server = _Server(config)
        self._serving = asyncio.create_task(self._server.serve(sockets=[listening]))

    async def stop(self) -> None:
        if self._server is None or self._serving is None:
            return
        self._server.should_exit = True
        await self._serving
        self._server = self._serving = None

    @property
    def resolver_rules(self) -> str:
        """For `--host-resolver-rules`."""
        return " , ".join(f"MAP {host}:443 127.0.0.1:{self._port}" for host in (*HOSTS, STRANGER))

    def reset(self) -> None:
        """As if it had just been started."""
        self.asked.clear()
        self.instead = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        request = Request(scope)
        query = {name.upper(): value for name, value in request.query_params.items()}
        self.asked.append(Asked(request.headers["host"], scope["path"], query))
        await (self.instead or self.app)(scope, receive, send)


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


# -- tiles -----------------------------------------------------------------------------------------


async def _canton_tile(request: Request) -> Response:
    """No file extension, and the row before the column."""
    return _tile(request, "ch.so.", {})


async def _federal_tile(request: Request) -> Response:
    """The column before the row, and a file extension."""
    return _tile(request, "ch.swisstopo.", {"time": "current", "extension": "jpeg"})


def _tile(request: Request, owner: str, fixed: dict[str, str]) -> Response:
    asked = request.path_params
    levels = LEVELS_OF.get(asked["layer"], ())
    level, column, row = asked["level"], asked["column"], asked["row"]
    wrong = any(asked[name] != value for name, value in fixed.items())
    if wrong or not asked["layer"].startswith(owner) or level >= len(levels):
        return PlainTextResponse("no such layer or level", 404, headers=_FRESH)
    side = levels[level] * TILE_PX
    if column * side >= 480_000 or row * side >= 320_000:
        return PlainTextResponse("outside of the matrix", 404, headers=_FRESH)
    picture = Image.new("RGB", (TILE_PX, TILE_PX), _tile_color(asked["layer"], level, column, row))
    return _picture(picture, "JPEG", _A_DAY)


# -- WMS -------------------------------------------------------------------------------------------


def _wms(has: Callable[[str], bool]) -> Callable[[Request], Any]:
    async def answer(request: Request) -> Response:
        asked = {name.upper(): value for name, value in request.query_params.items()}
        if asked.get("SERVICE") != "WMS" or asked.get("VERSION") != "1.3.0":
            return _exception("OperationNotSupported", "WMS 1.3.0 only")
        if asked.get("REQUEST") == "GetLegendGraphic" and has(asked.get("LAYER", "")):
            return _picture(Image.new("RGB", (90, 40), legend_color(asked["LAYER"])), "PNG", _FRESH)
        if asked.get("REQUEST") != "GetMap":
            return _exception("OperationNotSupported", "no such request")
        if not has(asked.get("LAYERS", "")):
            return _exception("LayerNotDefined", "no such layer")
        return _get_map(asked)

    return answer


def _get_map(asked: dict[str, str]) -> Response:
    if asked.get("CRS") != "EPSG:2056":
        return _exception("InvalidCRS", "EPSG:2056 only")
    if asked.get("FORMAT") != "image/png" or "STYLES" not in asked:
        return _exception("InvalidFormat", "image/png only, and STYLES is mandatory")
    try:
        west, south, east, north = map(float, asked["BBOX"].split(","))
        width, height = int(asked["WIDTH"]), int(asked["HEIGHT"])
    except (KeyError, ValueError):
        return _exception("MissingParameterValue", "BBOX, WIDTH and HEIGHT")
    if not (west < east and south < north and 0 < width <= _MAX_SIZE_PX and 0 < height <= _MAX_SIZE_PX):
        return _exception("InvalidParameterValue", "BBOX, WIDTH or HEIGHT")
    ground = (0, 0, 0, 0) if asked.get("TRANSPARENT", "").lower() == "true" else (255, 255, 255, 255)
    picture = Image.new("RGBA", (width, height), ground)
    pen, alpha = ImageDraw.Draw(picture), int(asked.get("OPACITIES", "255"))
    across, up = (east - west) / width, (north - south) / height
    for column in range(floor(west / SQUARE_M), floor(east / SQUARE_M) + 1):
        for row in range(floor(south / SQUARE_M), floor(north / SQUARE_M) + 1):
            color = square_color(asked["LAYERS"], (column * SQUARE_M, row * SQUARE_M))
            if color is None:
                continue
            left, right = ((column + n) * SQUARE_M - west for n in (0, 1))
            top, bottom = (north - (row + n) * SQUARE_M for n in (1, 0))
            corners = round(left / across), round(top / up), round(right / across) - 1, round(bottom / up) - 1
            if corners[0] <= corners[2] and corners[1] <= corners[3]:
                pen.rectangle(corners, fill=(*color, alpha))
    return _picture(picture, "PNG", _FRESH)


def _exception(code: str, text: str) -> Response:
    """Errors of a WMS have the status of a success."""
    body = f'<ServiceExceptionReport><ServiceException code="{code}">{text}</ServiceException>'
    return Response(f"{body}</ServiceExceptionReport>", media_type="text/xml", headers=_FRESH)


def _picture(picture: Image.Image, kind: str, headers: dict[str, str]) -> Response:
    buffer = io.BytesIO()
    picture.save(buffer, kind, **({"quality": 95, "subsampling": 0} if kind == "JPEG" else {}))
    return Response(buffer.getvalue(), media_type=f"image/{kind.lower()}", headers=headers)


_cantonal = _wms(lambda layer: layer.startswith("ch.so.") and "," not in layer)
_federal = _wms(lambda layer: layer.startswith("ch.") and not layer.startswith("ch.so.") and "," not in layer)
_ROUTES: dict[str, list[Route]] = {
    CANTON: [
        Route("/api/wmts/1.0.0/{layer}/default/2056/{level:int}/{row:int}/{column:int}", _canton_tile),
        Route("/api/wms", _cantonal),
        Route("/api/v1/legend/somap", _cantonal),
    ],
    FEDERAL_TILES: [
        Route(
            "/1.0.0/{layer}/default/{time}/2056/{level:int}/{column:int}/{row:int}.{extension}", _federal_tile
        )
    ],
    FEDERAL_WMS: [Route("/", _federal)],
}
