"""The XML of ÖREB web services, as two implementations write it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import dist
from xml.sax.saxutils import escape

from contracts.oereb import ExtractContent, Theme
from recorded.oereb_data import BIBERIST_2084, Estate
from recorded.oereb_extracts import Said, Writer
from swissgeo.outlines import Polygon, Ring

_EXTRACT = "http://schemas.geo.admin.ch/V_D/OeREB/2.0/Extract"
_DATA = "http://schemas.geo.admin.ch/V_D/OeREB/2.0/ExtractData"
_VERSIONING = "http://schemas.geo.admin.ch/V_D/OeREB/1.0/Versioning"
_GEOMETRY = "http://www.interlis.ch/geometry/1.0"
_ARC_CHORD_M = 1.5
"""The sides of Biberist 2084 that are shorter are what is left of its arcs."""


@dataclass(frozen=True)
class Dialect:
    """What differs between implementations beside the prefixes (with their colon; empty: the default one)."""

    extract: str
    data: str
    geometry: str
    one_surface: bool = False
    """All parts of a parcel in one surface."""
    type_as_text: bool = False
    """The type in GetEGRID as the text of a Python structure: a defect of the first versions."""
    addresses_have_language: bool = False


JAXB = Dialect("ns5:", "ns3:", "ns1:")
"""As geo.so.ch writes today; another build of the same program may number its prefixes differently."""
JAXB_RENUMBERED = Dialect("ns2:", "ns5:", "ns3:")
UNPREFIXED = Dialect("", "data:", "geom:")
PYRAMID = Dialect("extract:", "data:", "geometry:", one_surface=True, addresses_have_language=True)
PYRAMID_AT_FIRST = replace(PYRAMID, type_as_text=True)


def egrids(found: Iterable[Estate], dialect: Dialect, *, geometry: bool) -> str:
    x = dialect.extract
    parts = []
    for estate in found:
        kind = _type_text(estate) if dialect.type_as_text else _coded(estate.code, estate.kind, dialect)
        parts.append(
            f"<{x}egrid>{estate.egrid}</{x}egrid><{x}number>{escape(estate.number)}</{x}number>"
            f"<{x}identDN>{estate.ident_dn}</{x}identDN><{x}type>{kind}</{x}type>"
        )
        if geometry:
            parts.append(f"<{x}limit>{_surfaces(estate, dialect)}</{x}limit>")
    return _document("GetEGRIDResponse", "".join(parts), dialect)


def extract(
    estate: Estate,
    content: ExtractContent,
    dialect: Dialect,
    *,
    geometry: bool,
    language: str = "de",
    symbols_url: str | None = None,
) -> str:
    writer = Writer(language, dialect.addresses_have_language, symbols_url)
    tree = writer.extract(estate, content, geometry=geometry)
    body = _element("Extract", tree, dialect.data, _surfaces(estate, dialect))
    return _document("GetExtractByIdResponse", body, dialect)


def _element(name: str, value: object, d: str, limit: str) -> str:
    if isinstance(value, Said):
        inner = "".join(_element("LocalisedText", each, d, limit) for each in value)
    elif isinstance(value, list):
        return "".join(_element(name, each, d, limit) for each in value)
    elif name == "Limit":
        inner = limit
    elif isinstance(value, dict):
        inner = "".join(_element(part, each, d, limit) for part, each in value.items())
    else:
        inner = escape(str(value))
    return f"<{d}{name}>{inner}</{d}{name}>"


def capabilities(
    themes: Iterable[Theme],
    bfs_numbers: Iterable[int],
    dialect: Dialect,
    crs: str,
    languages: Iterable[str] = ("de",),
) -> str:
    x = dialect.extract
    topics = "".join(f"<{x}topic>{_coded(each.code, each.title, dialect)}</{x}topic>" for each in themes)
    places = "".join(f"<{x}municipality>{number}</{x}municipality>" for number in bfs_numbers)
    spoken = "".join(f"<{x}language>{language}</{x}language>" for language in languages)
    rest = f"<{x}flavour>REDUCED</{x}flavour>{spoken}<{x}crs>{crs}</{x}crs>"
    return _document("GetCapabilitiesResponse", topics + places + rest, dialect)


def versions(endpoint: str | None) -> str:
    base = f"<serviceEndpointBase>{escape(endpoint)}</serviceEndpointBase>" if endpoint else ""
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><GetVersionsResponse xmlns="{_VERSIONING}"><supportedVersion>'
        f"<version>extract-2.0</version>{base}</supportedVersion></GetVersionsResponse>"
    )


def _document(root: str, body: str, dialect: Dialect) -> str:
    namespaces = ((dialect.extract, _EXTRACT), (dialect.data, _DATA), (dialect.geometry, _GEOMETRY))
    declared = " ".join(
        f'xmlns:{prefix[:-1]}="{uri}"' if prefix else f'xmlns="{uri}"' for prefix, uri in namespaces
    )
    x = dialect.extract
    return f'<?xml version="1.0" encoding="UTF-8"?><{x}{root} {declared}>{body}</{x}{root}>'


def _coded(code: str, german: str, dialect: Dialect) -> str:
    d = dialect.data
    said = f"<{d}Language>de</{d}Language><{d}Text>{escape(german)}</{d}Text>"
    text = f"<{d}Text><{d}LocalisedText>{said}</{d}LocalisedText></{d}Text>"
    return f"<{d}Code>{code}</{d}Code>{text}"


def _type_text(estate: Estate) -> str:
    texts = [{"Language": "fr", "Text": estate.kind}, {"Language": "de", "Text": estate.kind}]
    return escape(str({"Code": estate.code, "Text": texts}))


def _surfaces(estate: Estate, dialect: Dialect) -> str:
    g, with_arcs = dialect.geometry, estate.egrid == BIBERIST_2084
    parts = ["".join(_boundaries(polygon, g, with_arcs=with_arcs)) for polygon in estate.polygons]
    if dialect.one_surface:
        parts = ["".join(parts)]
    return "".join(f"<{g}surface>{part}</{g}surface>" for part in parts)


def _boundaries(polygon: Polygon, g: str, *, with_arcs: bool) -> Iterator[str]:
    for n, ring in enumerate(polygon):
        name = "interior" if n else "exterior"
        segments = "".join(_segments(ring, g, with_arcs=with_arcs))
        yield f"<{g}{name}><{g}polyline>{segments}</{g}polyline></{g}{name}>"


def _segments(ring: Ring, g: str, *, with_arcs: bool) -> Iterator[str]:
    yield _coordinate(ring[0], g)
    at = 1
    while at < len(ring):
        chords = [dist(a, b) for a, b in zip(ring[at - 1 : at + 1], ring[at : at + 2], strict=False)]
        if with_arcs and len(chords) == 2 and max(chords) < _ARC_CHORD_M:
            (a1, a2), (c1, c2) = ring[at], ring[at + 1]
            yield (
                f"<{g}arc><{g}c1>{c1}</{g}c1><{g}c2>{c2}</{g}c2>"
                f"<{g}a1>{a1}</{g}a1><{g}a2>{a2}</{g}a2></{g}arc>"
            )
            at += 2
        else:
            yield _coordinate(ring[at], g)
            at += 1


def _coordinate(point: tuple[float, float], g: str) -> str:
    return f"<{g}coord><{g}c1>{point[0]}</{g}c1><{g}c2>{point[1]}</{g}c2></{g}coord>"
