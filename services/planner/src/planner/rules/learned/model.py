"""What people meant who said such things: linear models, one logistic regression a label.

`make learn` makes their files from conversations. The first line of a file is a `Header`. Then come the
features that say something, in the order of their CRC-32: first all of these (32 bits, unsigned, the low byte
first, as all numbers), then where the weights of each end (32 bits), then for each weight the number of its
label (16 bits), then the weights (a signed byte each). A model that looks at the sense of a text, too, ends
with the mean of all senses (32-bit floats), and for each label a weight for each number of a sense (a signed
byte each).
"""

import math
import sys
from array import array
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final
from zlib import crc32

from pydantic import BaseModel

if TYPE_CHECKING:
    from e5.model import Floats

PART_WEIGHT: Final = 0.35
"""A part of a word says less than a word; a message has many of them."""
PART: Final = "~"
"""Begins the parts of words among the features."""
TALK: Final = "answer:"
"""Begins the labels for what is said by an answer."""


class Header(BaseModel):
    labels: tuple[str, ...]
    bias: tuple[float, ...]
    scale: float
    """What a weight of 1 stands for."""
    features: int
    sense: int = 0
    """How many numbers a sense has; 0 where it is not looked at."""
    sense_scale: float = 1.0
    learned_from: str = ""
    """A digest of the conversations."""


class LinearModel:
    """Pure once it is read; equal features always give equal probabilities."""

    def __init__(self, file: bytes) -> None:
        head, _, body = file.partition(b"\n")
        self._header = Header.model_validate_json(head)
        self.labels = self._header.labels
        self.learned_from = self._header.learned_from
        self.sense = self._header.sense
        size = 4 * self._header.features
        self._hashes = _numbers("I", body[:size])
        self._ends = _numbers("I", body[size : 2 * size])
        columns = 2 * (self._ends[-1] if self._ends else 0)
        self._columns = _numbers("H", body[2 * size : 2 * size + columns])
        weights = 2 * size + columns
        self._weights = memoryview(body)[weights : weights + columns // 2].cast("b")
        self._of_sense = body[weights + columns // 2 :]

    def probabilities(self, features: Collection[str], sense: "Floats | None" = None) -> Mapping[str, float]:
        """How probable it is that each label is meant; several can be."""
        of_features, of_sense = self._by_features(features), self._by_sense(sense)
        sums = zip(self.labels, of_features, of_sense, self._header.bias, strict=True)
        return {label: 1 / (1 + math.exp(-sum(each))) for label, *each in sums}

    def _by_features(self, features: Collection[str]) -> Sequence[float]:
        sums = [0.0] * len(self.labels)
        length = 0.0
        for feature in sorted(features):
            key = crc32(feature.encode())
            at = bisect_left(self._hashes, key)
            if at == len(self._hashes) or self._hashes[at] != key:
                continue
            weight = PART_WEIGHT if feature.startswith(PART) else 1.0
            length += weight * weight
            for n in range(self._ends[at - 1] if at else 0, self._ends[at]):
                sums[self._columns[n]] += weight * self._weights[n]
        scale = self._header.scale / math.sqrt(length or 1.0)
        return [total * scale for total in sums]

    def _by_sense(self, sense: "Floats | None") -> Sequence[float]:
        if sense is None or not self.sense:
            return [0.0] * len(self.labels)
        import numpy as np  # loaded by now: a sense is an array

        numbers = self.sense
        mean = np.frombuffer(self._of_sense, "<f4", numbers)
        weights = np.frombuffer(self._of_sense, "i1", offset=mean.nbytes).reshape(-1, numbers)
        apart = sense - mean
        sums: list[float] = (weights @ (apart / np.linalg.norm(apart)) * self._header.sense_scale).tolist()
        return sums


def _numbers(kind: str, packed: bytes) -> "array[int]":
    numbers = array(kind, packed)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


@cache
def intent_model() -> LinearModel:
    """The intents of a message; read with the first message that needs it."""
    return _packaged("intents.bin")


@cache
def layer_model(by_sense: bool) -> LinearModel:
    """The titles of layers that a message wants; those of other cantons are not among them."""
    return _packaged("layers-by-sense.bin" if by_sense else "layers.bin")


def _packaged(name: str) -> LinearModel:
    return LinearModel(files("planner.rules").joinpath("data", name).read_bytes())
