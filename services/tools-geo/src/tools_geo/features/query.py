"""Which features are meant, in which order, and one number about them; the same for every source. Pure."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean
from typing import Literal

from contracts.items import Aggregate, Coord, Feature

from tools_geo.features.attributes import Reading, UnknownAttribute, names_of, reading
from tools_geo.features.values import Value, contains, days_of, same, spans_of, written_number

_SHOWN_VALUES = 3
_FUNCTIONS: dict[str, Callable[[Sequence[float]], float]] = {
    "sum": sum,
    "mean": fmean,
    "min": min,
    "max": max,
}

Function = Literal["count", "sum", "mean", "min", "max"]


class Operator(StrEnum):
    EQUAL = "="
    LESS = "<"
    AT_MOST = "<="
    MORE = ">"
    AT_LEAST = ">="
    CONTAINS = "contains"


@dataclass(frozen=True)
class Condition:
    attribute: str
    operator: Operator
    value: Value


@dataclass(frozen=True)
class Query:
    where: tuple[Condition, ...] = ()
    """All of them hold."""
    order: str = ""
    """An attribute, `area`, `length` or `distance`; with `-` in front the largest first."""
    function: Function | None = None
    attribute: str = ""
    """Of the function; `count` needs none."""


@dataclass(frozen=True)
class Selected:
    features: tuple[Feature, ...]
    """All that are meant, in order."""
    conditions: tuple[str, ...] = ()
    """As they were understood: `Fläche > 1000 m²`."""
    order: str = ""
    """The attribute that they are ordered by, as the features have it."""
    aggregate: Aggregate | None = None
    unknown: int = 0
    """How many have no number for the aggregate."""


class NotComparable(Exception):
    """The values of an attribute are neither numbers nor dates like the one they are to be compared with."""

    def __init__(self, attribute: str, values: tuple[str, ...]) -> None:
        super().__init__(attribute)
        self.attribute = attribute
        self.values = values
        """Some that it has."""


def select(features: Sequence[Feature], query: Query, centre: Coord | None = None) -> Selected:
    """Raises `UnknownAttribute` and `NotComparable`; not where there is nothing to choose from."""
    if not features:
        count = Aggregate(function="count", value=0) if query.function == "count" else None
        return Selected((), aggregate=count)
    tests = [(each, reading(each.attribute, features, centre)) for each in query.where]
    kept = list(features)
    for condition, tested in tests:
        kept = _filtered(kept, condition, tested)
    read = reading(query.order.removeprefix("-"), features, centre) if query.order else None
    if read is not None:
        kept = _ordered(kept, read, largest_first=query.order.startswith("-"))
    aggregate, unknown = _aggregate(kept, query, features, centre)
    told = tuple(_told(condition, tested) for condition, tested in tests)
    return Selected(tuple(kept), told, read.name if read else "", aggregate, unknown)


def _filtered(features: list[Feature], condition: Condition, read: Reading) -> list[Feature]:
    valued = [(feature, value) for feature in features if (value := read.of(feature)) is not None]
    ranked = condition.operator not in (Operator.EQUAL, Operator.CONTAINS)
    if ranked and valued and not any(spans_of(value, condition.value, read.unit) for _, value in valued):
        raise NotComparable(read.name, _some(value for _, value in valued))
    return [read.shown(feature) for feature, value in valued if _holds(value, condition, read.unit)]


def _holds(value: Value, condition: Condition, unit: str | None) -> bool:
    if condition.operator is Operator.CONTAINS:
        return contains(value, condition.value)
    spans = spans_of(value, condition.value, unit)
    if spans is None:
        return condition.operator is Operator.EQUAL and same(value, condition.value)
    own, asked = spans
    match condition.operator:
        case Operator.LESS:
            return own.high < asked.low
        case Operator.AT_MOST:
            return own.high <= asked.high
        case Operator.MORE:
            return own.low > asked.high
        case Operator.AT_LEAST:
            return own.low >= asked.low
        case _:
            return asked.low <= own.low and own.high <= asked.high


def _ordered(kept: list[Feature], read: Reading, *, largest_first: bool) -> list[Feature]:
    """What has no value comes last, however it is ordered; equal ones stay as they are."""
    valued = [(value, feature) for feature in kept if (value := read.of(feature)) is not None]
    valued.sort(key=lambda pair: _rank(pair[0]), reverse=largest_first)
    others = [feature for feature in kept if read.of(feature) is None]
    return [read.shown(feature) for _, feature in valued] + others


def _rank(value: Value) -> tuple[int, float, str]:
    """Numbers before dates before words."""
    number = written_number(value)
    if number is not None:
        return 0, number, ""
    days = days_of(value)
    return (1, days.low, "") if days else (2, 0.0, str(value).casefold())


def _aggregate(
    kept: Sequence[Feature], query: Query, features: Sequence[Feature], centre: Coord | None
) -> tuple[Aggregate | None, int]:
    if query.function is None:
        return None, 0
    if query.function == "count":
        return Aggregate(function="count", value=len(kept)), 0
    if not query.attribute:
        raise UnknownAttribute("", names_of(features))
    read = reading(query.attribute, features, centre)
    values = [value for feature in kept if (value := read.of(feature)) is not None]
    numbers = [number for value in values if (number := written_number(value)) is not None]
    if values and not numbers:
        raise NotComparable(read.name, _some(values))
    if not numbers:
        return None, len(kept)
    result = round(_FUNCTIONS[query.function](numbers), 2)
    found = Aggregate(function=query.function, attribute=read.name, value=result, unit=read.unit)
    return found, len(kept) - len(numbers)


def _told(condition: Condition, read: Reading) -> str:
    said = f"{condition.value:g}" if isinstance(condition.value, float) else str(condition.value)
    is_bare = written_number(condition.value) is not None
    unit = f" {read.unit}" if read.unit and is_bare else ""
    sign = ":" if condition.operator is Operator.CONTAINS else f" {condition.operator}"
    return f"{read.name}{sign} {said}{unit}"


def _some(values: Iterable[Value]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(str, values)))[:_SHOWN_VALUES]
