"""Reads the data files. They are described for their editors in `data/README.md`."""

import csv
import json
import tomllib
from collections.abc import Collection, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from tools_geo.layers.catalogue import LayerEntry, Service
from tools_geo.layers.thesaurus import Meaning, MissingTopic, Thesaurus, is_layer_id
from tools_geo.spelling import place_words

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
Words = Annotated[tuple[str, ...], BeforeValidator(lambda value: tuple(value.split()))]
OptionalNumber = Annotated[float | None, BeforeValidator(_empty_is_none)]
OptionalText = Annotated[str | None, BeforeValidator(_empty_is_none)]


class Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class MunicipalityRow(Row):
    bfs_number: int
    name: Text
    district: str = ""
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
    service: Service
    attribution: OptionalText


class MeaningRow(Row):
    words: Words = ()
    phrases: tuple[Text, ...] = ()
    leads_to: Annotated[tuple[Text, ...], Field(min_length=1)]


class MissingTopicRow(Row):
    words: Words
    see: str = ""


class ThesaurusFile(Row):
    context: Words = ()
    meaning: tuple[MeaningRow, ...] = ()
    missing: tuple[MissingTopicRow, ...] = ()


class OtherNamesRow(Row):
    """What something is called in each language."""

    fr: Listed = ()
    it: Listed = ()
    en: Listed = ()

    @property
    def all(self) -> tuple[str, ...]:
        """The first of each language first."""
        return tuple(name for names in zip_longest(self.fr, self.it, self.en) for name in names if name)


class NamesFile(Row):
    layers: dict[str, OtherNamesRow] = {}
    topics: dict[str, OtherNamesRow] = {}


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
    accuracy: Accuracy | Literal["invented"]
    geometry: dict[str, Any]


class HeightRow(Row):
    name: Text
    east: float
    north: float
    height_m: float


class GeothermalRow(BaseModel):
    """A GeoJSON feature: a zone, and how deep one may drill in it; not at all when it has no depth."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: Text
    max_depth_m: Annotated[float, Field(gt=0)] | None = None
    reason: Text
    geometry: dict[str, Any]


class Sources(Row):
    """Whose data they are, as users read it."""

    addresses: Text
    places: Text
    layers: Text
    parcels: Text


class About(Row):
    """What the data of a folder are of."""

    canton: Text
    abbreviation: Annotated[str, Field(pattern=r"^[A-Z]{2}$")]
    sources: Sources


class Dataset(BaseModel):
    model_config = ConfigDict(frozen=True)

    about: About
    municipalities: tuple[MunicipalityRow, ...]
    localities: tuple[LocalityRow, ...]
    addresses: tuple[AddressRow, ...]
    layers: tuple[LayerRow, ...]
    thesaurus: ThesaurusFile
    names: NamesFile
    parcels: tuple[ParcelRow, ...]
    heights: tuple[HeightRow, ...]
    geothermal: tuple[GeothermalRow, ...]


_R = TypeVar("_R", bound=BaseModel)


def read(directory: Path = PACKAGED) -> Dataset:
    """All data files of a folder. Raises `DataFileError`."""
    layers = _layers(directory / "layers.csv")
    return Dataset(
        about=_row(About, _toml(directory / "about.toml"), f"{directory / 'about.toml'}"),
        municipalities=tuple(_csv(directory / "municipalities.csv", MunicipalityRow)),
        localities=tuple(_csv(directory / "localities.csv", LocalityRow)),
        addresses=tuple(_csv(directory / "addresses.csv", AddressRow)),
        layers=layers,
        thesaurus=_thesaurus(directory / "thesaurus.toml", {row.id for row in layers}),
        names=_names(directory / "names.toml", {row.id for row in layers}),
        parcels=tuple(_geojson(directory / "parcels.geojson", ParcelRow)),
        heights=tuple(_csv(directory / "heights.csv", HeightRow)),
        geothermal=tuple(_geojson(directory / "geothermal.geojson", GeothermalRow)),
    )


def layer_entries(data: Dataset) -> tuple[LayerEntry, ...]:
    """The layers as the search sees them."""
    return tuple(
        LayerEntry(
            id=row.id,
            title=row.title,
            position=position,
            is_group=row.kind == "group",
            parent=row.group,
            keywords=row.keywords,
            themes=row.themes,
            other_names=data.names.layers.get(row.id, OtherNamesRow()).all,
            external=row.external == "yes",
            service=row.service,
            attribution=row.attribution,
        )
        for position, row in enumerate(data.layers)
    )


def thesaurus(data: Dataset) -> Thesaurus:
    """The everyday words, ready to be looked up."""
    return Thesaurus(
        [Meaning(row.words, row.leads_to, row.phrases) for row in data.thesaurus.meaning],
        [MissingTopic(row.words, row.see) for row in data.thesaurus.missing],
        context=data.thesaurus.context,
        topics={topic: row.all for topic, row in data.names.topics.items()},
        places=_place_names(data),
    )


def _place_names(data: Dataset) -> Iterator[tuple[str, ...]]:
    named = [data.about.canton, *(row.name for row in data.municipalities)]
    named += [row.district for row in data.municipalities]
    named += [name for row in data.localities for name in (row.name, *row.also_known_as)]
    for name in named:
        yield place_words(name)
        yield place_words(name.partition("(")[0])


def _layers(path: Path) -> tuple[LayerRow, ...]:
    rows = tuple(_csv(path, LayerRow))
    ids = [row.id for row in rows]
    if twice := next((layer for layer in ids if ids.count(layer) > 1), None):
        raise DataFileError(f"{path}: the id {twice} occurs twice")
    groups = {row.id for row in rows if row.kind == "group"}
    if lost := next((row for row in rows if row.group and row.group not in groups), None):
        raise DataFileError(f"{path}: {lost.id} names a missing layer group, {lost.group}")
    return rows


def _thesaurus(path: Path, layers: Collection[str]) -> ThesaurusFile:
    read = _row(ThesaurusFile, _toml(path), f"{path}")
    for number, meaning in enumerate(read.meaning, start=1):
        for target in meaning.leads_to:
            if is_layer_id(target) and target not in layers:
                raise DataFileError(f"{path} meaning {number}: {target} is a missing layer")
    return read


def _names(path: Path, layers: Collection[str]) -> NamesFile:
    """Without the file nothing has a name in another language."""
    read = _row(NamesFile, _toml(path), f"{path}") if path.exists() else NamesFile()
    if lost := next((layer for layer in read.layers if layer not in layers), None):
        raise DataFileError(f"{path}: {lost} is a missing layer")
    return read


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise DataFileError(f"{path}: {error}") from error


def _csv(path: Path, model: type[_R]) -> Iterator[_R]:
    # utf-8-sig: spreadsheets put a byte order mark in front.
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, restkey="(too many columns)", restval="(too few columns)")
            for record in reader:
                yield _row(model, record, f"{path} line {reader.line_num}")
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataFileError(f"{path}: {error}") from error


def _geojson(path: Path, model: type[_R]) -> Iterator[_R]:
    try:
        features = json.loads(path.read_text(encoding="utf-8-sig"))["features"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataFileError(f"{path}: no GeoJSON feature collection ({error!r})") from error
    for number, feature in enumerate(features, start=1):
        record = {**(feature.get("properties") or {}), "geometry": feature.get("geometry")}
        yield _row(model, record, f"{path} feature {number}")


def _row(model: type[_R], record: dict[str, Any], where: str) -> _R:
    try:
        return model.model_validate(record)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        column = ".".join(str(part) for part in first["loc"])
        raise DataFileError(f"{where}, column {column}: {first['msg']}") from error
