"""What may be heard of the things in a message."""

from collections.abc import Mapping

from contracts.intents import Intent

from planner.rules.grammar.utterance import utterance_of
from planner.rules.learned.things import things_in
from planner.rules.learned.wanted import Wanted


def wanted(message: str, *probable: float | Mapping[str, float]) -> tuple[Wanted, ...]:
    """Each thing of a message, and how probable it is that it is wanted: to be seen, where it is not said."""
    things = things_in(utterance_of(message).parts)
    seen = {True: Intent.LOAD_LAYER, False: Intent.SEARCH_PLACE}
    return tuple(
        Wanted(thing, {seen[thing.is_layer]: each} if isinstance(each, float) else each)
        for thing, each in zip(things, probable, strict=True)
    )
