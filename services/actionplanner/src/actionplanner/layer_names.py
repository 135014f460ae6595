"""Which of the loaded layers somebody means.

People write "Gewässerschutzkarte", "gewaesserschutz-layer" or "Waldplan" (whose sublayers are loaded, under
other names). The finders below are tried in turn, the strictest first; the first to find something decides.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from contracts.session import LoadedLayer
from german.fold import fold

_NOUNS = r"(?:layer|layers|karte|karten|ebene|ebenen|gruppe)"
_FOREIGN_NOUNS = r"(?:couches?|cartes?|groupes?|livell[oi]|cart[ae]|grupp[oi]|maps?|groups?)"
_NOUN_WORD = re.compile(rf"\b(?:{_NOUNS}|{_FOREIGN_NOUNS})\b")
_NOUN_TAIL = re.compile(rf"(?<=\w{{4}}){_NOUNS}\b")
_ARTICLE = re.compile(r"^(?:der|die|das|den|dem|eine?n?|la|les?|l|une?|il|lo|i|gli|una|the|an?)\s+")
_NO_WORD = re.compile(r"[^\w]+")
_GROUP_SEPARATOR = re.compile(r"\s{1,9}(?:[-\u2013|]\s{1,9}|\()|:\s{1,9}|\s{0,9}/\s{0,9}")

_ALL = {"*", "alle", "alles", "tout", "tous", "toutes", "tutto", "tutti", "tutte", "all", "everything"}
_MIN_SEGMENT_CHARS = 5
"""Shorter parts of a layer id are organisations (ch.so.awjf), not topics."""
_MIN_WORD_CHARS = 3
_MIN_INFIX_CHARS = 5
"""Shorter words have to begin a word of the label: "art" is in every "Karte"."""
_MIN_SCORE = 82
"""Out of 100: one wrong or missing letter in a short word, two or three in a long one."""
_SAME_SCORE = 3
"""Scores this near to the best are equally good."""


@dataclass(frozen=True)
class Found:
    """The layers meant. `together`: they are one thing (a group, or all); else they are alternatives."""

    layers: tuple[LoadedLayer, ...]
    together: bool = False


def find(name: str, loaded: Sequence[LoadedLayer]) -> Found:
    """The loaded layers that a name means, none when it fits none.

    `*` means all. A name that says no more than "the layer" means the only one, if there is only one.
    """
    layers = tuple({layer.id: layer for layer in loaded}.values())
    wish = _fold(name)
    if is_everything(name):
        return Found(layers, together=True)
    if is_unnamed(name):
        return Found(layers if len(layers) == 1 else ())
    for finder in (_by_whole_name, _by_group, _by_words, _by_similar_group, _by_similarity):
        if found := finder(wish, _core(name), layers):
            return found
    return Found(())


def is_everything(name: str) -> bool:
    """Whether a name says no more than "all of them"."""
    return name.strip().casefold() in _ALL or _core(name) in _ALL


def is_unnamed(name: str) -> bool:
    """Whether a name says no more than "the layer"."""
    return not _core(name)


def _by_whole_name(wish: str, core: str, layers: Sequence[LoadedLayer]) -> Found | None:
    """The id or the label itself; then the label but for "Layer", "Karte" and the like."""
    exact = [layer for layer in layers if wish in (_fold(layer.id), _fold(layer.label))]
    return _found(exact or [layer for layer in layers if core == _core(layer.label)])


def _by_group(wish: str, core: str, layers: Sequence[LoadedLayer]) -> Found | None:
    """Sublayers are labelled "Group - part", or have the topic of the group in their ids."""
    wanted = {wish, core}
    labelled = [layer for layer in layers if wanted & set(_forms(_GROUP_SEPARATOR.split(layer.label)[0]))]
    if labelled:
        return _found(labelled, together=True)
    for topic in dict.fromkeys(topic for layer in layers for topic in _topics(layer)):
        if wanted & {_fold(topic), *_forms(topic.rpartition(".")[2])}:
            return _found([layer for layer in layers if topic in _topics(layer)], together=True)
    return None


def _by_words(wish: str, core: str, layers: Sequence[LoadedLayer]) -> Found | None:
    """Every word of the name is in the label, perhaps as a part of a word."""
    words = [word for word in core.split() if len(word) >= _MIN_WORD_CHARS]
    return _found([layer for layer in layers if words and all(_is_in(word, layer) for word in words)])


def _is_in(word: str, layer: LoadedLayer) -> bool:
    label = _fold(layer.label)
    return f" {word}" in f" {label}" or (len(word) >= _MIN_INFIX_CHARS and word in label)


def _by_similar_group(wish: str, core: str, layers: Sequence[LoadedLayer]) -> Found | None:
    """A typo in the name of a group whose name is in the ids of several layers."""
    for topic in dict.fromkeys(topic for layer in layers for topic in _topics(layer)):
        members = [layer for layer in layers if topic in _topics(layer)]
        if len(members) > 1 and _alike(core, _fold(topic.rpartition(".")[2])) >= _MIN_SCORE:
            return _found(members, together=True)
    return None


def _by_similarity(wish: str, core: str, layers: Sequence[LoadedLayer]) -> Found | None:
    """Typos and inflections."""
    scores = {layer.id: _score(core, layer) for layer in layers}
    best = max(scores.values(), default=0.0)
    if best < _MIN_SCORE:
        return None
    return _found([layer for layer in layers if scores[layer.id] >= best - _SAME_SCORE])


def _score(core: str, layer: LoadedLayer) -> float:
    label = _core(layer.label)
    last_topic = _fold(layer.id.rpartition(".")[2])
    names = [label, last_topic]
    if " " not in core:
        names += [word for word in label.split() if len(word) >= _MIN_SEGMENT_CHARS]
    return max(_alike(core, name) for name in names)


def _alike(core: str, name: str) -> float:
    # Imported here: it takes 4 MB, which nobody pays before somebody mistypes.
    from rapidfuzz import fuzz

    return fuzz.ratio(core, name)


def _found(layers: Iterable[LoadedLayer], together: bool = False) -> Found | None:
    found = tuple(layers)
    return Found(found, together) if found else None


def _topics(layer: LoadedLayer) -> list[str]:
    """The heads of a layer id that end with a topic: ch.so.awjf.waldplan for ch.so.awjf.waldplan.typ."""
    parts = layer.id.split(".")
    return [".".join(parts[: n + 1]) for n, part in enumerate(parts) if len(part) >= _MIN_SEGMENT_CHARS]


def _forms(name: str) -> tuple[str, str]:
    return (_fold(name), _core(name))


def _fold(name: str) -> str:
    """Lower case, umlauts spelled out, one blank between words."""
    return _NO_WORD.sub(" ", fold(name).replace("_", " ")).strip()


def _core(name: str) -> str:
    """The folded name without an article and without "Layer", "Karte", "Ebene", as a word or its tail."""
    return " ".join(_NOUN_TAIL.sub("", _NOUN_WORD.sub(" ", _ARTICLE.sub("", _fold(name)))).split())
