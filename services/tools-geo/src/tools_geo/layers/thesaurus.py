"""Everyday words and what they mean in the language of the layers."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from german.stems import stem
from german.words import words

from tools_geo.layers.query import spoken

_LESS_EACH = 0.1
_LEAST = 0.4


def is_layer_id(target: str) -> bool:
    """`ch.so.afu.karst`, as opposed to a word."""
    return target.startswith("ch.") and " " not in target


@dataclass(frozen=True)
class Meaning:
    """Words and phrases that mean the same, and what they lead to, best first.

    Each of `leads_to` is the id of a layer, or a word that titles and keywords of layers know better.
    """

    words: tuple[str, ...]
    leads_to: tuple[str, ...]
    phrases: tuple[str, ...] = ()

    def targets(self) -> Iterator[tuple[str, float]]:
        """What it leads to with its weight: 1 for the first, a little less for each further one."""
        for place, target in enumerate(self.leads_to):
            yield target, max(_LEAST, 1 - _LESS_EACH * place)


@dataclass(frozen=True)
class MissingTopic:
    """Something that people look for and no layer shows; `see` is who else knows it."""

    words: tuple[str, ...]
    see: str = ""


@dataclass(frozen=True)
class Use:
    """A meaning that a query has, and the terms of the query that say so."""

    meaning: Meaning
    terms: frozenset[str]


class Thesaurus:
    def __init__(
        self,
        meanings: Sequence[Meaning] = (),
        missing: Sequence[MissingTopic] = (),
        *,
        context: Sequence[str] = (),
        topics: Mapping[str, Sequence[str]] | None = None,
        places: Iterable[Sequence[str]] = (),
    ) -> None:
        self.context: frozenset[str] = frozenset(_folded(context))
        """Words that say whose or where: beside others they say nothing about the layer."""
        self.topics: Mapping[str, Sequence[str]] = topics or {}
        """What topics are called in other languages."""
        self.places: frozenset[tuple[str, ...]] = frozenset(map(tuple, places))
        """Names of places in folded words: they say nothing about the layer."""
        self._by_word: dict[str, list[Meaning]] = defaultdict(list)
        self._by_stems: dict[frozenset[str], list[Meaning]] = defaultdict(list)
        self._phrases: dict[str, set[frozenset[str]]] = defaultdict(set)
        self._missing = {stem(word): topic for topic in missing for word in _folded(topic.words)}
        surface: set[str] = set()
        for meaning in meanings:
            single = _folded(meaning.words)
            surface.update(single)
            for word in single:
                self._by_word[word].append(meaning)
            keys = [frozenset({stem(word)}) for word in single]
            keys += [frozenset(map(stem, spoken(phrase))) for phrase in meaning.phrases]
            for key in keys:
                self._by_stems[key].append(meaning)
                for part in key:
                    self._phrases[part].add(key)
        surface.update(word for topic in missing for word in _folded(topic.words))
        self.words: frozenset[str] = frozenset(surface)
        """Every single word that it knows, folded."""

    def uses(self, terms: Sequence[str]) -> Iterator[Use]:
        """The meanings of the folded words of a query. A phrase may have other words between its own."""
        said: Mapping[str, str] = {stem(term): term for term in terms}
        keys = {key for part in said for key in self._phrases.get(part, ()) if key <= said.keys()}
        for key in sorted(keys, key=lambda key: (-len(key), sorted(key))):
            used = frozenset(said[part] for part in key)
            # "Bauern" and "bauen" have one stem: a word that is listed means what it is listed for.
            listed = self._by_word.get(next(iter(used)), []) if len(used) == 1 else []
            for meaning in listed or self._by_stems[key]:
                yield Use(meaning, used)

    def lists(self, word: str) -> bool:
        """Whether a folded word stands here by itself."""
        return word in self._by_word

    def missing(self, term: str) -> MissingTopic | None:
        """The topic without a layer that a folded word, or the beginning of a compound, is about."""
        key = stem(term)
        if key in self._missing:
            return self._missing[key]
        return next(
            (t for start, t in self._missing.items() if len(start) > 4 and key.startswith(start)), None
        )


def _folded(listed: Sequence[str]) -> list[str]:
    return [word for entry in listed for word in words(entry)]
