"""Municipalities and localities from the index."""

import sqlite3
from collections.abc import Iterable

from contracts.items import Coord, Extent, Municipality, Place
from german.words import words

from tools_geo.embedded.datafiles import About
from tools_geo.embedded.index import HILL
from tools_geo.embedded.names import Closeness, Name, Names
from tools_geo.embedded.sources import Origin
from tools_geo.gateways import Found, Remark
from tools_geo.labels import KINDS_OF_PLACES
from tools_geo.name_query import NameQuery, name_query
from tools_geo.spelling import place_key
from tools_geo.texts import text

_CANTON = ("kanton", "canton")
_DISTRICT = "bezirk"
_CANTON_MARGIN_M = 4_000
"""The points of the localities are inside of the canton; its border is about this far from the outermost."""
_DISTRICT_MARGIN_M = 2_000
"""The same for a district."""

_EXTENT = """
SELECT min(l.east), min(l.north), max(l.east), max(l.north)
FROM locality l JOIN municipality m ON m.bfs = l.bfs WHERE ? IN (m.district, '')
"""

_LOCALITY = """
SELECT l.*, m.name AS municipality, m.key AS municipality_key
FROM locality l LEFT JOIN municipality m ON m.bfs = l.bfs WHERE l.id = ?
"""


class EmbeddedPlaces:
    def __init__(
        self, db: sqlite3.Connection, names: Names, *, limit: int, about: About, origin: Origin
    ) -> None:
        self._db = db
        self._names = names
        self._limit = limit
        self._origin = origin
        self._canton_name = about.canton
        called = ((), words(about.canton), words(about.abbreviation))
        self._own_canton = {(canton, *name) for canton in _CANTON for name in called}
        named = db.execute("SELECT DISTINCT district FROM municipality WHERE district <> ''")
        self._districts = {place_key(row["district"]): row["district"] for row in named}

    async def municipalities(self, query: str) -> Found[Municipality | Place]:
        hits = self._search(query)
        municipalities = [name for name in hits if name.kind == "municipality"]
        if municipalities and hits[0].closeness is not Closeness.SHORT:
            hits = municipalities
        elif municipalities:
            hits = [*municipalities, *self._outside(municipalities, hits)]
        # A query of digits only asks for the municipalities behind a postal code.
        if not name_query(query).parts:
            refs = dict.fromkeys(str(self._row(name)["bfs"]) for name in hits)
            hits = [Name("municipality", ref, Closeness.FULL, 1.0) for ref in refs]
        items = tuple(
            self._municipality(name) if name.kind == "municipality" else self._place(name)
            for name in hits[: self._limit]
        )
        if not items:
            return Found(nearest=self._names.nearest(name_query(query)))
        return Found(items, *_about_position(items), is_all=len(hits) <= self._limit)

    async def places(self, query: str) -> Found[Place]:
        if words(query) in self._own_canton:
            return Found((self._canton(),))
        if district := self._district_in(query):
            return Found((self._district(district),))
        hits = self._search(query)
        localities = [name for name in hits if name.kind == "locality"]
        # A municipality whose own name is no locality (Buchegg, Drei Höfe) is a place by itself.
        own = [name for name in hits if name.kind == "municipality" and not self._has_namesake(name)]
        found = sorted([*own, *localities], key=lambda name: -name.confidence)
        items = tuple(self._place(name) for name in found[: self._limit])
        if not items:
            return Found(nearest=self._names.nearest(name_query(query)))
        return Found(items, *_about_position(items), is_all=len(found) <= self._limit)

    def _district_in(self, query: str) -> str | None:
        """The district that is asked for as such, or by a name that no place has."""
        spoken = name_query(query)
        name = NameQuery(tuple(word for word in spoken.parts if word != _DISTRICT))
        if name.parts == spoken.parts and self._names.exactly(spoken.keys):
            return None
        return next((self._districts[key] for key in name.keys if key in self._districts), None)

    def _search(self, text_: str) -> list[Name]:
        query = name_query(text_)
        if not query.parts:
            return self._at_code(query.postal_code)
        hits = list(self._names.find(query))
        first, comma, rest = text_.partition(",")
        if not hits and comma:
            hits = self._within(list(self._names.find(name_query(first))), name_query(rest))
        return self._within(hits, NameQuery((), query.postal_code))

    def _at_code(self, postal_code: str | None) -> list[Name]:
        at_code = "SELECT {} AS ref FROM {} WHERE postal_code = ? ORDER BY rowid"
        localities = self._db.execute(at_code.format("id", "locality"), (postal_code,)).fetchall()
        if localities:
            return [Name("locality", row["ref"], Closeness.FULL, 1.0) for row in localities]
        municipalities = self._db.execute(at_code.format("bfs", "municipality"), (postal_code,))
        return [Name("municipality", str(row["ref"]), Closeness.FULL, 1.0) for row in municipalities]

    def _within(self, hits: list[Name], area: NameQuery) -> list[Name]:
        """The hits in a municipality or at a postal code; all of them when that leaves none."""
        if area.postal_code and (
            there := [name for name in hits if self._row(name)["postal_code"] == area.postal_code]
        ):
            return there
        around = {str(self._row(name)["bfs"]) for name in self._names.find(area, prefixes=False)}
        return [name for name in hits if str(self._row(name)["bfs"]) in around] or hits

    def _outside(self, municipalities: list[Name], hits: Iterable[Name]) -> list[Name]:
        refs = {name.ref for name in municipalities}
        return [
            name for name in hits if name.kind == "locality" and str(self._locality(name)["bfs"]) not in refs
        ]

    def _has_namesake(self, name: Name) -> bool:
        key = self._row(name)["key"]
        return (
            self._db.execute("SELECT 1 FROM locality WHERE bfs = ? AND key = ?", (name.ref, key)).fetchone()
            is not None
        )

    def _row(self, name: Name) -> sqlite3.Row:
        return self._locality(name) if name.kind == "locality" else self._municipality_row(name)

    def _locality(self, name: Name) -> sqlite3.Row:
        row: sqlite3.Row = self._db.execute(_LOCALITY, (name.ref,)).fetchone()
        return row

    def _municipality_row(self, name: Name) -> sqlite3.Row:
        row: sqlite3.Row = self._db.execute(
            "SELECT * FROM municipality WHERE bfs = ?", (name.ref,)
        ).fetchone()
        return row

    def _municipality(self, name: Name) -> Municipality:
        row = self._municipality_row(name)
        return Municipality(
            id=str(row["bfs"]),
            label=text("label_municipality", name=_without_brackets(row["name"])),
            name=row["name"],
            bfs_number=row["bfs"],
            district=row["district"] or None,
            coord=_coord(row),
            extent=_extent(row),
            confidence=name.confidence,
            provenance=self._origin("places", exact=_is_exact(name)),
        )

    def _place(self, name: Name) -> Place:
        row = self._row(name)
        is_locality = name.kind == "locality"
        label = _without_brackets(row["name"])
        if is_locality and row["municipality"] and row["key"] != row["municipality_key"]:
            around = _without_brackets(row["municipality"])
            label = text("label_place_in", name=label, municipality=around)
        source = "hills" if is_locality and name.ref.startswith(HILL) else "places"
        return Place(
            id=row["id"] if is_locality else str(row["bfs"]),
            label=label,
            kind=KINDS_OF_PLACES[row["kind"] if is_locality else "municipality"],
            coord=_coord(row),
            confidence=name.confidence,
            provenance=self._origin(source, exact=_is_exact(name)),
        )

    def _canton(self) -> Place:
        extent = self._around("", _CANTON_MARGIN_M)
        return self._region("canton", "canton", self._canton_name, extent)

    def _district(self, name: str) -> Place:
        extent = self._around(name, _DISTRICT_MARGIN_M)
        return self._region(f"district-{place_key(name)}", "district", name, extent)

    def _region(self, identity: str, kind: str, name: str, extent: Extent) -> Place:
        return Place(
            id=identity,
            label=text(f"label_{kind}_named", name=name),
            kind=KINDS_OF_PLACES[kind],
            extent=extent,
            confidence=1.0,
            provenance=self._origin("places", exact=True),
        )

    def _around(self, district: str, margin_m: float) -> Extent:
        """What the localities of a district take up, or of the canton when there is no name."""
        west, south, east, north = self._db.execute(_EXTENT, (district,)).fetchone()
        return west - margin_m, south - margin_m, east + margin_m, north + margin_m


def _is_exact(name: Name) -> bool:
    return name.closeness in (Closeness.FULL, Closeness.SHORT)


def _without_brackets(name: str) -> str:
    """`Büren (SO)` -> `Büren SO`, for labels that have brackets of their own."""
    return name.replace("(", "").replace(")", "")


def _coord(row: sqlite3.Row) -> Coord | None:
    return None if row["east"] is None or row["north"] is None else (row["east"], row["north"])


def _extent(row: sqlite3.Row) -> Extent | None:
    corners = (row["min_east"], row["min_north"], row["max_east"], row["max_north"])
    return None if None in corners else corners


def _about_position(items: Iterable[Municipality | Place]) -> tuple[Remark | None, dict[str, str]]:
    for item in items:
        if item.coord is None and item.extent is None:
            return Remark.POSITION_UNKNOWN, {"name": item.label}
    return None, {}
