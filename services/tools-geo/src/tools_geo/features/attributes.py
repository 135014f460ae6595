"""Which attribute of features a user means: one of the data, or one that is measured."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from contracts.items import Attribute, Coord, Feature
from german.spelling import closest
from german.stems import stem
from german.words import words

from tools_geo.features import shapes
from tools_geo.features.values import Value
from tools_geo.texts import text

_AREA, _LENGTH, _DISTANCE = "area", "length", "distance"
_MEASURES = {
    **dict.fromkeys(("area", "flaeche", "groesse", "flaechenmass", "surface", "superficie"), _AREA),
    **dict.fromkeys(("length", "laenge", "longueur", "lunghezza"), _LENGTH),
    **dict.fromkeys(("distance", "distanz", "entfernung", "distanza"), _DISTANCE),
}
"""Folded words of the four languages."""
_MIN_PART = 4


class UnknownAttribute(Exception):
    """No feature has an attribute that is called so, nor can it be measured."""

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        super().__init__(name)
        self.name = name
        self.known = known


@dataclass(frozen=True)
class Reading:
    """One attribute, to be read of each feature; None where it has none."""

    name: str
    unit: str | None
    of: Callable[[Feature], Value | None]
    is_measured: bool = False
    """It stands in no data: it has to be told along with a feature."""

    def shown(self, feature: Feature) -> Feature:
        """With what has been measured among its attributes."""
        value = self.of(feature)
        is_told = any(each.name == self.name for each in feature.attributes)
        if not self.is_measured or is_told or value is None:
            return feature
        told = Attribute(name=self.name, value=value, unit=self.unit)
        return feature.model_copy(update={"attributes": (*feature.attributes, told)})


def reading(word: str, features: Sequence[Feature], centre: Coord | None) -> Reading:
    """The attribute that a word means among those of some features.

    `centre` is what distances are measured from. Raises `UnknownAttribute`.
    """
    known = {each.name: each.unit for feature in features for each in feature.attributes}
    measure = _MEASURES.get(_key(word))
    alike = [name for name in known if measure and _MEASURES.get(_key(name)) == measure]
    if found := [*_called(word, tuple(known)), *alike]:
        return _of_data(found[0], known)
    measured = _measured(measure, centre) if measure else None
    if measured is not None and any(measured.of(feature) is not None for feature in features):
        return measured
    if resembling := _resembling(word, tuple(known)):
        return _of_data(resembling, known)
    raise UnknownAttribute(word, names_of(features))


def names_of(features: Sequence[Feature]) -> tuple[str, ...]:
    """The names of all their attributes, in the order of the data."""
    return tuple(dict.fromkeys(each.name for feature in features for each in feature.attributes))


def _of_data(name: str, units: Mapping[str, str | None]) -> Reading:
    return Reading(name, units[name], lambda feature: _value(feature, name))


def _called(word: str, known: Sequence[str]) -> Iterator[str]:
    """Those of exactly this name, then those that another form of it names."""
    key = _key(word)
    yield from (name for name in known if _key(name) == key)
    yield from (name for name in known if stem(_key(name)) == stem(key))


def _resembling(word: str, known: Sequence[str]) -> str | None:
    """The one that has the word in it, or is spelled nearly so."""
    key, keys = _key(word), {_key(name): name for name in known}
    parts = [name for each, name in keys.items() if len(key) >= _MIN_PART and (key in each or each in key)]
    near = parts or [keys[each] for each, _ in closest(key, tuple(keys))]
    return near[0] if len(near) == 1 else None


def _measured(measure: str, centre: Coord | None) -> Reading | None:
    if measure == _AREA:
        return Reading(text("attribute_area"), "m²", _measuring(shapes.area_m2), is_measured=True)
    if measure == _LENGTH:
        return Reading(text("attribute_length"), "m", _measuring(shapes.length_m), is_measured=True)
    if centre is None:
        return None

    def away(feature: Feature) -> Value | None:
        return round(shapes.distance_m(feature.geometry, centre)) if feature.geometry else None

    return Reading(text("attribute_distance"), "m", away, is_measured=True)


def _measuring(size_of: Callable[[shapes.Geometry | None], float]) -> Callable[[Feature], Value | None]:
    """Whole metres; what has no size has none of this."""
    return lambda feature: round(size_of(feature.geometry)) or None


def _value(feature: Feature, name: str) -> Value | None:
    return next((each.value for each in feature.attributes if each.name == name), None)


def _key(name: str) -> str:
    return "".join(words(name))
