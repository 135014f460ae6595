"""What layers and topics are called in other languages than that of the catalogue."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

from tools_geo.layers.catalogue import LayerEntry
from tools_geo.layers.query import FILLERS
from tools_geo.spelling import compact, words

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
    """The folded words that say which layer, loosened: `la carte des zones de danger` -> zon, danger."""
    return tuple(loose(word) for word in written if word not in FILLERS and word not in _LAYERS)


class OtherNames:
    """An index of names in other languages. `topics`: what is said there for a word of the catalogue."""

    def __init__(self, entries: Sequence[LayerEntry], topics: Mapping[str, Sequence[str]]) -> None:
        self._entries: dict[str, list[LayerEntry]] = defaultdict(list)
        self._by_word: dict[str, list[LayerEntry]] = defaultdict(list)
        self._topics: dict[str, str] = {}
        for entry in entries:
            for key, parts in _keyed(entry.other_names):
                self._entries[key].append(entry)
                for part in {*parts}:
                    self._by_word[part].append(entry)
        for topic, names in topics.items():
            self._topics |= {key: topic for key, _ in _keyed(names)}
        self.keys = sorted(self._entries)

    def named(self, written: Sequence[str]) -> list[LayerEntry]:
        """The layers of exactly this name."""
        return self._entries.get(compact(content(written)), [])

    def of_key(self, key: str) -> list[LayerEntry]:
        return self._entries[key]

    def having(self, written: Sequence[str]) -> list[LayerEntry]:
        """The layers of which some name has each of the words."""
        parts = content(written)
        first, *others = [self._by_word.get(part, []) for part in parts if len(part) > _MIN_STEM] or [[]]
        return [entry for entry in dict.fromkeys(first) if all(entry in other for other in others)]

    def translated(self, written: Sequence[str], is_known: Callable[[str], bool]) -> tuple[str, ...]:
        """The words with those of the catalogue for names and topics; what the catalogue knows stays."""
        parts = [word for word in written if word not in _LAYERS]
        found: list[str] = []
        while parts:
            count, meant = next(self._beginnings(parts), (1, None))
            stays = meant is None or (count == 1 and is_known(parts[0]))
            found += parts[:1] if stays or meant is None else words(meant)
            parts = parts[1 if stays else count :]
        return tuple(found)

    def _beginnings(self, parts: Sequence[str]) -> Iterator[tuple[int, str]]:
        """How many of the first words are a name, most first, and what it is called in the catalogue."""
        if parts[0] in FILLERS:
            return
        for count in range(min(len(parts), _MAX_WORDS), 0, -1):
            key = compact(content(parts[:count]))
            if key in self._topics:
                yield count, self._topics[key]
            elif key in self._entries:
                yield count, self._entries[key][0].short_title


def _keyed(names: Sequence[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name in names:
        parts = content(words(name))
        yield compact(parts), parts
