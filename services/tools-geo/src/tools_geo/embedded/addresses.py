"""Addresses from the index: an exact house number beats everything that only begins like it."""

import math
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from contracts.items import Address, Coord
from german.spelling import closest
from rapidfuzz import fuzz, process

from tools_geo import labels
from tools_geo.address_query import AddressQuery, digits_of, read_address
from tools_geo.embedded.index import HILL
from tools_geo.embedded.names import MIN_SIMILARITY, Closeness, Name, Names
from tools_geo.embedded.sources import Origin
from tools_geo.gateways import Found, Remark
from tools_geo.name_query import NameQuery, name_query, without_fillers
from tools_geo.spelling import mended_street_key, place_words, street_forgiven_edits, street_key

_MAX_STREET_WORDS = 6
_MIN_PREFIX = 4
_OTHER_NUMBER_CONFIDENCE = 0.5
_APPROXIMATE_CONFIDENCE = 0.9
_ROWS = """
SELECT a.*, m.name AS municipality FROM address a JOIN municipality m ON m.bfs = a.bfs WHERE a.street_key = ?
"""
_NEAREST = """
SELECT a.*, m.name AS municipality FROM address a JOIN municipality m ON m.bfs = a.bfs
WHERE a.accuracy = 'exact' AND abs(a.east - :east) <= :reach AND abs(a.north - :north) <= :reach
ORDER BY (a.east - :east) * (a.east - :east) + (a.north - :north) * (a.north - :north), a.id LIMIT 1
"""


@dataclass(frozen=True)
class _Reading:
    """One way to read the words: a street of the index, and where it must lie."""

    street: str
    areas: tuple[Name, ...] | None
    word_count: int
    confidence: float
    is_exact: bool


@dataclass(frozen=True)
class _Split:
    """A run of words taken as street; the other words name these areas, or nothing."""

    street: str
    word_count: int
    areas: tuple[Name, ...] | None

    def reading(self, street: str, confidence: float) -> _Reading:
        areas = self.areas or ()
        lowest = min((name.confidence for name in areas), default=1.0)
        exact = confidence == 1.0 and all(name.closeness <= Closeness.SHORT for name in areas)
        return _Reading(street, self.areas, self.word_count, confidence * lowest, exact)


