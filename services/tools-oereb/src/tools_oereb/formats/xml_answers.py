"""The XML of the web service. Prefixes differ between servers: names are matched with their namespace."""

from collections.abc import Iterator
from itertools import islice
from xml.etree.ElementTree import Element

from servicekit.errors import SourceError, SourceErrorKind
from servicekit.xml import parse_xml
from swissgeo.outlines import Polygon

from tools_oereb.formats import estates
from tools_oereb.formats.extracts import ReadExtract, read_extract
from tools_oereb.formats.interlis import surfaces_in
from tools_oereb.formats.parts import LocalisedText, Part
from tools_oereb.real_estate import RealEstate

CONTENT_TYPES = ("application/xml", "text/xml")
_EXTRACT = "{http://schemas.geo.admin.ch/V_D/OeREB/2.0/Extract}"
_DATA = "{http://schemas.geo.admin.ch/V_D/OeREB/2.0/ExtractData}"
_FIRST_OF_RECORD = f"{_EXTRACT}egrid"
_ONCE_IN_RECORD = f"{_EXTRACT}number"


class _XmlPart(Part):
    def __init__(self, element: Element, languages: tuple[str, ...], namespace: str = _DATA) -> None:
        self._element = element
        self._namespace = namespace
        self.languages = languages

    def parts(self, name: str) -> list[Part]:
        return [_XmlPart(element, self.languages) for element in self._named(name)]

    def texts(self, name: str) -> list[list[LocalisedText]]:
        return [_localised(element) or [(None, element.text)] for element in self._named(name)]

    def polygons(self, name: str) -> list[Polygon]:
        return [polygon for element in self._named(name) for polygon in surfaces_in(element)]

    def _named(self, name: str) -> list[Element]:
        return self._element.findall(f"{self._namespace}{name}")


def real_estates(body: bytes, source: str, *languages: str) -> tuple[RealEstate, ...]:
    """The parcels of a GetEGRID answer. Raises `SourceError` (UNREADABLE)."""
    root = _root(body, source, "GetEGRIDResponse")
    records = (_XmlPart(record, languages, _EXTRACT) for record in islice(_records(root), estates.MAX_FOUND))
    found = (estates.found(record) for record in records)
    return tuple(estate for estate in found if estate is not None)


def extract(body: bytes, source: str, *languages: str) -> ReadExtract:
    """The value of a GetExtractById answer. Raises `SourceError` (UNREADABLE)."""
    root = _root(body, source, "GetExtractByIdResponse")
    return read_extract(_XmlPart(root, languages).part("Extract"), source)


def _root(body: bytes, source: str, name: str) -> Element:
    root = parse_xml(body, source)
    if root.tag != f"{_EXTRACT}{name}":
        raise SourceError(SourceErrorKind.UNREADABLE, source)
    return root


def _records(root: Element) -> Iterator[Element]:
    """The answer is one flat sequence: egrid, number, identDN, type, limit, egrid, number, ...

    A record without EGRID begins with its number.
    """
    record = Element("record")
    for element in root:
        is_second = element.tag == _ONCE_IN_RECORD and record.find(_ONCE_IN_RECORD) is not None
        if is_second or (element.tag == _FIRST_OF_RECORD and len(record)):
            yield record
            record = Element("record")
        record.append(element)
    if len(record):
        yield record


def _localised(element: Element) -> list[LocalisedText]:
    return [
        (text.findtext(f"{_DATA}Language"), text.findtext(f"{_DATA}Text"))
        for text in element.iterfind(f"{_DATA}LocalisedText")
    ]
