"""Trains a network with one hidden layer on examples (dropout, Adam; one so small needs only NumPy)."""

from collections.abc import Callable, Sequence

import numpy as np
from scipy.sparse import csr_matrix

from evaluation.fitting import Example, Examples, Size, Weights

_BATCH = 128
_RATE = 0.002
_FEATURES, _SENSE = np.float32(4.0), np.float32(10.0)
"""How much features, and a sense, weigh: rows of length 1 are multiplied by this."""
_UNITS_DROPPED, _INPUTS_DROPPED = 0.5, 0.3
_SENSES_DROPPED = 0.3
"""So many examples are seen without their sense: the words have to do where it is not looked at."""
_MOST = 50.0
"""Beyond this nothing becomes less probable."""
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
    features, senses = known.matrix.astype(np.float32) * _FEATURES, known.senses.astype(np.float32) * _SENSE
    of_features, of_senses, bias, second, label_bias = _learned(features, senses, wanted, told, size)
    last = second.T * size.caution, label_bias * size.caution
    weights = Weights(of_features * _FEATURES, bias, of_senses.T * _SENSE, *last)
    return known.packed(weights, learned_from)


def _learned(
    features: csr_matrix, senses: np.ndarray, wanted: np.ndarray, told: np.ndarray, size: Size
) -> list[np.ndarray]:
    """Weights of features, of senses, bias; then weights and bias of the labels.

    Their shapes: (features, units), (numbers, units), (units,), (units, labels), (labels,).
    """
    random = np.random.default_rng(0)
    many, labels = wanted.shape
    width, numbers, units = features.shape[1], senses.shape[1], size.units
    values = [
        random.normal(0, np.sqrt(2 / (width + numbers)), (width, units)),
        random.normal(0, np.sqrt(2 / (width + numbers)), (numbers, units)),
        np.zeros(units),
        random.normal(0, np.sqrt(1 / units), (units, labels)),
        np.full(labels, -3.0),
    ]
    values = [each.astype(np.float32) for each in values]
    means, squares = ([np.zeros_like(each) for each in values] for _ in range(2))
    step, steps = 0, size.epochs * -(-many // _BATCH)
    for _ in range(size.epochs):
        order = random.permutation(many)
        for at in range(0, many, _BATCH):
            batch = order[at : at + _BATCH]
            seen = features[batch]
            seen.data *= _kept(random, seen.data.shape, _INPUTS_DROPPED)
            sense = senses[batch] * _kept(random, (len(batch), numbers), _INPUTS_DROPPED)
            sense *= random.random((len(batch), 1)) >= _SENSES_DROPPED
            slopes = _slopes(values, seen, sense, wanted[batch], told[batch], random)
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
    seen: csr_matrix,
    sense: np.ndarray,
    wanted: np.ndarray,
    told: np.ndarray,
    random: np.random.Generator,
) -> tuple[np.ndarray, ...]:
    """Of the loss, the logarithm of what is wanted, by each of the values."""
    of_features, of_senses, bias, second, label_bias = values
    active = np.maximum(seen @ of_features + sense @ of_senses + bias, 0)
    kept = _kept(random, active.shape, _UNITS_DROPPED)
    units = active * kept
    probable = 1 / (1 + np.exp(np.minimum(-(units @ second + label_bias), _MOST)))
    off = (probable - wanted) * told / np.float32(len(wanted))
    of_units = off @ second.T * kept * (active > 0)
    return seen.T @ of_units, sense.T @ of_units, of_units.sum(axis=0), units.T @ off, off.sum(axis=0)


def _kept(random: np.random.Generator, shape: tuple[int, ...], dropped: float) -> np.ndarray:
    """What all else is multiplied by: 0 for what is dropped."""
    kept: np.ndarray = (random.random(shape, np.float32) >= dropped) / np.float32(1 - dropped)
    return kept
