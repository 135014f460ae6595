"""Coordinates in a sentence: LV95, LV03 and WGS84, in either order, as LV95."""

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from swissgeo import lv95

_GROUPED_7 = r"[12][ '.]\d{3}[ '.]\d{3}(?:\.\d{1,3})?"
_GROUPED_6 = r"\d{2,3}[ ']\d{3}(?:\.\d{1,3})?"
_PLAIN = r"\d{5,7}(?:\.\d{1,4})?"
_METRES = re.compile(rf"(?<![\d.'])(?:{_GROUPED_7}|{_GROUPED_6}|{_PLAIN})(?![\d'])", re.ASCII)
_DECIMAL_DEGREES = re.compile(r"(?<![\d.'])\d{1,2}[.,]\d{2,12}(?!\d|\.\d)", re.ASCII)
_SEXAGESIMAL = re.compile(
    r"(?<!\d)(\d{1,2}) ?° ?(\d{1,2}(?:\.\d{1,8})?) ?'(?: ?(\d{1,2}(?:\.\d{1,8})?) ?(?:\"|''))?",
    re.ASCII,
)
_AXIS = (
    r"(?:ostwert|nordwert|rechtswert|hochwert|breite|laenge|länge|breitengrad|längengrad|ost|nord|east|north"
    r"|lat|lon|lng|lv95|lv03|wgs84|[enoxy])"
)
_BETWEEN = re.compile(rf"(?:[\s,;:/|()=°-]|\b(?:{_AXIS}|und)\b)*", re.IGNORECASE)
_BEFORE = re.compile(rf"\b{_AXIS}\b[ .:=]{{0,2}}$", re.IGNORECASE)
_AFTER = re.compile(r" ?°?(?: ?[eno]\b)?", re.IGNORECASE)
_MAX_GAP_CHARS = 30
_MIN_UNKNOWN_METRES = 100_000
_MIN_UNKNOWN_DECIMALS = 3
"""Other pairs of numbers are rather parcels, prices or years than a coordinate that we do not know."""


@dataclass(frozen=True, slots=True)
class Coordinate:
    """A point in LV95 (EPSG:2056), metres."""

    x: float
    """East."""
    y: float
    """North."""


@dataclass(frozen=True, slots=True)
class FoundCoordinate:
    coordinate: Coordinate
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Number:
    value: float
    unit: Literal["metre", "degree"]
    start: int
    end: int


def find_coordinates(text: str) -> tuple[FoundCoordinate, ...]:
    """All coordinates of a cleaned text, in order. Two numbers make one if a known system has both."""
    found: list[FoundCoordinate] = []
    for first, second in pairwise(_numbers(text)):
        gap = text[first.end : second.start]
        taken = bool(found) and first.start < found[-1].end
        if taken or first.unit != second.unit or len(gap) > _MAX_GAP_CHARS or not _BETWEEN.fullmatch(gap):
            continue
        coordinate = to_lv95(first.value, second.value)
        if coordinate:
            found.append(FoundCoordinate(coordinate, *_with_labels(text, first.start, second.end)))
    return tuple(found)


def find_unknown_coordinates(text: str) -> tuple[tuple[int, int], ...]:
    """Where a cleaned text has two numbers that can only be a coordinate, but of no place that we know."""
    found: list[tuple[int, int]] = []
    for first, second in pairwise(_numbers(text)):
        gap = text[first.end : second.start]
        taken = bool(found) and first.start < found[-1][1]
        if taken or first.unit != second.unit or len(gap) > _MAX_GAP_CHARS or not _BETWEEN.fullmatch(gap):
            continue
        precise = all(_is_precise(n, text[n.start : n.end]) for n in (first, second))
        if precise and to_lv95(first.value, second.value) is None:
            found.append(_with_labels(text, first.start, second.end))
    return tuple(found)


def _is_precise(number: _Number, written: str) -> bool:
    if number.unit == "metre":
        return number.value >= _MIN_UNKNOWN_METRES
    _, _, decimals = written.replace(",", ".").partition(".")
    return "°" in written or len(decimals) >= _MIN_UNKNOWN_DECIMALS


def to_lv95(one: float, other: float) -> Coordinate | None:
    """The point that two numbers name in LV95, LV03 (metres) or WGS84 (degrees), whatever their order."""
    point = lv95.to_lv95(one, other)
    return Coordinate(*point) if point else None


def _numbers(text: str) -> list[_Number]:
    numbers = [
        _Number(int(m[1]) + float(m[2]) / 60 + float(m[3] or 0) / 3_600, "degree", m.start(), m.end())
        for m in _SEXAGESIMAL.finditer(text)
    ]
    taken = _spans(numbers)
    numbers += [
        _Number(float(m.group().replace(",", ".")), "degree", m.start(), m.end())
        for m in _DECIMAL_DEGREES.finditer(text)
        if taken.isdisjoint(range(m.start(), m.end()))
    ]
    taken = _spans(numbers)
    numbers += [
        _Number(_metres(m.group()), "metre", m.start(), m.end())
        for m in _METRES.finditer(text)
        if taken.isdisjoint(range(m.start(), m.end()))
    ]
    return sorted(numbers, key=lambda n: n.start)


def _spans(numbers: list[_Number]) -> set[int]:
    return {i for n in numbers for i in range(n.start, n.end)}


def _metres(written: str) -> float:
    joined = re.sub(r"[ ']", "", written)
    whole, *rest = joined.split(".")
    if len(whole) == 1:  # dots as thousands separators: 2.600.513
        whole, rest = whole + "".join(rest[:2]), rest[2:]
    return float(".".join([whole, *rest[:1]]))


def _with_labels(text: str, start: int, end: int) -> tuple[int, int]:
    """The span together with the labels around it: `E 2600513, N 1215519`, `(47.2 N, 7.5 E)`."""
    before = _BEFORE.search(text[max(0, start - 16) : start])
    after = _AFTER.match(text, end)
    return start - len(before.group()) if before else start, after.end() if after else end
