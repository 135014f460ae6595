"""Intents by what people said before: a linear model, one logistic regression an intent.

`data/intents.bin` is made by `make learn` from conversations. Its first line is a `Header`; then come the
features that say something, in the order of their CRC-32: first all of these (32 bits, unsigned, the low byte
first), then for each a weight for each label (a signed byte).
"""

import math
import sys
from array import array
from bisect import bisect_left
from collections.abc import Collection, Mapping
from functools import cache
from importlib.resources import files
from typing import Final
from zlib import crc32

from pydantic import BaseModel

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
    learned_from: str = ""
    """A digest of the conversations."""


class IntentModel:
    """Pure once it is read; equal features always give equal probabilities."""

    def __init__(self, file: bytes) -> None:
        head, _, body = file.partition(b"\n")
        self._header = Header.model_validate_json(head)
        self.labels = self._header.labels
        self.learned_from = self._header.learned_from
        size, width = 4 + len(self.labels), len(self.labels)
        count = len(body) // size
        self._hashes = _numbers(body[: 4 * count])
        self._weights = memoryview(body)[4 * count :].cast("b")
        self._width = width

    def probabilities(self, features: Collection[str]) -> Mapping[str, float]:
        """How probable it is that each label is meant; several can be."""
        sums = [0.0] * self._width
        length = 0.0
        for feature in sorted(features):
            key = crc32(feature.encode())
            at = bisect_left(self._hashes, key)
            if at == len(self._hashes) or self._hashes[at] != key:
                continue
            weight = PART_WEIGHT if feature.startswith(PART) else 1.0
            length += weight * weight
            row = self._weights[at * self._width : (at + 1) * self._width]
            sums = [total + weight * each for total, each in zip(sums, row, strict=True)]
        scale = self._header.scale / math.sqrt(length or 1.0)
        biased = zip(self.labels, sums, self._header.bias, strict=True)
        return {label: 1 / (1 + math.exp(-(total * scale + bias))) for label, total, bias in biased}


def _numbers(packed: bytes) -> "array[int]":
    numbers = array("I", packed)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


@cache
def intent_model() -> IntentModel:
    """The one that ships; read with the first message that needs it."""
    return IntentModel(files("planner.rules").joinpath("data", "intents.bin").read_bytes())
