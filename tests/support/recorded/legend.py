"""Legends, `/api/v1/legend/somap`, as strict as the strictest of the map servers that cantons use."""

from base64 import b64decode

from recorded import data
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

_PIXEL = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
_NEEDED = ("SERVICE", "VERSION", "REQUEST", "FORMAT", "LAYER")


def routes() -> list[Route]:
    return [Route("/api/v1/legend/somap", _legend)]


async def _legend(request: Request) -> Response:
    """As a WMS does, it says what is wrong with status 200."""
    asked = {name.upper(): value for name, value in request.query_params.items()}
    needed = (*_NEEDED, "SLD_VERSION") if asked.get("VERSION") == "1.3.0" else _NEEDED
    missing = [name for name in needed if not asked.get(name)]
    if not missing and asked["LAYER"] in {row.id for row in data.canton().layers}:
        return Response(_PIXEL, media_type="image/png")
    code, wrong = ("MissingParameterValue", missing[0]) if missing else ("LayerNotDefined", "LAYER")
    report = (
        '<ServiceExceptionReport xmlns="http://www.opengis.net/ogc" version="1.3.0">'
        f'<ServiceException code="{code}">{wrong}</ServiceException></ServiceExceptionReport>'
    )
    return Response(report, media_type="text/xml")
