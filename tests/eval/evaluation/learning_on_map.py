"""What a message wants of each layer that is on the map: examples from conversations, as they are played.

What is to be done is in the first outcome that is accepted. Nothing is learned where that names a layer that
is not there: an earlier turn has gone wrong, or a group is called by its name.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from contracts.intents import Intent
from contracts.session import LoadedLayer

from evaluation.fitting import Example
from evaluation.outcomes import Outcome, has_name, named_layer, plain
from planner.rules.learned.on_map import ONE, OnMap

_DONE: Final[Mapping[str, Intent]] = {
    "remove": Intent.REMOVE_LAYER,
    "hide": Intent.REMOVE_LAYER,
    "show": Intent.SHOW_LAYER,
    "opacity": Intent.SET_LAYER_OPACITY,
    "move": Intent.MOVE_LAYER,
    "legend": Intent.SHOW_LEGEND,
    "zoom": Intent.ZOOM_TO_LAYER,
}
NOTHING: Final = "nothing"
"""The label of a turn that is about something else: it does not tell whether one layer would be meant."""


def examples(view: OnMap, accepted: Sequence[Outcome]) -> Iterator[Example]:
    """One for each layer that is on the map in a turn."""
    wanted = done(accepted, view.layers)
    if wanted is None:
        return
    one = all(len(layers) == 1 for layers in wanted.values())
    beside = {NOTHING} if not wanted else {ONE} if one else set()
    for layer in view.layers:
        labels = {intent for intent, layers in wanted.items() if layer in layers}
        yield Example(view.features_of(layer), frozenset(labels | beside))


def tells_of(label: str, example: Example) -> bool:
    """Whether an example says that a label is, or is not meant."""
    return label != NOTHING and (label != ONE or NOTHING not in example.labels)


def done(
    accepted: Sequence[Outcome], layers: Sequence[LoadedLayer]
) -> Mapping[Intent, frozenset[LoadedLayer]] | None:
    """What is to be done to which layers; None where it is not known of which."""
    of_layers = [outcome for outcome in accepted if any(_is_of_layers(fact.kind) for fact in outcome)]
    if not of_layers or of_layers[0] is not accepted[0]:
        return None if of_layers else {}
    return next((found for outcome in of_layers if (found := _done(outcome, layers)) is not None), None)


def _is_of_layers(kind: str) -> bool:
    return kind in _DONE or kind == "clear"


def _done(outcome: Outcome, layers: Sequence[LoadedLayer]) -> Mapping[Intent, frozenset[LoadedLayer]] | None:
    found: dict[Intent, frozenset[LoadedLayer]] = {}
    for fact in outcome:
        if not _is_of_layers(fact.kind):
            continue
        meant = frozenset(layers) if fact.kind == "clear" else _called(named_layer(fact), layers)
        if not meant:
            return None
        intent = _DONE.get(fact.kind, Intent.REMOVE_LAYER)
        found[intent] = found.get(intent, frozenset()) | meant
    return found


def _called(name: str, layers: Sequence[LoadedLayer]) -> frozenset[LoadedLayer]:
    """All of them where none is named; the one that is called so where others only have it in their name."""
    found = [each for each in layers if name in ("", "*") or has_name(each.label, name)]
    exact = [each for each in found if plain(each.label) == plain(name)]
    return frozenset(exact or found)
