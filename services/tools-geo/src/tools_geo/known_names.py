"""Names that are completed while somebody writes: those of the data, and the keys of each."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from contracts.items import Coord
from contracts.suggest import SuggestionKind
from german.fold import fold
from german.words import words, words_in
from swissgeo.outlines import inner_point, polygons_of

from tools_geo import labels
from tools_geo.address_query import number_key
from tools_geo.embedded.datafiles import Dataset, layer_entries
from tools_geo.name_query import short_keys
from tools_geo.spelling import compact, place_key, street_key
from tools_geo.texts import text

_MIN_CHARS = 3

Wording = Callable[[str], str]
"""Says something in a language."""


@dataclass(frozen=True)
class KnownName:
    """Something with a name, and the keys under which it is found; the `further` ones only hint at it."""

    kind: SuggestionKind
    label: Wording
    keys: tuple[str, ...]
    detail: Wording | None = None
    coord: Coord | None = None
    further: tuple[tuple[str, str], ...] = ()
    """Each with what it is as people write it."""


def known_names(data: Dataset) -> Iterator[KnownName]:
    """All of them."""
    yield from _places(data)
    yield from _addresses(data)
    yield from _parcels(data)
    yield from _layers(data)


def _is(said: str) -> Wording:
    return lambda _: said


def _places(data: Dataset) -> Iterator[KnownName]:
    names = {row.bfs_number: row.name for row in data.municipalities}
    own = {place_key(name) for name in names.values()}
    also = {place_key(row.name): row.also_known_as for row in data.localities}
    for town in data.municipalities:
        district = partial(_said, "label_district_named", name=town.district) if town.district else None
        coord = None if town.east is None or town.north is None else (town.east, town.north)
        keys = _place_keys(town.name, *also.get(place_key(town.name), ()))
        yield KnownName("municipality", _is(town.name), keys, district, coord)
    for place in data.localities:
        if place_key(place.name) in own:
            # Its municipality is offered.
            continue
        keys = _place_keys(place.name, *place.also_known_as)
        around = _is(names.get(place.bfs_number, ""))
        label = place.name.replace(" b. ", " bei ")
        yield KnownName("place", _is(label), keys, around, (place.east, place.north))
    for hill in data.hills:
        yield KnownName("place", _is(hill.name), _place_keys(hill.name), coord=(hill.east, hill.north))


def _place_keys(*names: str) -> tuple[str, ...]:
    return tuple(key for name in names for key in (place_key(name), *short_keys(name)))


def _addresses(data: Dataset) -> Iterator[KnownName]:
    streets: set[tuple[str, str, str]] = set()
    for row in data.addresses:
        street, ends = street_key(words(row.street)), _ends_of(row.postal_code, row.locality)
        if (row.street, row.postal_code, row.locality) not in streets:
            streets.add((row.street, row.postal_code, row.locality))
            label = labels.address(row.street, None, row.postal_code, row.locality)
            yield KnownName("address", _is(label), tuple(street + end for end in ends))
        if row.house_number:
            label = labels.address(row.street, row.house_number, row.postal_code, row.locality)
            numbered = street + number_key(row.house_number)
            keys = tuple(numbered + end for end in ends)
            yield KnownName("address", _is(label), keys, coord=(row.east, row.north))


def _ends_of(postal_code: str, locality: str) -> tuple[str, ...]:
    key = place_key(locality)
    return "", key, postal_code + key


def _parcels(data: Dataset) -> Iterator[KnownName]:
    for row in data.parcels:
        number = compact(words(row.number))
        within = (place_key(row.municipality), place_key(row.land_register))
        east, north = inner_point(polygons_of(row.geometry))
        yield KnownName(
            "parcel",
            partial(_said, "example_parcel", number=row.number, municipality=row.municipality),
            (number, *(number + place for place in within), row.egrid.lower()),
            _is(row.egrid),
            (round(east), round(north)),
        )


def _layers(data: Dataset) -> Iterator[KnownName]:
    everyday: dict[str, dict[str, str]] = {}
    for meaning in data.thesaurus.meaning:
        # What people call it is mostly the first of what it leads to.
        for word in meaning.words:
            everyday.setdefault(meaning.leads_to[0], {})[compact(words(word))] = ""
    for entry in layer_entries(data):
        named = (*entry.keywords, *entry.other_names)
        further = {compact(words(name)): name for name in named} | everyday.get(entry.id, {})
        # "Standorte" finds the register of polluted ones.
        for part in words_in(entry.title):
            if len(part.text) > _MIN_CHARS:
                further.setdefault(fold(part.text), "")
        yield KnownName(
            "layer", _is(entry.title), (compact(words(entry.title)),), further=tuple(further.items())
        )


def _said(key: str, language: str, **values: str) -> str:
    return text(key, language, **values)
