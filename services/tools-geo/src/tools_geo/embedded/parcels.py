"""Parcels from the index, by number, by EGRID and by point."""

import json
import sqlite3
from collections.abc import Iterable

from contracts.items import Parcel
from swissgeo.outlines import distance_m, extent_of, polygons_of

from tools_geo.embedded.names import Closeness, Name, Names
from tools_geo.embedded.sources import Origin
from tools_geo.gateways import Found, Remark
from tools_geo.labels import real_estate
from tools_geo.name_query import name_query
from tools_geo.parcel_query import plain_number, share
from tools_geo.texts import text

_OF_NUMBER = """
SELECT * FROM parcel WHERE number = ? AND (municipality_key = ? OR land_register_key = ?) ORDER BY row
"""
_AT_POINT = """
SELECT p.* FROM parcel_box b JOIN parcel p ON p.row = b.row
WHERE b.min_east <= ? AND b.max_east >= ? AND b.min_north <= ? AND b.max_north >= ?
"""
_REAL_ESTATE = "Liegenschaft"


class EmbeddedParcels:
    def __init__(self, db: sqlite3.Connection, names: Names, *, tolerance_m: float, origin: Origin) -> None:
        self._db = db
        self._names = names
        self._tolerance_m = tolerance_m
        self._origin = origin

    async def by_number(self, number: str, municipality: str) -> Found[Parcel]:
        query = name_query(municipality)
        wanted = plain_number(number)
        for key in query.keys:
            if rows := self._db.execute(_OF_NUMBER, (wanted, key, key)).fetchall():
                return Found(tuple(self._ranked(rows, key, exact=True)))
        names = self._names.find(query)
        if not names:
            unknown = {"municipality": municipality}
            return Found((), Remark.MUNICIPALITY_UNKNOWN, unknown, nearest=self._names.nearest(query))
        found: dict[str, Parcel] = {}
        for name in names:
            key = self._key(name)
            exact = name.closeness in (Closeness.FULL, Closeness.SHORT)
            rows = self._db.execute(_OF_NUMBER, (wanted, key, key)).fetchall()
            for parcel in self._ranked(rows, key, exact=exact, confidence=name.confidence):
                found.setdefault(parcel.egrid, parcel)
        return Found(tuple(found.values()), None if found else Remark.SAMPLE_DATA)

    async def by_egrid(self, egrid: str) -> Found[Parcel]:
        row = self._db.execute("SELECT * FROM parcel WHERE egrid = ?", (egrid,)).fetchone()
        return Found((self._item(row, 1.0),)) if row else Found((), Remark.SAMPLE_DATA)

    async def by_xy(self, east: float, north: float) -> Found[Parcel]:
        reach = self._tolerance_m
        box = (east + reach, east - reach, north + reach, north - reach)
        near = [
            (distance_m(polygons_of(json.loads(row["geometry"])), (east, north)), row)
            for row in self._db.execute(_AT_POINT, box)
        ]
        nearest = min((distance for distance, _ in near), default=0.0)
        # Parcels next to the point count only when none contains it.
        hits = [row for distance, row in near if distance <= (reach if nearest > 0 else 0)]
        hits.sort(key=lambda row: (row["kind"] != _REAL_ESTATE, row["row"]))
        certainty = 1.0 if nearest == 0 else 0.6
        items = tuple(
            self._item(row, certainty * share(place, len(hits)), exact=nearest == 0)
            for place, row in enumerate(hits)
        )
        return Found(items, None if items else Remark.SAMPLE_DATA)

    def _ranked(
        self, rows: Iterable[sqlite3.Row], key: str, *, exact: bool, confidence: float = 1.0
    ) -> list[Parcel]:
        """Those whose land register has the name that was asked for come first."""
        ordered = sorted(rows, key=lambda row: row["land_register_key"] != key)
        return [
            self._item(row, confidence * share(place, len(ordered)), exact=exact)
            for place, row in enumerate(ordered)
        ]

    def _key(self, name: Name) -> str:
        table, column = ("municipality", "bfs") if name.kind == "municipality" else ("locality", "id")
        row = self._db.execute(f"SELECT key FROM {table} WHERE {column} = ?", (name.ref,)).fetchone()
        return str(row["key"])

    def _item(self, row: sqlite3.Row, confidence: float, *, exact: bool = True) -> Parcel:
        geometry = json.loads(row["geometry"])
        label = text(
            "label_parcel",
            number=row["number"],
            municipality=row["municipality"],
            kind=real_estate(row["kind"]),
            land_register=row["land_register"],
            egrid=row["egrid"],
        )
        return Parcel(
            id=row["egrid"],
            label=label,
            coord=(row["east"], row["north"]),
            extent=extent_of(polygons_of(geometry)),
            geometry=geometry,
            egrid=row["egrid"],
            number=row["number"],
            municipality=row["municipality"],
            land_register=row["land_register"],
            kind=row["kind"],
            area_m2=row["area_m2"],
            confidence=round(confidence, 2),
            provenance=self._origin("parcels", exact=exact, accuracy=row["accuracy"]),
        )
