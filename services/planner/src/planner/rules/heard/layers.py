"""Which layers a message means, by what was wanted by who said such things."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from contracts.session import LoadedLayer

from planner.rules.grammar.arranging import says_how
from planner.rules.grammar.clause import Clause
from planner.rules.grammar.parts import Part, Word
from planner.rules.learned.features import text_of, topic_features_of
from planner.rules.learned.model import layer_model
from planner.rules.learned.sense import sense_of
from planner.rules.reading.known import known

_LIKELY: Final = 0.5
_CERTAIN: Final = 0.95
"""A word by itself has nothing beside it that tells what is meant."""
_PERHAPS: Final = 0.2
"""Where it is known that there is a layer to be found."""
_FAINT: Final = 0.05
"""Where it is known that it is one of a few."""
_FEW: Final = 3
_CLEARLY: Final = 3.0
"""So many times as probable as any other."""


def layers_meant(parts: Sequence[Part]) -> tuple[str, ...]:
    """The titles that are meant as likely as not, the likeliest first; only of layers that there are."""
    least = _LIKELY if sum(part.is_content for part in parts) > 1 else _CERTAIN
    return tuple(title for p, title in _ranked(parts) if p >= least)


def layer_guessed(parts: Sequence[Part]) -> tuple[str, ...]:
    """The title that is clearly the likeliest, where it is known that a layer is meant."""
    (best, title), (other, _), *_ = (*_ranked(parts), (0.0, ""), (0.0, ""))
    several = sum(part.is_content for part in parts) > 1
    return (title,) if several and best >= max(_PERHAPS, _CLEARLY * other) else ()


def likeliest(parts: Sequence[Part]) -> tuple[str, ...]:
    """The few titles that are likelier than all others, however unlikely."""
    return tuple(title for _, title in _ranked(parts)[:_FEW])


def _ranked(parts: Sequence[Part]) -> Sequence[tuple[float, str]]:
    titles = {layer.name for layer in known().vocabulary.layers}
    return sorted(((p, title) for title, p in _probable(parts).items() if title in titles), reverse=True)


def loaded_meant(parts: Sequence[Part], among: tuple[LoadedLayer, ...]) -> tuple[LoadedLayer, ...]:
    """`die Rohre blasser`: the one of some loaded layers that is clearly the likeliest."""
    named = [part for part in parts if isinstance(part, Word) and not says_how(part)]
    probable = _probable(named)
    ranked = sorted(among, key=lambda layer: -probable.get(layer.label, 0.0))
    best, other, *_ = (*(probable.get(layer.label, 0.0) for layer in ranked), 0.0, 0.0)
    return tuple(ranked[:1]) if best >= max(_FAINT, _CLEARLY * other) else ()


def parts_of(clauses: Iterable[Clause]) -> list[Part]:
    return [part for clause in clauses for part in clause.parts]


def _probable(parts: Iterable[Part]) -> Mapping[str, float]:
    said = tuple(parts)
    sense = sense_of(text_of(said))
    return layer_model(by_sense=sense is not None).probabilities(topic_features_of(said), sense)
