"""The search index: SQLite in memory, built once from the data files."""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import suppress

from german.words import words
from swissgeo.outlines import extent_of, inner_point, polygons_of

from tools_geo.address_query import number_key
from tools_geo.embedded.datafiles import (
    AddressRow,
    DataFileError,
    Dataset,
    HeightRow,
    LocalityRow,
    MunicipalityRow,
    ParcelRow,
)
from tools_geo.name_query import short_keys
from tools_geo.spelling import place_key, street_key

_TABLES = """
CREATE TABLE municipality (
    bfs INTEGER PRIMARY KEY, name TEXT, key TEXT, district TEXT, postal_code TEXT, east REAL, north REAL,
    min_east REAL, min_north REAL, max_east REAL, max_north REAL);
CREATE TABLE locality (
    id TEXT PRIMARY KEY, name TEXT, key TEXT, postal_code TEXT, bfs INTEGER REFERENCES municipality,
    kind TEXT, east REAL, north REAL);
CREATE INDEX locality_code ON locality (postal_code);
CREATE TABLE name (key TEXT, is_short INTEGER, kind TEXT, ref TEXT,
    PRIMARY KEY (key, is_short, kind, ref)) WITHOUT ROWID;
CREATE TABLE address (
    id TEXT PRIMARY KEY, street TEXT, street_key TEXT, number TEXT, number_key TEXT, postal_code TEXT,
    locality TEXT, locality_id TEXT REFERENCES locality,
    bfs INTEGER REFERENCES municipality, east REAL, north REAL, accuracy TEXT);
CREATE INDEX address_street ON address (street_key, number_key);
CREATE TABLE parcel (
    row INTEGER PRIMARY KEY, egrid TEXT UNIQUE, number TEXT, municipality TEXT, municipality_key TEXT,
    land_register TEXT, land_register_key TEXT, kind TEXT, area_m2 REAL, accuracy TEXT, geometry TEXT,
    east REAL, north REAL);
CREATE INDEX parcel_number ON parcel (number);
"""
_BOX_TREE = "CREATE VIRTUAL TABLE parcel_box USING rtree (row, min_east, max_east, min_north, max_north)"
_BOX_TABLE = """
CREATE TABLE parcel_box (
    row INTEGER PRIMARY KEY, min_east REAL, max_east REAL, min_north REAL, max_north REAL);
CREATE INDEX parcel_box_east ON parcel_box (min_east, max_east, min_north, max_north);
"""


HILL = "hill-"
"""How ids of places begin that have no addresses."""


class _Index(sqlite3.Connection):
    """Closes itself when nobody uses it any more."""

    def __del__(self) -> None:
        self.close()


def build(data: Dataset, *, use_rtree: bool = True) -> sqlite3.Connection:
    """A read-only index of the data.

    Without R*Tree (not compiled in, or `use_rtree` false) an ordinary index on the boxes takes its place.
    Raises `DataFileError` for duplicate ids and broken references.
    """
    # It is used in one thread, but the garbage collector may close it in another one.
    db = sqlite3.connect(":memory:", factory=_Index, check_same_thread=False)
    db.row_factory = sqlite3.Row
    db.executescript(_TABLES)
    _create_boxes(db, use_rtree=use_rtree)
    try:
        with db:
            _fill(db, data)
    except sqlite3.IntegrityError as error:
        raise DataFileError(f"an id occurs twice: {error}") from error
    if broken := db.execute("PRAGMA foreign_key_check").fetchone():
        raise DataFileError(f"a row of {broken['table']} names a missing {broken['parent']}")
    db.execute("PRAGMA query_only = ON")
    return db


def _create_boxes(db: sqlite3.Connection, *, use_rtree: bool) -> None:
    if use_rtree:
        with suppress(sqlite3.OperationalError):
            db.execute(_BOX_TREE)
            return
    db.executescript(_BOX_TABLE)


