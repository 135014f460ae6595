"""The routes of the OpenAPI description, of the page that shows it, and of the page about the bus.

The first page is Swagger UI out of a package, with scripts and styles from this server only. The other one is
made of the declarations of all services (`make asyncapi`): the edge knows only its own.
"""

import asyncio
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from pathlib import Path
from threading import Lock
from typing import Any

from fastapi import APIRouter, Request, Response
from pydantic_core import to_json

from edge import errors, page_files, page_headers
from edge.description import JSON
from edge.page import file_response
from edge.page_files import PageFile

_PACKAGE = "fastapi_swagger"
_FILES = ("swagger-ui-bundle.js", "swagger-ui.css", "favicon-32x32.png")
_PAGE = b"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>ask.sogis: API</title>
<link rel="icon" href="docs/favicon-32x32.png">
<link rel="stylesheet" href="docs/swagger-ui.css">
<div id="description"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</html>
"""
# Without an address for the validator it would show the description to a server of its makers.
_START = b"""SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#description",
  deepLinking: true,
  validatorUrl: null,
});
"""
_BUS_STYLE = b"""body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; }
table { border-collapse: collapse; width: 100%; }
td, th { border-bottom: 1px solid; padding: 0.3rem 0.6rem 0.3rem 0; text-align: left; vertical-align: top; }
"""


def description_routes(describe: Callable[[], dict[str, Any]]) -> APIRouter:
    """`/openapi.json`, `/docs` and `/docs/bus`."""
    router = APIRouter()
    headers = page_headers.of_docs()
    made = {
        "start.js": _made("text/javascript; charset=utf-8", _START),
        "bus": _made("text/html; charset=utf-8", (files("edge") / "bus.html").read_bytes()),
        "bus.css": _made("text/css; charset=utf-8", _BUS_STYLE),
    }
    page = _made("text/html; charset=utf-8", _PAGE)
    description: list[PageFile] = []
    describing = Lock()

    def get_described() -> PageFile:
        # FastAPI gives to the next one what it has not finished for the first.
        with describing:
            if not description:
                description.append(_made(JSON, to_json(describe())))
            return description[0]

    @cache
    def packaged(name: str) -> PageFile:
        # Two megabytes, for the first who looks.
        folder = Path(str(files(_PACKAGE))) / "resources"
        return page_files.file_of(folder, folder / name)

    @router.api_route("/openapi.json", methods=["GET", "HEAD"], include_in_schema=False)
    async def get_description(request: Request) -> Response:
        # Half a second, once: in a thread, turns go on meanwhile.
        described = description[0] if description else await asyncio.to_thread(get_described)
        return file_response(request, described, {})

    @router.api_route("/docs", methods=["GET", "HEAD"], include_in_schema=False)
    async def get_page(request: Request) -> Response:
        return file_response(request, page, headers)

    @router.api_route("/docs/{name}", methods=["GET", "HEAD"], include_in_schema=False)
    async def get_file(request: Request, name: str) -> Response:
        if name not in made and name not in _FILES:
            raise errors.NotFound()
        file = made.get(name) or packaged(name)
        return file_response(request, file, headers if name == "bus" else {})

    return router


def _made(media_type: str, body: bytes) -> PageFile:
    return PageFile(media_type, False, {"identity": page_files.form_of(body)})
