"""The JSON of the web service, which some cantons offer beside the XML."""

from collections.abc import Mapping
from typing import Any

from servicekit.answers import parse_json
from servicekit.errors import SourceError, SourceErrorKind
from swissgeo.outlines import Polygon, polygons_of

from tools_oereb.formats import estates
from tools_oereb.formats.extracts import ReadExtract, read_extract
from tools_oereb.formats.parts import Broken, LocalisedText, Part
from tools_oereb.real_estate import RealEstate

CONTENT_TYPES = ("application/json",)


class _JsonPart(Part):
    def __init__(self, value: Mapping[str, Any], languages: tuple[str, ...]) -> None:
        self._value = value
        self.languages = languages

    def parts(self, name: str) -> list[Part]:
        values = _listed(self._value.get(name))
        if not all(isinstance(value, dict) for value in values):
            raise Broken(f"{name} is no object")
        return [_JsonPart(value, self.languages) for value in values]

    def texts(self, name: str) -> list[list[LocalisedText]]:
        """A text in several languages is a list of them; several such texts are a list of lists."""
        values = _listed(self._value.get(name))
        if values and all(isinstance(value, dict) for value in values):
            values = [values]
        return [_localised(value) for value in values]

    def polygons(self, name: str) -> list[Polygon]:
        limit = self._value.get(name)
        if not isinstance(limit, dict) or "2056" not in str(limit.get("crs", "2056")):
            raise ValueError("no geometry in LV95")
        return polygons_of(limit)


def real_estates(body: bytes, source: str, *languages: str) -> tuple[RealEstate, ...]:
    """The parcels of a GetEGRID answer. Raises `SourceError` (UNREADABLE)."""
    root = _root(body, source, "GetEGRIDResponse", *languages)
    try:
        records = root.parts("GetEGRIDResponse")[: estates.MAX_FOUND]
    except Broken:
        raise SourceError(SourceErrorKind.UNREADABLE, source) from None
    found = (estates.found(record) for record in records)
    return tuple(estate for estate in found if estate is not None)


def extract(body: bytes, source: str, *languages: str) -> ReadExtract:
    """The value of a GetExtractById answer. Raises `SourceError` (UNREADABLE)."""
    response = _root(body, source, "GetExtractByIdResponse", *languages).part("GetExtractByIdResponse")
    return read_extract(response and response.part("extract"), source)


def _root(body: bytes, source: str, name: str, *languages: str) -> _JsonPart:
    document = parse_json(body, source)
    if not isinstance(document, dict) or document.get(name) is None:
        raise SourceError(SourceErrorKind.UNREADABLE, source)
    return _JsonPart(document, languages)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _localised(value: Any) -> list[LocalisedText]:
    """What has no language is said in none. Numbers of parcels have been seen as JSON numbers."""
    return [
        (_said(each.get("Language")), _said(each.get("Text")))
        if isinstance(each, dict)
        else (None, _said(each))
        for each in _listed(value)
    ]


def _said(value: Any) -> str | None:
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else None
