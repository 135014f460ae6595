"""Finds layers: an exact name wins alone, everything else gives a ranked choice."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from german.compounds import ALL_LINKS
from german.fold import fold
from german.stems import stem
from german.words import words
from rapidfuzz import process
from rapidfuzz.distance import OSA

from tools_geo.layers.catalogue import LayerEntry
from tools_geo.layers.languages import OtherNames, content
from tools_geo.layers.query import beside, layer_terms, meaningful, readings, spoken, without_purpose
from tools_geo.layers.ranking import Evidence, Ranking, near_names
from tools_geo.layers.thesaurus import MissingTopic, Thesaurus, is_layer_id
from tools_geo.spelling import compact

_SCALE = 0.85
"""A topic is never as certain as a name."""
_NAMED_TWICE = 0.9
_PARTIAL = 0.6
"""Confidence that is left when some words of the query had to be ignored."""
_CORRECTED = 0.9
"""Confidence that is left when typos were corrected."""
_GROUP = 0.04
"""Who asks for a topic is well served with a whole group."""
_EXTERNAL = 0.7
"""Layers of others, which the canton's map service only passes on, come after the canton's own."""
_NOISE = 0.55
"""What is less likely than this share of the best hit is none."""
_SURE = 0.75
"""A word that leads to something so strongly is enough, however much else is said."""
_PUNCTUATION = ".,;:!?()\"'«»"
_LEAST, _MOST = 0.05, 0.99
_FLOOR = 0.25
"""What is less likely is not even offered."""
_PARTICIPLES = ("te", "ten", "ter", "tes")
"""`belastete Luft` is no Luftbelastung."""
_PAIR = 2
_RESEMBLES, _NEAREST = 0.65, 2
"""Likeness of names that are mentioned where nothing is found, and how many."""


@dataclass(frozen=True)
class Hit:
    entry: LayerEntry
    confidence: float
    literal: bool
    """The words of the query stand in the names of the layer."""
    sure: bool = False
    """The query names the layer, and says nothing else; all other hits are guesses."""


class LayerSearch:
    """A search over some layers; pure, and some milliseconds to build for each hundred of them."""

    def __init__(
        self, entries: Sequence[LayerEntry], thesaurus: Thesaurus, vocabulary: Collection[str] = ()
    ) -> None:
        self._entries = {entry.id: entry for entry in entries}
        self._thesaurus = thesaurus
        self._ranking = Ranking(entries, thesaurus, vocabulary)
        self._other = OtherNames(entries, thesaurus.topics)
        self._names: dict[str, list[tuple[bool, LayerEntry]]] = defaultdict(list)
        self._spelled: dict[str, LayerEntry] = {}
        for entry in entries:
            for name, is_title in entry.names.items():
                self._spelled.setdefault(compact(name), entry)
                for key in _keys(name):
                    self._names[key].append((is_title, entry))
        self._name_list = sorted(self._spelled)
        self._topics = {stem(compact(words(theme))) for entry in entries for theme in entry.themes}
        self._having: dict[str, set[str]] = defaultdict(set)
        for entry in entries:
            for word in {*entry.title_words, *(word for name in entry.keywords for word in words(name))}:
                self._having[stem(word)].add(entry.id)

    @property
    def vocabulary(self) -> frozenset[str]:
        """Every folded word that it knows."""
        return self._ranking.vocabulary

    def search(self, query: str) -> list[Hit]:
        """The layers that a query is about, best first; a group stands for its members."""
        if entry := self._entries.get(query.strip().casefold()):
            return [Hit(entry, 1.0, literal=True, sure=True)]
        written = words(query)
        rest = self._without_places(written)
        for name in dict.fromkeys((written, rest, self._without_purpose(rest))):
            if called := self._called(name):
                return called
        return self._without_members(self._in_german(rest) or self._partly(rest))

    def _without_purpose(self, written: tuple[str, ...]) -> tuple[str, ...]:
        """Only where what it is for is no layer itself: `das Verkehrsmodell für den öV`."""
        bare = without_purpose(written)
        purpose = layer_terms(meaningful(written[len(bare) :]))
        return written if any(map(self._ranking.knows, purpose)) else bare

    def names(self, query: str) -> LayerEntry | None:
        """The one layer that a query names, and nothing else."""
        hits = self._called(words(query))
        return hits[0].entry if len(hits) == 1 else None

    def nearest(self, query: str) -> tuple[str, ...]:
        """Names that are spelled like a query, best first; for one that finds nothing."""
        written = self._without_places(words(query))
        key = compact(layer_terms(meaningful(written)))
        near = process.extract(
            key, self._name_list, scorer=OSA.normalized_similarity, score_cutoff=_RESEMBLES
        )
        named: dict[str, str] = {}
        for name, _, _ in near:
            entry = self._spelled[name]
            named.setdefault(entry.id, entry.called(name))
        return tuple(named.values())[:_NEAREST]

    def missing(self, query: str) -> MissingTopic | None:
        """What the query is about, when that is something without a layer."""
        terms = layer_terms(spoken(query))
        return next((topic for term in terms if (topic := self._thesaurus.missing(term))), None)

    def texts(self, query: str, most: int) -> tuple[str, ...]:
        """What to ask a search that knows no synonyms: the words of the query, then what they may mean.

        As they are written, without those that say nothing; empty for a query of nothing else.
        """
        said = meaningful(self._without_places(words(query)))
        terms = layer_terms(said)
        if not terms:
            return ()
        written = [part.strip(_PUNCTUATION) for part in query.split() if {*words(part)} & {*terms}]
        targets = (target for use in self._thesaurus.uses(said) for target, _ in use.meaning.targets())
        meant = [target for target in targets if not is_layer_id(target)]
        titles = [hit.entry.short_title for hit in self.search(query)]
        # A dash between words is no word that a search must find.
        wanted = (" ".join(re.sub(r"\s[-–/]\s", " ", each).split()) for each in (*meant, *titles))
        return tuple({fold(each): each for each in (" ".join(written), *wanted)}.values())[:most]

    # -- ways to read a query, best first ----------------------------------------------------------

    def _called(self, written: Sequence[str]) -> list[Hit]:
        """Layers of exactly this name, in any language, also with words that say nothing."""
        terms = layer_terms(meaningful(written))
        if not terms:
            return []
        return self._named(written) or _all_named(self._other.named(written)) or self._named(terms)

    def _in_german(self, written: Sequence[str]) -> list[Hit]:
        """What the words, and those of other languages, are about in the language of the catalogue."""
        if topic := self._other.topic(written):
            return self._named(words(topic)) or self._about(spoken(topic))
        if mistyped := self._mistyped(written):
            return mistyped
        if not any(map(self._ranking.knows, meaningful(written))) and (partly := self._partly(written)):
            return partly
        said = meaningful(self._other.translated(written, self._ranking.knows))
        return self._about(said) if layer_terms(said) else []

    def _partly(self, written: Sequence[str]) -> list[Hit]:
        """Layers with all the words in a name of another language; several words of a single one name it."""
        found = self._other.having(written)
        named = len(found) == 1 and len(content(written)) > 1
        return _all_named(found, literal=False) if named else _guesses(found)

    def _mistyped(self, written: Sequence[str]) -> list[Hit]:
        """A name in another language with typos."""
        key = compact(content(written))
        if all(map(self._ranking.knows, meaningful(written))):
            return []
        near = near_names(key, self._other.keys)
        return _all_named([entry for name, _ in near for entry in self._other.of_key(name)], literal=False)

    def _without_places(self, written: Sequence[str]) -> tuple[str, ...]:
        """Without names of places; those with a meaning of their own stay when there is nothing else."""
        rest = beside(self._thesaurus.places, written)
        context = self._thesaurus.context
        if len(rest) < len(written) and all(word in context for word in meaningful(rest)):
            return tuple(word for word in written if self._thesaurus.lists(word) and word not in context)
        return rest

    def _named(self, terms: Sequence[str]) -> list[Hit]:
        """Layers with exactly this title; when there are none, with exactly this keyword.

        A topic is not narrowed to one of its layers; a group with its name stands for it.
        """
        for key in (*map(stem, readings(compact(terms))), *_keys(terms), *_turned(terms)):
            found = self._names.get(key, [])
            is_topic = key in self._topics
            titled = [entry for is_title, entry in found if is_title]
            if named := titled or [entry for _, entry in found if entry.is_group or not is_topic]:
                own = [entry for entry in named if not entry.external] or named
                return _all_named(own)
        return []

    def _only(self, terms: Sequence[str], evidence: Mapping[str, Evidence]) -> list[Hit]:
        """`Hochwasserschutz Emme`, `Luftbelastung 2010`: the only layer whose names have all the words, be it
        within others.

        A single word of a name is none: `Eigentum` for «Wald - Eigentum».
        """
        having = [self._having.get(stem(term), set()) for term in terms]
        found = set.intersection(*having) if len(having) > 1 else set()
        within = frozenset.intersection(*(evidence[term].literal for term in terms)) if found else found
        if len(found | within) > 1:
            return []
        return _all_named([self._entries[layer] for layer in found]) if len(found) == 1 else []

    def _about(self, said: Sequence[str]) -> list[Hit]:
        evidence = self._ranking.of_terms(said)
        terms = self._without_context(layer_terms(said), evidence)
        in_phrase = any(evidence[term].in_phrase for term in terms)
        if named := self._named(terms) or ([] if in_phrase else self._only(terms, evidence)):
            return named
        doubtful = [term for term in terms if not (evidence[term] and evidence[term].certain)]
        if any(self._thesaurus.missing(term) for term in doubtful):
            return []
        unknown = [term for term in terms if not any(map(self._ranking.knows, readings(term)))]
        if unknown and (similar := self._similar(terms)):
            return similar
        if not doubtful:
            return self._ranked(terms, evidence)
        if mended := self._mended(said, doubtful):
            return mended
        known = tuple(term for term in terms if evidence[term])
        about = [term for term in known if term not in self._thesaurus.context]
        sure = any(max(evidence[term].strengths.values()) >= _SURE for term in about)
        if not about or (len(known) * 2 < len(terms) and not sure):
            return []
        hits = self._named(known) or self._ranked(known, evidence)
        return hits if known == terms else _less_certain(hits, _PARTIAL)

    def _without_context(self, terms: tuple[str, ...], evidence: dict[str, Evidence]) -> tuple[str, ...]:
        """Without "Haus" in "Lärm vor meinem Haus", unless it is a part of a phrase."""
        rest = tuple(t for t in terms if t not in self._thesaurus.context or evidence[t].in_phrase)
        return rest if any(evidence[term] for term in rest) else terms

    def _mended(self, said: Sequence[str], doubtful: Sequence[str]) -> list[Hit]:
        """With the closest known words for the doubtful ones, if something has all the words then."""
        corrected = {term: self._ranking.corrected(term) for term in doubtful}
        mended = [corrected.get(term, term) for term in said]
        if mended == list(said):
            return []
        evidence = self._ranking.of_terms(mended)
        terms = self._without_context(layer_terms(mended), evidence)
        if named := self._named(terms):
            return _all_named([hit.entry for hit in named], literal=False)
        hits = [
            hit
            for hit in self._ranked(terms, evidence)
            if all(hit.entry.id in evidence[term].strengths for term in terms)
        ]
        return _less_certain(hits, _CORRECTED)

    def _similar(self, terms: Sequence[str]) -> list[Hit]:
        """The whole query as a name with typos."""
        for key in readings(compact(terms)):
            hits = {
                hit.entry.id: Hit(hit.entry, min(_NAMED_TWICE, right), literal=False, sure=True)
                for name, right in near_names(key, self._name_list)
                for hit in self._named([name])
            }
            if hits:
                return _sorted(list(hits.values()))
        return []

    def _ranked(self, terms: Sequence[str], evidence: dict[str, Evidence]) -> list[Hit]:
        candidates = {
            layer for term in terms for layer in evidence[term].strengths.keys() - evidence[term].weak
        }
        together = any(all(layer in evidence[term].strengths for term in terms) for layer in candidates)
        # When nothing is about all of it, what a word names is more likely than what a word hints at.
        named = {} if together else {hit.entry.id: hit for term in terms for hit in self._named([term])}
        if named:
            return _less_certain(list(named.values()), _PARTIAL)
        hits = [self._hit(self._entries[layer], terms, evidence) for layer in candidates]
        best = max((hit.confidence for hit in hits), default=0.0)
        return _sorted([hit for hit in hits if hit.confidence >= max(best * _NOISE, _FLOOR)])

    def _hit(self, entry: LayerEntry, terms: Sequence[str], evidence: dict[str, Evidence]) -> Hit:
        mean = sum(evidence[term].strengths.get(entry.id, 0.0) for term in terms) / len(terms)
        confidence = _SCALE * (mean + (_GROUP if entry.is_group else 0.0))
        if entry.external:
            confidence *= _EXTERNAL
        literal = all(entry.id in evidence[term].literal for term in terms)
        return Hit(entry, min(_MOST, max(_LEAST, confidence)), literal)

    def _without_members(self, hits: list[Hit]) -> list[Hit]:
        """A group stands for its members when it is no worse than they are."""
        confidence = {hit.entry.id: hit.confidence for hit in hits}
        return [
            hit
            for hit in hits
            if hit.entry.parent is None or confidence.get(hit.entry.parent, -1.0) < hit.confidence
        ]


def _keys(name: Sequence[str]) -> tuple[str, ...]:
    """How a name is looked up: `Jagd - Reviere` as Jagdreviere, in any case, with and without "map"."""
    bare = [word.removesuffix("karten").removesuffix("karte") or word for word in name]
    return tuple(dict.fromkeys((stem(compact(name)), *(compact([*map(stem, w)]) for w in (name, bare)))))


def _turned(name: Sequence[str]) -> Iterator[str]:
    """`Leitungen vom Wasser` as Wasserleitungen, `Lärm der Strassen` as Strassenlärm."""
    if len(name) == _PAIR and not name[0].endswith(_PARTICIPLES):
        head, before = name
        yield from (stem(f"{stem(before)}{link}{head}") for link in ALL_LINKS)


def _all_named(entries: Sequence[LayerEntry], *, literal: bool = True) -> list[Hit]:
    """Layers of one name; it is certain when only one has it."""
    named = {entry.id: entry for entry in entries}.values()
    confidence = 1.0 if len(named) == 1 and literal else _NAMED_TWICE
    return [Hit(entry, confidence, literal, sure=True) for entry in named]


def _guesses(entries: Sequence[LayerEntry]) -> list[Hit]:
    return [Hit(entry, _PARTIAL, literal=False) for entry in entries]


def _less_certain(hits: list[Hit], share: float) -> list[Hit]:
    return [Hit(hit.entry, hit.confidence * share, literal=False) for hit in hits]


def _sorted(hits: list[Hit]) -> list[Hit]:
    return sorted(hits, key=lambda hit: (-hit.confidence, hit.entry.position))
