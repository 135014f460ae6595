"""Reads files record by record, each checked by a model; errors say where."""

import csv
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

_R = TypeVar("_R", bound=BaseModel)


class DataFileError(Exception):
    """A data file cannot be used; the message names the file, the line or feature, and the reason."""


def toml_of(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise DataFileError(f"{path}: {error}") from error


def rows_of(path: Path, model: type[_R]) -> Iterator[_R]:
    # utf-8-sig: spreadsheets put a byte order mark in front.
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, restkey="(too many columns)", restval="(too few columns)")
            for record in reader:
                yield checked(model, record, f"{path} line {reader.line_num}")
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataFileError(f"{path}: {error}") from error


def members_of(path: Path) -> dict[str, Any]:
    """A GeoJSON feature collection with all that its file says of it."""
    try:
        members: dict[str, Any] = json.loads(path.read_text(encoding="utf-8-sig"))
        iter(members["features"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataFileError(f"{path}: no GeoJSON feature collection ({error!r})") from error
    return members


def features_of(path: Path, model: type[_R]) -> Iterator[_R]:
    features = members_of(path)["features"]
    for number, feature in enumerate(features, start=1):
        record = {**(feature.get("properties") or {}), "geometry": feature.get("geometry")}
        yield checked(model, record, f"{path} feature {number}")


def checked(model: type[_R], record: dict[str, Any], where: str) -> _R:
    try:
        return model.model_validate(record)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        column = ".".join(str(part) for part in first["loc"])
        raise DataFileError(f"{where}, column {column}: {first['msg']}") from error
