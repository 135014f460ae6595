"""Extracts of the federal directive as documents: where what is, and geometries as PostGIS reads them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement, parse

from swissgeo.lv95 import Point
from swissgeo.outlines import Polygon

from tools_oereb.formats import interlis

_DATA = "{http://schemas.geo.admin.ch/V_D/OeREB/2.0/ExtractData}"
THEME_LISTS = ("ConcernedTheme", "NotConcernedTheme", "ThemeWithoutData")

_SRID = 2056
_FIRST_MADE_UP = 9_000
"""Higher than any number of a municipality."""

Texts = dict[str, str]
"""By language."""


def parts(element: Element, name: str) -> list[Element]:
    return element.findall(f"{_DATA}{name}")


def at(element: Element, path: str) -> Element:
    """An element that has to be there; `path` without namespaces."""
    found = element.find("/".join(f"{_DATA}{name}" for name in path.split("/")))
    assert found is not None, f"no {path} in {element.tag}"
    return found


def word(element: Element, path: str) -> str | None:
    text = element.findtext("/".join(f"{_DATA}{name}" for name in path.split("/")))
    return text.strip() if text and text.strip() else None


def texts(element: Element | None) -> Texts | None:
    if element is None:
        return None
    found = {
        word(text, "Language") or "de": word(text, "Text") or ""
        for text in element.iter(f"{_DATA}LocalisedText")
    }
    return found or None


def texts_at(element: Element, name: str) -> Texts | None:
    return texts(element.find(f"{_DATA}{name}"))


@dataclass(frozen=True)
class Extract:
    """The document of one parcel."""

    root: Element
    bfs_number: int
    """Of its municipality; made up for a parcel with gaps that are not those of all parcels there."""

    @property
    def estate(self) -> Element:
        return at(self.root, "RealEstate")

    @property
    def egrid(self) -> str:
        return word(self.estate, "EGRID") or ""

    @cached_property
    def limit(self) -> list[Polygon]:
        return interlis.surfaces_in(at(self.estate, "Limit"))

    def themes(self, *names: str) -> Iterator[Element]:
        for name in names:
            yield from parts(self.root, name)

    def codes(self, name: str) -> set[str]:
        return {word(theme, "Code") or "" for theme in parts(self.root, name)}

    @property
    def languages(self) -> set[str]:
        return {text.text or "" for text in self.root.iter(f"{_DATA}Language")}

    @property
    def is_released(self) -> bool:
        return bool(self.codes("ConcernedTheme") or self.codes("NotConcernedTheme"))

    @property
    def authority(self) -> dict[str, Any]:
        office = at(self.root, "PLRCadastreAuthority")
        return {"name": texts_at(office, "Name"), "office_at_web": texts_at(office, "OfficeAtWeb")}

    @property
    def restrictions(self) -> list[Element]:
        return parts(self.estate, "RestrictionOnLandownership")


def read(paths: Iterable[Path]) -> list[Extract]:
    found: list[Extract] = []
    gaps: dict[int, set[str]] = {}
    for path in sorted(paths):
        root = parse(path).getroot().find(f"{_DATA}Extract")
        assert root is not None, path
        extract = Extract(root, int(word(root, "RealEstate/MunicipalityCode") or 0))
        without_data = extract.codes("ThemeWithoutData")
        if gaps.setdefault(extract.bfs_number, without_data) != without_data:
            extract = Extract(root, _FIRST_MADE_UP + len(found))
        found.append(extract)
    return found


def theme_codes(extracts: Sequence[Extract]) -> list[str]:
    """All themes in the order in which extracts have them."""
    return list(
        dict.fromkeys(
            code for each in extracts for theme in each.themes(*THEME_LISTS) if (code := word(theme, "Code"))
        )
    )


def wkt(polygons: Sequence[Polygon]) -> str:
    """A multipolygon in the coordinate system of the tables."""
    written = (
        "(" + ",".join("(" + ",".join(f"{e} {n}" for e, n in ring) + ")" for ring in polygon) + ")"
        for polygon in polygons
    )
    return f"SRID={_SRID};MULTIPOLYGON({','.join(written)})"


def geometry_of(element: Element) -> str | None:
    """That of a restriction: its type lies directly in its element, without a surface or polyline around."""
    for part in element:
        match part.tag.removeprefix(_DATA):
            case "Surface":
                surface = Element(f"{interlis.NAMESPACE}surface")
                surface.extend(part)
                wrapper = Element("wrapper")
                wrapper.append(surface)
                return wkt(interlis.surfaces_in(wrapper))
            case "Line":
                return f"SRID={_SRID};LINESTRING({','.join(f'{e} {n}' for e, n in _line(part))})"
            case "Point":
                c1, c2 = (part.findtext(f"{interlis.NAMESPACE}{name}") for name in ("c1", "c2"))
                return f"SRID={_SRID};POINT({c1} {c2})"
    return None


def _line(element: Element) -> list[Point]:
    wrapper = Element("wrapper")
    exterior = SubElement(
        SubElement(wrapper, f"{interlis.NAMESPACE}surface"), f"{interlis.NAMESPACE}exterior"
    )
    SubElement(exterior, f"{interlis.NAMESPACE}polyline").extend(element)
    return interlis.surfaces_in(wrapper)[0][0]
