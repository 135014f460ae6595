"""Reads the data files. They are described for their editors in `data/README.md`."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, ValidationError

PACKAGED = Path(__file__).parents[1] / "data"

Accuracy = Literal["exact", "approximate"]


class DataFileError(Exception):
    """A data file cannot be used; the message names the file, the line or feature, and the reason."""


def _empty_is_none(value: Any) -> Any:
    return None if value == "" else value


def _listed(value: Any) -> Any:
    return (
        tuple(part.strip() for part in value.split("|") if part.strip()) if isinstance(value, str) else value
    )


def _filled(value: str) -> str:
    if not value.strip():
        raise ValueError("must not be empty")
    return value.strip()


Text = Annotated[str, AfterValidator(_filled)]
Listed = Annotated[tuple[str, ...], BeforeValidator(_listed)]
OptionalNumber = Annotated[float | None, BeforeValidator(_empty_is_none)]
OptionalText = Annotated[str | None, BeforeValidator(_empty_is_none)]


class Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class MunicipalityRow(Row):
    bfs_number: int
    name: Text
    postal_code: Text
    east: OptionalNumber
    north: OptionalNumber
    point_of: str
    min_east: OptionalNumber
    min_north: OptionalNumber
    max_east: OptionalNumber
    max_north: OptionalNumber


class LocalityRow(Row):
    postal_code: Text
    name: Text
    bfs_number: int
    kind: Literal["locality", "former_municipality"]
    also_known_as: Listed
    east: float
    north: float


class AddressRow(Row):
    id: Text
    street: Text
    house_number: OptionalText
    postal_code: Text
    locality: Text
    bfs_number: int
    east: float
    north: float
    accuracy: Accuracy


class LayerRow(Row):
    id: Text
    kind: Literal["layer", "group"]
    group: OptionalText
    title: Text
    keywords: Listed
    themes: Listed
    external: Literal["yes", ""]
    attribution: OptionalText


class ParcelRow(BaseModel):
    """A GeoJSON feature: its properties, and its geometry in EPSG:2056."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    egrid: Text
    number: Text
    municipality: Text
    bfs_number: int
    land_register: Text
    kind: Text
    area_m2: float | None = None
    accuracy: Accuracy
    geometry: dict[str, Any]


class Dataset(BaseModel):
    model_config = ConfigDict(frozen=True)

    municipalities: tuple[MunicipalityRow, ...]
    localities: tuple[LocalityRow, ...]
    addresses: tuple[AddressRow, ...]
    layers: tuple[LayerRow, ...]
    parcels: tuple[ParcelRow, ...]


_R = TypeVar("_R", bound=BaseModel)


def read(directory: Path = PACKAGED) -> Dataset:
    """All data files of a folder. Raises `DataFileError`."""
    return Dataset(
        municipalities=tuple(_csv(directory / "municipalities.csv", MunicipalityRow)),
        localities=tuple(_csv(directory / "localities.csv", LocalityRow)),
        addresses=tuple(_csv(directory / "addresses.csv", AddressRow)),
        layers=tuple(_csv(directory / "layers.csv", LayerRow)),
        parcels=tuple(_geojson(directory / "parcels.geojson")),
    )


def _csv(path: Path, model: type[_R]) -> Iterator[_R]:
    # utf-8-sig: spreadsheets put a byte order mark in front.
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, restkey="(too many columns)", restval="(too few columns)")
            for record in reader:
                yield _row(model, record, f"{path} line {reader.line_num}")
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataFileError(f"{path}: {error}") from error


def _geojson(path: Path) -> Iterator[ParcelRow]:
    try:
        features = json.loads(path.read_text(encoding="utf-8-sig"))["features"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataFileError(f"{path}: no GeoJSON feature collection ({error!r})") from error
    for number, feature in enumerate(features, start=1):
        record = {**(feature.get("properties") or {}), "geometry": feature.get("geometry")}
        yield _row(ParcelRow, record, f"{path} feature {number}")


def _row(model: type[_R], record: dict[str, Any], where: str) -> _R:
    try:
        return model.model_validate(record)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        column = ".".join(str(part) for part in first["loc"])
        raise DataFileError(f"{where}, column {column}: {first['msg']}") from error
