"""ÖREB web services of two cantons, as two implementations of the directive speak.

`/api/oereb` is that of geo.so.ch: XML only, parameters in upper case only, errors as Spring sends them.
`/json-canton/oereb` is a pyramid_oereb 2.6: XML and JSON, parameters in any case, errors as pages;
`make test-peers` compares it with a real one.
"""

import asyncio
from base64 import b64decode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from contracts.oereb import ExtractContent
from recorded import oereb_data, oereb_xml
from recorded.oereb_data import Estate
from recorded.oereb_extracts import Writer, limit_of
from recorded.oereb_xml import JAXB, PYRAMID, Dialect
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

CLIENT_URL = "https://geo.so.ch/map/?oereb_egrid={egrid}"
JSON_CANTON_CLIENT_URL = "https://map.example/oereb/{egrid}"
_PRODUCED = ("application/xml", "application/pdf")
_LANGUAGES = ("de", "fr")
"""Of the JSON canton."""


@dataclass
class OerebOptions:
    """What a test may change."""

    dialect: Dialect = JAXB
    xml_type: str = "application/xml"
    redirect_status: int = 303
    """Some cantons send 301 or 302."""
    has_client: bool = True
    """Without a client of its own the JSON canton fails on `extract/url`."""
    unreleased: set[str] = field(default_factory=set)
    """EGRIDs in municipalities that are not in the cadastre yet."""
    contents: dict[str, ExtractContent] = field(default_factory=dict)
    """By EGRID, what an extract says in the place of what is recorded."""
    instead: dict[str, Response] = field(default_factory=dict)
    """By EGRID, what is always answered in the place of its extract, in any format; not of the redirect."""
    slow_s: float = 0.0
    """Before every extract; not before the redirect."""
    at_once: int | None = None
    """So many extracts are made at a time; who asks for another one is turned away."""
    being_made: int = 0
    takes_language: bool = True
    """Whether the JSON canton knows `LANG`, in which it speaks German and French."""
    fails_in: str | None = None
    """A language that the JSON canton offers without texts: it fails over it, as pyramid_oereb does."""
    takes_geometry: bool = True
    """Whether it sends outlines with an extract."""


def routes() -> list[Route]:
    return [
        Route("/json-canton/oereb/image/symbol/{theme}/legend_entry.png", _symbol),
        *_functions(),
    ]


def _functions() -> list[Route]:
    return [
        Route(f"{prefix}/{function}/{{format}}{slash}", handler)
        for prefix, handlers in (("/api/oereb", _SOLOTHURN), ("/json-canton/oereb", _JSON_CANTON))
        for function, handler in handlers.items()
        for slash in ("/", "")
    ]


Parameters = Mapping[str, str]


class _NotUnderstood(Exception):
    """The message of a 400 or 500."""


_Answer = Callable[[Request, Parameters, OerebOptions], Response]


async def _answered(answer: _Answer, request: Request, params: Parameters) -> Response:
    options: OerebOptions = request.app.state.options.oereb
    if "/extract/" in request.url.path and request.path_params["format"] != "url":
        if options.at_once is not None and options.being_made >= options.at_once:
            return PlainTextResponse("busy", 503)
        options.being_made += 1
        await asyncio.sleep(options.slow_s)
        options.being_made -= 1
        if params.get("EGRID") in options.instead:
            return options.instead[params["EGRID"]]
    return answer(request, params, options)


def _solothurn(answer: _Answer) -> Any:
    """Whatever goes wrong is an exception in Java, and so a 500."""

    async def handle(request: Request) -> Response:
        try:
            return await _answered(answer, request, dict(request.query_params))
        except (_NotUnderstood, ValueError):
            return _spring_error(request.url.path)

    return handle


def _json_canton(answer: _Answer) -> Any:
    async def handle(request: Request) -> Response:
        params = {name.upper(): value for name, value in request.query_params.items()}
        try:
            return await _answered(answer, request, params)
        except _NotUnderstood as problem:
            page = (
                f"<html><head><title>400 Bad Request</title></head><body><h1>400</h1>{problem}</body></html>"
            )
            return HTMLResponse(page, 400)
        except ValueError:
            return Response("could not convert string to float", 500, media_type="text/plain")

    return handle


def _spring_error(path: str) -> Response:
    problem = {"timestamp": "2026-11-20T14:09:10.000+00:00", "status": 500, "path": path}
    return JSONResponse({**problem, "error": "Internal Server Error"}, 500)


def _found(params: Parameters) -> list[Estate]:
    """The kinds of questions in the order in which the implementations look for them."""
    if "EN" in params:
        if params["EN"].count(",") != 1:
            raise _NotUnderstood("The parameter EN has to be a pair of coordinates.")
        east, _, north = params["EN"].partition(",")
        return oereb_data.at_point(float(east), float(north))
    if {"IDENTDN", "NUMBER"} <= params.keys():
        return oereb_data.of_number(params["IDENTDN"], params["NUMBER"])
    raise _NotUnderstood("Invalid parameters.")


