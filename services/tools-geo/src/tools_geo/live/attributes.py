"""What services say of a feature, as users read it: without keys and shapes, plain, and of bounded length."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from contracts.items import Attribute
from contracts.markdown import line

from tools_geo.live.markup import read_html
from tools_geo.texts import text

MAX_ATTRIBUTES = 40
_MAX_VALUE_CHARS, _MAX_NAME_CHARS = 300, 60
_MAX_READ_CHARS = 5_000
_TECHNICAL = frozenset(
    {
        *("fid", "gid", "oid", "pk", "id", "ogc_fid", "globalid", "global_id", "uuid", "guid", "bbox"),
        *("boundedby", "maptip", "htmlcontent", "geom", "geometry", "geometrie", "geometria", "the_geom"),
        *("wkb_geometry", "wkt", "shape", "objectid"),
    }
)
"""Keys of databases, and geometries."""
_TECHNICAL_BEGINNINGS = ("t_", "objectid_", "geom_", "shape_", "st_area", "st_length", "st_perimeter")
_TECHNICAL_ENDINGS = ("_tid", "_fk", "_uuid", "_guid", "_geom", "_geometrie")
_UNIT = re.compile(r"[\[(]\s*+(m|m2|m²|m3|m³|km|km2|km²|ha|a|%|l/s|l/min|m3/h|m³/h|CHF|dB|dBA)\s*+[\])]$")
_UNIT_AT_END = re.compile(r"_(m|m2|km|km2|ha|chf)$", re.IGNORECASE)
_WRITTEN = {"m2": "m²", "km2": "km²", "m3": "m³", "m3/h": "m³/h", "chf": "CHF"}
_TEXT_OF = "_txt"
"""A column with this ending says in words what the one without it says as a code."""
_LABELS = ("name", "bezeichnung", "objektname", "titel", "title", "flurname", "strasse", "label")
_NUMBERS = ("nummer", "nr", "objektnummer", "kennung", "number")


def told(values: Mapping[str, Any], names: Mapping[str, str] | None = None) -> tuple[Attribute, ...]:
    """Attributes in their order. `names` are what readers call them, where the service says so."""
    known = _told(values, names or {})
    return tuple(attribute for _, attribute in zip(range(MAX_ATTRIBUTES), known, strict=False))


def label_of(attributes: Iterable[Attribute], layer: str) -> str:
    """The name of a feature; without one, its layer and its number."""
    by_name = {each.name.casefold(): str(each.value) for each in attributes}
    if name := next(filter(None, map(by_name.get, _LABELS)), None):
        return name
    number = next(filter(None, map(by_name.get, _NUMBERS)), None)
    return f"{layer} {number}" if number else layer


def _told(values: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[Attribute]:
    for column, value in values.items():
        if _is_technical(column.casefold()) or f"{column}{_TEXT_OF}" in values:
            continue
        said = _value(value)
        name, unit = _named(column, names.get(column, column))
        if said not in (None, "") and name:
            yield Attribute(name=name, value=said, unit=unit)


def _is_technical(column: str) -> bool:
    return (
        column in _TECHNICAL
        or column.startswith(_TECHNICAL_BEGINNINGS)
        or column.endswith(_TECHNICAL_ENDINGS)
    )


def _value(value: Any) -> str | int | float | None:
    match value:
        case bool():
            return text("value_yes" if value else "value_no")
        case int() | float():
            return value
        case str():
            return _plain(value)
        case list():
            return _plain(", ".join(each for each in value if isinstance(each, str)))
        case _:
            return None


def _plain(said: str) -> str:
    said = said[:_MAX_READ_CHARS]
    return line(read_html(said)[0] if "<" in said or "&" in said else said, _MAX_VALUE_CHARS)


def _named(column: str, name: str) -> tuple[str, str | None]:
    """Without its unit, and the unit. What is only the name of a column is made a word."""
    unit = _UNIT.search(name) or (_UNIT_AT_END.search(name) if name.casefold() == column.casefold() else None)
    if unit:
        name = name[: unit.start()].rstrip()
    if name.isidentifier() and name == name.lower():
        name = name.removesuffix(_TEXT_OF).replace("_", " ").strip()
        name = name[:1].upper() + name[1:]
    return line(name, _MAX_NAME_CHARS), unit and _WRITTEN.get(unit[1].lower(), unit[1])
