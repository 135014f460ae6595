"""The XML of ÖREB web services, as two implementations write it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import dist
from xml.sax.saxutils import escape

from recorded.oereb_data import BIBERIST_2084, Estate, Theme

from tools_oereb.geometry import Polygon, Ring

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
    """The type in GetEGRID as the text of a Python structure."""
    languages: tuple[str, ...] = ("de",)


JAXB = Dialect("ns5:", "ns3:", "ns1:")
"""As geo.so.ch writes today; another build of the same program may number its prefixes differently."""
JAXB_RENUMBERED = Dialect("ns2:", "ns5:", "ns3:")
UNPREFIXED = Dialect("", "data:", "geom:")
PYRAMID = Dialect(
    "extract:", "data:", "geometry:", one_surface=True, type_as_text=True, languages=("fr", "de")
)


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


def extract(estate: Estate, dialect: Dialect, *, geometry: bool) -> str:
    d = dialect.data
    limit = f"<{d}Limit>{_surfaces(estate, dialect)}</{d}Limit>" if geometry else ""
    body = (
        f"<{d}Extract><{d}CreationDate>2026-11-20T15:09:10</{d}CreationDate>"
        f"{_themes('ConcernedTheme', estate.concerned, dialect)}"
        f"{_themes('NotConcernedTheme', estate.not_concerned, dialect)}"
        f"<{d}ExtractIdentifier>0a876e8a-0000-4000-8000-000000000001</{d}ExtractIdentifier>"
        f"<{d}RealEstate><{d}Number>{escape(estate.number)}</{d}Number>"
        f"<{d}IdentDN>{estate.ident_dn}</{d}IdentDN><{d}EGRID>{estate.egrid}</{d}EGRID>"
        f"<{d}Type>{_coded(estate.code, estate.kind, dialect)}</{d}Type><{d}Canton>SO</{d}Canton>"
        f"<{d}MunicipalityName>{escape(estate.municipality)}</{d}MunicipalityName>"
        f"<{d}MunicipalityCode>{estate.bfs_number}</{d}MunicipalityCode>"
        f"<{d}LandRegistryArea>{estate.area_m2}</{d}LandRegistryArea>{limit}"
        f"{''.join(_restriction(theme, estate, dialect) for theme in estate.concerned)}"
        f"</{d}RealEstate></{d}Extract>"
    )
    return _document("GetExtractByIdResponse", body, dialect)


def capabilities(themes: Sequence[Theme], bfs_numbers: Iterable[int], dialect: Dialect, crs: str) -> str:
    x = dialect.extract
    topics = "".join(f"<{x}topic>{_theme(theme, dialect)}</{x}topic>" for theme in themes)
    places = "".join(f"<{x}municipality>{number}</{x}municipality>" for number in bfs_numbers)
    rest = f"<{x}flavour>REDUCED</{x}flavour><{x}language>de</{x}language><{x}crs>{crs}</{x}crs>"
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


def _themes(name: str, themes: Iterable[Theme], dialect: Dialect) -> str:
    d = dialect.data
    return "".join(f"<{d}{name}>{_theme(theme, dialect)}</{d}{name}>" for theme in themes)


def _theme(theme: Theme, dialect: Dialect) -> str:
    return f"<{dialect.data}Code>{theme[0]}</{dialect.data}Code>{_texts(theme[1], theme[2], dialect)}"


def _restriction(theme: Theme, estate: Estate, dialect: Dialect) -> str:
    d, law = dialect.data, _coded("inForce", "Rechtskräftig", dialect)
    return (
        f"<{d}RestrictionOnLandownership><{d}Theme>{_theme(theme, dialect)}</{d}Theme>"
        f"<{d}TypeCode>1</{d}TypeCode><{d}Lawstatus>{law}</{d}Lawstatus>"
        f"<{d}AreaShare>{estate.area_m2}</{d}AreaShare></{d}RestrictionOnLandownership>"
    )


def _coded(code: str, german: str, dialect: Dialect) -> str:
    return f"<{dialect.data}Code>{code}</{dialect.data}Code>{_texts(german, german, dialect)}"


def _texts(german: str, french: str, dialect: Dialect) -> str:
    d, by_language = dialect.data, {"de": german, "fr": french}
    texts = "".join(
        f"<{d}LocalisedText><{d}Language>{language}</{d}Language>"
        f"<{d}Text>{escape(by_language[language])}</{d}Text></{d}LocalisedText>"
        for language in dialect.languages
    )
    return f"<{d}Text>{texts}</{d}Text>"


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