def _wants(params: Parameters, name: str) -> bool:
    return params.get(name, "").lower() == "true"


def _xml(document: str, options: OerebOptions) -> Response:
    return Response(document, headers={"content-type": options.xml_type})


def _pdf(estate: Estate) -> Response:
    name = f"attachment; filename={estate.egrid}.pdf"
    return Response(_one_page(), media_type="application/pdf", headers={"content-disposition": name})


# -- geo.so.ch ------------------------------------------------------------------------------------


def _only_xml(request: Request) -> None:
    if request.path_params["format"] != "xml":
        raise _NotUnderstood


def _so_versions(request: Request, params: Parameters, options: OerebOptions) -> Response:
    _only_xml(request)
    return _xml(oereb_xml.versions(None), options)


def _so_capabilities(request: Request, params: Parameters, options: OerebOptions) -> Response:
    _only_xml(request)
    numbers = sorted({estate.bfs_number for estate in oereb_data.estates()})
    return _xml(oereb_xml.capabilities(oereb_data.themes("de"), numbers, options.dialect, "2056"), options)


def _so_getegrid(request: Request, params: Parameters, options: OerebOptions) -> Response:
    _only_xml(request)
    found = _found(params)
    if not found:
        return Response(status_code=204)
    return _xml(oereb_xml.egrids(found, options.dialect, geometry=_wants(params, "GEOMETRY")), options)


def _so_extract(request: Request, params: Parameters, options: OerebOptions) -> Response:
    accepted = request.headers.get("accept", "*/*")
    if not any(kind in accepted for kind in ("*/*", "application/*", *_PRODUCED)):
        return Response(status_code=406)
    wanted, estate = request.path_params["format"], oereb_data.of_egrid(params.get("EGRID"))
    if wanted not in ("xml", "pdf", "url"):
        raise _NotUnderstood
    if estate is None:
        return Response(status_code=204)
    if wanted == "url":
        location = CLIENT_URL.format(egrid=estate.egrid)
        return Response(status_code=options.redirect_status, headers={"location": location})
    if estate.egrid in options.unreleased:
        return Response(status_code=204)
    if wanted == "pdf":
        return _pdf(estate)
    content = options.contents.get(estate.egrid) or oereb_data.content_of(estate)
    # The language is ignored: there is one.
    geometry = _wants(params, "GEOMETRY")
    return _xml(oereb_xml.extract(estate, content, options.dialect, geometry=geometry), options)


_SOLOTHURN = {
    "versions": _solothurn(_so_versions),
    "capabilities": _solothurn(_so_capabilities),
    "getegrid": _solothurn(_so_getegrid),
    "extract": _solothurn(_so_extract),
}


# -- a canton with JSON ---------------------------------------------------------------------------


def _format_of(request: Request, *offered: str) -> str:
    wanted = str(request.path_params["format"]).lower()
    if wanted not in offered:
        raise _NotUnderstood(f"Invalid format: {wanted}")
    return wanted


def _json(document: object) -> Response:
    return JSONResponse(document, headers={"content-type": "application/json; charset=UTF-8"})


def _jc_xml(document: str) -> Response:
    return Response(document, headers={"content-type": "application/xml; charset=UTF-8"})


def _texts(german: str, french: str) -> list[dict[str, str]]:
    return [{"Language": "fr", "Text": french}, {"Language": "de", "Text": german}]


def _jc_versions(request: Request, params: Parameters, options: OerebOptions) -> Response:
    endpoint = str(request.base_url.replace(path="/json-canton/oereb"))
    if _format_of(request, "xml", "json") == "xml":
        return _jc_xml(oereb_xml.versions(endpoint))
    supported = {"version": "extract-2.0", "serviceEndpointBase": endpoint}
    return _json({"GetVersionsResponse": {"supportedVersion": [supported]}})


def _jc_capabilities(request: Request, params: Parameters, options: OerebOptions) -> Response:
    numbers = sorted({estate.bfs_number for estate in oereb_data.estates()})
    if _format_of(request, "xml", "json") == "xml":
        themes = oereb_data.themes("de")
        return _jc_xml(oereb_xml.capabilities(themes, numbers, PYRAMID, "epsg:2056", _LANGUAGES))
    named = zip(oereb_data.themes("de"), oereb_data.themes("fr"), strict=True)
    topics = [{"Code": german.code, "Text": _texts(german.title, french.title)} for german, french in named]
    says = {"topic": topics, "municipality": numbers}
    more = {"flavour": ["REDUCED", "SIGNED"], "language": _LANGUAGES, "crs": ["epsg:2056"]}
    return _json({"GetCapabilitiesResponse": says | more})


