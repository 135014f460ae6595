"""Map layers from the index: an exact name wins alone, a topic gives a ranked choice."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence

from contracts.items import Layer, LayerGroup, LayerSource

from tools_geo.embedded.layer_ranking import LayerEntry, score
from tools_geo.embedded.sources import Clock, provenance
from tools_geo.gateways import Found
from tools_geo.layer_query import layer_terms, without_ending
from tools_geo.spelling import closest, compact, stem, words
from tools_geo.texts import text

_MIN_TRIGRAM = 3
_MIN_PARTIAL = 4
_PARTIAL = 0.6
"""Confidence that is left when some words of the query had to be ignored."""
_CORRECTED = 0.9
"""Confidence that is left when typos were corrected."""

Ranked = list[tuple[LayerEntry, float]]


class EmbeddedLayers:
    def __init__(self, db: sqlite3.Connection, *, limit: int, wms_url: str, now: Clock) -> None:
        self._db = db
        self._limit = limit
        self._wms_url = wms_url
        self._now = now
        self._entries = {
            row["id"]: LayerEntry.of(row) for row in db.execute("SELECT * FROM layer ORDER BY position")
        }
        self._names = [row["key"] for row in db.execute("SELECT DISTINCT key FROM layer_name ORDER BY key")]
        self._topics = {stem(theme) for entry in self._entries.values() for theme in entry.themes}
        self._words = sorted({word for entry in self._entries.values() for word in entry.words})

    async def layers(self, query: str) -> Found[Layer | LayerGroup]:
        if entry := self._entries.get(query.strip().casefold()):
            return Found((self._item(entry, 1.0, exact=True),))
        terms = layer_terms(query)
        if not terms:
            return Found()
        hits, exact = self._search(words(query), terms)
        chosen = self._without_members(hits)[: self._limit]
        return Found(tuple(self._item(entry, confidence, exact=exact) for entry, confidence in chosen))

    # -- ways to read a query, best first ----------------------------------------------------------

    def _search(self, all_words: Sequence[str], terms: tuple[str, ...]) -> tuple[Ranked, bool]:
        """The hits, and whether the query was taken literally."""
        if named := self._named(all_words) or self._named(terms):
            return named, True
        if containing := self._containing(terms):
            return containing, True
        if corrected := self._corrected(terms):
            return corrected, False
        return [(entry, confidence * _PARTIAL) for entry, confidence in self._partly(terms)], False

    def _named(self, terms: Sequence[str]) -> Ranked:
        """Layers with exactly this title; when there are none, with exactly this keyword."""
        for key in map(stem, _readings(compact(terms))):
            rows = self._db.execute(
                "SELECT layer, is_title FROM layer_name WHERE key = ? ORDER BY is_title DESC", (key,)
            ).fetchall()
            if rows and (rows[0]["is_title"] or key not in self._topics):
                found = [self._entries[r["layer"]] for r in rows if r["is_title"] == rows[0]["is_title"]]
                own = [entry for entry in found if not entry.external] or found
                return _sorted((entry, 1.0 if len(own) == 1 else 0.9) for entry in own)
        return []

    def _containing(self, terms: Sequence[str]) -> Ranked:
        """Layers whose titles, keywords or topics contain every term, also inside of longer words."""
        matches: list[tuple[str, set[str]]] = []
        for term in terms:
            for reading in _readings(term):
                if ids := self._with(stem(reading)):
                    matches.append((reading, ids))
                    break
            else:
                return []
        common = set.intersection(*(ids for _, ids in matches))
        used = [reading for reading, _ in matches]
        return _sorted((self._entries[layer], score(self._entries[layer], used)) for layer in common)

    def _with(self, part: str) -> set[str]:
        if len(part) < _MIN_TRIGRAM:
            return {entry.id for entry in self._entries.values() if part in entry.words}
        rows = self._db.execute("SELECT id FROM layer_text WHERE layer_text MATCH ?", (f'"{part}"',))
        return {row["id"] for row in rows}

    def _corrected(self, terms: tuple[str, ...]) -> Ranked:
        """The query with its typos corrected, by the known names first, then word by word."""
        for key in map(stem, _readings(compact(terms))):
            near = {
                entry.id: (entry, min(0.9, 1 - edits / len(name)))
                for name, edits in closest(key, self._names)
                for entry, _ in self._named([name])
            }
            if near:
                return _sorted(near.values())
        corrected = tuple(self._correct(term) for term in terms)
        if corrected == terms:
            return []
        hits = self._named(corrected) or self._containing(corrected)
        return [(entry, confidence * _CORRECTED) for entry, confidence in hits]

    def _correct(self, term: str) -> str:
        if self._containing((term,)):
            return term
        for reading in _readings(term):
            if near := closest(reading, self._words):
                return near[0][0]
        return term

    def _partly(self, terms: tuple[str, ...]) -> Ranked:
        """When no layer has all of the words: those that at least half of the words lead to.

        Short words occur inside of too many others to lead anywhere.
        """
        known = [term for term in terms if len(term) >= _MIN_PARTIAL and self._containing((term,))]
        if len(known) * 2 < len(terms):
            return []
        named = [hit for term in known for hit in self._named((term,))]
        hits = named or [hit for term in known for hit in self._containing((term,))]
        return _sorted({entry.id: (entry, confidence) for entry, confidence in reversed(hits)}.values())

    # -- items -------------------------------------------------------------------------------------

    def _without_members(self, hits: Ranked) -> Ranked:
        """A group stands for its members when it is no worse than they are."""
        scores = {entry.id: confidence for entry, confidence in hits}
        return [
            (entry, confidence)
            for entry, confidence in hits
            if entry.parent is None or scores.get(entry.parent, -1.0) < confidence
        ]

    def _item(self, entry: LayerEntry, confidence: float, *, exact: bool) -> Layer | LayerGroup:
        if not entry.is_group:
            return self._layer(entry, confidence, exact=exact)
        members = self._db.execute("SELECT id FROM layer WHERE parent = ? ORDER BY position", (entry.id,))
        return LayerGroup(
            id=entry.id,
            label=text("label_layer_group", title=entry.title),
            layers=tuple(self._layer(self._entries[row["id"]], confidence, exact=exact) for row in members),
            confidence=round(confidence, 2),
            provenance=provenance("layers", exact=exact, now=self._now),
        )

    def _layer(self, entry: LayerEntry, confidence: float, *, exact: bool) -> Layer:
        parameters = {"LAYERS": entry.id, "FORMAT": "image/png", "TRANSPARENT": "true"}
        return Layer(
            id=entry.id,
            label=entry.title,
            source=LayerSource(type="wms", url=self._wms_url, parameters=parameters),
            attribution=entry.attribution or text("attribution_canton"),
            confidence=round(confidence, 2),
            provenance=provenance("layers", exact=exact, now=self._now),
        )


def _readings(term: str) -> Iterator[str]:
    yield term
    yield from without_ending(term)


def _sorted(hits: Iterable[tuple[LayerEntry, float]]) -> Ranked:
    return sorted(hits, key=lambda hit: (-hit[1], hit[0].position))
