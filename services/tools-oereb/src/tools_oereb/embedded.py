"""The embedded cadastre: parcels of a GeoJSON file, searched in SQLite, and their sample extracts."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from contracts.items import OerebExtract, Parcel, Provenance
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from servicekit.errors import SourceError, SourceErrorKind
from servicekit.wording import language
from swissgeo.outlines import extent_of, polygons_of

from tools_oereb.formats import xml_answers
from tools_oereb.formats.extracts import ReadExtract
from tools_oereb.gateways import NoExtract
from tools_oereb.links import ExtractLinks
from tools_oereb.real_estate import RealEstate, extract_of, kind_of, parcel_of, ranked
from tools_oereb.texts import text

PACKAGED = Path(__file__).parent / "data" / "parcels.geojson"
EXTRACTS = PACKAGED.parent / "extracts"
_LANGUAGE = "de"
"""Of all extracts that ship with the service; of one with several languages, the one after the user's."""

_TABLES = """
CREATE TABLE parcel (row INTEGER PRIMARY KEY, egrid TEXT UNIQUE, document TEXT);
"""
_BOX_TREE = "CREATE VIRTUAL TABLE parcel_box USING rtree (row, min_east, max_east, min_north, max_north)"
_BOX_TABLE = """
CREATE TABLE parcel_box (
    row INTEGER PRIMARY KEY, min_east REAL, max_east REAL, min_north REAL, max_north REAL);
CREATE INDEX parcel_box_east ON parcel_box (min_east, max_east, min_north, max_north);
"""
_AT_POINT = """
SELECT p.document FROM parcel_box b JOIN parcel p ON p.row = b.row
WHERE b.min_east <= ? AND b.max_east >= ? AND b.min_north <= ? AND b.max_north >= ? ORDER BY p.row
"""

RealEstateType = Literal[
    "RealEstate",
    "Distinct_and_permanent_rights.BuildingRight",
    "Distinct_and_permanent_rights.right_to_spring_water",
    "Distinct_and_permanent_rights.concession",
    "Distinct_and_permanent_rights.other",
    "Mineral_rights",
]


class DataFileError(Exception):
    """The parcels cannot be read; the message names the file, the feature, and the reason."""