def _insert(db: sqlite3.Connection, table: str, rows: Iterable[dict[str, object]]) -> None:
    for row in rows:
        marks = ", ".join(f":{column}" for column in row)
        db.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", row)


def _fill(db: sqlite3.Connection, data: Dataset) -> None:
    _insert(db, "municipality", (_municipality(m) for m in data.municipalities))
    _insert(db, "locality", (_locality(x) for x in data.localities))
    _insert(db, "locality", (_hill(x) for x in data.hills))
    db.executemany("INSERT INTO name VALUES (?, ?, ?, ?)", sorted(set(_names(data))))
    _insert(db, "address", (_address(a) for a in data.addresses))
    for number, parcel in enumerate(data.parcels):
        _add_parcel(db, number, parcel)


def _municipality(row: MunicipalityRow) -> dict[str, object]:
    columns = row.model_dump(exclude={"bfs_number", "point_of"})
    return {**columns, "bfs": row.bfs_number, "key": place_key(row.name)}


def _locality(row: LocalityRow) -> dict[str, object]:
    columns = row.model_dump(include={"name", "postal_code", "kind", "east", "north"})
    identity = locality_id(row.postal_code, row.name)
    return {**columns, "id": identity, "key": place_key(row.name), "bfs": row.bfs_number}


def _hill(row: HeightRow) -> dict[str, object]:
    """A place in no municipality that is known, without a postal code."""
    point = row.model_dump(include={"name", "east", "north"})
    return {**point, "id": _hill_id(row), "key": place_key(row.name), "kind": "named"}


def _hill_id(row: HeightRow) -> str:
    return HILL + "-".join(words(row.name))


def _address(row: AddressRow) -> dict[str, object]:
    columns = row.model_dump(exclude={"house_number", "bfs_number"})
    number = row.house_number or ""
    return {
        **columns,
        "street_key": street_key(words(row.street)),
        "number": number,
        "number_key": number_key(number),
        "locality_id": locality_id(row.postal_code, row.locality),
        "bfs": row.bfs_number,
    }


def locality_id(postal_code: str, name: str) -> str:
    """Stable as long as the locality keeps its name and postal code, e.g. `4566-halten`."""
    return "-".join((postal_code, *words(name)))


def _names(data: Dataset) -> Iterator[tuple[str, bool, str, str]]:
    for m in data.municipalities:
        yield from _spellings(m.name, "municipality", str(m.bfs_number))
    for x in data.localities:
        for name in (x.name, *x.also_known_as):
            yield from _spellings(name, "locality", locality_id(x.postal_code, x.name))
    for hill in data.hills:
        yield from _spellings(hill.name, "locality", _hill_id(hill))


def _spellings(name: str, kind: str, ref: str) -> Iterator[tuple[str, bool, str, str]]:
    """The full name, and the short forms in daily use."""
    yield place_key(name), False, kind, ref
    for key in short_keys(name):
        yield key, True, kind, ref


def _add_parcel(db: sqlite3.Connection, number: int, parcel: ParcelRow) -> None:
    try:
        polygons = polygons_of(parcel.geometry)
    except (ValueError, TypeError, IndexError) as error:
        raise DataFileError(f"parcel {parcel.egrid}: {error}") from error
    east, north = inner_point(polygons)
    entry = {
        **parcel.model_dump(exclude={"bfs_number"}),
        "row": number,
        "municipality_key": place_key(parcel.municipality),
        "land_register_key": place_key(parcel.land_register),
        "geometry": json.dumps(parcel.geometry),
        "east": round(east, 3),
        "north": round(north, 3),
    }
    _insert(db, "parcel", [entry])
    # An R*Tree keeps 32-bit floats and rounds outwards, up to 0.25 m here; the exact test follows anyway.
    sides = dict(zip(("min_east", "min_north", "max_east", "max_north"), extent_of(polygons), strict=True))
    _insert(db, "parcel_box", [{"row": number, **sides}])
