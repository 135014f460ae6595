"""Trains a network with one hidden layer on examples (dropout, Adam; NumPy is enough for one so small)."""

from collections.abc import Callable, Sequence

import numpy as np

from evaluation.fitting import Example, Examples, Size, Weights

_UNITS = 128
_EPOCHS, _BATCH = 20, 128
_RATE = 0.002
_FEATURES, _SENSE = 4.0, 10.0
"""How much features, and a sense, weigh: rows of length 1 are multiplied by this."""
_UNITS_DROPPED, _INPUTS_DROPPED = 0.5, 0.3
_SENSES_DROPPED = 0.3
"""So many examples are seen without their sense: the words have to do where it is not looked at."""
_MOMENTUM, _SQUARES = 0.9, 0.999


def trained(
    found: Sequence[Example],
    size: Size,
    learned_from: str = "",
    by_sense: bool = False,
    tells_of: Callable[[str, Example], bool] = lambda label, example: True,
) -> bytes:
    """The file of a model. `tells_of`: whether an example says that a label is, or is not meant."""
    known = Examples(found, size, by_sense)
    wanted = known.wanted.astype(np.float32)
    told = np.array([[tells_of(label, each) for label in known.labels] for each in found], np.float32)
    inputs = np.hstack([known.matrix.toarray() * _FEATURES, known.senses * _SENSE]).astype(np.float32)
    first, bias, second, label_bias = _learned(inputs, wanted, told, len(known.features))
    of_features, of_senses = np.split(first, [len(known.features)])
    weights = Weights(of_features * _FEATURES, bias, of_senses.T * _SENSE, second.T, label_bias)
    return known.packed(weights, learned_from)


def _learned(inputs: np.ndarray, wanted: np.ndarray, told: np.ndarray, features: int) -> list[np.ndarray]:
    """Weights and bias of both layers: (inputs, units), (units,), (units, labels), (labels,)."""
    random = np.random.default_rng(0)
    many, width = inputs.shape
    labels = wanted.shape[1]
    values = [
        random.normal(0, np.sqrt(2 / width), (width, _UNITS)),
        np.zeros(_UNITS),
        random.normal(0, np.sqrt(1 / _UNITS), (_UNITS, labels)),
        np.full(labels, -3.0),
    ]
    values = [each.astype(np.float32) for each in values]
    means, squares = ([np.zeros_like(each) for each in values] for _ in range(2))
    step, steps = 0, _EPOCHS * -(-many // _BATCH)
    for _ in range(_EPOCHS):
        order = random.permutation(many)
        for at in range(0, many, _BATCH):
            batch = order[at : at + _BATCH]
            seen = inputs[batch] * _kept(random, (len(batch), width), _INPUTS_DROPPED)
            seen[:, features:] *= random.random((len(batch), 1)) >= _SENSES_DROPPED
            slopes = _slopes(values, seen, wanted[batch], told[batch], random)
            step += 1
            rate = _RATE * (1 - step / (steps + 1))
            for value, slope, mean, square in zip(values, slopes, means, squares, strict=True):
                mean += (1 - _MOMENTUM) * (slope - mean)
                square += (1 - _SQUARES) * (slope * slope - square)
                deviation = np.sqrt(square / (1 - _SQUARES**step)) + np.float32(1e-8)
                value -= rate / (1 - _MOMENTUM**step) * mean / deviation
    return values


def _slopes(
    values: Sequence[np.ndarray],
    seen: np.ndarray,
    wanted: np.ndarray,
    told: np.ndarray,
    random: np.random.Generator,
) -> tuple[np.ndarray, ...]:
    """Of the loss, the logarithm of what is wanted, by each of the values."""
    first, bias, second, label_bias = values
    active = np.maximum(seen @ first + bias, 0)
    kept = _kept(random, active.shape, _UNITS_DROPPED)
    units = active * kept
    probable = 1 / (1 + np.exp(-(units @ second + label_bias)))
    off = (probable - wanted) * told / np.float32(len(seen))
    of_units = off @ second.T * kept * (active > 0)
    return seen.T @ of_units, of_units.sum(axis=0), units.T @ off, off.sum(axis=0)


def _kept(random: np.random.Generator, shape: tuple[int, ...], dropped: float) -> np.ndarray:
    """What all else is multiplied by: 0 for what is dropped."""
    kept: np.ndarray = (random.random(shape, np.float32) >= dropped) / np.float32(1 - dropped)
    return kept
