"""Fits linear models to examples: the files that `planner.rules.learned.model` reads."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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
    text: str = ""


@dataclass(frozen=True)
class Size:
    """What is learned: a label, a feature of fewer examples is not; nor are weaker weights."""

    min_examples: int
    min_uses: int
    most_weights: int


def fitted(
    found: Sequence[Example],
    size: Size,
    learned_from: str = "",
    tells_of: Callable[[str, Example], bool] = lambda label, example: True,
    senses: Floats | None = None,
) -> bytes:
    """The file of a model; the same examples always give the same one.

    `tells_of`: whether an example says that a label is, or is not meant. `senses`: a row for each example.
    """
    uses = Counter(feature for each in found for feature in each.features)
    features = sorted(feature for feature, many in uses.items() if many >= size.min_uses)
    seen = _matrix(found, {feature: n for n, feature in enumerate(features)})
    mean, directions = _directions(senses)
    if senses is not None:
        seen = hstack([seen, _apart(senses, mean) @ directions.T]).tocsr()
    counted = Counter(label for each in found for label in each.labels)
    labels = sorted(label for label, many in counted.items() if many >= size.min_examples)
    weights, bias = [], []
    for label in labels:
        among = np.array([tells_of(label, each) for each in found])
        has = np.array([label in each.labels for each in found])[among]
        regression = LogisticRegression(C=_INVERSE_STRENGTH, solver="liblinear", random_state=0)
        regression.fit(seen[among], has)
        weights.append(regression.coef_[0])
        bias.append(round(float(regression.intercept_[0]), 4))
    table, of_senses = np.split(np.array(weights).T, [len(features)])
    of_senses = of_senses.T @ directions
    sense_scale = float(np.abs(of_senses).max(initial=0.0)) / 127 or 1.0
    scale = float(np.abs(table).max(initial=0.0)) / 127 or 1.0
    packed = np.round(_strongest(table, size.most_weights) / scale).astype("i1")
    order = sorted(np.flatnonzero(packed.any(axis=1)), key=lambda n: crc32(features[n].encode()))
    rows = csr_matrix(packed[order])
    head = Header(
        labels=tuple(labels),
        bias=tuple(bias),
        scale=scale,
        features=len(order),
        sense=len(mean),
        sense_scale=sense_scale,
        learned_from=learned_from,
    )
    body = (
        np.array([crc32(features[n].encode()) for n in order], "<u4"),
        rows.indptr[1:].astype("<u4"),
        rows.indices.astype("<u2"),
        rows.data.astype("i1"),
        mean.astype("<f4"),
        np.round(of_senses / sense_scale).astype("i1"),
    )
    return head.model_dump_json().encode() + b"\n" + b"".join(each.tobytes() for each in body)


def _directions(senses: Floats | None) -> tuple[np.ndarray, np.ndarray]:
    """The mean, and the directions in which senses differ most: (numbers,), (directions, numbers)."""
    if senses is None:
        return np.zeros(0), np.zeros((0, 0))
    mean = senses.mean(axis=0)
    _, _, directions = np.linalg.svd(_apart(senses, mean), full_matrices=False)
    return mean, directions[:_SENSES]


def _apart(senses: Floats, mean: np.ndarray) -> np.ndarray:
    apart: np.ndarray = senses - mean
    apart /= np.linalg.norm(apart, axis=1, keepdims=True)
    return apart


def _strongest(table: np.ndarray, most: int) -> np.ndarray:
    """The table with nothing but its strongest weights."""
    if table.size <= most:
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
