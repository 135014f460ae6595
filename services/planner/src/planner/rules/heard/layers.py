"""Which layers a message means, by what was wanted by who said such things."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from contracts.session import LoadedLayer

from planner.rules.grammar.arranging import says_how
from planner.rules.grammar.clause import Clause
from planner.rules.grammar.parts import Part, Word
from planner.rules.learned.features import topic_features_of
from planner.rules.learned.model import layer_model
from planner.rules.reading.known import known

_LIKELY: Final = 0.5
_CERTAIN: Final = 0.8
"""A word by itself has nothing beside it that tells what is meant."""
_LEAST: Final = 0.1
"""Of a loaded layer: there are few others that can be meant."""
_CLEARLY: Final = 3.0
"""So many times as probable as any other."""


def layers_meant(parts: Sequence[Part], least: float = _LIKELY) -> tuple[str, ...]:
    """The titles that are at least so probable, the likeliest first; only of layers that there are."""
    titles = {layer.name for layer in known().vocabulary.layers}
    enough = least if sum(part.is_content for part in parts) > 1 else max(least, _CERTAIN)
    found = [(p, title) for title, p in _probable(parts).items() if p >= enough and title in titles]
    return tuple(title for _, title in sorted(found, reverse=True))


def loaded_meant(parts: Sequence[Part], among: tuple[LoadedLayer, ...]) -> tuple[LoadedLayer, ...]:
    """`die Rohre blasser`: the one of some loaded layers that is clearly the likeliest."""
    named = [part for part in parts if isinstance(part, Word) and not says_how(part)]
    probable = _probable(named)
    ranked = sorted(among, key=lambda layer: -probable.get(layer.label, 0.0))
    best, other, *_ = (*(probable.get(layer.label, 0.0) for layer in ranked), 0.0, 0.0)
    return tuple(ranked[:1]) if best >= max(_LEAST, _CLEARLY * other) else ()


def parts_of(clauses: Iterable[Clause]) -> list[Part]:
    return [part for clause in clauses for part in clause.parts]


def _probable(parts: Iterable[Part]) -> Mapping[str, float]:
    return layer_model().probabilities(topic_features_of(parts))
