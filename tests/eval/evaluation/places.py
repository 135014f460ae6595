"""What the data of the system know at a point, and which places a sentence names."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import dist
from typing import Any

from contracts.items import Coord
from contracts.vocabulary import Vocabulary

from evaluation.outcomes import plain
from tools_geo.embedded import datafiles

_NEAR_M = {"address": 8.0, "place": 60.0}


@dataclass(frozen=True)
class _Point:
    name: str
    coord: Coord
    near_m: float


@dataclass(frozen=True)
class _Box:
    name: str
    low: Coord
    high: Coord

    def has(self, point: Coord) -> bool:
        return all(low <= at <= high for low, at, high in zip(self.low, point, self.high, strict=True))

    def off(self, point: Coord) -> float:
        """Metres from its middle."""
        return dist(point, [(low + high) / 2 for low, high in zip(self.low, self.high, strict=True)])


class Places:
    """The names of the embedded data."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        names = (name for place in vocabulary.places for name in (place.name, *place.also))
        self._names = sorted(set(names), key=lambda name: -len(name))
        data = datafiles.read()
        self._points = tuple(_points(data))
        self._boxes = tuple(map(_box, data.parcels))

    def at(self, point: Coord) -> tuple[str, ...]:
        """The addresses and places there, and the parcel that is there or has its middle nearest."""
        points = (each.name for each in self._points if dist(each.coord, point) <= each.near_m)
        around = sorted((each for each in self._boxes if each.has(point)), key=lambda box: box.off(point))
        return (*points, *(each.name for each in around[:1]))

    def named_in(self, sentence: str) -> tuple[str, ...]:
        """The names of places in a sentence; of `Wangen b. Olten` not Olten, too."""
        rest, found = f" {plain(sentence)} ", []
        for name in self._names:
            pattern = f" {re.escape(_plain(name))} "
            if re.search(pattern, rest):
                found.append(name)
                rest = re.sub(pattern, " | ", rest)
        return tuple(found)


@cache
def _plain(name: str) -> str:
    return plain(name)


def _points(data: datafiles.Dataset) -> Iterator[_Point]:
    for address in data.addresses:
        number = f" {address.house_number}" if address.house_number else ""
        name = f"{address.street}{number}, {address.postal_code} {address.locality}"
        yield _Point(name, (address.east, address.north), _NEAR_M["address"])
    for locality in data.localities:
        yield _Point(locality.name, (locality.east, locality.north), _NEAR_M["place"])
    for hill in data.hills:
        yield _Point(hill.name, (hill.east, hill.north), _NEAR_M["place"])
    for municipality in data.municipalities:
        if municipality.east is not None and municipality.north is not None:
            yield _Point(municipality.name, (municipality.east, municipality.north), _NEAR_M["place"])


def _box(parcel: datafiles.ParcelRow) -> _Box:
    easts, norths = zip(*_corners(parcel.geometry["coordinates"]), strict=True)
    name = f"Grundstück {parcel.number} {parcel.municipality} {parcel.egrid}"
    return _Box(name, (min(easts), min(norths)), (max(easts), max(norths)))


def _corners(coordinates: Any) -> Iterator[Coord]:
    """Of a polygon, or of several."""
    if isinstance(coordinates[0], int | float):
        yield (float(coordinates[0]), float(coordinates[1]))
        return
    for part in coordinates:
        yield from _corners(part)
