"""What a message wants of each layer that is on the map: what a model looks at to tell it. Pure."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

from contracts.intents import OF_LOADED_LAYERS, Intent
from contracts.session import LoadedLayer
from german.fold import fold

from planner.rules.grammar.loaded import loaded_as
from planner.rules.grammar.parts import Mention, Part, Sign, Word
from planner.rules.grammar.rewriting import Wishes
from planner.rules.grammar.utterance import Utterance
from planner.rules.grammar.wishes import Wish
from planner.rules.learned.features import titled
from planner.rules.planning.past import Past

ONE: Final = "one"
"""The label of a message that is about nothing but one layer."""
_OF_LAYERS: Final = OF_LOADED_LAYERS | {Intent.ZOOM_TO_LAYER, Intent.LOAD_LAYER}
_NEAR: Final = 4
"""So many parts on either side of where a layer is named are told apart by where they stand."""
_MAX_PARTS: Final = 80
_MAX_PLACES: Final = 3
"""Layers that lie farther from the lowest, or from the highest, are not told apart."""
_MAX_ANSWERS: Final = 4
_MANY: Final = 8
_MIN_NAME_CHARS: Final = 4
_STEPS: Final = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9)


def label_of(intent: str) -> str:
    """What the model calls what is done to a layer: whether it is hidden or removed other words say."""
    return Intent.REMOVE_LAYER if intent == Intent.HIDE_LAYER else intent


class OnMap:
    """A message about a map with layers.

    `likely`: how probable each title is by what the message describes. `picks`: what rules would take for
    meant, each of which is right at times.
    """

    def __init__(
        self,
        said: Utterance,
        past: Past,
        read: Wishes,
        likely: Mapping[str, float],
        picks: Mapping[str, Collection[LoadedLayer]],
    ) -> None:
        self._parts = said.parts[:_MAX_PARTS]
        self._past, self._read, self._picks = past, read, picks
        self.layers = past.session.layers
        self._p = {layer.id: likely.get(layer.label, 0.0) for layer in self.layers}

    def features_of(self, layer: LoadedLayer) -> frozenset[str]:
        """All that may tell what is to be done with one of the layers."""
        own = [n for n, ids in enumerate(self._named) if layer.id in ids]
        others = [n for n, ids in enumerate(self._named) if ids and layer.id not in ids]
        state = "this" if own else "other" if others else "none"
        return frozenset(
            (
                *self._of_place(layer),
                *self._of_name(layer, own, others, state),
                *self._of_before(layer),
                *self._of_likely(layer, state),
                *self._of_read(layer),
                *self._of_words(layer, state),
            )
        )

    @cached_property
    def _named(self) -> Sequence[frozenset[str]]:
        """For each part the ids of the layers that it names, or helps to name."""
        named = [self._called(part) for part in self._parts]
        for start, end, title in titled(self._parts):
            if ids := self._ids(title):
                named[start:end] = [ids] * (end - start)
        return named

    def _called(self, part: Part) -> frozenset[str]:
        if not isinstance(part, Word) or not part.is_content:
            return frozenset()
        names = (part.text, part.folded, part.stem or "")
        return next((ids for name in names if may_name(name) and (ids := self._ids(name))), frozenset())

    def _ids(self, name: str) -> frozenset[str]:
        return frozenset(layer.id for layer in loaded_as(name, self._past.session))

    def _of_place(self, layer: LoadedLayer) -> Iterator[str]:
        at = self.layers.index(layer)
        hidden = any(not each.visible for each in self.layers)
        yield f"layers {min(len(self.layers), _MAX_PLACES + 1)}"
        yield f"bottom {min(at, _MAX_PLACES)}"
        yield f"top {min(len(self.layers) - 1 - at, _MAX_PLACES)}"
        yield f"visible {layer.visible} hidden {hidden}"
        yield f"faded {layer.opacity < 1}"

    def _of_name(
        self, layer: LoadedLayer, own: Sequence[int], others: Sequence[int], state: str
    ) -> Iterator[str]:
        yield f"named {state}"
        yield f"named {state} others {bool(others)}"
        if not own:
            return
        yield f"named with others {any(len(self._named[n]) > 1 for n in own)}"
        yield f"named first {not others or own[0] < others[0]}"
        for n in own[:2]:
            for far in range(1, _NEAR + 1):
                for side, at in (("before", n - far), ("after", n + far)):
                    for token in self._tokens(at, layer):
                        yield from (f"{far} {side} {token}", f"{side} {token}")

    def _of_before(self, layer: LoadedLayer) -> Iterator[str]:
        """What was told of it, and wanted of it."""
        told = [n for n, ids in enumerate(self._told) if layer.id in ids]
        last = next(filter(None, self._told), frozenset())
        yield f"told {told[0] if told else 'never'}"
        yield f"told last {layer.id in last} others {len(last) > 1}"
        for wish in self._past.last:
            ids = self._about(wish)
            yield f"last {wish.intent} {layer.id in ids} others {len(ids) > 1}"
        since = [n for n, ids in enumerate(self._wanted) if layer.id in ids]
        latest = next((n for n, ids in enumerate(self._wanted) if ids), -1)
        yield f"latest {bool(since) and since[0] == latest}"

    @cached_property
    def _told(self) -> Sequence[frozenset[str]]:
        """Of which layers the last answers tell, the newest first."""
        answers = [entry.text for entry in self._past.session.history if entry.role == "assistant"]
        return [
            frozenset(layer.id for layer in self.layers if is_told(layer, text))
            for text in reversed(answers[-_MAX_ANSWERS:])
        ]

    @cached_property
    def _wanted(self) -> Sequence[frozenset[str]]:
        return [self._about(wish) for wish in self._past.everything]

    def _about(self, wish: Wish) -> frozenset[str]:
        if wish.intent not in _OF_LAYERS:
            return frozenset()
        name = str(wish.args.get("name", "")) or wish.query
        return self._ids(name) if name else frozenset()

    def _of_likely(self, layer: LoadedLayer, state: str) -> Iterator[str]:
        p = self._p[layer.id]
        other = max((each for id, each in self._p.items() if id != layer.id), default=0.0)
        yield f"likely {_step(p)} {state}"
        yield f"likelier than {sum(each > p for each in self._p.values())} {state}"
        yield f"share {_step(p / (p + other + 1e-9))} {p > _STEPS[1]} {state}"

    def _of_read(self, layer: LoadedLayer) -> Iterator[str]:
        for pick, layers in self._picks.items():
            yield f"{pick} {layer in layers if layers else 'none'}"
        for wish in self._read:
            name = str(wish.args.get("name", "")) or wish.query
            if wish.intent in _OF_LAYERS:
                hit = "all" if name in ("", "*") else layer.id in self._ids(name)
                yield f"read {wish.intent} {hit}"
            else:
                yield f"read {wish.intent}"

    def _of_words(self, layer: LoadedLayer, state: str) -> Iterator[str]:
        for n in range(len(self._parts)):
            yield from (f"{state} {token}" for token in self._tokens(n, layer))
        yield f"words {min(len(self._parts), _MANY)}"

    def _tokens(self, at: int, layer: LoadedLayer) -> Sequence[str]:
        if not 0 <= at < len(self._parts):
            return ("<end>",)
        if self._named[at]:
            return ("<this>",) if layer.id in self._named[at] else ("<other>",)
        match self._parts[at]:
            case Mention(what=what):
                return (f"<{type(what).__name__.lower()}>",)
            case Word() as word if word.text.isdigit():
                return ("<number>",)
            case Word() as word:
                role = (f"<{word.role}>",) if word.role else ()
                return (*sorted({fold(word.text), word.folded}), *role)
            case Sign(text=text):
                return (text,)
        return ("<spared>",)


def may_name(word: str) -> bool:
    """Whether it is long enough to be the name of a layer, or has capitals: `GWR`."""
    return len(word) >= _MIN_NAME_CHARS or (len(word) > 1 and not word.islower())


def is_told(layer: LoadedLayer, text: str) -> bool:
    """Whether a text has the name of a layer in it."""
    return re.search(rf"(?<!\w){re.escape(layer.label)}(?!\w)", text) is not None


def _step(p: float) -> int:
    """How probable, in a few steps."""
    return sum(p >= step for step in _STEPS)
