"""Which of the things that a message names are meant: examples from conversations.

What is meant is in the first outcome that is accepted. Nothing is told of a thing where that outcome does not
say which one it is about: `height`, or a layer where somebody also names a place.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from solothurn import VOCABULARY

from evaluation.conversations import Conversation, conversations
from evaluation.fitting import Example
from evaluation.outcomes import Fact, Outcome, has_name, plain
from planner.rules.grammar.utterance import utterance_of
from planner.rules.learned.model import MEANT
from planner.rules.learned.things import Thing, rivals, surroundings, things_in
from planner.rules.reading.known import expecting, knowing
from planner.rules.references.addresses import Address
from planner.rules.references.finding import Egrid
from planner.rules.references.parcels import Parcel
from planner.rules.references.places import Place

_OF_SPOTS = frozenset(
    {"view", "height", "distance", "geothermal", "query", "parcel", "extract", "plan", "identify"}
)
_OF_LAYERS = frozenset({"load", "remove", "hide", "show", "opacity", "move", "legend", "zoom", "query"})
_TELLING_CHARS = 5
"""Such words of a title tell which layer it is."""


def examples(folders: Iterable[Path]) -> list[Example]:
    """One for each thing that is named beside others of its sort, where it is known whether it is meant."""
    found = (each for folder in folders for each in conversations(folder) if each.agent == "map")
    with knowing(VOCABULARY):
        return [example for each in found for example in _of(each)]


def _of(conversation: Conversation) -> Iterator[Example]:
    with expecting(conversation.language):
        for turn in conversation.turns:
            parts = utterance_of(turn.say).parts
            things = things_in(parts)
            for sort in rivals(things):
                meant = {n: is_meant(things[n], things, turn.accept[0]) for n in sort}
                if True in meant.values():
                    told = (n for n in sort if meant[n] is not None)
                    yield from (
                        Example(surroundings(parts, things, n), frozenset({MEANT} if meant[n] else ()))
                        for n in told
                    )


def is_meant(thing: Thing, things: Sequence[Thing], outcome: Outcome) -> bool | None:
    """Whether an outcome is about a thing; None where it does not tell."""
    facts = [fact for fact in outcome if fact.kind in (_OF_LAYERS if thing.is_layer else _OF_SPOTS)]
    if any(_is_about(fact, thing) for fact in facts):
        return True
    unclear = not facts or any(not fact.words or fact.words == "*" for fact in facts)
    if not thing.is_layer:
        unclear |= any(not any(c.isalpha() for c in fact.words) or fact.words[:2] == "CH" for fact in facts)
        unclear |= isinstance(thing.what, Place) and _is_beside(thing.what, things)
    return None if unclear else False


def _is_beside(place: Place, things: Sequence[Thing]) -> bool:
    """It may only tell where something else is."""
    return place.kind == "region" or any(isinstance(each.what, Address | Parcel | Egrid) for each in things)


def _is_about(fact: Fact, thing: Thing) -> bool:
    words = plain(fact.words)
    if isinstance(thing.what, str):
        title = plain(thing.what)
        telling = (word for word in words.split() if len(word) >= _TELLING_CHARS)
        return title in words or has_name(thing.what, fact.words) or any(word in title for word in telling)
    name = plain(_name(thing))
    return bool(name) and name.split()[0] in words


def _name(thing: Thing) -> str:
    match thing.what:
        case Place(name=name) | Address(street=name) | Egrid(egrid=name):
            return name
        case Parcel(number=number):
            return number or ""
    return ""
