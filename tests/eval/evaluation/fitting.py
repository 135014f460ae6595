"""Fits linear models to examples, and packs models as `planner.rules.learned.model` reads them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from zlib import crc32

import numpy as np
from e5.model import Floats
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression

from planner.rules.learned.model import PART, PART_WEIGHT, Header

_INVERSE_STRENGTH = 100.0
"""Of the regularisation; as good as any from 20 to 300."""
_SENSES = 128
"""So many directions of the senses are told apart: as good as all, and fitted in a fifth of the time."""


class Example(NamedTuple):
    features: frozenset[str]
    labels: frozenset[str]
    sense: Floats | None = None


@dataclass(frozen=True)
class Size:
    """What is learned: a label, a feature of fewer examples is not; nor are weaker weights."""

    min_examples: int
    min_uses: int
    most_weights: int | None = None
    units: int = 128
    """Of a network; as is what follows."""
    epochs: int = 20
    caution: float = 1.0
    """The log odds are multiplied by it: a wide network is surer than it is right."""


@dataclass(frozen=True)
class Weights:
    """Of a model. `columns`: labels, or the units of a hidden layer."""

    of_features: np.ndarray
    """(features, columns)."""
    bias: np.ndarray
    """(columns,)."""
    of_sense: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    """(columns, numbers of a sense)."""
    of_units: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    """(labels, units)."""
    label_bias: np.ndarray = field(default_factory=lambda: np.zeros(0))
    """(labels,), where there are units."""


class Examples:
    """As what is learned from sees them."""

    def __init__(self, found: Sequence[Example], size: Size, by_sense: bool) -> None:
        senses = np.array([each.sense for each in found if by_sense])
        uses = Counter(feature for each in found for feature in each.features)
        counted = Counter(label for each in found for label in each.labels)
        self.features = sorted(feature for feature, many in uses.items() if many >= size.min_uses)
        self.labels = sorted(label for label, many in counted.items() if many >= size.min_examples)
        self.matrix = _matrix(found, {feature: n for n, feature in enumerate(self.features)})
        """(examples, features); each row has the length 1."""
        self.wanted = np.array([[label in each.labels for label in self.labels] for each in found])
        self.mean = senses.mean(axis=0) if by_sense else np.zeros(0)
        self.senses = _apart(senses, self.mean) if by_sense else np.zeros((len(found), 0))
        self._size = size

    def packed(self, weights: Weights, learned_from: str = "") -> bytes:
        """The file of a model that has learned them."""
        of_features, scale = _bytes_of(_strongest(weights.of_features, self._size.most_weights))
        of_sense, sense_scale = _bytes_of(weights.of_sense)
        of_units, label_scale = _bytes_of(weights.of_units)
        order = sorted(
            np.flatnonzero(of_features.any(axis=1)), key=lambda n: crc32(self.features[n].encode())
        )
        head = Header(
            labels=tuple(self.labels),
            bias=_rounded(weights.bias),
            scale=scale,
            features=len(order),
            sense=len(self.mean),
            sense_scale=sense_scale,
            label_bias=_rounded(weights.label_bias),
            label_scale=label_scale,
            learned_from=learned_from,
        )
        body = (
            np.array([crc32(self.features[n].encode()) for n in order], "<u4"),
            *((of_features[order],) if weights.of_units.size else _sparse(of_features[order])),
            self.mean.astype("<f4"),
            of_sense,
            of_units,
        )
        return head.model_dump_json().encode() + b"\n" + b"".join(each.tobytes() for each in body)


def fitted(found: Sequence[Example], size: Size, learned_from: str = "", by_sense: bool = False) -> bytes:
    """The file of a linear model; the same examples always give the same one."""
    known = Examples(found, size, by_sense)
    directions = _directions(known.senses)
    seen = hstack([known.matrix, known.senses @ directions.T]).tocsr()
    coefficients, bias = [], []
    for has in known.wanted.T:
        regression = LogisticRegression(C=_INVERSE_STRENGTH, solver="liblinear", random_state=0)
        regression.fit(seen, has)
        coefficients.append(regression.coef_[0])
        bias.append(float(regression.intercept_[0]))
    of_features, of_senses = np.split(np.array(coefficients).T, [len(known.features)])
    return known.packed(Weights(of_features, np.array(bias), of_senses.T @ directions), learned_from)


def _sparse(table: np.ndarray) -> tuple[np.ndarray, ...]:
    """Where the weights of each row end, the columns of these, and what is not zero."""
    rows = csr_matrix(table)
    return rows.indptr[1:].astype("<u4"), rows.indices.astype("<u2"), rows.data.astype("i1")


def _bytes_of(table: np.ndarray) -> tuple[np.ndarray, float]:
    """Signed bytes, and what a 1 of them stands for."""
    scale = float(np.abs(table).max(initial=0.0)) / 127 or 1.0
    return np.round(table / scale).astype("i1"), scale


def _rounded(numbers: np.ndarray) -> tuple[float, ...]:
    return tuple(round(float(each), 4) for each in numbers)


def _directions(apart: np.ndarray) -> np.ndarray:
    """In which senses differ most: (directions, numbers)."""
    directions: np.ndarray = np.linalg.svd(apart, full_matrices=False)[2] if apart.size else np.zeros((0, 0))
    return directions[:_SENSES]


def _apart(senses: Floats, mean: np.ndarray) -> np.ndarray:
    apart: np.ndarray = senses - mean
    apart /= np.linalg.norm(apart, axis=1, keepdims=True)
    return apart


def _strongest(table: np.ndarray, most: int | None) -> np.ndarray:
    """The table with nothing but its strongest weights."""
    if most is None or table.size <= most:
        return table
    least = np.sort(np.abs(table), axis=None)[-most]
    return np.where(np.abs(table) >= least, table, 0.0)


def _matrix(found: Sequence[Example], at: Mapping[str, int]) -> csr_matrix:
    """A row of length 1 for each example."""
    columns: list[int] = []
    values: list[float] = []
    ends = [0]
    for each in found:
        known = [feature for feature in sorted(each.features) if feature in at]
        row = [PART_WEIGHT if feature.startswith(PART) else 1.0 for feature in known]
        length = float(np.linalg.norm(row)) or 1.0
        columns += [at[feature] for feature in known]
        values += [value / length for value in row]
        ends.append(len(columns))
    return csr_matrix((values, columns, ends), shape=(len(found), len(at)))
