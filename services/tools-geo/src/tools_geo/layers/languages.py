"""What layers and topics are called in other languages than that of the catalogue."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

from german.words import words

from tools_geo.layers.catalogue import LayerEntry
from tools_geo.layers.query import FILLERS
from tools_geo.spelling import compact

_MEANS_LAYER = """
    carta carte cartes couche couches layer layers map mappa mappe maps strati strato
"""
"""No plans: a plan of zones is another thing than zones."""
_LAYERS = frozenset(_MEANS_LAYER.split())
_MIN_STEM = 3
_MAX_WORDS = 8
"""Of a name."""


def loose(word: str) -> str:
    """A word without the endings of plurals: `zones` and `zona`, `eaux` and `eau` are equal."""
    singular = word[:-1] if word.endswith(("s", "x")) and len(word) > _MIN_STEM else word
    return singular[:-1] if singular.endswith(tuple("aeio")) and len(singular) > _MIN_STEM else singular


def content(written: Sequence[str]) -> tuple[str, ...]:
    """The folded words that say which layer: `la carte des zones de danger` -> zones, danger."""
    return tuple(word for word in written if word not in FILLERS and word not in _LAYERS)


class OtherNames:
    """An index of names in other languages. `topics`: what is said there for a word of the catalogue."""

    def __init__(self, entries: Sequence[LayerEntry], topics: Mapping[str, Sequence[str]]) -> None:
        self._entries: dict[str, list[LayerEntry]] = defaultdict(list)
        self._topics: dict[str, str] = {}
        self._loose: dict[str, str] = {}
        self._by_word: dict[str, list[LayerEntry]] = defaultdict(list)
        for entry in entries:
            for parts in map(content, map(words, entry.other_names)):
                self._entries[self._learnt(parts)].append(entry)
                for part in {*map(loose, parts)}:
                    self._by_word[part].append(entry)
        for topic, names in topics.items():
            for name in names:
                self._topics[self._learnt(content(words(name)))] = topic
        self.keys = sorted(self._entries)

    def named(self, written: Sequence[str]) -> list[LayerEntry]:
        """The layers of exactly this name, be it in the singular or in the plural."""
        return self._entries.get(self._key(written), [])

    def of_key(self, key: str) -> list[LayerEntry]:
        return self._entries[key]

    def topic(self, written: Sequence[str]) -> str | None:
        """The word of the catalogue for a topic of exactly this name."""
        return self._topics.get(self._key(written))

    def having(self, written: Sequence[str]) -> list[LayerEntry]:
        """The layers of which some name has each of the words."""
        parts = [part for part in map(loose, content(written)) if len(part) > _MIN_STEM]
        first, *others = [self._by_word.get(part, []) for part in parts] or [[]]
        return [entry for entry in dict.fromkeys(first) if all(entry in other for other in others)]

    def translated(self, written: Sequence[str], is_known: Callable[[str], bool]) -> tuple[str, ...]:
        """The words with those of the catalogue for names and topics; what the catalogue knows stays."""
        parts = [word for word in written if word not in _LAYERS]
        found: list[str] = []
        while parts:
            count, meant = next(self._beginnings(parts), (1, None))
            if meant is None or (count == 1 and is_known(parts[0])):
                found.append(parts.pop(0))
            else:
                found += words(meant)
                del parts[:count]
        return tuple(found)

    def _beginnings(self, parts: Sequence[str]) -> Iterator[tuple[int, str]]:
        """How many of the first words are a name, most first, and what it is called in the catalogue."""
        most = min(len(parts), _MAX_WORDS) if parts[0] not in FILLERS else 0
        for count in range(most, 0, -1):
            if topic := self.topic(parts[:count]):
                yield count, topic
            elif named := self.named(parts[:count]):
                yield count, named[0].short_title

    def _learnt(self, parts: Sequence[str]) -> str:
        key = compact(parts)
        self._loose.setdefault(compact([*map(loose, parts)]), key)
        return key

    def _key(self, written: Sequence[str]) -> str:
        parts = content(written)
        key = compact(parts)
        is_exact = key in self._entries or key in self._topics
        return key if is_exact else self._loose.get(compact([*map(loose, parts)]), key)