class Entry(BaseModel):
    """A parcel or right of the file: the properties of its feature, and its geometry in EPSG:2056."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    egrid: str = Field(pattern=r"^CH[0-9]{12}$")
    number: str = Field(min_length=1)
    municipality: str = Field(min_length=1)
    land_register: str = Field(min_length=1)
    ident_dn: str | None = None
    type: RealEstateType
    area_m2: float | None = None
    accuracy: Literal["exact", "approximate", "invented"]
    geometry: dict[str, Any]

    @property
    def is_invented(self) -> bool:
        return self.accuracy == "invented"

    @property
    def kind(self) -> str:
        return kind_of(self.type)

    @property
    def real_estate(self) -> RealEstate:
        known = self.model_dump(exclude={"type", "accuracy", "ident_dn"})
        return RealEstate(code=self.type, kind=self.kind, **known)


def read(path: Path = PACKAGED) -> Iterator[Entry]:
    """The parcels of a GeoJSON feature collection. Raises `DataFileError`."""
    try:
        features = json.loads(path.read_text(encoding="utf-8-sig"))["features"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataFileError(f"{path}: no GeoJSON feature collection ({error!r})") from error
    for number, feature in enumerate(features, start=1):
        record = {**(feature.get("properties") or {}), "geometry": feature.get("geometry")}
        try:
            entry = Entry.model_validate(record)
            polygons_of(entry.geometry)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            problem = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
            raise DataFileError(f"{path} feature {number}, {problem}") from error
        except (ValueError, TypeError, IndexError) as error:
            raise DataFileError(f"{path} feature {number}, geometry: {error}") from error
        yield entry


class EmbeddedCadastre:
    """`extracts` is a folder of answers of the web service, `<EGRID>.xml`; a parcel may be without one.

    They are read when somebody asks, as there may be many. Without R*Tree in this SQLite (or with `use_rtree`
    false) an ordinary index takes its place.
    """

    is_sample = True

    def __init__(
        self,
        entries: Iterator[Entry],
        links: ExtractLinks,
        *,
        extracts: Path | None = EXTRACTS,
        tolerance_m: float,
        source_name: str,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        use_rtree: bool = True,
    ) -> None:
        self._links = links
        self._extracts = extracts
        self._tolerance_m = tolerance_m
        self._source_name = source_name
        self._now = now
        self._db = _index(entries, use_rtree=use_rtree)

    async def parcels_at(self, east: float, north: float) -> tuple[Parcel, ...]:
        point, reach = (east, north), self._tolerance_m
        rows = self._db.execute(_AT_POINT, (east + reach, east - reach, north + reach, north - reach))
        near = {entry.egrid: entry for entry in (Entry.model_validate_json(row["document"]) for row in rows)}
        return tuple(
            parcel_of(hit, point, self._provenance(near[hit.real_estate.egrid], exact=hit.exact))
            for hit in ranked((entry.real_estate for entry in near.values()), point, reach)
        )

    async def extract(self, egrid: str) -> OerebExtract | NoExtract:
        row = self._db.execute("SELECT document FROM parcel WHERE egrid = ?", (egrid,)).fetchone()
        if row is None:
            return NoExtract.UNKNOWN_IN_SAMPLE
        entry = Entry.model_validate_json(row["document"])
        read = self._read(egrid)
        estate: RealEstate = replace(read, geometry=entry.geometry) if read else entry.real_estate
        origin = self._provenance(entry, exact=True)
        # All that ship with the service are made up, also those of real parcels.
        is_sample = entry.is_invented or self._extracts == EXTRACTS
        source = text("source_extract" if is_sample else "source_copy", name=self._source_name)
        # The canton knows nothing of what is invented, and there is nothing more to know of it.
        is_complete = read is not None and entry.is_invented
        return extract_of(
            egrid,
            estate,
            read.content if read else None,
            pdf_url="" if is_complete else self._links.pdf(egrid),
            map_url=None if is_complete else self._links.map(egrid),
            provenance=origin.model_copy(update={"source": source, "sample": is_sample}) if read else origin,
        )

    def _read(self, egrid: str) -> ReadExtract | None:
        """None where there is no file of it. Raises `SourceError` for one that is no extract of it."""
        file = self._extracts / f"{egrid}.xml" if self._extracts else None
        if file is None or not file.is_file():
            return None
        source = text("source", name=self._source_name)
        read = xml_answers.extract(file.read_bytes(), source, language(), _LANGUAGE)
        if read.egrid != egrid:
            raise SourceError(SourceErrorKind.UNREADABLE, source)
        return read

    def _provenance(self, entry: Entry, *, exact: bool) -> Provenance:
        return Provenance(
            source=text(
                "source" if entry.accuracy == "exact" else f"source_{entry.accuracy}", name=self._source_name
            ),
            license=text("license_open"),
            retrieved_at=self._now(),
            match="exact" if exact else "fuzzy",
            sample=entry.is_invented,
        )


class _Index(sqlite3.Connection):
    """Closes itself when nobody uses it any more."""

    def __del__(self) -> None:
        self.close()


def _index(entries: Iterator[Entry], *, use_rtree: bool) -> sqlite3.Connection:
    # It is used in one thread, but the garbage collector may close it in another one.
    db = sqlite3.connect(":memory:", factory=_Index, check_same_thread=False)
    db.row_factory = sqlite3.Row
    db.executescript(_TABLES)
    try:
        if not use_rtree:
            raise sqlite3.OperationalError
        db.execute(_BOX_TREE)
    except sqlite3.OperationalError:
        db.executescript(_BOX_TABLE)
    for number, entry in enumerate(entries):
        min_east, min_north, max_east, max_north = extent_of(polygons_of(entry.geometry))
        try:
            db.execute("INSERT INTO parcel VALUES (?, ?, ?)", (number, entry.egrid, entry.model_dump_json()))
        except sqlite3.IntegrityError as error:
            raise DataFileError(f"the EGRID {entry.egrid} occurs twice") from error
        box = (number, min_east, max_east, min_north, max_north)
        db.execute("INSERT INTO parcel_box VALUES (?, ?, ?, ?, ?)", box)
    db.commit()
    db.execute("PRAGMA query_only = ON")
    return db
