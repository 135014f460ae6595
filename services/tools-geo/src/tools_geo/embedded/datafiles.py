"""Reads the data files. They are described for their editors in `data/README.md`."""

from collections.abc import Collection, Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any, Literal

from contracts.items import Extent
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    model_validator,
)

from tools_geo.embedded.records import DataFileError as DataFileError
from tools_geo.embedded.records import checked, features_of, members_of, rows_of, toml_of
from tools_geo.features.geojson import is_geometry, is_outline
from tools_geo.layers.catalogue import LayerEntry, Service
from tools_geo.layers.thesaurus import Meaning, MissingTopic, Thesaurus, is_layer_id
from tools_geo.name_query import short_keys
from tools_geo.spelling import place_key, place_words

PACKAGED = Path(__file__).parents[1] / "data"

Accuracy = Literal["exact", "approximate"]


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


class OutlineRow(BaseModel):
    """A GeoJSON feature: the outline of a municipality in EPSG:2056."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    bfs_number: int
    geometry: dict[str, Any]


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


_OWN = ("id", "label", "municipality", "geometry")


def _with_attributes(record: Any) -> Any:
    """What has no meaning of its own is an attribute: under its name, in the order of the file."""
    if not isinstance(record, dict):
        return record
    others = {name: value for name, value in record.items() if name not in _OWN and value is not None}
    return {**{name: record[name] for name in _OWN if name in record}, "attributes": others}


class FeatureRow(Row):
    """A GeoJSON feature of a layer: every other property is an attribute, `Fläche [m²]` one with a unit."""

    id: Text
    label: Text
    municipality: Listed
    attributes: dict[str, int | float | Text]
    geometry: dict[str, Any]

    _others = model_validator(mode="before")(_with_attributes)

    @property
    def named(self) -> Iterator[tuple[str, str | None, int | float | str]]:
        """Name, unit and value of each attribute."""
        for written, value in self.attributes.items():
            name, opened, unit = written.removesuffix("]").partition("[")
            is_unit = bool(opened and name.strip() and unit) and written.endswith("]")
            yield (name.strip(), unit, value) if is_unit else (written, None, value)


class Things(Row):
    """What the features of a layer are called, several of them."""

    de: Text
    fr: Text
    it: Text
    en: Text


class FeatureFile(Row):
    layer: str
    things: Things | None = None
    features: tuple[FeatureRow, ...]


class Sources(Row):
    """Whose data they are, as users read it."""

    addresses: Text
    places: Text
    layers: Text
    parcels: Text
    outlines: Text | None = None


class About(Row):
    """What the data of a folder are of."""

    canton: Text
    abbreviation: Annotated[str, Field(pattern=r"^[A-Z]{2}$")]
    extent: Extent | None = None
    """Of the whole canton."""
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
    features: tuple[FeatureFile, ...] = ()
    """In the order of the layers."""
    outlines: tuple[OutlineRow, ...] = ()

    @property
    def hills(self) -> tuple[HeightRow, ...]:
        """What has a height and no name of a municipality or a locality: `Passwang`."""
        named = [row.name for row in self.municipalities] + [row.name for row in self.localities]
        also = (name for row in self.localities for name in row.also_known_as)
        taken = {key for name in (*named, *also) for key in (place_key(name), *short_keys(name))}
        return tuple(row for row in self.heights if place_key(row.name) not in taken)


def read(directory: Path = PACKAGED) -> Dataset:
    """All data files of a folder. Raises `DataFileError`."""
    layers = _layers(directory / "layers.csv")
    municipalities = tuple(rows_of(directory / "municipalities.csv", MunicipalityRow))
    return Dataset(
        about=checked(About, toml_of(directory / "about.toml"), f"{directory / 'about.toml'}"),
        municipalities=municipalities,
        localities=tuple(rows_of(directory / "localities.csv", LocalityRow)),
        addresses=tuple(rows_of(directory / "addresses.csv", AddressRow)),
        layers=layers,
        thesaurus=_thesaurus(directory / "thesaurus.toml", {row.id for row in layers}),
        names=_names(directory / "names.toml", {row.id for row in layers}),
        parcels=tuple(features_of(directory / "parcels.geojson", ParcelRow)),
        heights=tuple(rows_of(directory / "heights.csv", HeightRow)),
        geothermal=tuple(features_of(directory / "geothermal.geojson", GeothermalRow)),
        features=tuple(_features(directory / "features", layers, {row.name for row in municipalities})),
        outlines=tuple(
            _outlines(directory / "municipalities.geojson", {row.bfs_number for row in municipalities})
        ),
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
    named = [data.about.canton, *(row.name for row in data.hills)]
    named += [name for row in data.municipalities for name in (row.name, row.district)]
    named += [name for row in data.localities for name in (row.name, *row.also_known_as)]
    for name in named:
        yield from (place_words(name), place_words(name.partition("(")[0]))


def _layers(path: Path) -> tuple[LayerRow, ...]:
    rows = tuple(rows_of(path, LayerRow))
    ids = [row.id for row in rows]
    if twice := next((layer for layer in ids if ids.count(layer) > 1), None):
        raise DataFileError(f"{path}: the id {twice} occurs twice")
    groups = {row.id for row in rows if row.kind == "group"}
    if lost := next((row for row in rows if row.group and row.group not in groups), None):
        raise DataFileError(f"{path}: {lost.id} names a missing layer group, {lost.group}")
    return rows


def _thesaurus(path: Path, layers: Collection[str]) -> ThesaurusFile:
    read = checked(ThesaurusFile, toml_of(path), f"{path}")
    for number, meaning in enumerate(read.meaning, start=1):
        for target in meaning.leads_to:
            if is_layer_id(target) and target not in layers:
                raise DataFileError(f"{path} meaning {number}: {target} is a missing layer")
    return read


def _names(path: Path, layers: Collection[str]) -> NamesFile:
    """Without the file nothing has a name in another language."""
    read = checked(NamesFile, toml_of(path), f"{path}") if path.exists() else NamesFile()
    if lost := next((layer for layer in read.layers if layer not in layers), None):
        raise DataFileError(f"{path}: {lost} is a missing layer")
    return read


def _features(
    folder: Path, layers: Sequence[LayerRow], municipalities: Collection[str]
) -> Iterator[FeatureFile]:
    """A file for each layer that has some; without the folder no layer has."""
    paths = {path.stem: path for path in folder.glob("*.geojson")}
    known = {row.id: path for row in layers if row.kind == "layer" and (path := paths.pop(row.id, None))}
    if paths:
        raise DataFileError(f"{min(paths.values())}: {min(paths)} is a missing layer")
    for layer, path in known.items():
        rows = tuple(features_of(path, FeatureRow))
        for number, row in enumerate(rows, start=1):
            _check(row, municipalities, f"{path} feature {number}")
        things = members_of(path).get("things")
        yield FeatureFile(layer=layer, things=things and checked(Things, things, f"{path}"), features=rows)


def _outlines(path: Path, municipalities: Collection[int]) -> Iterator[OutlineRow]:
    """One of a municipality at most; without the file none is drawn."""
    missing = set(municipalities)
    for number, row in enumerate(features_of(path, OutlineRow) if path.exists() else (), start=1):
        where = f"{path} feature {number}"
        if row.bfs_number not in municipalities:
            raise DataFileError(f"{where}: {row.bfs_number} is a missing municipality")
        if row.bfs_number not in missing:
            raise DataFileError(f"{where}: {row.bfs_number} occurs twice")
        if not is_outline(row.geometry):
            raise DataFileError(f"{where}: no polygons in LV95")
        missing.remove(row.bfs_number)
        yield row


def _check(row: FeatureRow, municipalities: Collection[str], where: str) -> None:
    if lost := next((name for name in row.municipality if name not in municipalities), None):
        raise DataFileError(f"{where}: {lost} is a missing municipality")
    if not is_geometry(row.geometry):
        raise DataFileError(f"{where}: no points, lines or polygons in LV95")
