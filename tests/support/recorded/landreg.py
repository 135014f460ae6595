"""The print service for cadastral plans of geo.so.ch: `/api/v1/landreg/print`."""

from io import BytesIO
from urllib.parse import parse_qs

from reportlab.pdfgen.canvas import Canvas
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

_FORM = "application/x-www-form-urlencoded"
_NEEDED = (
    *("TEMPLATE", "scale", "rotation", "extent", "SRS"),
    *("GRID_INTERVAL_X", "GRID_INTERVAL_Y", "DPI"),
)
_FRAME_M = (0.196, 0.244)


def routes() -> list[Route]:
    return [Route("/api/v1/landreg/print", _print, methods=["POST"])]


async def _print(request: Request) -> Response:
    if request.headers.get("content-type", "").partition(";")[0] != _FORM:
        return PlainTextResponse("Unsupported Media Type", 415)
    form = {name: values[-1] for name, values in parse_qs((await request.body()).decode()).items()}
    if missing := [name for name in _NEEDED if name not in form]:
        return PlainTextResponse(f"Missing parameter: {missing[0]}", 400)
    if form["SRS"] != "EPSG:2056" or form["TEMPLATE"] != "A4-Hoch":
        return PlainTextResponse("Unknown template or coordinate system", 400)
    try:
        west, south, east, north = map(float, form["extent"].split(","))
        scale = int(form["scale"])
    except ValueError:
        return PlainTextResponse("Invalid extent or scale", 400)
    width, height = (side * scale for side in _FRAME_M)
    if abs(east - west - width) > 0.01 or abs(north - south - height) > 0.01:
        return PlainTextResponse("The extent does not fit the frame at this scale", 400)
    return Response(_pdf(form), media_type="application/pdf")


def _pdf(form: dict[str, str]) -> bytes:
    """A sheet that says what was asked for."""
    buffer = BytesIO()
    canvas = Canvas(buffer, invariant=1, pageCompression=0)
    for line, name in enumerate(_NEEDED):
        canvas.drawString(50, 800 - 20 * line, f"{name}={form[name]}")
    canvas.save()
    return buffer.getvalue()
