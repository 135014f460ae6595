"""What people meant who said such things: how probable each label is, by the features of a message.

`make learn` makes the files of the models from conversations. The first line of a file is a `Header`. Then
come the features that say something, in the order of their CRC-32: first all of these (32 bits, unsigned, the
low byte first, as all numbers), then where the weights of each end (32 bits), then for each weight the number
of its column (16 bits), then the weights (a signed byte each). A column is a label: each has a logistic
regression. A model that looks at the sense of a text, too, goes on with the mean of all senses (32-bit
floats), and for each column a weight for each number of a sense (a signed byte each).

The columns of a network with one hidden layer are its units (rectified). Each feature has a weight for each
of them, so that its file has neither ends nor numbers of columns; it ends with a weight of each unit for each
label (a signed byte each). The known features of a message are scaled to the length 1 all together, and
so is its sense, less the mean.
"""

import math
import sys
from array import array
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from importlib.resources import files
from operator import mul
from typing import TYPE_CHECKING, Final
from zlib import crc32

from pydantic import BaseModel

if TYPE_CHECKING:
    from e5.model import Floats

_MOST: Final = 50.0
"""Beyond this nothing becomes less probable."""
PART_WEIGHT: Final = 0.35
"""A part of a word says less than a word; a message has many of them."""
PART: Final = "~"
"""Begins the parts of words among the features."""
TALK: Final = "answer:"
"""Begins the labels for what is said by an answer."""


def is_intent(label: str) -> bool:
    """Other labels tell what is said by an answer."""
    return not label.startswith(TALK)


class Header(BaseModel):
    labels: tuple[str, ...]
    bias: tuple[float, ...]
    """Of each column."""
    scale: float
    """What a weight of 1 stands for."""
    features: int
    sense: int = 0
    """How many numbers a sense has; 0 where it is not looked at."""
    sense_scale: float = 1.0
    label_bias: tuple[float, ...] = ()
    """Where there is a hidden layer."""
    label_scale: float = 1.0
    learned_from: str = ""
    """A digest of the conversations."""


class Model:
    """Pure once it is read; what is equal always gives equal probabilities."""

    def __init__(self, file: bytes) -> None:
        head, _, body = file.partition(b"\n")
        self._header = Header.model_validate_json(head)
        self.labels = self._header.labels
        self.learned_from = self._header.learned_from
        self.sense = self._header.sense
        features, columns = self._header.features, len(self._header.bias)
        rest = body

        def taken(size: int) -> bytes:
            nonlocal rest
            found, rest = rest[:size], rest[size:]
            return found

        self._hashes = _numbers("I", taken(4 * features))
        self._ends: Sequence[int] = range(columns, columns * (features + 1), columns or 1)
        self._columns = array("H")
        """Of each weight; empty where each feature has one for each column."""
        if features and not self._header.label_bias:
            self._ends = _numbers("I", taken(4 * features))
            self._columns = _numbers("H", taken(2 * self._ends[-1]))
        self._weights = array("b", taken(self._ends[-1] if features else 0))
        self._of_sense = taken(self.sense * (columns + 4))
        self._of_units = [array("b", taken(columns)) for _ in self._header.label_bias]
        if rest:
            raise ValueError("a model of another format: run `make learn`")

    def probabilities(self, features: Collection[str], sense: "Floats | None" = None) -> Mapping[str, float]:
        """How probable it is that each label is meant; several can be."""
        sums = list(
            map(sum, zip(self._by_features(features), self._by_sense(sense), self._header.bias, strict=True))
        )
        if self._of_units:
            sums = self._by_units([max(0.0, each) for each in sums])
        return {label: _probability(each) for label, each in zip(self.labels, sums, strict=True)}

    def _by_features(self, features: Collection[str]) -> Sequence[float]:
        sums = [0.0] * len(self._header.bias)
        length = 0.0
        for feature in sorted(features):
            key = crc32(feature.encode())
            at = bisect_left(self._hashes, key)
            if at == len(self._hashes) or self._hashes[at] != key:
                continue
            weight = PART_WEIGHT if feature.startswith(PART) else 1.0
            length += weight * weight
            begin, end = self._ends[at - 1] if at else 0, self._ends[at]
            columns = self._columns[begin:end] or range(end - begin)
            for column, each in zip(columns, self._weights[begin:end], strict=True):
                sums[column] += weight * each
        scale = self._header.scale / math.sqrt(length or 1.0)
        return [total * scale for total in sums]

    def _by_sense(self, sense: "Floats | None") -> Sequence[float]:
        if sense is None or not self.sense:
            return [0.0] * len(self._header.bias)
        import numpy as np  # loaded by now: a sense is an array

        numbers = self.sense
        mean = np.frombuffer(self._of_sense, "<f4", numbers)
        weights = np.frombuffer(self._of_sense, "i1", offset=mean.nbytes).reshape(-1, numbers)
        apart = sense - mean
        sums: list[float] = (weights @ (apart / np.linalg.norm(apart)) * self._header.sense_scale).tolist()
        return sums

    def _by_units(self, units: Sequence[float]) -> list[float]:
        scale = self._header.label_scale
        return [
            bias + scale * sum(map(mul, row, units))
            for row, bias in zip(self._of_units, self._header.label_bias, strict=True)
        ]


def _probability(logit: float) -> float:
    return 1 / (1 + math.exp(min(-logit, _MOST)))


def _numbers(kind: str, packed: bytes) -> "array[int]":
    numbers = array(kind, packed)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


@cache
def intent_model() -> Model:
    """The intents of a message; read with the first message that needs it."""
    return _packaged("intents.bin")


@cache
def layer_model(by_sense: bool) -> Model:
    """The titles of layers that a message wants; those of other cantons are not among them."""
    return _packaged("layers-by-sense.bin" if by_sense else "layers.bin")


@cache
def map_model() -> Model:
    """What a message wants of a layer that is on the map."""
    return _packaged("on-map.bin")


def _packaged(name: str) -> Model:
    return Model(files("planner.rules").joinpath("data", name).read_bytes())
