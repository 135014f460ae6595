"""A named place as the sources write it, and as an item."""

import re
from dataclasses import dataclass

from contracts.items import Coord, Extent, Municipality, Place, Provenance
from german.words import words

from tools_geo.labels import KINDS_OF_PLACES
from tools_geo.live.canton_search import Feature
from tools_geo.live.federal import Location
from tools_geo.spelling import place_key
from tools_geo.texts import text

_ENDING = re.compile(r"\([^()]*+\)$")
_SIGN = re.compile(r"\(([A-Z]{2})\)$")
_CODE_AND_NAME = re.compile(r"(\d{4})\s*-\s*(.+)")
_SIGN_AND_MUNICIPALITY = re.compile(r"(?:\(([A-Z]{2})\))?\s*(?:-\s*(.+))?")


@dataclass(frozen=True)
class Facets:
    """The facets of a canton's search; an empty one is not searched."""

    municipalities: str
    districts: str
    field_names: str


@dataclass(frozen=True)
class Named:
    """A named place, how close it comes to what was asked for (0 to 1), and where it is from."""

    id: str
    name: str
    kind: str
    """canton, district, municipality, locality, field_name, or named (with a description)."""
    coord: Coord | None
    extent: Extent | None
    bfs_number: int | None = None
    municipality: str = ""
    canton: str = ""
    """Its sign, e.g. `BE`."""
    postal_code: str = ""
    description: str = ""
    closeness: float = 0.0
    origin: Provenance | None = None

    @property
    def area(self) -> frozenset[str]:
        """Folded words for where it lies."""
        return frozenset(words(f"{self.municipality} {self.canton}"))


def of_canton(feature: Feature, facets: Facets) -> Named | None:
    """`Grenchen | 2546 (Gemeinde)`, `Name: Thal (Bezirk)`, `Allmend, Grenchen (Flurname)`."""
    display = _ENDING.sub("", feature.display.strip()).strip()
    where = feature.coord, feature.extent
    if feature.dataproduct_id == facets.municipalities:
        name, _, number = (part.strip() for part in display.partition("|"))
        if not number.isdecimal():
            return None
        return Named(number, name, "municipality", *where, bfs_number=int(number))
    if feature.dataproduct_id == facets.districts:
        return Named(feature.feature_id, display.removeprefix("Name:").strip(), "district", *where)
    name, _, municipality = (part.strip() for part in display.rpartition(","))
    return Named(feature.feature_id, name or municipality, "field_name", *where, municipality=municipality)


def of_federation(location: Location) -> Named | None:
    """Of the origins gg25, district, kantone, zipcode and gazetteer."""
    identity = location.feature_id or location.id
    where = location.coord, location.extent
    sign = _SIGN.search(location.name.strip())
    name, canton = (
        (location.name, "") if sign is None else (_SIGN.sub("", location.name.strip()).rstrip(), sign[1])
    )
    match location.origin:
        case "gg25" if location.feature_id.isdecimal():
            return Named(identity, name, "municipality", *where, bfs_number=int(identity), canton=canton)
        case "district" | "kantone" as origin:
            return Named(identity, name, "district" if origin == "district" else "canton", *where)
        case "zipcode" if code := _CODE_AND_NAME.fullmatch(location.name):
            identity = "-".join((code[1], *words(code[2])))
            return Named(identity, code[2], "locality", *where, postal_code=code[1])
        case "gazetteer":
            area = _SIGN_AND_MUNICIPALITY.fullmatch(location.after)
            return Named(
                identity,
                location.name,
                "named",
                *where,
                canton=(area[1] or "") if area else "",
                municipality=(area[2] or "") if area else "",
                description=location.kind,
            )
    return None


def as_municipality(named: Named) -> Municipality | Place:
    if named.kind != "municipality" or named.bfs_number is None:
        return as_place(named)
    return Municipality(
        id=named.id,
        label=text("label_municipality", name=_spoken(named)),
        name=named.name,
        bfs_number=named.bfs_number,
        coord=named.coord,
        extent=named.extent,
        confidence=round(named.closeness, 2),
        provenance=named.origin,
    )


def as_place(named: Named) -> Place:
    name = _spoken(named)
    if named.kind in ("district", "canton"):
        name = text(f"label_{named.kind}_named", name=name)
    if named.municipality and place_key(named.municipality) != place_key(named.name):
        name = text("label_place_in", name=name, municipality=named.municipality)
    return Place(
        id=named.id,
        label=name,
        kind=named.description or KINDS_OF_PLACES[named.kind],
        coord=named.coord,
        extent=named.extent,
        confidence=round(named.closeness, 2),
        provenance=named.origin,
    )


def _spoken(named: Named) -> str:
    """`Büren SO`: without brackets, as labels have brackets of their own."""
    name = named.name.replace("(", "").replace(")", "")
    return f"{name} {named.canton}" if named.canton and not name.endswith(f" {named.canton}") else name
