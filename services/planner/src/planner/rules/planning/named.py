"""What a message names that is not understood otherwise: `Bettlach steht auf dem Zettel`."""

from collections.abc import Iterator
from itertools import pairwise

from contracts.intents import Intent

from planner.rules.grammar.bare_parcels import parcels_beside_places
from planner.rules.grammar.clause import Clause
from planner.rules.grammar.parts import Mention
from planner.rules.grammar.rewriting import Wishes, moved, renumbered
from planner.rules.grammar.targets import targets_of
from planner.rules.grammar.utterance import Utterance
from planner.rules.grammar.wishes import Wish, visit
from planner.rules.planning.past import Past
from planner.rules.reading.lexicon import Role
from planner.rules.reading.topics import is_theme, topic_of
from planner.rules.references.addresses import Address
from planner.rules.references.finding import Reference
from planner.rules.references.layers import layer_named
from planner.rules.references.parcels import Parcel, is_parcel_number

_SAYS_MORE = frozenset({Role.NOT, Role.NONE, Role.OTHER, Role.MEASURE, Role.QUESTION, Role.HELP}) | {
    *(Role.REMOVE, Role.HIDE, Role.CLEAR)
}
_TAKES_BACK = frozenset({Role.CORRECTION, Role.NO})
_INSIDE = frozenset({"in", "an", "bei", "um"})
_MAX_WORDS = 14
"""Who says more tells a story."""


def named_in(message: Utterance, past: Past) -> Wishes | None:
    """The one thing that a message names: a place or a number, for what was wanted before where that lacks
    it or is taken back, or a layer; None where it asks, denies or says more."""
    words, clauses = message.words, message.spoken
    if message.asks or message.roles & _SAYS_MORE or len(words) > _MAX_WORDS:
        return None
    if any(topic_of(word.folded) for word in words) or any(map(_happens_there, clauses)):
        return None
    mentioned = (target for clause in clauses if clause.mentions for target in targets_of(clause))
    targets: set[Reference] = {*(parcels_beside_places(clauses) or mentioned)}
    layers = {name for clause in clauses for name in _layers(clause)}
    numbers = [word.text for clause in clauses for word in clause.content if is_parcel_number(word.text)]
    match tuple(targets), tuple(layers):
        case (target,), ():
            takes_back = not message.roles.isdisjoint(_TAKES_BACK)
            lacking = any(wish.needs_place and wish.target is None for wish in past.last)
            return (moved(past.last, target) if takes_back or lacking else None) or (visit(target),)
        case (), (layer,):
            return (Wish(Intent.LOAD_LAYER, query=layer),)
        case (), () if len(numbers) == 1:
            return renumbered(past.latest_at(Address, Parcel), numbers)
        case _:
            return None


def _happens_there(clause: Clause) -> bool:
    """`Ich möchte in Olten eine Pizza essen`: the place is only where something else is wanted."""
    nouns = any(word.is_noun for word in clause.content)
    pairs = pairwise(clause.parts)
    return nouns and any(before.folded in _INSIDE and isinstance(part, Mention) for before, part in pairs)


def _layers(clause: Clause) -> Iterator[str]:
    """What sounds like a layer, or is called like one."""
    for phrase in clause.phrases():
        said = [word.folded for word in clause.content if word.text in phrase.split()]
        if any(map(is_theme, said)) or layer_named(said):
            yield phrase
