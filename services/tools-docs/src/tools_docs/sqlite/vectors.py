"""The vectors of an index file, in memory: numbers of eight bits, with a scale for each vector.

What that loses is far less than what tells two passages apart. It needs no server, and no extension of
SQLite, which Python's own does not load everywhere. A million passages take 400 MB.
"""

import sqlite3
import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_COMPARED_AT_ONCE = 16_384
"""Passages: as floats they fit into the processor's cache."""


@dataclass(frozen=True, slots=True)
class Near:
    """Passages in the order of their numbers, and the cosine similarity of each to a question."""

    passages: NDArray[np.int64]
    similarity: NDArray[np.float32]

    def best(self, limit: int, allowed: Sequence[int] | None) -> list[int]:
        """The nearest ones, nearest first; `allowed`: only of these."""
        which = np.arange(len(self.passages))
        if allowed is not None:
            which = which[np.isin(self.passages, np.asarray(allowed, np.int64))]
        if len(which) > limit:
            which = which[np.argpartition(-self.similarity[which], limit)[:limit]]
        found: list[int] = self.passages[which[np.argsort(-self.similarity[which])]].tolist()
        return found

    def of(self, passages: Sequence[int]) -> dict[int, float]:
        """How near these are, as far as they have a vector."""
        if not len(self.passages):
            return {}
        places = np.searchsorted(self.passages, passages).clip(max=len(self.passages) - 1)
        return {
            n: float(self.similarity[place])
            for n, place in zip(passages, places, strict=True)
            if self.passages[place] == n
        }


class Vectors:
    """Read once, then what has been added since. For any number of threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._removed: str | None = None
        self._passages = np.empty(0, np.int64)
        self._scales = np.empty(0, np.float32)
        self._numbers = np.empty((0, 0), np.int8)

    def near(self, db: sqlite3.Connection, removed: str, vector: Sequence[float]) -> Near:
        """`removed` changes whenever a vector has gone, so that all are read again."""
        with self._lock:
            self._refresh(db, removed)
            passages, scales, numbers = self._passages, self._scales, self._numbers
        asked = np.asarray(vector, np.float32)
        if numbers.shape[1] != len(asked):
            return Near(passages[:0], scales[:0])
        found = np.empty(len(passages), np.float32)
        for at in range(0, len(passages), _COMPARED_AT_ONCE):
            part = slice(at, at + _COMPARED_AT_ONCE)
            np.matmul(numbers[part].astype(np.float32), asked, out=found[part])
        found *= scales
        return Near(passages, found)

    def _refresh(self, db: sqlite3.Connection, removed: str) -> None:
        if removed != self._removed:
            self._removed = removed
            self._passages, self._scales = self._passages[:0], self._scales[:0]
            self._numbers = np.empty((0, 0), np.int8)
        last = int(self._passages[-1]) if len(self._passages) else 0
        rows = db.execute("SELECT passage, vector FROM vectors WHERE passage > ? ORDER BY passage", (last,))
        # Batch by batch: as rows of Python all vectors together would take several times their size.
        while batch := rows.fetchmany(_COMPARED_AT_ONCE):
            raw = np.frombuffer(b"".join(vector for _, vector in batch), np.uint8).reshape(len(batch), -1)
            numbers = raw[:, 4:].view(np.int8)
            self._passages = np.append(self._passages, [passage for passage, _ in batch])
            self._scales = np.append(self._scales, raw[:, :4].copy().view("<f4")[:, 0])
            self._numbers = np.concatenate([self._numbers, numbers]) if len(self._numbers) else numbers.copy()
