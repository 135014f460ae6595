"""The names of layers that the sources know, and what sounds like one."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from german.spelling import MAX_WORD_CHARS, Spellings
from german.words import words

from planner.rules.reading.known import Known, known
from planner.rules.reading.topics import is_theme

_MIN_PART_CHARS: Final = 4
_MIN_FUZZY_CHARS: Final = 6
_TWO_TYPOS_CHARS: Final = 10
_ENDINGS: Final = ("en", "er", "es", "e", "n", "s")
_NO_NAMES: Final = frozenset({"karte", "layer", "plan", "quelle", "bund", "kanton", "schweiz", "national"})
_SMALL: Final = frozenset({"der", "die", "das", "den", "dem", "und", "von", "in", "im", "mit", "zu"})


class LayerNames:
    """What layers are called, folded, and the words that their names are made of."""

    def __init__(self, source: Known) -> None:
        layers = source.vocabulary.layers
        self.titles = {_key(name): layer.name for layer in layers for name in (layer.name, *layer.also)}
        self.words = frozenset(word for title in self.titles for word in title.split())
        self.stems = {_stem(word) for word in self.words - _NO_NAMES if len(word) >= _MIN_PART_CHARS}
        self.spellings = Spellings(sorted(word for word in self.words if len(word) >= _MIN_FUZZY_CHARS))


@lru_cache(maxsize=2)
def _names_of(source: Known) -> LayerNames:
    return LayerNames(source)


def layer_named(said: Sequence[str]) -> str | None:
    """The title of the layer that some folded words name exactly."""
    return _names_of(known()).titles.get(" ".join(said))


def may_name_layer(said: Iterable[str]) -> bool:
    """Whether one of some folded words stands in the name of a layer; without any names, each may."""
    names = _names_of(known())
    return not names.titles or any(_sounds(word, known()) for word in said)


def layer_words_of(topic: str) -> str:
    """A topic without small words around it that stand in no name of a layer: `noch Richtplan sehen`."""
    names, said = _names_of(known()), topic.split()
    kept = [n for n, word in enumerate(said) if word[:1].isupper() or _key(word) in names.words - _SMALL]
    if not names.titles or not any(_sounds(_key(word), known()) for word in said):
        return topic
    return " ".join(said[kept[0] : kept[-1] + 1]) if kept else topic


@lru_cache(maxsize=8_192)
def _sounds(word: str, source: Known) -> bool:
    names = _names_of(source)
    if len(word) > MAX_WORD_CHARS:
        return False
    if is_theme(word) or _stem(word) in names.stems:
        return True
    allowed = 1 if len(word) < _TWO_TYPOS_CHARS else 2
    return len(word) >= _MIN_FUZZY_CHARS and names.spellings.nearest(word, allowed) is not None


def _key(name: str) -> str:
    return " ".join(words(name))


def _stem(word: str) -> str:
    """Shorter steps than those of `german.stems`, which takes `Grenchn` for the stem of `Grenchner`."""
    ending = next((e for e in _ENDINGS if word.endswith(e) and len(word) - len(e) >= _MIN_PART_CHARS), "")
    return word.removesuffix(ending)