class EmbeddedAddresses:
    def __init__(self, db: sqlite3.Connection, names: Names, *, limit: int, origin: Origin) -> None:
        self._db = db
        self._names = names
        self._limit = limit
        self._origin = origin
        self._streets = [
            row["street_key"]
            for row in db.execute("SELECT DISTINCT street_key FROM address ORDER BY street_key")
        ]
        self._forgiven = [street_forgiven_edits(street) for street in self._streets]

    async def addresses(self, query: str) -> Found[Address]:
        wanted = read_address(query)
        splits = list(self._splits(wanted.words))
        for readings in (self._exact(splits), self._beginnings(splits), self._typos(splits)):
            rows = [(row, reading) for reading in _best(readings) for row in self._rows(reading, wanted)]
            if rows:
                return self._found(rows, wanted)
        return self._nothing(query, wanted, splits)

    async def near(self, point: Coord, within_m: float) -> Found[Address]:
        row = self._db.execute(_NEAREST, {"east": point[0], "north": point[1], "reach": within_m}).fetchone()
        if row is None or math.dist(point, (row["east"], row["north"])) > within_m:
            return Found()
        return Found((self._item(row, 1.0, exact=True),))

    # -- reading the words -------------------------------------------------------------------------

    def _splits(self, words: tuple[str, ...]) -> Iterator[_Split]:
        """Every run of words that can be a street, when the other words name a place or say nothing."""
        for start, end in combinations(range(len(words) + 1), 2):
            if end - start <= _MAX_STREET_WORDS:
                rest = without_fillers(tuple(dict.fromkeys(words[:start] + words[end:])))
                areas = self._names.find(NameQuery(place_words(" ".join(rest))), prefixes=False)
                # Words that are no known place must not be ignored: there is a Rötistrasse in Zürich too.
                if areas or not rest:
                    yield _Split(street_key(words[start:end]), end - start, areas or None)

    def _exact(self, splits: Sequence[_Split]) -> Iterator[_Reading]:
        known = "SELECT 1 FROM address WHERE street_key = ? LIMIT 1"
        for split in splits:
            if self._db.execute(known, (split.street,)).fetchone():
                yield split.reading(split.street, 1.0)

    def _beginnings(self, splits: Sequence[_Split]) -> Iterator[_Reading]:
        beginning = "SELECT DISTINCT street_key FROM address WHERE street_key >= ? AND street_key < ?"
        for split in splits:
            if len(split.street) >= _MIN_PREFIX and not self._is_settled(split.street):
                for row in self._db.execute(beginning, (split.street, split.street + "\uffff")):
                    share = len(split.street) / len(row["street_key"])
                    yield split.reading(row["street_key"], 0.5 + 0.4 * share)

    def _typos(self, splits: Sequence[_Split]) -> Iterator[_Reading]:
        for split in splits:
            if not self._is_settled(split.street):
                mended = mended_street_key(split.street)
                for street, edits in closest(mended, self._streets, forgiven=self._forgiven):
                    yield split.reading(street, min(0.9, 1 - edits / len(street)))

    def _is_settled(self, key: str) -> bool:
        """Whether a place of that name has addresses of its own."""
        return any(not name.ref.startswith(HILL) for name in self._names.exactly([key]))

    # -- the addresses of a street -----------------------------------------------------------------

    def _rows(self, reading: _Reading, wanted: AddressQuery) -> list[sqlite3.Row]:
        rows = [row for row in self._db.execute(_ROWS, (reading.street,)) if _lies_in(row, reading.areas)]
        if wanted.postal_code:
            at_code = [row for row in rows if row["postal_code"] == wanted.postal_code]
            # A wrong code is forgiven only when the locality was named as well.
            rows = at_code or (rows if reading.areas else [])
        return rows

    def _found(self, rows: Sequence[tuple[sqlite3.Row, _Reading]], wanted: AddressQuery) -> Found[Address]:
        remark, values = None, {}
        if wanted.house_number:
            same = [(row, reading) for row, reading in rows if row["number_key"] == wanted.house_number]
            if not same:
                number = digits_of(wanted.house_number)
                rows = sorted(
                    rows, key=lambda hit: (abs(digits_of(hit[0]["number_key"]) - number), _order(hit[0]))
                )
                items = [self._item(row, _OTHER_NUMBER_CONFIDENCE, exact=False) for row, _ in rows]
                values = {"number": wanted.house_number, "street": rows[0][0]["street"]}
                return Found(tuple(items), Remark.NUMBER_UNKNOWN, values).first(self._limit)
            rows = same
        rows = sorted(rows, key=lambda hit: _order(hit[0]))
        if any(row["accuracy"] == "approximate" for row, _ in rows):
            remark = Remark.POSITION_APPROXIMATE
        items = [
            self._item(row, self._confidence(row, reading, wanted), exact=_is_exact(row, reading, wanted))
            for row, reading in rows
        ]
        return Found(tuple(items), remark).first(self._limit)

    def _confidence(self, row: sqlite3.Row, reading: _Reading, wanted: AddressQuery) -> float:
        confidence = reading.confidence
        if row["accuracy"] == "approximate":
            confidence = min(confidence, _APPROXIMATE_CONFIDENCE)
        if wanted.postal_code and row["postal_code"] != wanted.postal_code:
            confidence *= 0.8
        return confidence

    def _nothing(self, query: str, wanted: AddressQuery, splits: Sequence[_Split]) -> Found[Address]:
        area = name_query(query)
        only_code = bool(wanted.postal_code) and self._names.knows_code(wanted.postal_code or "")
        if self._names.exactly(area.keys) if wanted.words else only_code:
            return Found((), Remark.STREET_MISSING, {"place": " ".join(query.split())})
        return Found((), Remark.SAMPLE_DATA, nearest=self._nearest(splits))

    def _nearest(self, splits: Sequence[_Split]) -> str:
        """The street with the most similar name, with its locality."""
        similar = [
            process.extractOne(split.street, self._streets, scorer=fuzz.ratio, score_cutoff=MIN_SIMILARITY)
            for split in splits
        ]
        best = max(filter(None, similar), key=lambda found: found[1], default=None)
        if best is None:
            return ""
        row = self._db.execute(_ROWS, (best[0],)).fetchone()
        return labels.address(row["street"], None, row["postal_code"], row["locality"])

    def _item(self, row: sqlite3.Row, confidence: float, *, exact: bool) -> Address:
        number = row["number"] or None
        return Address(
            id=row["id"],
            label=labels.address(row["street"], number, row["postal_code"], row["locality"]),
            coord=(row["east"], row["north"]),
            street=row["street"],
            house_number=number,
            postal_code=row["postal_code"],
            locality=row["locality"],
            municipality=row["municipality"],
            confidence=round(confidence, 2),
            provenance=self._origin("addresses", exact=exact, accuracy=row["accuracy"]),
        )


def _best(readings: Iterator[_Reading]) -> list[_Reading]:
    """The readings with the highest confidence; of these the ones that take most words as street."""
    ranked: dict[tuple[float, int], list[_Reading]] = {}
    for reading in readings:
        ranked.setdefault((reading.confidence, reading.word_count), []).append(reading)
    return ranked[max(ranked)] if ranked else []


def _lies_in(row: sqlite3.Row, areas: tuple[Name, ...] | None) -> bool:
    if areas is None:
        return True
    return any(
        name.ref == str(row["bfs"]) if name.kind == "municipality" else name.ref == row["locality_id"]
        for name in areas
    )


def _is_exact(row: sqlite3.Row, reading: _Reading, wanted: AddressQuery) -> bool:
    at_code = not wanted.postal_code or row["postal_code"] == wanted.postal_code
    return at_code and reading.is_exact


def _order(row: sqlite3.Row) -> tuple[str, str, int, str]:
    return row["street"], row["locality"], digits_of(row["number_key"]), row["number_key"]
