"""Recognises the names of municipalities and localities, in every usual spelling and with typos."""

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

from german.spelling import closest
from rapidfuzz import fuzz, process

from tools_geo.name_query import NameQuery

_MIN_PREFIX = 3
MIN_SIMILARITY = 70
"""Out of 100: what is less similar than this is no help to somebody who has mistyped a name."""


class Closeness(IntEnum):
    """How a name was recognised, best first."""

    FULL = 0
    SHORT = 1
    """By a part that stands for the whole: `Wangen` for Wangen bei Olten."""
    PREFIX = 2
    TYPO = 3


@dataclass(frozen=True)
class Name:
    """A recognised municipality (`ref`: BFS number) or locality (`ref`: locality id)."""

    kind: Literal["municipality", "locality"]
    ref: str
    closeness: Closeness
    confidence: float


class Names:
    """All names of places, looked up in the index."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        # In one order for good, so that equally close names always come in the same order.
        self._vocabulary = [row["key"] for row in db.execute("SELECT DISTINCT key FROM name ORDER BY key")]
        self._codes = frozenset(row["postal_code"] for row in db.execute("SELECT postal_code FROM locality"))

    def knows_code(self, postal_code: str) -> bool:
        return postal_code in self._codes

    def exactly(self, keys: Iterable[str]) -> tuple[Name, ...]:
        """Full names; when there are none, short forms."""
        keys = tuple(keys)
        if not keys:
            return ()
        marks = ", ".join("?" * len(keys))
        rows = self._db.execute(
            f"SELECT DISTINCT is_short, kind, ref FROM name WHERE key IN ({marks})"
            " ORDER BY is_short, kind DESC, ref",
            keys,
        ).fetchall()
        full = [row for row in rows if not row["is_short"]]
        found = full or rows
        confidence = 1.0 if full else (0.9 if len(found) == 1 else 0.8)
        closeness = Closeness.FULL if full else Closeness.SHORT
        return tuple(Name(row["kind"], row["ref"], closeness, confidence) for row in found)

    def starting_with(self, key: str) -> tuple[Name, ...]:
        """Names that begin with at least three letters given."""
        if len(key) < _MIN_PREFIX:
            return ()
        rows = self._db.execute(
            "SELECT kind, ref, min(length(key)) AS length FROM name WHERE key >= ? AND key < ?"
            " GROUP BY kind, ref ORDER BY kind DESC, ref",
            (key, key + "\uffff"),
        )
        return tuple(
            Name(row["kind"], row["ref"], Closeness.PREFIX, round(0.5 + 0.4 * len(key) / row["length"], 2))
            for row in rows
        )

    def nearly(self, key: str) -> tuple[Name, ...]:
        """Names with the fewest typos, when there are not too many."""
        names: dict[tuple[str, str], Name] = {}
        for entry, edits in closest(key, self._vocabulary):
            confidence = round(min(0.9, 1 - edits / len(entry)), 2)
            for name in self.exactly([entry]):
                found = Name(name.kind, name.ref, Closeness.TYPO, confidence)
                names.setdefault((name.kind, name.ref), found)
        return tuple(names.values())

    def nearest(self, query: NameQuery) -> str:
        """The place with the most similar name, to be named where none is found; empty when none is near."""
        for key in query.keys[-1:]:
            found = process.extractOne(key, self._vocabulary, scorer=fuzz.ratio, score_cutoff=MIN_SIMILARITY)
            for name in self.exactly([found[0]])[:1] if found else ():
                column = "bfs" if name.kind == "municipality" else "id"
                row = self._db.execute(f"SELECT name FROM {name.kind} WHERE {column} = ?", (name.ref,))
                return str(row.fetchone()["name"])
        return ""

    def find(self, query: NameQuery, *, prefixes: bool = True) -> tuple[Name, ...]:
        """The best way to read the query: full names, else short forms, else beginnings, else typos."""
        if not query.keys:
            return ()
        found = self.exactly(query.keys)
        if not found and prefixes:
            found = self.starting_with(query.keys[-1])
        return found or self.nearly(query.keys[-1])
