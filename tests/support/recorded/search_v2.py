"""The full-text search of geo.so.ch, `/api/search/v2/`, as either of its back ends answers.

Signs that mean something to the functions of a database that search are errors in words.
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

from recorded import data
from recorded.data import Box
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from swissgeo.outlines import extent_of, polygons_of

from tools_geo.embedded.datafiles import AddressRow, LocalityRow
from tools_geo.layers.catalogue import Service

ADDRESSES = "ch.so.agi.av.gebaeudeadressen.gebaeudeeingaenge"
MUNICIPALITIES = "ch.so.agi.gemeindegrenzen"
DISTRICTS = "ch.so.agi.bezirksgrenzen"
FIELD_NAMES = "ch.so.agi.av.nomenklatur.flurnamen"
PARCELS = "ch.so.agi.av.grundstuecke.rechtskraeftig"
FOREGROUND = "foreground"
BACKGROUND = "background"

_FILTERWORDS = {
    "Adresse": ADDRESSES,
    "Gemeinde": MUNICIPALITIES,
    "Bezirk": DISTRICTS,
    "Flurname": FIELD_NAMES,
    "Grundstück": PARCELS,
    "Karte": FOREGROUND,
    "Hintergrundkarte": BACKGROUND,
}
_MAPS = (FOREGROUND, BACKGROUND)
Hit = tuple[str, dict[str, Any]]
"""(facet, entry)"""
_FILTERWORD = re.compile(r"^([\w.]+):")
_SEPARATORS = re.compile(r"[\s,.:;\"]+")
_BREAKING = re.compile(r"[\\'|&!<>()%_*?~^+\[\]{}]")
_DEFAULT_LIMIT = _FACET_LIMIT = 50


def routes() -> list[Route]:
    # In this order: what lacks the slash is redirected.
    return [Route("/api/search/v2/", _search), Route("/api/search/v2", _redirect)]


async def _redirect(request: Request) -> Response:
    return Response(status_code=308, headers={"location": f"{request.url.replace(path='/api/search/v2/')}"})


async def _search(request: Request) -> Response:
    text = request.query_params.get("searchtext", "")
    if not text:
        return JSONResponse({"error": "Missing search string"})
    facets, words = _read(text, request.query_params.get("filter", ""))
    if any(map(_BREAKING.search, words)):
        return JSONResponse({"message": "Internal Server Error"}, 500)
    limit = request.query_params.get("limit", "")
    count = int(limit) if limit.isdecimal() and int(limit) > 0 else _DEFAULT_LIMIT
    return JSONResponse(_answer(facets, words, count, request.app.state.options))


def _read(text: str, filters: str) -> tuple[list[str], list[str]]:
    """The facets and the words; a word with a colon in front names a facet and replaces the filter."""
    facets = [facet for facet in filters.split(",") if facet] or list(_FILTERWORDS.values())
    if match := _FILTERWORD.match(text):
        named = _FILTERWORDS.get(match[1])
        facets, text = [named] if named else [], text[match.end() :]
    return facets, [word.casefold() for word in _SEPARATORS.split(text) if word]


def _answer(facets: list[str], words: list[str], limit: int, options: Any) -> dict[str, Any]:
    if not words:
        return {"results": [], "result_counts": []}
    hits = [
        (facet, entry)
        for facet, display, entry in _entries()
        if facet in facets and all(word in display.casefold() for word in words)
    ]
    hits.sort(key=lambda hit: hit[0] not in _MAPS)
    is_solr = options.search_backend == "solr"
    sent = hits[:limit] if is_solr else list(_capped(hits, limit))
    names = {facet: word for word, facet in _FILTERWORDS.items()}
    count_of = _count_of_solr if is_solr else _count_of_postgresql
    shown = Counter(facet for facet, _ in sent)
    counts = {facet: count_of(facet, n, shown[facet]) for facet, n in Counter(f for f, _ in hits).items()}
    return {
        "results": [_result(facet, entry, options) for facet, entry in sent],
        "result_counts": [
            {"count": count, "dataproduct_id": facet, "filterword": names[facet]}
            for facet, count in counts.items()
            if count != 0
        ],
    }


def _capped(hits: list[Hit], limit: int) -> Iterator[Hit]:
    """All layers; of the features `limit`, and of each facet no more than it ever sends."""
    features: Counter[str] = Counter()
    for facet, entry in hits:
        if facet in _MAPS:
            yield facet, entry
            continue
        features[facet] += 1
        if features.total() <= limit and features[facet] <= _FACET_LIMIT:
            yield facet, entry


def _count_of_postgresql(facet: str, found: int, shown: int) -> int:
    """It counts no further than to the limit of a facet."""
    del facet, shown
    return found if found < _FACET_LIMIT else -1


def _count_of_solr(facet: str, found: int, shown: int) -> int | None:
    """Layers that have all been sent are not counted, and of others the number is not known."""
    if facet in _MAPS:
        return 0 if found == shown else None
    return found


def _result(facet: str, entry: dict[str, Any], options: Any) -> dict[str, Any]:
    is_solr = options.search_backend == "solr"
    return _product(entry, options) if facet in _MAPS else _feature(entry, solr=is_solr)


def _feature(entry: dict[str, Any], *, solr: bool) -> dict[str, Any]:
    if solr:
        return {"feature": {**{k: v for k, v in entry.items() if k != "srid"}, "id_field_type": False}}
    return {"feature": {**entry, "feature_id": str(entry["feature_id"]), "id_field_type": False}}


def _product(entry: dict[str, Any], options: Any) -> dict[str, Any]:
    """The newer back end passes sublayers on as the index has them, and knows no facades."""
    members = entry.get("sublayers", ())
    if options.search_backend == "solr":
        kind = "datasetview" if not members else "layergroup"
        entry = {**entry, "type": "facadelayer" if entry["dataproduct_id"] in options.facades else kind}
        members = [{**member, "type": "datasetview"} for member in members]
    elif options.sublayers == "ident":
        members = [
            {
                "ident": member["dataproduct_id"],
                "display": member["display"],
                "subclass": "datasetview",
                "dset_info": member["dset_info"],
            }
            for member in members
        ]
    return {"dataproduct": {**entry, "sublayers": members} if members else entry}


@cache
def _entries() -> tuple[tuple[str, str, dict[str, Any]], ...]:
    """(facet, text that is searched, entry)."""
    return (*_features(), *_layers())


def _features() -> Iterator[tuple[str, str, dict[str, Any]]]:
    known = data.canton()
    names = {row.bfs_number: row.name for row in known.municipalities}
    for address in data.addresses():
        line = f"{address.street} {address.house_number or ''}".strip()
        display = f"{line}, {address.postal_code} {address.locality} (Adresse)"
        yield _row(ADDRESSES, address.id, display, _point(address))
    for area in known.municipalities:
        display = f"{area.name} | {area.bfs_number} (Gemeinde)"
        yield _row(MUNICIPALITIES, f"municipality {area.bfs_number}", display, data.box_of(area))
    for name, box in data.district_boxes():
        yield _row(DISTRICTS, f"district {name}", f"Name: {name} (Bezirk)", box)
    for place in known.localities:
        if place.name != names[place.bfs_number]:
            display = f"{place.name}, {names[place.bfs_number]} (Flurname)"
            yield _row(
                FIELD_NAMES, f"name {display}", display, (place.east, place.north, place.east, place.north)
            )
    for parcel in known.parcels:
        around = "" if parcel.land_register == parcel.municipality else f" [{parcel.municipality}]"
        box = extent_of(polygons_of(parcel.geometry))
        number = f"GB-Nr: {parcel.number} - {parcel.land_register}{around} ({parcel.kind})"
        yield _row(PARCELS, parcel.egrid, number, box)
        yield _row(PARCELS, f"{parcel.egrid} egrid", f"EGRID: {parcel.egrid} ({parcel.kind})", box)


def _point(row: AddressRow | LocalityRow) -> Box:
    return row.east, row.north, row.east, row.north


def _row(facet: str, identity: str, display: str, box: Box | None) -> tuple[str, str, dict[str, Any]]:
    entry = {
        "bbox": [round(side) for side in box] if box else None,
        "dataproduct_id": facet,
        "display": display,
        "feature_id": data.number_id(identity),
        "id_field_name": "t_id",
        "srid": "EPSG:2056" if box else None,
    }
    return facet, display, entry


def _layers() -> Iterator[tuple[str, str, dict[str, Any]]]:
    rows = data.canton().layers
    for row in rows:
        entry = {
            "dataproduct_id": row.id,
            "display": row.title,
            "type": "layergroup" if row.kind == "group" else "singleactor",
            "dset_info": True,
        }
        members = [
            {"dataproduct_id": m.id, "display": m.title, "type": "singleactor", "dset_info": True}
            for m in rows
            if m.group == row.id
        ]
        facet = BACKGROUND if row.service is Service.WMTS else FOREGROUND
        whole = {**entry, "stacktype": facet, **({"sublayers": members} if members else {})}
        yield facet, " ".join((row.title, *row.keywords)), whole
