"""Which layers a message means, by what was wanted by who said such things."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from contracts.session import LoadedLayer

from planner.rules.grammar.parts import Part
from planner.rules.learned.features import topic_features_of
from planner.rules.learned.model import layer_model
from planner.rules.reading.known import known

_LIKELY: Final = 0.5
_LEAST: Final = 0.05
_CLEARLY: Final = 3.0
"""So many times as probable as any other."""


def layers_meant(parts: Sequence[Part]) -> tuple[str, ...]:
    """The titles of those that are probable, the most probable first; only of layers that there are."""
    titles = {layer.name for layer in known().vocabulary.layers}
    found = [(p, title) for title, p in _probable(parts).items() if p >= _LIKELY and title in titles]
    return tuple(title for _, title in sorted(found, reverse=True))


def loaded_meant(parts: Sequence[Part], among: tuple[LoadedLayer, ...]) -> tuple[LoadedLayer, ...]:
    """`Rohre`: the one of some loaded layers that a message is most likely about, if it is clearly one."""
    probable = _probable(parts)
    ranked = sorted(among, key=lambda layer: -probable.get(layer.label, 0.0))
    best, other = (
        (probable.get(layer.label, 0.0) for layer in (*ranked, *ranked[-1:])[:2]) if ranked else (0, 0)
    )
    return tuple(ranked[:1]) if best >= _LEAST and (len(ranked) == 1 or best >= _CLEARLY * other) else ()


def _probable(parts: Iterable[Part]) -> Mapping[str, float]:
    return layer_model().probabilities(topic_features_of(parts))
