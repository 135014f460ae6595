"""How a vector is stored: as numbers of eight bits, with the scale that makes them floats again."""

import struct
from collections.abc import Sequence

_LARGEST = 127


def packed(vector: Sequence[float]) -> bytes:
    """The scale as float32, then a byte for each number."""
    numbers = [float(number) for number in vector]
    scale = max(map(abs, numbers)) / _LARGEST or 1.0
    return struct.pack(f"<f{len(numbers)}b", scale, *(round(number / scale) for number in numbers))


def unpacked(stored: bytes) -> tuple[float, ...]:
    scale, *numbers = struct.unpack(f"<f{len(stored) - 4}b", stored)
    return tuple(number * scale for number in numbers)
