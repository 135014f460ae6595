"""The XML of the web service. Prefixes differ between servers: names are matched with their namespace."""

from collections.abc import Iterator
from itertools import islice
from xml.etree.ElementTree import Element

from servicekit.errors import SourceError, SourceErrorKind
from servicekit.outbound import Answer
from servicekit.xml import parse_xml

from tools_oereb.geometry import Polygon
from tools_oereb.live.interlis import surfaces_in
from tools_oereb.live.reading import (
    ExtractFacts,
    LocalisedText,
    compact_egrid,
    each_once,
    in_german,
    real_estate,
)
from tools_oereb.real_estate import RealEstate

CONTENT_TYPES = ("application/xml", "text/xml")
_EXTRACT = "{http://schemas.geo.admin.ch/V_D/OeREB/2.0/Extract}"
_DATA = "{http://schemas.geo.admin.ch/V_D/OeREB/2.0/ExtractData}"
_FIRST_OF_RECORD = f"{_EXTRACT}egrid"
_MAX_FOUND = 100
"""At one point are a parcel and a few rights; who sends thousands only keeps us busy."""


def real_estates(answer: Answer) -> tuple[RealEstate, ...]:
    """The parcels of a GetEGRID answer. Raises `SourceError` (UNREADABLE)."""
    root = _root(answer, f"{_EXTRACT}GetEGRIDResponse")
    found = (_real_estate(record) for record in islice(_records(root), _MAX_FOUND))
    return tuple(estate for estate in found if estate is not None)


def extract_facts(answer: Answer) -> ExtractFacts:
    """The first page of an extract. Raises `SourceError` (UNREADABLE)."""
    extract = _root(answer, f"{_EXTRACT}GetExtractByIdResponse").find(f"{_DATA}Extract")
    estate = extract.find(f"{_DATA}RealEstate") if extract is not None else None
    egrid = compact_egrid(_text(estate, "EGRID"))
    if extract is None or estate is None or egrid is None:
        raise SourceError(SourceErrorKind.UNREADABLE, answer.source)
    return ExtractFacts(
        egrid=egrid,
        number=_text(estate, "Number"),
        ident_dn=_text(estate, "IdentDN"),
        municipality=_text(estate, "MunicipalityName"),
        area_m2=_number(_text(estate, "LandRegistryArea")),
        concerned_themes=each_once(
            in_german(_localised(theme)) for theme in extract.iterfind(f"{_DATA}ConcernedTheme")
        ),
    )


def _root(answer: Answer, name: str) -> Element:
    root = parse_xml(answer.body, answer.source)
    if root.tag != name:
        raise SourceError(SourceErrorKind.UNREADABLE, answer.source)
    return root


def _records(root: Element) -> Iterator[dict[str, Element]]:
    """The answer is one flat sequence: egrid, number, identDN, type, limit, egrid, number, ..."""
    record: dict[str, Element] = {}
    for element in root:
        if element.tag == _FIRST_OF_RECORD and record:
            yield record
            record = {}
        record[element.tag] = element
    if record:
        yield record


def _real_estate(record: dict[str, Element]) -> RealEstate | None:
    kind = record.get(f"{_EXTRACT}type")
    code = _text(kind, "Code") or (kind.text if kind is not None else None)
    return real_estate(
        egrid=_own_text(record.get(f"{_EXTRACT}egrid")),
        number=_own_text(record.get(f"{_EXTRACT}number")),
        code=code,
        kinds=_localised(kind),
        polygons=_polygons(record.get(f"{_EXTRACT}limit")),
    )


def _polygons(limit: Element | None) -> list[Polygon]:
    """An outline that cannot be read costs the outline, not the parcel."""
    try:
        return surfaces_in(limit) if limit is not None else []
    except ValueError:
        return []


def _localised(element: Element | None) -> Iterator[LocalisedText]:
    if element is not None:
        for text in element.iterfind(f"{_DATA}Text/{_DATA}LocalisedText"):
            yield _text(text, "Language"), _text(text, "Text")


def _text(element: Element | None, name: str) -> str | None:
    return _own_text(element.find(f"{_DATA}{name}")) if element is not None else None


def _own_text(element: Element | None) -> str | None:
    return (element.text or "").strip() or None if element is not None else None


def _number(text: str | None) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        return None