def _jc_getegrid(request: Request, params: Parameters, options: OerebOptions) -> Response:
    try:
        wanted = _format_of(request, "xml", "json")
    except _NotUnderstood as problem:
        # The only function that falls over what it refuses.
        raise ValueError from problem
    geometry, found = _wants(params, "GEOMETRY"), _found(params)
    if not found:
        return Response(status_code=204)
    if wanted == "xml":
        return _jc_xml(oereb_xml.egrids(found, PYRAMID, geometry=geometry))
    return _json(
        {
            "GetEGRIDResponse": [
                {
                    "egrid": estate.egrid,
                    "number": estate.number,
                    "identDN": estate.ident_dn,
                    "type": {"Code": estate.code, "Text": _texts(estate.kind, "Bien-fonds")},
                }
                | ({"limit": limit_of(estate)} if geometry else {})
                for estate in found
            ]
        }
    )


def _jc_extract(request: Request, params: Parameters, options: OerebOptions) -> Response:
    wanted, geometry = _format_of(request, "xml", "json", "pdf", "url"), _wants(params, "GEOMETRY")
    if wanted == "pdf" and geometry:
        raise _NotUnderstood("Geometry is not available for format PDF.")
    if geometry and not options.takes_geometry:
        raise _NotUnderstood("Invalid parameters.")
    language = params.get("LANG", "de").lower()
    if "LANG" in params and (language not in _LANGUAGES or not options.takes_language):
        raise _NotUnderstood("Requested language is not available.")
    if language == options.fails_in:
        return HTMLResponse("<html><body>KeyError</body></html>", 200 if wanted == "xml" else 500)
    if params.get("EGRID"):
        found = [oereb_data.of_egrid(params["EGRID"])]
    elif {"IDENTDN", "NUMBER"} <= params.keys():
        found = [*oereb_data.of_number(params["IDENTDN"], params["NUMBER"])]
    else:
        raise _NotUnderstood("Invalid parameters.")
    estate = found[0] if len(found) == 1 else None
    if estate is None:
        return Response(status_code=204)
    if wanted == "url":
        if not options.has_client:
            return Response("Missing configuration for redirect.", 500, media_type="text/plain")
        location = JSON_CANTON_CLIENT_URL.format(egrid=estate.egrid)
        return HTMLResponse(f"<html><body>{location}</body></html>", 303, headers={"location": location})
    if wanted == "pdf":
        return _pdf(estate)
    content, symbols = (
        _jc_content(estate, options, language),
        f"{request.base_url}json-canton/oereb/image/symbol",
    )
    if wanted == "xml":
        document = oereb_xml.extract(
            estate, content, PYRAMID, geometry=geometry, language=language, symbols_url=symbols
        )
        return _jc_xml(document)
    extract = Writer(language, symbols_url=symbols).extract(estate, content, geometry=geometry)
    lists: dict[str, object] = {"ConcernedTheme": [], "NotConcernedTheme": [], "ThemeWithoutData": []}
    return _json({"GetExtractByIdResponse": {"extract": lists | extract}})


def _jc_content(estate: Estate, options: OerebOptions, language: str) -> ExtractContent:
    if estate.egrid in options.unreleased:
        return oereb_data.without_data(language)
    content = options.contents.get(estate.egrid) or oereb_data.content_of(estate, language)
    # Restrictions say to which part of a theme they belong; the lists have no parts.
    whole = {
        name: tuple(theme for theme in getattr(content, name) if theme.sub_code is None)
        for name in ("concerned", "not_concerned", "without_data")
    }
    return content.model_copy(update=whole)


async def _symbol(request: Request) -> Response:
    egrid, _, place = request.query_params["identifier"].partition("-")
    estate = oereb_data.of_egrid(egrid)
    assert estate is not None
    content = _jc_content(estate, request.app.state.options.oereb, _LANGUAGES[0])
    pixels = (content.restrictions[int(place)].symbol or "").partition(";base64,")[2]
    return Response(b64decode(pixels), media_type="image/png")


_JSON_CANTON = {
    "versions": _json_canton(_jc_versions),
    "capabilities": _json_canton(_jc_capabilities),
    "getegrid": _json_canton(_jc_getegrid),
    "extract": _json_canton(_jc_extract),
}


def _one_page() -> bytes:
    """The smallest PDF that a viewer opens: an empty page."""
    objects = (
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>",
    )
    body, offsets = b"%PDF-1.4\n", []
    for n, content in enumerate(objects, start=1):
        offsets.append(len(body))
        body += b"%d 0 obj%sendobj\n" % (n, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return (
        body
        + b"xref\n0 4\n0000000000 65535 f \n%strailer<</Size 4/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n"
        % (
            table,
            len(body),
        )
    )
