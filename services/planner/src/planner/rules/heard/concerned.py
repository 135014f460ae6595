"""Which of the layers on the map a message is about, by what was meant by who said such things."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from planner.rules.grammar.arranging import says_how
from planner.rules.grammar.parts import Word
from planner.rules.grammar.rewriting import Wishes
from planner.rules.grammar.utterance import Utterance
from planner.rules.heard.meant import both_before, called_in, ordered_layers, pointed_layers
from planner.rules.heard.positions import Layers
from planner.rules.learned.model import map_model
from planner.rules.learned.on_map import ONE, OnMap, label_of
from planner.rules.learned.titles import likely_titles
from planner.rules.planning.past import Past

_LIKELY: Final = 0.5
_SINGLE: Final = 0.6
"""Where it is so probable that one layer is meant, no more than one is."""
_UNLIKELY: Final = 0.2
_MOST: Final = 16
"""Of more layers those that lie highest are told apart."""


@dataclass(frozen=True)
class Concerned:
    """How probable it is that something is to be done to each layer."""

    layers: Layers = ()
    probable: Mapping[str, Mapping[str, float]] | None = None
    """By the id of a layer, and by what the model calls it."""

    def by(self, intent: str, among: Layers, least: float) -> Layers:
        """Those of some layers to which it is to be done; none where that is less probable of all."""
        found = [each for each in self.layers if each in among]
        best = max(found, key=lambda each: self._of(each.id, intent), default=None)
        if best is None or self._of(best.id, intent) < least:
            return ()
        single = sum(self._of(each.id, ONE) for each in self.layers) > _SINGLE * len(self.layers)
        several = tuple(each for each in found if self._of(each.id, intent) > _LIKELY)
        return (best,) if single or not several else several

    def without_unlikely(self, intent: str, named: Layers) -> Layers:
        """Of several that are named those to which it may be to be done: `A auf 50, damit B durchscheint`."""
        unlikely = {each for each in self.layers if self._of(each.id, intent) < _UNLIKELY}
        likely = tuple(each for each in named if each not in unlikely)
        return likely if any(self._of(each.id, intent) > _LIKELY for each in likely) else named

    def _of(self, id: str, label: str) -> float:
        return (self.probable or {}).get(id, {}).get(label if label == ONE else label_of(label), 0.0)


NONE: Final = Concerned()
"""Of an empty map."""


def concerned(said: Utterance, past: Past, read: Wishes) -> Concerned:
    """Looks at each of the layers that are on the map before a message."""
    layers = past.session.layers[-_MOST:]
    if not layers:
        return NONE
    view = on_map(said, past, read)
    return Concerned(layers, {each.id: map_model().probabilities(view.features_of(each)) for each in layers})


def on_map(said: Utterance, past: Past, read: Wishes) -> OnMap:
    """What the model looks at."""
    layers = past.session.layers
    described = [part for part in said.parts if isinstance(part, Word) and not says_how(part)]
    picks = {
        "ordered": ordered_layers(said.clauses, layers),
        "kept": called_in(said.clauses, layers, kept=True),
        "pointed": pointed_layers(said, past, layers),
        "both": both_before(past, layers),
    }
    return OnMap(said, past, read, likely_titles(described), picks)
