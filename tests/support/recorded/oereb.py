"""ÖREB web services of two cantons, as two implementations of the directive speak.

`/api/oereb` is that of geo.so.ch: XML only, parameters in upper case only, errors as Spring sends them.
`/json-canton/oereb` has XML and JSON, parameters in any case, errors as pages.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from recorded import oereb_data, oereb_xml
from recorded.oereb_data import Estate, Theme
from recorded.oereb_xml import JAXB, PYRAMID, Dialect
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

CLIENT_URL = "https://geo.so.ch/map/?oereb_egrid={egrid}"
JSON_CANTON_CLIENT_URL = "https://map.example/oereb/{egrid}"
_PRODUCED = ("application/xml", "application/pdf")


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


def routes() -> list[Route]:
    return [
        Route(f"{prefix}/{function}/{{format}}{slash}", handler)
        for prefix, handlers in (("/api/oereb", _SOLOTHURN), ("/json-canton/oereb", _JSON_CANTON))
        for function, handler in handlers.items()
        for slash in ("/", "")
    ]


Parameters = Mapping[str, str]


class _NotUnderstood(Exception):
    """The message of a 400 or 500."""


def _solothurn(answer: Callable[[Request, Parameters, OerebOptions], Response]) -> Any:
    """Whatever goes wrong is an exception in Java, and so a 500."""

    async def handle(request: Request) -> Response:
        try:
            return answer(request, dict(request.query_params), request.app.state.options.oereb)
        except (_NotUnderstood, ValueError):
            path = request.url.path
            problem = {"timestamp": "2026-11-20T14:09:10.000+00:00", "status": 500, "path": path}
            return JSONResponse({**problem, "error": "Internal Server Error"}, 500)

    return handle


def _json_canton(answer: Callable[[Request, Parameters, OerebOptions], Response]) -> Any:
    async def handle(request: Request) -> Response:
        params = {name.upper(): value for name, value in request.query_params.items()}
        try:
            return answer(request, params, request.app.state.options.oereb)
        except _NotUnderstood as problem:
            page = (
                f"<html><head><title>400 Bad Request</title></head><body><h1>400</h1>{problem}</body></html>"
            )
            return HTMLResponse(page, 400)
        except ValueError:
            return Response("could not convert string to float", 500, media_type="text/plain")

    return handle


def _found(params: Parameters) -> list[Estate]:
    """The kinds of questions in the order in which the implementations look for them."""
    if "IDENTDN" in params:
        return oereb_data.of_number(params["IDENTDN"], params.get("NUMBER", ""))
    if "EN" in params:
        east, _, north = params["EN"].partition(",")
        return oereb_data.at_point(float(east), float(north))
    if "POSTALCODE" in params:
        code, street = int(params["POSTALCODE"]), params.get("LOCALISATION", "")
        return oereb_data.of_address(code, street, params.get("NUMBER"))
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
    return _xml(oereb_xml.capabilities(oereb_data.THEMES, numbers, options.dialect, "2056"), options)


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
    return _xml(oereb_xml.extract(estate, options.dialect, geometry=_wants(params, "GEOMETRY")), options)


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


def _texts(german: str, french: str) -> list[dict[str, str]]:
    return [{"Language": "fr", "Text": french}, {"Language": "de", "Text": german}]


def _coded(theme: Theme) -> dict[str, object]:
    return {"Code": theme[0], "Text": _texts(theme[1], theme[2])}


def _limit(estate: Estate) -> dict[str, object]:
    return {"type": "MultiPolygon", "coordinates": estate.polygons, "crs": "EPSG:2056"}


def _jc_versions(request: Request, params: Parameters, options: OerebOptions) -> Response:
    endpoint = str(request.base_url.replace(path="/json-canton/oereb"))
    if _format_of(request, "xml", "json") == "xml":
        return _xml(oereb_xml.versions(endpoint), options)
    supported = {"version": "extract-2.0", "serviceEndpointBase": endpoint}
    return _json({"GetVersionsResponse": {"supportedVersion": [supported]}})


def _jc_capabilities(request: Request, params: Parameters, options: OerebOptions) -> Response:
    numbers = sorted({estate.bfs_number for estate in oereb_data.estates()})
    if _format_of(request, "xml", "json") == "xml":
        return _xml(oereb_xml.capabilities(oereb_data.THEMES, numbers, PYRAMID, "epsg:2056"), options)
    says = {"topic": [_coded(theme) for theme in oereb_data.THEMES], "municipality": numbers}
    more = {"flavour": ["REDUCED", "SIGNED"], "language": ["de", "fr"], "crs": ["epsg:2056"]}
    return _json({"GetCapabilitiesResponse": says | more})


def _jc_getegrid(request: Request, params: Parameters, options: OerebOptions) -> Response:
    wanted, geometry = _format_of(request, "xml", "json"), _wants(params, "GEOMETRY")
    found = _found(params)
    if not found:
        return Response(status_code=204)
    if wanted == "xml":
        return _xml(oereb_xml.egrids(found, PYRAMID, geometry=geometry), options)
    return _json(
        {
            "GetEGRIDResponse": [
                {
                    "egrid": estate.egrid,
                    "number": estate.number,
                    "identDN": estate.ident_dn,
                    "type": {"Code": estate.code, "Text": _texts(estate.kind, "Bien-fonds")},
                }
                | ({"limit": _limit(estate)} if geometry else {})
                for estate in found
            ]
        }
    )


def _jc_extract(request: Request, params: Parameters, options: OerebOptions) -> Response:
    wanted, geometry = _format_of(request, "xml", "json", "pdf", "url"), _wants(params, "GEOMETRY")
    if wanted == "pdf" and geometry:
        raise _NotUnderstood("Geometry is not available for format PDF.")
    if params.get("LANG", "de").lower() not in ("de", "fr"):
        raise _NotUnderstood("Requested language is not available.")
    if "EGRID" not in params:
        raise _NotUnderstood("Invalid parameters.")
    estate = oereb_data.of_egrid(params["EGRID"])
    if estate is None or (estate.egrid in options.unreleased and wanted != "url"):
        return Response(status_code=204)
    if wanted == "url":
        if not options.has_client:
            return Response("Missing configuration for redirect.", 500, media_type="text/plain")
        return Response(
            status_code=302, headers={"location": JSON_CANTON_CLIENT_URL.format(egrid=estate.egrid)}
        )
    if wanted == "pdf":
        return _pdf(estate)
    if wanted == "xml":
        return _xml(oereb_xml.extract(estate, PYRAMID, geometry=geometry), options)
    return _json({"GetExtractByIdResponse": {"extract": _extract(estate, geometry=geometry)}})


def _extract(estate: Estate, *, geometry: bool) -> dict[str, object]:
    real_estate = {
        "Type": {"Code": estate.code, "Text": _texts(estate.kind, "Bien-fonds")},
        "Canton": "SO",
        "MunicipalityName": estate.municipality,
        "MunicipalityCode": estate.bfs_number,
        "LandRegistryArea": estate.area_m2,
        "Number": estate.number,
        "IdentDN": estate.ident_dn,
        "EGRID": estate.egrid,
    }
    if estate.concerned:
        real_estate["RestrictionOnLandownership"] = [
            {"Theme": _coded(theme), "TypeCode": "1", "AreaShare": estate.area_m2, "PartInPercent": 100.0}
            for theme in estate.concerned
        ]
    return {
        "CreationDate": "2026-11-20T15:09:10",
        "ExtractIdentifier": "0a876e8a-0000-4000-8000-000000000001",
        "RealEstate": real_estate | ({"Limit": _limit(estate)} if geometry else {}),
        "ConcernedTheme": [_coded(theme) for theme in estate.concerned],
        "NotConcernedTheme": [_coded(theme) for theme in estate.not_concerned],
        "ThemeWithoutData": [],
    }


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
