"""What the data of this service know by name, and sentences that they can answer."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from contracts.intents import Intent
from contracts.items import Coord, Extent
from contracts.languages import DEFAULT_LANGUAGE, LANGUAGES
from contracts.vocabulary import (
    MAX_PARCEL_FORMS,
    MAX_VOCABULARY_BYTES,
    Example,
    LayerName,
    PlaceName,
    Vocabulary,
    form_of,
    is_form,
)
from swissgeo.outlines import bounds_of, inner_point, polygons_of

from tools_geo.embedded import datafiles
from tools_geo.embedded.datafiles import Dataset, FeatureFile, GeothermalRow, ParcelRow
from tools_geo.layers.search import LayerSearch
from tools_geo.texts import text

_MARGIN_M = 4_000
"""Places are known by a point; a canton goes on around the outermost."""
_PLAIN_FORMS = frozenset({"9", "9A"})
"""Everybody takes these for numbers of parcels."""


@dataclass(frozen=True)
class Samples:
    """Records of the data to name as examples; an empty text where there is none.

    They stand in hints, in descriptions of arguments, and in the sentences that are announced.
    """

    address: str = ""
    municipality: str = ""
    place: str = ""
    layer: str = ""
    number: str = ""
    in_municipality: str = ""
    egrid: str = ""
    outline: dict[str, Any] | None = None
    """Of the parcel: GeoJSON in EPSG:2056."""
    at_parcel: Coord | None = None
    height: Coord | None = None
    geothermal: Coord | None = None
    askable: tuple[str, ...] = ()
    """Ids of layers whose features are known."""
    things: str = ""
    """What the features of one of them are called, several of them."""
    things_called: Mapping[str, str] = field(default_factory=dict)
    """The same by language."""
    thing_place: str = ""
    """The municipality that has most of them."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """Of layers, by id."""

    def parcel(self, language: str = "") -> str:
        named = text("example_parcel", language, number=self.number, municipality=self.in_municipality)
        return named if self.number else ""


def samples_of(data: Dataset) -> Samples:
    """The first of each kind that is good to name."""
    address = next((row for row in data.addresses if row.house_number and row.accuracy == "exact"), None)
    parcel = next(iter(data.parcels), None)
    village = next((row.name for row in data.localities if row.kind == "former_municipality"), "")
    layer = next((row.title for row in data.layers if row.kind == "group"), "")
    zone = next((zone for zone in data.geothermal if zone.max_depth_m), None)
    named = [file for file in data.features if file.things and file.features]
    most = max(named, key=lambda file: len(file.features), default=None)
    called = most.things.model_dump() if most and most.things else {}
    return Samples(
        address=f"{address.street} {address.house_number}, {address.locality}" if address else "",
        municipality=_municipality(data, address.bfs_number if address else None),
        place=_written_out(village or next((row.name for row in data.localities), "")),
        layer=layer or next((row.title for row in data.layers), ""),
        number=parcel.number if parcel else "",
        in_municipality=parcel.municipality if parcel else "",
        egrid=parcel.egrid if parcel else "",
        outline=parcel.geometry if parcel else None,
        at_parcel=_middle(parcel),
        height=next(((row.east, row.north) for row in data.heights), None),
        geothermal=_middle(zone),
        askable=tuple(file.layer for file in data.features),
        things=called.get(DEFAULT_LANGUAGE, ""),
        things_called=called,
        thing_place=_usual_place(most) if most else "",
        titles={row.id: row.title for row in data.layers},
    )


def vocabulary_of(data: Dataset, samples: Samples) -> Vocabulary:
    """The names of the canton, its districts, municipalities and localities, and what to ask."""
    codes = {row.postal_code for row in data.localities} | {row.postal_code for row in data.municipalities}
    forms = dict.fromkeys(form_of(row.number) for row in data.parcels)
    own_forms = (form for form in forms if form not in _PLAIN_FORMS and is_form(form))
    known = Vocabulary(
        places=tuple(_places(data)),
        postal_codes=tuple(sorted(codes)),
        parcel_numbers=tuple(own_forms)[:MAX_PARCEL_FORMS],
        examples=tuple(_examples(samples)),
        extent=_extent(data),
    )
    return _with_layers(known, list(_layers(data)))


def shown(coord: Coord | None) -> str:
    """A point as people write it: `2600513, 1215519`."""
    return f"{coord[0]:.0f}, {coord[1]:.0f}" if coord else ""


def _places(data: Dataset) -> Iterator[PlaceName]:
    about = data.about
    yield PlaceName(
        name=text("label_canton_named", name=about.canton),
        kind="canton",
        also=(about.canton, about.abbreviation),
    )
    for row in data.municipalities:
        yield PlaceName(name=row.name, kind="municipality", coord=_point(row.east, row.north))
    for district in sorted({row.district for row in data.municipalities} - {""}):
        yield PlaceName(name=district, kind="district")
    own = {_spoken(row.name) for row in data.municipalities}
    for place in data.localities:
        name = _written_out(place.name.removesuffix(f" {about.abbreviation}"))
        if name not in own or place.also_known_as:
            # Its municipality has one already.
            point = None if name in own else (place.east, place.north)
            yield PlaceName(name=name, kind="locality", also=place.also_known_as, coord=point)
    for hill in data.hills:
        yield PlaceName(name=hill.name, kind="locality", coord=(hill.east, hill.north))


def _with_layers(known: Vocabulary, layers: Sequence[LayerName]) -> Vocabulary:
    """With as much about the layers as there is room for beside the places."""
    fuller = (known.model_copy(update={"layers": tuple(said)}) for said in _shorter_and_shorter(layers))
    return next((each for each in fuller if len(each.to_json()) <= MAX_VOCABULARY_BYTES), known)


def _shorter_and_shorter(layers: Sequence[LayerName]) -> Iterator[Sequence[LayerName]]:
    """With fewer further names, of the last ones first, then fewer layers."""
    step = len(layers) // 4 + 1
    for most in range(max((len(layer.also) for layer in layers), default=0), 0, -1):
        for full in range(len(layers), 0, -step):
            yield [*_named(layers[:full], most), *_named(layers[full:], most - 1)]
    for count in range(len(layers), 0, -1):
        yield [*_named(layers[:count], 0)]


def _named(layers: Iterable[LayerName], most: int) -> Iterator[LayerName]:
    """With so many further names of each."""
    return (layer.model_copy(update={"also": layer.also[:most]}) for layer in layers)


def _layers(data: Dataset) -> Iterator[LayerName]:
    """Groups first, and those of others last; with the names that lead to each of them alone."""
    entries = datafiles.layer_entries(data)
    search = LayerSearch(entries, datafiles.thesaurus(data))
    for entry in sorted(entries, key=lambda entry: (not entry.is_group, entry.external)):
        names = dict.fromkeys((*entry.keywords, *entry.other_names))
        also = tuple(name for name in names if search.names(name) == entry)
        yield LayerName(id=entry.id, name=entry.title, also=also)


def _municipality(data: Dataset, bfs_number: int | None) -> str:
    """The one with that number, or the first that can be shown."""
    known = [row for row in data.municipalities if row.east]
    return next((_spoken(row.name) for row in known if bfs_number in (None, row.bfs_number)), "")


def _usual_place(file: FeatureFile) -> str:
    places = Counter(name for row in file.features for name in row.municipality)
    return next((_spoken(name) for name, _ in places.most_common(1)), "")


def _examples(samples: Samples) -> Iterator[Example]:
    points = shown(samples.at_parcel), shown(samples.geothermal), shown(samples.height)
    at_parcel, drilled, measured = points
    subjects = {
        Intent.GOTO_ADDRESS: samples.address,
        Intent.SEARCH_PLACE: samples.municipality,
        Intent.LOAD_LAYER: samples.layer,
        Intent.GEOTHERMAL_PROBE_ASSESSMENT: drilled or at_parcel,
        Intent.HEIGHT_QUERY: measured or at_parcel,
        Intent.IDENTIFY: at_parcel or measured,
    }
    for intent, subject in subjects.items():
        if subject:
            yield Example(intent=intent, subject=subject)
    if samples.number:
        parcels = {language: samples.parcel(language) for language in LANGUAGES}
        for about in (Intent.SHOW_PARCEL, Intent.CADASTRAL_PLAN, "coordinate_query"):
            yield Example(intent=about, subject=parcels[DEFAULT_LANGUAGE], subjects=parcels)
    if samples.things and samples.thing_place:
        yield _worded(
            Intent.QUERY_FEATURES,
            lambda language: text(
                "example_features",
                language,
                things=samples.things_called.get(language, samples.things),
                municipality=samples.thing_place,
            ),
        )
    ends = samples.municipality, samples.thing_place or samples.place
    if all(ends) and ends[0] != ends[1]:
        yield _worded(
            Intent.MEASURE_DISTANCE,
            lambda language: text("example_distance", language, start=ends[0], end=ends[1]),
        )


def _worded(intent: Intent, subject: Callable[[str], str]) -> Example:
    subjects = {language: subject(language) for language in LANGUAGES}
    return Example(intent=intent, subject=subjects[DEFAULT_LANGUAGE], subjects=subjects)


def _extent(data: Dataset) -> Extent | None:
    points = [(row.east, row.north) for row in data.localities]
    if not points:
        return None
    west, south, east, north = bounds_of(points)
    return west - _MARGIN_M, south - _MARGIN_M, east + _MARGIN_M, north + _MARGIN_M


def _middle(row: ParcelRow | GeothermalRow | None) -> Coord | None:
    if row is None:
        return None
    east, north = inner_point(polygons_of(row.geometry))
    return round(east), round(north)


def _point(east: float | None, north: float | None) -> Coord | None:
    return None if east is None or north is None else (east, north)


def _spoken(name: str) -> str:
    return name.partition(" (")[0]


def _written_out(name: str) -> str:
    """`Balm b. Messen`, as the register of localities has it, is spoken `Balm bei Messen`."""
    return name.replace(" b. ", " bei ")
