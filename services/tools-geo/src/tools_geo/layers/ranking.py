"""How well the words of a query lead to each layer."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from german.compounds import ALL_LINKS, parts_of
from german.spelling import closest
from german.stems import stem
from german.words import words

from tools_geo.layers.catalogue import LayerEntry
from tools_geo.layers.query import readings
from tools_geo.layers.thesaurus import Thesaurus, Use
from tools_geo.spelling import compact

Strengths = dict[str, float]
"""Id of a layer -> how strongly something leads to it, from 0 to a little over 1."""

# A title beats a keyword, a keyword a topic, a topic the thesaurus.
_TITLE, _KEYWORD, _TOPIC = 0.95, 0.9, 0.8
_THESAURUS = 0.78
_PHRASE = 0.18
"""More for each further word of a phrase: it is no accident."""
_WORD_OF_NAME = 0.8
"""What a word counts that is a small part of a name; the more of the name it is, the nearer to 1."""
_HEAD, _START, _INNER = 0.7, 0.5, 0.4
"""Wald in Schutzwald, in Waldplan, in Jungwaldpflege; as above."""
_MORE = 0.3
_MIN_PARTIAL, _MIN_INNER = 4, 5
"""Letters that a word must have to be looked for inside of others."""
_MIN_MISTYPED, _MIN_RIGHT = 8, 0.82
"""Letters of a word that is recognised with typos, and how much of them must be right: short words are other
ones too easily."""
_COMPOUND = 0.8
"""What is left when only the parts of a word are known."""
_HEAD_WEIGHT = 1.3
"""The last part of a compound says what it is."""
_AGREEMENT = 0.15
"""What the second best reason adds to the best one."""


@dataclass(frozen=True)
class Evidence:
    """What one word leads to; false when it leads nowhere."""

    strengths: Strengths
    literal: frozenset[str] = frozenset()
    """The layers whose names have the word."""
    weak: frozenset[str] = frozenset()
    """The layers that only have the word inside of another one, although it is known what it means: an
    accident, unless another word of the query leads there too."""
    certain: bool = True
    """False for a compound of which a part is unknown: it may be a typo."""
    in_phrase: bool = False
    """It means something together with another word of the query."""

    def __bool__(self) -> bool:
        return bool(self.strengths)


class Ranking:
    """An index of layers. The words are folded; `vocabulary` are words that compounds may be made of too."""

    def __init__(
        self, entries: Sequence[LayerEntry], thesaurus: Thesaurus, vocabulary: Collection[str] = ()
    ) -> None:
        self._ids = frozenset(entry.id for entry in entries)
        self._thesaurus = thesaurus
        self._postings: dict[str, Strengths] = defaultdict(dict)
        self._names: dict[str, Strengths] = defaultdict(dict)
        surface = {*thesaurus.words, *vocabulary}
        for entry in entries:
            for weight, names in _fields(entry):
                for name in filter(None, names):
                    surface.update(name)
                    whole = compact(name)
                    for index, word in ((self._names, whole), *((self._postings, word) for word in name)):
                        known = index[stem(word)]
                        share = weight * (_WORD_OF_NAME + (1 - _WORD_OF_NAME) * len(word) / len(whole))
                        known[entry.id] = max(known.get(entry.id, 0.0), share)
        self.vocabulary = frozenset(surface)
        """Every word that it knows."""
        self._surface = sorted(surface)
        self._beginnings = self.vocabulary | self._postings.keys()

    def of_terms(self, terms: Sequence[str]) -> dict[str, Evidence]:
        uses = list(self._thesaurus.uses(terms))
        return {term: self._of_term(term, uses) for term in terms}

    def knows(self, word: str) -> bool:
        """Whether a folded word, or another form of it, is one of the layers or of the thesaurus."""
        return stem(word) in self._postings or word in self._thesaurus.words

    def corrected(self, term: str) -> str:
        """The closest known word; the term itself when nothing is close enough."""
        return next(
            (near[0][0] for word in readings(term) if (near := near_names(word, self._surface))), term
        )

    def _of_term(self, term: str, uses: Sequence[Use]) -> Evidence:
        meant = self._meant(use for use in uses if term in use.terms)
        for reading in readings(term):
            if reading != term:
                meant = meant or self._meant(self._thesaurus.uses((reading,)))
            lexical = self._lexical(reading)
            if lexical or meant:
                sure = meant.keys() | self._postings.get(stem(reading), {}).keys()
                return Evidence(
                    _agreed(lexical, meant),
                    literal=frozenset(lexical),
                    weak=frozenset(lexical.keys() - sure) if meant else frozenset(),
                    in_phrase=any(term in use.terms and len(use.terms) > 1 for use in uses),
                )
        if self._thesaurus.missing(term):
            return Evidence({})
        parts, is_complete = parts_of(term, self.vocabulary)
        return Evidence(self._of_parts(term, parts), certain=is_complete)

    def _lexical(self, term: str) -> Strengths:
        key = stem(term)
        found = {**self._postings.get(key, {})}
        for layer, weight in self._names.get(key, {}).items():
            found[layer] = max(found.get(layer, 0.0), weight)
        if len(key) < _MIN_PARTIAL:
            return found
        for word, known in self._postings.items():
            if key in word and key != word and (quality := self._quality(key, word)):
                for layer, weight in known.items():
                    found[layer] = max(found.get(layer, 0.0), weight * quality)
        return found

    def _quality(self, key: str, word: str) -> float:
        """How well a stem stands for a compound that has it at its beginning or after other words."""
        share = _MORE * len(key) / len(word)
        if word.startswith(key):
            return _START + share
        before = word[: word.index(key)]
        if not any(before.removesuffix(link) in self._beginnings for link in ALL_LINKS):
            return 0.0
        if word.endswith(key):
            return _HEAD + share
        return _INNER + share if len(key) >= _MIN_INNER else 0.0

    def _meant(self, uses: Iterable[Use]) -> Strengths:
        found: Strengths = {}
        for use in uses:
            strength = _THESAURUS + _PHRASE * (len(use.terms) - 1)
            for target, weight in use.meaning.targets():
                if target in self._ids:
                    reached: Mapping[str, float] = {target: 1.0}
                else:
                    reached = self._lexical("".join(words(target)))
                for layer, share in reached.items():
                    found[layer] = max(found.get(layer, 0.0), strength * weight * share)
        return found

    def _of_parts(self, term: str, parts: Sequence[str]) -> Strengths:
        """A compound that nobody knows as a whole leads where its parts lead."""
        found: Strengths = defaultdict(float)
        for place, part in enumerate(parts, start=1):
            is_head = place == len(parts) and term.endswith(part)
            share = (_HEAD_WEIGHT if is_head else 1.0) * len(part) / len(term)
            evidence = _agreed(self._lexical(part), self._meant(self._thesaurus.uses((part,))))
            for layer, strength in evidence.items():
                found[layer] += strength * share
        return {layer: strength * _COMPOUND for layer, strength in found.items()}


def near_names(key: str, names: Sequence[str]) -> list[tuple[str, float]]:
    """Names with few typos, and how much of each is right."""
    if len(key) < _MIN_MISTYPED:
        return []
    near = [(name, 1 - edits / len(name)) for name, edits in closest(key, names)]
    return [(name, right) for name, right in near if right >= _MIN_RIGHT]


def _fields(entry: LayerEntry) -> list[tuple[float, list[tuple[str, ...]]]]:
    return [
        (_TITLE, [entry.title_words, words(entry.short_title)]),
        (_KEYWORD, [words(keyword) for keyword in entry.keywords]),
        (_TOPIC, [words(theme) for theme in entry.themes]),
    ]


def _agreed(one: Strengths, other: Strengths) -> Strengths:
    return {
        layer: max(a, b) + _AGREEMENT * min(a, b)
        for layer in one.keys() | other.keys()
        for a, b in [(one.get(layer, 0.0), other.get(layer, 0.0))]
    }
