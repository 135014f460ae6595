"""Which layers words may mean, by what people call them; their sense is not looked at."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from planner.rules.grammar.parts import Part
from planner.rules.learned.features import topic_features_of
from planner.rules.learned.model import layer_model

_CERTAIN = 0.85
_KEPT = 1_000


def likely_titles(parts: Sequence[Part]) -> Mapping[str, float]:
    """How probable each title is."""
    return layer_model(by_sense=False).probabilities(topic_features_of(parts))


def certain_title(parts: Sequence[Part]) -> str:
    """What words can hardly mean anything but; none where they may."""
    return _certain_title(topic_features_of(parts))


@lru_cache(_KEPT)
def _certain_title(features: frozenset[str]) -> str:
    probable = layer_model(by_sense=False).probabilities(features)
    title = max(probable, key=lambda each: probable[each])
    return title if probable[title] > _CERTAIN else ""
