"""The routes of the page for people: the built client, or how to get it."""

from collections.abc import Callable, Mapping
from html import escape

from contracts.languages import LANGUAGES, Language
from contracts.vocabulary import PlaceName, Vocabulary
from fastapi import APIRouter, Request, Response
from starlette.responses import HTMLResponse, JSONResponse

from edge import errors, languages, page_files, page_headers
from edge.negotiation import has_already, names
from edge.page_files import CODINGS, INDEX, PageFile
from edge.settings import EdgeSettings
from edge.texts import text

_JSON = "application/json"
_HTML = "text/html"
_API = {"name": "ask.sogis", "chat": "/api/chat", "tools": "/api/tools", "docs": "/docs"}
_A_YEAR = "public, max-age=31536000, immutable"
_ASK_FIRST = "no-cache"


def page_routes(settings: EdgeSettings, vocabulary: Callable[[], Vocabulary] = Vocabulary) -> APIRouter:
    """`/` and the files beside it. `vocabulary` tells what the sources know by name.

    Raises `OSError` when the files of the client cannot be read.
    """
    router = APIRouter()
    headers = page_headers.of_page(settings)
    files = page_files.read(settings.client_dir) if settings.client_dir else {}

    def root(request: Request) -> Response:
        accept = request.headers.get("accept", "")
        if files and (names(accept, _HTML) or not names(accept, _JSON)):
            return file_response(request, files[INDEX], headers)
        if names(accept, _HTML):
            told = _how_to_get_it(languages.spoken(request.scope))
            return HTMLResponse(told, headers={**headers, "Cache-Control": "no-store"})
        return JSONResponse(_API)

    @router.api_route("/", methods=["GET", "HEAD"], include_in_schema=False)
    async def get_root(request: Request) -> Response:
        found = root(request)
        found.headers["Vary"] = "Accept, Accept-Encoding, Accept-Language"
        return found

    @router.api_route("/config.json", methods=["GET", "HEAD"], include_in_schema=False)
    async def get_config() -> Response:
        config = _config(settings, vocabulary())
        return JSONResponse(config, headers={**page_headers.OF_FILES, "Cache-Control": _ASK_FIRST})

    async def get_file(request: Request) -> Response:
        found = files.get(request.url.path.removeprefix("/"))
        if found is None:
            raise errors.NotFound()
        return file_response(request, found, headers if found.is_page else {})

    for path in sorted({_route(name) for name in files}):
        router.add_api_route(path, get_file, methods=["GET", "HEAD"], include_in_schema=False)
    return router


def _config(settings: EdgeSettings, known: Vocabulary) -> dict[str, object]:
    """What the page has to know; the rest it knows itself."""
    backgrounds = dict.fromkeys(("sw", "color", "ortho"), settings.background_maps)
    return {
        "backgrounds": backgrounds,
        "feedbackDays": settings.feedback_days,
        "layerHosts": settings.map_hosts,
        "extent": known.extent,
        "outline": settings.outline,
        "examples": {language: _examples(known, language) for language in LANGUAGES},
        "places": [[p.name, *p.coord, _rank(p, known)] for p in known.places if p.coord],
    }


def _examples(known: Vocabulary, language: Language) -> list[dict[str, object]]:
    spoken = (example.worded(language) for example in known.examples)
    return [example.model_dump(exclude={"needs", "subjects"}) for example in spoken]


def _rank(place: PlaceName, known: Vocabulary) -> int:
    """0 for the towns that the canton and its districts are called after, 1 for the other municipalities."""
    if place.kind != "municipality":
        return 2
    regions = [region for region in known.places if region.kind in ("canton", "district")]
    return 0 if any(place.name in (region.name, *region.also) for region in regions) else 1


def _route(name: str) -> str:
    """A file has its own route, a folder one for all that is in it."""
    folder, slash, _ = name.partition("/")
    return f"/{folder}/{{rest:path}}" if slash else f"/{name}"


def file_response(request: Request, file: PageFile, policy: Mapping[str, str]) -> Response:
    """A file in the coding that the client takes, or the word that it has it already."""
    accepted = request.headers.get("accept-encoding", "")
    coding = next((each for each in CODINGS if each in file.forms and names(accepted, each)), "identity")
    form = file.forms[coding]
    headers = {
        **page_headers.OF_FILES,
        **policy,
        "Cache-Control": _A_YEAR if file.is_immutable else _ASK_FIRST,
        "ETag": form.etag,
        "Vary": "Accept-Encoding",
    }
    if has_already(request.headers.get("if-none-match", ""), form.etag):
        return Response(status_code=304, headers=headers)
    if coding != "identity":
        headers["Content-Encoding"] = coding
    return Response(form.body, headers=headers, media_type=file.media_type)


def _how_to_get_it(language: Language) -> str:
    keys = ("title", "running", "build", "restart", "api")
    said = {key: escape(text(f"page_{key}", language)) for key in keys}
    return f"""<!doctype html>
<html lang="{language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{said["title"]}</title>
<main>
<h1>{said["title"]}</h1>
<p>{said["running"]}</p>
<p>{said["build"]}</p>
<pre><code>make client</code></pre>
<p>{said["restart"]}</p>
<p><a href="/docs">{said["api"]}</a></p>
</main>
</html>
"""
